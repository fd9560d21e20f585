"""Control-C, SIGTERM and SIGHUP end a command within seconds, without partial outputs.

The interpreter handles signals between two bytecode instructions, and a solver or a compiled loop
is one instruction, however long. So a thread listens, too: if the command still runs some seconds
after a signal, or at a second signal, the thread removes drafts and ends the process.
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

from mixsafe.machinery.temporary_files import take_away

GRACE = 2.0
"""Seconds in which a command must end after a signal: compiled loops of threads take longer."""

_OVER = 0
"""In place of a signal's number: the listener stops."""

_NUMBERS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)

_USUAL = (signal.SIG_DFL, signal.default_int_handler)
"""Handlers of signals that nobody ignores or handles otherwise."""


class Listener:
    """Listens for signals that end the command.

    Parameters
    ----------
    numbers
        Signals that end it.
    """

    def __init__(self, numbers: Collection[int]) -> None:
        self.numbers = numbers
        self.number: int | None = None
        self._heard = False

    @property
    def status(self) -> int | None:
        """Exit status by the convention of shells, 128 + number; None: no signal came."""
        return None if self.number is None else 128 + self.number

    @property
    def reason(self) -> str:
        """Reason for the end, for people."""
        if self.number in (None, signal.SIGINT):
            return "interrupted"
        return f"ended by {signal.Signals(self.number).name}"

    def hear(self, number: int, frame: FrameType | None) -> None:
        """End the command by an exception, as Control-C does in Python."""
        if not self._heard:  # do not interrupt the cleanup
            self._heard, self.number = True, number
            raise KeyboardInterrupt

    def watch(self, pipe: int) -> None:
        """Read numbers of signals, and end the process if the command does not.

        Parameters
        ----------
        pipe
            File descriptor to read from: a byte for each signal.
        """
        end = None
        while end is None or select.select([pipe], [], [], max(end - time.monotonic(), 0.0))[0]:
            number = os.read(pipe, 1)[0]
            if number == _OVER:
                return
            if number in self.numbers:
                self.number = number
                if end is not None:
                    break
                end = time.monotonic() + GRACE
        take_away()
        _end_children()
        line = f"mixsafe: {self.reason}; nothing half done was written\n"
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, line.encode())
        os._exit(self.status or 1)


@contextmanager
def listening() -> Iterator[Listener]:
    """Listen during the block; ignored signals, as SIGHUP under nohup, stay ignored."""
    usual = {one: signal.getsignal(one) for one in _NUMBERS}
    numbers = [one for one, handler in usual.items() if handler in _USUAL]
    listener = Listener(numbers)
    if os.name == "nt" or threading.current_thread() is not threading.main_thread():
        yield listener
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    former = signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    for one in numbers:
        signal.signal(one, listener.hear)
    thread = threading.Thread(target=listener.watch, args=(read,), daemon=True)
    thread.start()
    try:
        yield listener
    finally:
        for one in numbers:
            signal.signal(one, usual[one])
        signal.set_wakeup_fd(former)
        os.write(write, bytes([_OVER]))
        thread.join()
        os.close(read)
        os.close(write)


def _end_children() -> None:
    """End processes that the command started."""
    if "multiprocessing" not in sys.modules:
        return
    import multiprocessing

    from mixsafe.compare.isolated import end_process

    for child in multiprocessing.active_children():
        end_process(child.pid)


def _in_child() -> None:
    """Restore default signal handling in a forked process, so that signals end it at once."""
    heard = [one for one in _NUMBERS if signal.getsignal(one) not in (*_USUAL, signal.SIG_IGN)]
    if heard:
        signal.set_wakeup_fd(-1)
        for one in heard:
            signal.signal(one, signal.SIG_DFL)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
