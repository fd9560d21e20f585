"""Parallel tasks: on threads, or on processes if solvers hold Python's lock.

Processes inherit the shared data by fork. Tasks are independent, so that results do not depend on
the number of workers.
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

from mixsafe.model.course import Course, Entry

Context = TypeVar("Context")
Task = TypeVar("Task")

SHARES = 8
"""Independent parts of a randomized search. Results depend on their number, not on threads."""

_SILENT = (signal.SIGINT, signal.SIG_DFL)


class _Inherited(Generic[Context, Task]):
    """Function and data that worker processes inherit instead of receiving them by pipe."""

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
    work: Callable[[Context, Task], Entry], context: Context, workers: int, most: int
) -> Iterator[Callable[[Sequence[Task]], Iterable[Entry]]]:
    """A function that maps tasks to their results, in order.

    Parameters
    ----------
    work
        Runs one task in a context.
    context
        Data that all tasks need; processes inherit its current state.
    workers
        Number of processes. With one, or without fork, tasks run in this process.
    most
        Maximum useful number of processes.
    """
    global _inherited
    workers = min(workers, most)
    here: Callable[[Task], Entry] = _Inherited(work, context)
    if workers <= 1 or "fork" not in multiprocessing.get_all_start_methods():
        yield lambda tasks: map(here, tasks)
        return
    _inherited = here  # type: ignore[assignment]
    try:
        # Control-C ends workers silently; the parent reports it.
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
    """Terminate the workers, which an interruption of the parent alone does not reach."""
    for worker in multiprocessing.active_children():
        if isinstance(worker, ForkProcess):
            worker.terminate()


def until(course: Course, walks: Sequence[Callable[[], None]], stop: npt.NDArray[np.bool_]) -> None:
    """Run functions in threads, so that a time limit and Ctrl-C can stop them.

    Parameters
    ----------
    course
        Threads, and when to stop.
    walks
        Independent functions that stop when ``stop`` is set.
    stop
        Set at the end or at the deadline.
    """
    with ThreadPoolExecutor(course.workers) as threads:
        begun = [threads.submit(on) for on in walks]
        try:
            left = course.left
            wait(begun, None if left == float("inf") else left)
        finally:
            stop[:] = True
        for walked in begun:
            walked.result()
