"""What a run has on disk for the time being: drafts of outputs, folders for what is in between.

Whoever makes such a thing takes it away, too, however the task ends. Only a run that is ended from
outside in the midst of a long computation, which hears nothing, cannot; so all that is there for
the time being is noted here, and can be taken away from another thread.
"""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

_NOTED: dict[str, bool] = {}
_MOVING = threading.RLock()

_ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


def note(path: str | os.PathLike[str], *, only_empty: bool = False) -> None:
    """Note a file or a folder that is there for the time being.

    Parameters
    ----------
    only_empty
        Others may put something into the folder, which is to stay.
    """
    _NOTED[os.fspath(path)] = only_empty


def forget(path: str | os.PathLike[str]) -> None:
    """It is gone, or there to stay."""
    _NOTED.pop(os.fspath(path), None)


@contextmanager
def noted(path: str | os.PathLike[str]) -> Iterator[None]:
    """What is there for as long as the block takes."""
    note(path)
    try:
        yield
    finally:
        forget(path)


def take_away() -> None:
    """Take away all that is noted, the latest first; not while outputs take their places."""
    with _MOVING:
        for path, only_empty in reversed(list(_NOTED.items())):
            with suppress(OSError):
                if only_empty:
                    os.rmdir(path)
                elif os.path.isdir(path):
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    Path(path).unlink(missing_ok=True)
            forget(path)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals that would end the block half way are heard when it is over."""
    came: list[int] = []

    def later(number: int, frame: FrameType | None) -> None:
        came.append(number)

    former: dict[int, Callable[[int, FrameType | None], object]] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
        for one in numbers:
            handler = signal.getsignal(one)
            if callable(handler):
                former[one] = handler
                signal.signal(one, later)
    try:
        with _MOVING:
            yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        if came:
            former[came[0]](came[0], None)
