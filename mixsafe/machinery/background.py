"""A background task in a thread that can be cancelled."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from mixsafe.model.course import Deadline

Found = TypeVar("Found")


class BackgroundTask(Generic[Found]):
    """Work in a thread; closing it (``contextlib.closing``) cancels it.

    Parameters
    ----------
    work
        Called with a deadline; must return soon after it.
    deadline
        Latest end of the work.
    """

    def __init__(self, work: Callable[[Deadline], Found], deadline: Deadline) -> None:
        self._end = deadline.within(None)
        self._pool = ThreadPoolExecutor(1)
        self._found = self._pool.submit(work, self._end)

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._found.done()

    def wait(self, seconds: float) -> None:
        """Wait until the task is done, at most so long."""
        wait([self._found], seconds)

    def result(self) -> Found:
        """The result, once the task is done; raises its error."""
        found: Found = self._found.result()
        return found

    def close(self) -> None:
        """Cancel the work, and wait until it has stopped."""
        self._end.stop()
        self._pool.shutdown()
