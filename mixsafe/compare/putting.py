"""Questions put to engines, one run after the other here, or by the workers of a cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from mixsafe.compare.engine_runs import AnswerBounds, warm_up
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended, run_alone
from mixsafe.errors import InputError
from mixsafe.model.course import Found, SolveLimits, as_found, value_of
from mixsafe.solver.registry import Engine

GRACE = 0.25
"""Share of the limit after which a process that has not ended by itself is ended."""


class Put(NamedTuple):
    """The questions and engines of a comparison.

    Parameters
    ----------
    questions, engines
        Each question to each engine.
    task
        What they are asked to do: ``verify`` or ``optimize``.
    ask
        Called with a problem, an engine and ``limits``.
    limits
        Of each run; ``seconds`` is its limit of time.
    """

    questions: Sequence[Question]
    engines: Sequence[Engine]
    task: str
    ask: Callable[..., AnswerBounds]
    limits: SolveLimits

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Number of a question and number of an engine, run after run."""
        return [(q, e) for q in range(len(self.questions)) for e in range(len(self.engines))]


def ended_runs(put: Put) -> Iterator[Ended]:
    """The outcome of each run, in the order of ``put.pairs``; each run has a separate process.

    Raises
    ------
    MixsafeError
        An engine failed.
    InputError
        A cluster is lost, or its workers may not start processes.
    """
    executor = put.limits.executor
    if executor is None:
        return map(partial(_run, put), put.pairs)
    alone = put._replace(limits=replace(put.limits, executor=None))
    return map(value_of, executor.each(_run_apart, executor.share(alone), put.pairs))


def _run(put: Put, pair: tuple[int, int]) -> Ended:
    """One engine on one question."""
    question, engine = put.questions[pair[0]], put.engines[pair[1]]
    seconds = put.limits.seconds
    if seconds is None:
        raise InputError("a comparison of runs needs a time limit")
    call = partial(put.ask, question.problem, engine, limits=put.limits)
    warm = partial(warm_up, put.task, engine)
    return run_alone(call, seconds, grace=1.0 + GRACE * seconds, warm_up=warm)


def _run_apart(put: Put, pair: tuple[int, int]) -> Found:
    """The same by a worker, which must be let start a process."""
    if multiprocessing.current_process().daemon:
        raise InputError(
            "a worker of the cluster may start no processes, and each run needs one",
            hint="start workers with DASK_DISTRIBUTED__WORKER__DAEMON=False dask worker ADDRESS",
        )
    return as_found(_run(put, pair))
