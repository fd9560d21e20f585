"""Telling whoever waits how far a long run is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]
"""Called with what is being done, how many questions are settled, and how many there are."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


_waiting: list[Callable[[bool], None]] = []


@contextmanager
def told_of_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Call ``tell`` when functions begin to be compiled (True), and when they are (False).

    That takes seconds, in the first run after an installation only.
    """
    _waiting.append(tell)
    try:
        yield
    finally:
        _waiting.remove(tell)


def compiling(begins: bool) -> None:
    """Tell all who wait that functions begin to be compiled, or are."""
    for tell in list(_waiting):
        tell(begins)
