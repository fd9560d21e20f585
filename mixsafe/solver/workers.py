"""Tasks side by side: on threads, or on processes where solvers hold Python's lock.

Processes inherit what all of them need.

What is found must not depend on their number: a task knows nothing of the others.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.context import ForkProcess
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry
from mixsafe.model.limits import Deadline, SolveLimits

Context = TypeVar("Context")
Task = TypeVar("Task")

SHARES = 8
"""Of a search that draws: what is found depends on their number, not on that of threads."""

_SILENT = (signal.SIGINT, signal.SIG_DFL)


class _Inherited(Generic[Context, Task]):
    """What worker processes inherit, instead of copies by pipe."""

    def __init__(self, work: Callable[[Context, Task], Entry], context: Context) -> None:
        self._work, self._context = work, context

    def __call__(self, task: Task) -> Entry:
        return self._work(self._context, task)


_inherited: Callable[[object], Entry] | None = None


def _in_worker(task: object) -> Entry:
    if _inherited is None:
        raise RuntimeError("a worker was started without the problem")
    return _inherited(task)


@contextmanager
def on_processes(
    work: Callable[[Context, Task], Entry], context: Context, limits: SolveLimits, most: int
) -> Iterator[Callable[[Sequence[Task]], Iterable[Entry]]]:
    """A function that maps tasks to what they find, in order.

    Parameters
    ----------
    work
        Does one task in a context.
    context
        What all tasks need; processes inherit it as it is now.
    limits
        How many processes. One: this one, and also where processes cannot inherit.
    most
        Processes of which there is use.
    """
    global _inherited
    workers = min(limits.workers, most)
    here: Callable[[Task], Entry] = _Inherited(work, context)
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield lambda tasks: map(here, tasks)
        return
    _inherited = here  # type: ignore[assignment]
    try:
        # Control-C ends workers at once and without a word; the parent does the talking.
        with ProcessPoolExecutor(
            workers, multiprocessing.get_context("fork"), signal.signal, _SILENT
        ) as pool:
            try:
                yield lambda tasks: pool.map(_in_worker, tasks)
            except KeyboardInterrupt:
                _end_workers()
                raise
    finally:
        _inherited = None


def _end_workers() -> None:
    """End them in the midst of their tasks, where the parent alone was told to end."""
    for worker in multiprocessing.active_children():
        if isinstance(worker, ForkProcess):
            worker.terminate()


def until(
    deadline: Deadline | None,
    walks: Sequence[Callable[[], None]],
    stop: npt.NDArray[np.bool_],
    workers: int,
) -> None:
    """Walk, in threads of their own, so that a limit of time and Ctrl-C can stop them.

    Parameters
    ----------
    deadline
        When to stop; None: when all are done.
    walks
        What is done, independent of each other.
    stop
        Set to end them.
    workers
        Threads; 0 means one per core.
    """
    with ThreadPoolExecutor(SolveLimits(workers=workers).workers) as threads:
        begun = [threads.submit(on) for on in walks]
        try:
            left = float("inf") if deadline is None else deadline.left
            wait(begun, None if left == float("inf") else left)
        finally:
            stop[:] = True
        for walked in begun:
            walked.result()
