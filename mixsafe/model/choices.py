"""Registries of choices by name: engines, adversaries, formats and so on.

Each registry is defined next to the code that it lists, and is used by options, help texts, checks,
results, pages and documentation. Listing loads nothing heavy: the functions of an entry import
their dependencies when called.

Code of one's own adds an entry for the length of a block, ``with ENGINES.registered(Engine(…)):``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from mixsafe.errors import InputError


class Choice(Protocol):
    """Protocol of a choice: a name and a short description."""

    @property
    def name(self) -> str:
        """Name that selects it."""

    @property
    def about(self) -> str:
        """Short description for help texts and tables."""


Thing = TypeVar("Thing")
Kind = TypeVar("Kind", bound=Choice)


class Registry(Generic[Thing]):
    """Things of one kind, in order; no two have a name in common.

    Parameters
    ----------
    what
        Noun for one of them, such as ``engine``.
    *things
        Those that are there from the beginning.

    Raises
    ------
    InputError
        A name occurs twice.
    """

    def __init__(self, what: str, *things: Thing) -> None:
        self.what = what
        self._things: list[Thing] = []
        for thing in things:
            self._append(thing)

    def __iter__(self) -> Iterator[Thing]:
        return iter(tuple(self._things))

    def __len__(self) -> int:
        return len(self._things)

    def names_of(self, thing: Thing) -> tuple[str, ...]:
        """Names of one of them."""
        raise NotImplementedError

    def _found(self, name: str) -> Thing | None:
        """The one of that name."""
        return next((one for one in self._things if name in self.names_of(one)), None)

    def _append(self, thing: Thing) -> None:
        for name in self.names_of(thing):
            if self._found(name) is not None:
                raise InputError(
                    f"{self.what} '{name}' is already registered", hint="choose another name"
                )
        self._things.append(thing)

    @contextmanager
    def registered(self, thing: Thing) -> Iterator[Thing]:
        """Register one for the duration of a block.

        Raises
        ------
        InputError
            One of its names is already registered.
        """
        self._append(thing)
        try:
            yield thing
        finally:
            self._things.remove(thing)


class Choices(Registry[Kind]):
    """Registry of choices of one kind.

    Parameters
    ----------
    what, choices
        Noun for one of them, such as ``engine``; those that are there from the beginning.
    besides
        Alternative to a name, for messages.
    """

    def __init__(self, what: str, *choices: Kind, besides: str = "") -> None:
        self._besides = besides
        super().__init__(what, *choices)

    def __contains__(self, name: object) -> bool:
        return name in self.names()

    def names_of(self, thing: Kind) -> tuple[str, ...]:
        """Its one name."""
        return (thing.name,)

    def __getitem__(self, name: str) -> Kind:
        """Look up a choice by name.

        Raises
        ------
        InputError
            The name is unknown; the message lists the known ones.
        """
        found = self._found(name)
        if found is None:
            raise InputError(f"unknown {self.what} '{name}'", hint=self.hint())
        return found

    def hint(self, scope: str | None = None) -> str:
        """Hint that lists the names."""
        known = self.names(scope)
        return f"use {', '.join(known)}, or {self._besides}" if self._besides else (
            f"use one of {', '.join(known)}"
        )  # fmt: skip

    def within(self, scope: str | None = None) -> tuple[Kind, ...]:
        """Choices for ``scope``; None: all."""
        return tuple(
            choice for choice in self if scope is None or scope in getattr(choice, "scope", ())
        )

    def names(self, scope: str | None = None) -> tuple[str, ...]:
        """Names of the choices for ``scope``; None: all."""
        return tuple(choice.name for choice in self.within(scope))

    def help(self, scope: str | None = None) -> str:
        """Names and descriptions in one line, for help texts."""
        return "; ".join(f"{choice.name}: {choice.about}" for choice in self.within(scope))
