"""Tasks that know nothing of each other, done by this process or by several.

Notes about what teams hand in come from worker processes to the one that tells people. Nor do
tasks learn the judge's seed: they get sealed random numbers.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar

import numpy as np
from threadpoolctl import threadpool_limits

from mixsafe.errors import InputNote
from mixsafe.machinery.background import spawn_context
from mixsafe.model.course import SolveLimits

Context = TypeVar("Context")
Task = TypeVar("Task")
Made = TypeVar("Made")

_kept: list[Any] = []
"""The context of a worker process, and its threads; empty in every other process."""


def sealed(stream: np.random.Generator) -> np.random.Generator:
    """The same random numbers as a stream's, without the seed that they come from.

    A stream of NumPy names the entropy that all streams of a run begin with, from which the secret
    pseudonyms could be drawn again. Streams that are spawned from a sealed one depend on a hash of
    its state instead.
    """
    state = stream.bit_generator.state
    digest = blake2b(repr(state).encode(), digest_size=16).digest()
    bits = np.random.PCG64(int.from_bytes(digest))
    bits.state = state  # type: ignore[assignment]
    return np.random.Generator(bits)


def counted(
    things: Iterable[Made], total: int, progress: Callable[[int, int], object] | None
) -> Iterator[Made]:
    """Things one after the other; how many are done is told when the next one is asked for."""
    for done, thing in enumerate(things, 1):
        yield thing
        if progress is not None:
            progress(done, total)


@contextmanager
def at_work(
    context: Context, workers: int
) -> Iterator[Callable[[Callable[[Context, Task], Made], Iterable[Task]], Iterator[Made]]]:
    """A map of functions of a context and a task, in order, over this process or several.

    Parameters
    ----------
    context
        What all tasks need; it goes to each process once.
    workers
        Processes, >= 1; with more than one, functions are those of modules.
    """
    if workers <= 1:
        yield lambda make, tasks: (make(context, task) for task in tasks)
        return
    threads = max(1, SolveLimits().workers // workers)  # cores that this process may use
    with ProcessPoolExecutor(workers, spawn_context(context), _keep, (context, threads)) as pool:
        yield lambda make, tasks: _passing_on(pool.map(partial(_with_notes, make), tasks))


def _keep(context: object, threads: int) -> None:
    """Set up a worker process, whose products of matrices may use so many threads.

    Processes that each use all cores wait for each other: twenty days then take twice the time.
    """
    _kept[:] = [context, threads]


def _with_notes(make: Callable[[Any, Task], Made], task: Task) -> tuple[Made, list[str]]:
    """What is made of a task, and the notes that came up."""
    context, threads = _kept
    with warnings.catch_warnings(record=True) as heard, threadpool_limits(threads, "blas"):
        warnings.simplefilter("always", InputNote)
        made = make(context, task)
    return made, [str(one.message) for one in heard if issubclass(one.category, InputNote)]


def _passing_on(results: Iterable[tuple[Made, list[str]]]) -> Iterator[Made]:
    """Results as they come, with their notes given here."""
    for made, notes in results:
        for note in notes:
            warnings.warn(note, InputNote, stacklevel=2)
        yield made
