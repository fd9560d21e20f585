"""Runs of engines in separate processes, and the bounds that they send back.

Questions are put to engines one after the other here, or by the workers of a cluster.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended, run_alone
from mixsafe.errors import InputError
from mixsafe.model.course import Course, Found, SolveLimits, as_found, value_of
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.optimize.zone_search import search
from mixsafe.solver.registry import Engine
from mixsafe.verify.verification import verify

GRACE = 0.25
"""Share of the limit after which a process that has not ended by itself is ended."""


@dataclass(frozen=True, eq=False)
class AnswerBounds:
    """Proven bounds on each answer to a question, so that any two engines can be compared.

    Parameters
    ----------
    status
        In a word: decided, undecided, optimal, feasible or infeasible.
    lower, upper
        (n_answers,) float64: bounds on the number of candidates of each wire or requirement; or
        one answer, the cost of a minimum set of zones, infinite where there is none.
    shown
        What a table says of it.
    notes
        Why something was left open.
    """

    status: str
    lower: npt.NDArray[np.float64]
    upper: npt.NDArray[np.float64]
    shown: dict[str, int | None]
    notes: tuple[str, ...] = ()


def verify_bounds(
    problem: Problem,
    engine: Engine,
    limits: SolveLimits,
    k: int | None = None,
    at: Sequence[int] | None = None,
) -> AnswerBounds:
    """Bounds by an engine of :func:`verify`."""
    answer = verify(problem, k=k, at=at, engine=engine, limits=limits, keep_proof_data=True)
    asked = answer.results if answer.wires is None else answer.wires
    if asked is None or answer.proof_data is None:
        raise ValueError("nothing was asked")
    counts = {word: int(answer.summary[word]) for word in ("safe", "unsafe", "undecided")}
    return AnswerBounds(
        "undecided" if counts["undecided"] else "decided",
        asked["lower"].to_numpy(np.float64),
        asked["upper"].to_numpy(np.float64),
        dict(counts),
        tuple(answer.proof_data.answers.notes[:1]),
    )


def minimum_bounds(problem: Problem, engine: Engine, limits: SolveLimits) -> AnswerBounds:
    """Bounds on the number of zones in a minimum set.

    ``auto`` is the default method; any other engine is the oracle of a search over zone sets.
    """
    if engine.name == "auto":
        found = minimum_zones(problem, course=Course.begin(limits))
        return _minimum(found.status, found.minimum, found.bound, found.notes)
    ones = np.ones(len(problem.zones), np.int64)
    best = search(problem, ZoneGroups.each(ones), engine, Course.begin(limits))
    size = None if best.zones is None else len(best.zones)
    if best.complete:
        status = "infeasible" if size is None else "optimal"
    else:
        status = "undecided" if size is None else "feasible"
    return _minimum(status, size, best.bound, best.notes)


def _minimum(
    status: str, size: int | None, bound: int | None, notes: tuple[str, ...]
) -> AnswerBounds:
    """Bounds that an answer about minimum zones amounts to."""
    infeasible = status == "infeasible"
    lower = np.inf if infeasible or bound is None else bound
    upper = np.inf if size is None else size
    shown = {"minimum": size, "bound": None if infeasible else bound}
    return AnswerBounds(status, np.array([lower]), np.array([upper]), shown, notes)


def warm_up(task: str, engine: Engine) -> None:
    """Ask a tiny question, so that everything is loaded and compiled before a clock starts."""
    if task == "verify":
        verify_bounds(_TINY, engine, SolveLimits(workers=1))
    else:
        minimum_bounds(_TINY, engine, SolveLimits(workers=1))


def _tiny() -> Problem:
    """Three users, one of them seen at both ends: two candidates need two meetings."""
    zones = MixZones(
        np.arange(3),
        TimeAxis(steps=4),
        np.array([1, 2, 3, 4], np.int32),
        np.array([0, 2, 4, 6, 8]),
        np.array([0, 1, 0, 2, 0, 2, 0, 1], np.int32),
    )
    one = Requirements(*(np.array([value], np.int32) for value in (0, 2, 2)))
    return replace(Problem("tiny", zones, Knowledge.from_pairs([(0, 0), (0, 4)])), requirements=one)


_TINY = _tiny()


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
