"""Work in the background: a thread that can be cancelled, and new processes.

A process that is spawned imports the script of its parent first, so that whatever the script
defines can be unpickled. A script without ``if __name__ == "__main__":`` is then executed once more
by each process. What mixsafe sends to its processes is defined in modules, so the script is not
needed, and not run again.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.context import SpawnContext, SpawnProcess
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

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


_SCRIPT = "__main__"


class _WithoutScript(SpawnProcess):
    """A process that does not import the script of its parent."""

    @staticmethod
    def _Popen(process_obj: BaseProcess) -> Any:  # noqa: ANN401, N802 -- multiprocessing's own
        with _script_hidden():
            return SpawnProcess._Popen(process_obj)


class _Context(SpawnContext):
    """The start method ``spawn``, without the script."""

    Process = _WithoutScript


def spawn_context(*sent: object) -> SpawnContext:
    """How to start processes to which some objects are sent.

    Parameters
    ----------
    sent
        All that processes are to unpickle. If an object is defined in the script itself, such as an
        engine that it registers, processes import the script as usual, which then needs ``if
        __name__ == "__main__":`` around what it does.
    """
    return SpawnContext() if _SCRIPT.encode() in pickle.dumps(sent) else _Context()


@contextmanager
def _script_hidden() -> Iterator[None]:
    """Hide where the script is, which a new process is told otherwise."""
    script = sys.modules[_SCRIPT]
    known = {name: script.__dict__.pop(name) for name in _WHERE if name in script.__dict__}
    script.__spec__ = None
    try:
        yield
    finally:
        script.__dict__.update(known)


_WHERE = ("__file__", "__spec__")
