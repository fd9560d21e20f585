"""Progress reports of long runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]
"""Called with the current stage, the number of questions decided, and their total."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Report nothing."""


_waiting: list[Callable[[bool], None]] = []


@contextmanager
def told_of_compiling(tell: Callable[[bool], None]) -> Iterator[None]:
    """Call ``tell`` when compilation of functions starts (True) and ends (False).

    Compilation takes seconds, only in the first run after an installation.
    """
    _waiting.append(tell)
    try:
        yield
    finally:
        _waiting.remove(tell)


def compiling(begins: bool) -> None:
    """Notify all listeners that compilation starts or ends."""
    for tell in list(_waiting):
        tell(begins)
