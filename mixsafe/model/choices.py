"""Registries of choices by name: engines, adversaries, formats and so on.

Each registry is defined next to the code that it lists, and is used by options, help texts, checks,
results, pages and documentation. Listing loads nothing heavy: the functions of an entry import
their dependencies when called.

Other packages add an entry with ``ENGINES.register(Engine(…))``, before the registry is read.
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


Kind = TypeVar("Kind", bound=Choice)


class Choices(Generic[Kind]):
    """Registry of choices of one kind, in the order of registration.

    Parameters
    ----------
    what
        Noun for a choice, such as ``engine``.
    *choices
        Initial choices.
    besides
        Alternative to a name, for messages.

    Raises
    ------
    InputError
        A name occurs twice.
    """

    def __init__(self, what: str, *choices: Kind, besides: str = "") -> None:
        self.what, self._besides = what, besides
        self._named: dict[str, Kind] = {}
        for choice in choices:
            self.register(choice)

    def __iter__(self) -> Iterator[Kind]:
        return iter(tuple(self._named.values()))

    def __len__(self) -> int:
        return len(self._named)

    def __contains__(self, name: object) -> bool:
        return name in self._named

    def __getitem__(self, name: str) -> Kind:
        """Look up a choice by name.

        Raises
        ------
        InputError
            The name is unknown; the message lists the known ones.
        """
        if name not in self._named:
            raise InputError(f"unknown {self.what} '{name}'", hint=self.hint())
        return self._named[name]

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

    def register(self, choice: Kind) -> Kind:
        """Append a choice.

        Raises
        ------
        InputError
            The name is already registered.
        """
        if choice.name in self._named:
            raise InputError(
                f"{self.what} '{choice.name}' is already registered", hint="choose another name"
            )
        self._named[choice.name] = choice
        return choice

    @contextmanager
    def registered(self, choice: Kind) -> Iterator[Kind]:
        """Register a choice for the duration of a block, for experiments and tests."""
        self.register(choice)
        try:
            yield choice
        finally:
            del self._named[choice.name]
