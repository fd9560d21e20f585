"""Work that is done in a thread beside other work, and stopped when nobody wants its result."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

from mixsafe.model.limits import Deadline

Found = TypeVar("Found")


class BackgroundTask(Generic[Found]):
    """Work in a thread. Close it (``contextlib.closing``): it is stopped then.

    Parameters
    ----------
    work
        Is given a deadline, and ends soon after it.
    deadline
        When to stop in any case.
    """

    def __init__(self, work: Callable[[Deadline], Found], deadline: Deadline) -> None:
        self._end = deadline.within(None)
        self._pool = ThreadPoolExecutor(1)
        self._found = self._pool.submit(work, self._end)

    @property
    def is_done(self) -> bool:
        """Whether there is a result, or an error."""
        return self._found.done()

    def result(self) -> Found:
        """What the work brought, once it is done; its errors are raised."""
        found: Found = self._found.result()
        return found

    def close(self) -> None:
        """Tell the work to stop, and wait until it has."""
        self._end.stop()
        self._pool.shutdown()
