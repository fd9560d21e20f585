"""Options whose values are words: how help shows them, and what the Tab key offers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any


def one_of(names: Iterable[str], *more: str) -> dict[str, Any]:
    """Settings of an option that takes one of some words.

    Parameters
    ----------
    names
        The words.
    more
        What else it takes, for help alone.
    """
    words = tuple(names)
    return {"metavar": "|".join((*words, *more)), "autocompletion": offering(words)}


def offering(words: Iterable[str]) -> Callable[[], list[str]]:
    """What the Tab key offers; the shell takes those that begin as what is there."""
    known = list(words)
    return lambda: known
