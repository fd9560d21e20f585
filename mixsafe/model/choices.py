"""One list for each kind of choice: engines, adversaries, formats and so on, by name.

Each list stands in one module, next to the code that it names, and is read by options, help texts,
checks, results, pages and documentation. Nothing heavy is loaded to say what there is: an entry
holds functions that load what they need when they are called.

An entry from outside the package is added to the list in one line, ``ENGINES.register(Engine(…))``,
before the list is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, Protocol, TypeVar

from mixsafe.errors import InputError


class Choice(Protocol):
    """What there is to choose: it has a name, and a few words that say what it is."""

    @property
    def name(self) -> str:
        """Word that people write to choose it."""

    @property
    def about(self) -> str:
        """What it is, in a few words: for help texts and tables."""


Kind = TypeVar("Kind", bound=Choice)


class Choices(Generic[Kind]):
    """What there is of one kind, in the order in which it was registered.

    Parameters
    ----------
    what
        What one of them is called, as ``engine``.
    *choices
        Those that are there from the beginning.
    besides
        What may be given instead of a name, for messages.

    Raises
    ------
    InputError
        A name that is there twice.
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
        """The one of that name.

        Raises
        ------
        InputError
            There is none; the message says which there are.
        """
        if name not in self._named:
            raise InputError(f"unknown {self.what} '{name}'", hint=self.hint())
        return self._named[name]

    def hint(self, scope: str | None = None) -> str:
        """Which names can be given, as the way out of an error."""
        known = self.names(scope)
        return f"use {', '.join(known)}, or {self._besides}" if self._besides else (
            f"use one of {', '.join(known)}"
        )  # fmt: skip

    def within(self, scope: str | None = None) -> tuple[Kind, ...]:
        """Those that are for ``scope``; None: all of them."""
        return tuple(
            choice for choice in self if scope is None or scope in getattr(choice, "scope", ())
        )

    def names(self, scope: str | None = None) -> tuple[str, ...]:
        """Names of those that are for ``scope``; None: of all of them."""
        return tuple(choice.name for choice in self.within(scope))

    def told(self, scope: str | None = None) -> str:
        """Each with what it is, in one line: for help texts."""
        return "; ".join(f"{choice.name}: {choice.about}" for choice in self.within(scope))

    def register(self, choice: Kind) -> Kind:
        """Add one at the end.

        Raises
        ------
        InputError
            There is one of that name.
        """
        if choice.name in self._named:
            raise InputError(
                f"there is a registered {self.what} '{choice.name}'", hint="choose another name"
            )
        self._named[choice.name] = choice
        return choice

    @contextmanager
    def registered(self, choice: Kind) -> Iterator[Kind]:
        """Have one more for as long as a block of code runs: for trials and tests."""
        self.register(choice)
        try:
            yield choice
        finally:
            del self._named[choice.name]
