"""Input files that must stay the same for the length of a run.

A run opens its inputs several times: to recognize them, to read them, to hash them for the
provenance of its answer. Between two of these a file may be exchanged or written to, and the answer
would be about other data than its provenance says. In a :func:`same_files` block each file must be
the one that was opened first. Elsewhere, as in a notebook, files may change between two calls.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from mixsafe.errors import InputError

_TICK = 20_000_000
"""Nanoseconds; more than a step of the clock with which file systems stamp changes."""

Made = TypeVar("Made")


class _Identity(NamedTuple):
    """What differs between two files, and between a file and itself after a change."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


class _Run:
    """Files that a run has opened, and what it has found out about them."""

    def __init__(self) -> None:
        self.identities: dict[str, _Identity] = {}
        self.found: dict[Hashable, Any] = {}


_run: _Run | None = None  # of the process: a run also reads in threads


@contextmanager
def same_files() -> Iterator[None]:
    """Refuse input files that change in the block, when they are opened or read."""
    global _run
    before, _run = _run, _Run()
    try:
        yield
    finally:
        _run = before


def check_same(path: str | os.PathLike[str], status: os.stat_result | None) -> None:
    """Refuse a file that is not the one that this run has opened before.

    Parameters
    ----------
    status
        The file's; None: it is gone.

    Raises
    ------
    InputError
        It was exchanged or written to.
    """
    if _run is None:
        return
    name = os.path.abspath(path)
    known = _run.identities.get(name)
    if status is not None and known is None:
        if abs(time.time_ns() - max(status.st_ctime_ns, status.st_mtime_ns)) < _TICK:
            time.sleep(_TICK / 1e9)  # else a change after this one might have the same stamp
        _run.identities[name] = _identity(status)
    elif status is None or _identity(status) != known:
        raise changed(path)


def changed(path: str | os.PathLike[str]) -> InputError:
    """The error for a file or folder that changes while a run reads it."""
    return InputError(
        "it was changed while it was read",
        file=path,
        hint="run the command again when nothing writes to it",
    )


def once_in_run(key: Hashable, make: Callable[[], Made]) -> Made:
    """What ``make`` returns; in a run it is called once for each key."""
    if _run is None:
        return make()
    if key not in _run.found:
        _run.found[key] = make()
    found: Made = _run.found[key]
    return found


def _identity(status: os.stat_result) -> _Identity:
    return _Identity(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
    )
