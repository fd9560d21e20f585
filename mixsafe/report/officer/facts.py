"""Facts that sentences of the officer's page are filled with, each taken from a result."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Stated:
    """A fact that a result states.

    Parameters
    ----------
    path
        Keys of the JSON, with dots between them.
    maybe
        Results may lack it; it is None then.
    names
        It names people, or may: the external edition does not have it.
    """

    path: str
    maybe: bool = False
    names: bool = False

    def of(self, found: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """The value in a result.

        Raises
        ------
        LookupError
            It is not there.
        """
        value: Any = found
        for key in self.path.split("."):
            if self.maybe and (not isinstance(value, Mapping) or key not in value):
                return None
            value = value[key]
        return value


@dataclass(frozen=True)
class Derived:
    """A fact that a function computes from other facts.

    Parameters
    ----------
    by
        A function of :mod:`mixsafe.report.officer.derived`.
    facts
        Names of the facts that it takes, which come before; if one is None, so is this one.
    names
        It names people, or may: the external edition does not have it.
    """

    by: Callable[..., Any]
    facts: tuple[str, ...]
    names: bool = False

    def of(self, found: Mapping[str, Any], facts: Mapping[str, Any]) -> Any:  # noqa: ANN401
        """The value, from facts that are known already."""
        values = [facts[name] for name in self.facts]
        return None if None in values else self.by(*values)


Fact = Stated | Derived


def stated(path: str) -> Stated:
    """A fact of every result of a kind."""
    return Stated(path)


def maybe(path: str) -> Stated:
    """A fact that some results lack."""
    return Stated(path, maybe=True)


def facts_of(
    found: Mapping[str, Any], wanted: Mapping[str, Fact], *, with_names: bool
) -> dict[str, Any]:
    """Facts of a result by name.

    Parameters
    ----------
    found
        The JSON object.
    wanted
        The facts, in an order in which each comes after those that it is derived from.
    with_names
        Whether those that name people are among them; otherwise they are None.

    Raises
    ------
    LookupError, TypeError
        The result lacks one.
    """
    facts: dict[str, Any] = {}
    for name, fact in wanted.items():
        facts[name] = fact.of(found, facts)
    hidden = [name for name, fact in wanted.items() if fact.names and not with_names]
    return {**facts, **dict.fromkeys(hidden)}
