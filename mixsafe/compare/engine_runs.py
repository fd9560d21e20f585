"""The run of an engine in a separate process, and the bounds that it sends back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Course, SolveLimits
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
