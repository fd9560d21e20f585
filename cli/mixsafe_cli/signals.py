"""SIGTERM and SIGHUP end a command as Control-C does: nothing half done is left behind.

The interpreter hears signals between two steps of its own, and a solver or a compiled loop is one
step, however long. So a thread hears them, too: where a command has not ended some seconds after
it was told to, or is told twice, the thread takes away what is half done and ends the process.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType

from mixsafe.temporary_files import take_away

GRACE = 5.0
"""Seconds that a command has to end by itself."""

_OVER = 0
"""In place of a signal's number: nobody needs to listen any more."""

_NUMBERS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


class Listener:
    """Which signal ended the command.

    Parameters
    ----------
    numbers
        Of the signals that may.
    """

    def __init__(self, numbers: Collection[int]) -> None:
        self.numbers = numbers
        self.number: int | None = None
        self._heard = False

    @property
    def status(self) -> int | None:
        """Exit status that says so, as a shell says it; None: no signal did."""
        return None if self.number is None else 128 + self.number

    @property
    def told(self) -> str:
        """What ended it, for people."""
        if self.number is None:
            return "interrupted"
        return f"ended by {signal.Signals(self.number).name}"

    def hear(self, number: int, frame: FrameType | None) -> None:
        """End the command as Control-C does."""
        if not self._heard:  # whoever is clearing up already is let be
            self._heard, self.number = True, number
            raise KeyboardInterrupt

    def watch(self, said: int) -> None:
        """Read numbers of signals, and end the process where the command does not.

        Parameters
        ----------
        said
            Where they are read: a byte for each.
        """
        end = None
        while end is None or select.select([said], [], [], max(end - time.monotonic(), 0.0))[0]:
            number = os.read(said, 1)[0]
            if number == _OVER:
                return
            if number in self.numbers:
                self.number = number
                if end is not None:
                    break
                end = time.monotonic() + GRACE
        take_away()
        _end_children()
        line = f"mixsafe: {self.told}; nothing half done was written\n"
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, line.encode())
        os._exit(self.status or 1)


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen for as long as the block takes; what is ignored, as SIGHUP by nohup, stays so."""
    told = [one for one in _NUMBERS if signal.getsignal(one) is signal.SIG_DFL]
    listener = Listener(told)
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield listener
        return
    said, write = os.pipe()
    os.set_blocking(write, False)
    former = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for one in told:
        signal.signal(one, listener.hear)
    thread = threading.Thread(target=listener.watch, args=(said,), daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        for one in told:
            signal.signal(one, signal.SIG_DFL)
        signal.set_wakeup_fd(former)
        os.write(write, bytes([_OVER]))
        thread.join()
        os.close(said)
        os.close(write)


def _end_children() -> None:
    """End processes that the command has started."""
    if "multiprocessing" not in sys.modules:
        return
    import multiprocessing

    from mixsafe.compare.isolated import end_process

    for child in multiprocessing.active_children():
        end_process(child.pid)


def _in_child() -> None:
    """Processes that inherit all from a command end at once when they are told to."""
    if any(signal.getsignal(one) not in (signal.SIG_DFL, signal.SIG_IGN) for one in _NUMBERS):
        signal.set_wakeup_fd(-1)
        for one in _NUMBERS:
            if signal.getsignal(one) is not signal.SIG_IGN:
                signal.signal(one, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
