"""Entry point: a minimum set of mix zones that meets all requirements (CSP paper, section 5)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import WEIGHTS, Weight, cost_of
from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.model.course import Course
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements, check_k
from mixsafe.optimize import zone_search
from mixsafe.optimize.answer import Budget, MinimumZones, Status, ZoneSet
from mixsafe.optimize.budget import most_protected
from mixsafe.optimize.core_search import CoreSearch
from mixsafe.optimize.reduction import among, needed_zones
from mixsafe.optimize.zone_groups import ZoneGroups, ZoneMask
from mixsafe.solver.registry import engine_of
from mixsafe.verify.presolved import check_size
from mixsafe.verify.query import Query, Settings
from mixsafe.verify.verification import Verification, answer

_UNDECIDED = "the time was up before it was known whether all zones are enough"


def minimum_zones(
    problem: Problem,
    *,
    weight: Weight = "count",
    places: ZonePlaces | None = None,
    method: str = "auto",
    course: Course | None = None,
    rest: bool = False,
) -> MinimumZones:
    """Find a minimum set of zones that meets all requirements of the problem.

    Parameters
    ----------
    problem
        Mix zones, knowledge, and one requirement or more.
    weight
        What a zone costs: ``count``: 1; ``members``: as many as it has members.
    places
        Choose places instead, each with all of its zones, at these costs; None: choose zones.
    method
        ``auto``; or the name of another engine that is for ``optimize``, as ``dp``: the CSP paper's
        method, a search over sets of zones that asks this engine about each
        (:func:`mixsafe.optimize.zone_search.search`).
    course
        Progress is called with stage, what is proven and what it would take; None: no limit.
    rest
        Where not all requirements can be met, answer also for those that can.

    Raises
    ------
    InputError
        There are no requirements, or an unknown weight or method; or the places are not those of
        the problem's zones.
    """
    began, course = time.monotonic(), course or Course.begin()
    check_choices(weight, method)
    if problem.requirements is None or not len(problem.requirements):
        raise InputError("nothing is asked", hint="a minimum set of zones needs requirements")
    check_size(problem.zones)
    groups = _groups(problem, weight, places)
    named = replace(problem, places=places or problem.places)
    asked = _ZoneQuestion(named, weight, places, method, groups, began)
    found = replace(_decided(asked, course), out_of_time=course.passed)
    if not rest or not found.unmet or len(found.unmet) == len(problem.requirements):
        return found
    met = np.ones(len(problem.requirements), bool)
    met[list(found.unmet)] = False
    less = replace(named, requirements=problem.requirements.those(met))
    others = replace(asked, problem=less, began=time.monotonic())
    of_others = _decided(others, course)
    return replace(found, rest=of_others, seconds=time.monotonic() - asked.began)


@dataclass(frozen=True, eq=False)
class _ZoneQuestion:
    """A question, what its zones or places cost, and the clock when it was asked."""

    problem: Problem
    weight: Weight
    places: ZonePlaces | None
    method: str
    groups: ZoneGroups
    began: float

    def infeasible(self, unmet: npt.NDArray[np.int64]) -> MinimumZones:
        """The answer where not even all zones meet the requirements of the numbers ``unmet``."""
        return MinimumZones(
            self.problem, self.weight, self.method, "infeasible", None, None, (),
            unmet=tuple(unmet.tolist()), seconds=time.monotonic() - self.began,
            places=None if self.places is None else (),
        )  # fmt: skip

    def answer(self, found: ZoneSet) -> MinimumZones:
        """The result as an answer."""
        notes, cost, places = found.notes, None, None if self.places is None else ()
        zones: tuple[int, ...] | None = None
        if found.zones is not None:
            some = np.zeros(len(self.groups.of), bool)
            some[list(found.zones)] = True
            cost, zones = self.groups.price(some), _numbers(self.groups.whole(some))
            if self.places is not None:
                at = np.unique(self.groups.of[some]).tolist()
                places = tuple(self.places.names[place] for place in at)
        status: Status = "optimal" if found.complete else "feasible"
        if zones is None:
            status, notes = "undecided", (_UNDECIDED, *notes)
        return MinimumZones(
            problem=self.problem,
            weight=self.weight,
            method=self.method,
            status=status,
            minimum=cost,
            bound=found.bound,
            zones=() if zones is None else _as_written(self.problem, zones),
            seconds=time.monotonic() - self.began,
            notes=notes,
            places=places,
        )


def _decided(asked: _ZoneQuestion, course: Course) -> MinimumZones:
    """Whether all zones are enough, and if they are, a search by the method that was chosen."""
    problem, groups = asked.problem, asked.groups
    course.progress("asking whether all zones are enough", 0, 0)
    kept = needed_zones(problem, groups)
    verified = answer(among(problem, kept), Query(), Settings(), course)
    verdict = verified.rows.verdict
    if np.any(verdict == UNSAFE):
        notes = verified.notes[len(problem.zones.notes) :]
        return replace(asked.infeasible(np.flatnonzero(verdict == UNSAFE)), notes=notes)
    if np.any(verdict == UNDECIDED):
        return asked.answer(ZoneSet(None, 0, False))
    if asked.method != "auto":
        return asked.answer(zone_search.search(problem, groups, asked.method, course))
    found = search(verified, groups.those(kept), course)
    if found.zones is not None:
        found = found._replace(zones=tuple(kept[list(found.zones)].tolist()))
    return asked.answer(found)


def within_budget(
    problem: Problem,
    limit: int,
    *,
    weight: Weight = "count",
    places: ZonePlaces | None = None,
    course: Course | None = None,
) -> MinimumZones:
    """Find zones or places within a budget that protect the most people.

    Somebody is protected if all of her requirements hold.

    Parameters
    ----------
    problem, weight, places, course
        Mix zones, knowledge and requirements; what a zone costs, or the costs of places; the run.
    limit
        What zones or places may cost together, >= 0.

    Returns
    -------
    MinimumZones
        The cheapest set for the people who are protected, with ``budget``.

    Raises
    ------
    InputError
        As for :func:`minimum_zones`, or the limit is negative.
    """
    began, course = time.monotonic(), course or Course.begin()
    check_choices(weight, "auto")
    if limit < 0:
        raise InputError(f"a budget of {limit} is negative")
    if problem.requirements is None or not len(problem.requirements):
        raise InputError("nothing is asked", hint="a budget is for requirements")
    check_size(problem.zones)
    groups = _groups(problem, weight, places)
    course.progress("asking whom all zones protect", 0, 0)
    kept = needed_zones(problem, groups)
    verified = answer(among(problem, kept), Query(), Settings(), course)
    asked, verdict = problem.requirements, verified.rows.verdict
    people = np.unique(asked.row).astype(np.int64)
    open_rows = np.setdiff1d(asked.row[verdict == UNDECIDED], asked.row[verdict == UNSAFE])
    able = np.setdiff1d(people, asked.row[verdict != SAFE])
    counts = np.isin(asked.row, able) & (asked.k >= 2)
    about = replace(verified.problem, requirements=verified.problem.asked.those(counts))
    left = groups.those(kept)
    found = most_protected(about, left, limit, able, course)
    zones = tuple(kept[found.zones].tolist())
    budget = Budget(limit, len(people), len(found.rows), found.most + len(open_rows))
    protected = asked.those(np.isin(asked.row, found.rows))
    less = replace(problem, requirements=protected, places=places or problem.places)
    question = _ZoneQuestion(less, weight, places, "auto", groups, began)
    proven = budget.protected == budget.most
    minimum = question.answer(ZoneSet(zones, left.price(found.zones), proven))
    return replace(minimum, budget=budget, out_of_time=course.passed)


def optimize(
    problem: Problem,
    *,
    k: int | None = None,
    at: Sequence[int] | None = None,
    weight: Weight = "count",
    places: ZonePlaces | None = None,
    course: Course | None = None,
) -> MinimumZones:
    """Find a minimum set of zones in which exchanges meet all requirements.

    Parameters
    ----------
    problem
        Mix zones, knowledge, and requirements unless ``k`` and ``at`` say them.
    k, at
        Ask for k candidates for every user, at these steps.
    weight
        What a zone costs: ``count``: 1; ``members``: as many as it has members.
    places
        Choose places instead, as for :func:`minimum_zones`.
    course
        Of the run: when it ends, its seed, and whom it tells how far it is.

    Raises
    ------
    InputError
        Nothing is asked, or k or a step is out of range.
    """
    if (k is None) != (at is None):
        raise InputError("k and the steps at which it is asked for go together")
    if k is not None and at is not None:
        problem = everybody_at(problem, k, at)
    return minimum_zones(problem, weight=weight, places=places, course=course, rest=True)


def verified(found: MinimumZones, course: Course | None = None) -> Verification:
    """Verify the zones of an answer alone, with proof data for a certificate.

    Where not all requirements can be met, the zones are those for all others.

    Parameters
    ----------
    found
        Decided, whether all zones are enough or not.
    course
        None: no limit.

    Raises
    ------
    InputError
        No zones were found.
    """
    if found.status == "undecided":
        raise InputError("no zones were found: there is nothing to certify")
    alone = replace(found.problem, zones=found.chosen, zone_index=None)
    settings = Settings(keep_proof_data=True)
    return answer(alone, Query(), settings, course or Course.begin())


def everybody_at(problem: Problem, k: int, steps: Sequence[int]) -> Problem:
    """Replace the requirements of a problem: every user has ``k`` candidates at ``steps``.

    Nothing is asked of users without data.

    Parameters
    ----------
    k
        Number of candidates, >= 2.
    steps
        Steps from 0 to the horizon t*, in any order.

    Raises
    ------
    InputError
        k is below 2, or a step not in 0..t*.
    """
    n_users, horizon = problem.zones.n_users, problem.zones.axis.steps
    check_k(k)
    asked = sorted(set(steps))
    if not asked or asked[0] < 0 or asked[-1] > horizon:
        raise InputError(f"steps {list(steps)} are not in 0..{horizon}")
    there = np.setdiff1d(np.arange(n_users, dtype=np.int32), problem.zones.absent)
    row = np.repeat(there, len(asked))
    time_step = np.tile(np.array(asked, np.int32), len(there))
    wanted = Requirements(row, time_step, np.full(len(row), k, np.int32))
    return replace(problem, requirements=wanted)


def check_choices(weight: str, method: str) -> None:
    """Reject an unknown weight or method.

    Raises
    ------
    InputError
        An unknown weight or method.
    """
    if weight not in WEIGHTS:
        raise InputError(f"unknown weight '{weight}'", hint=f"use one of {', '.join(WEIGHTS)}")
    engine_of(method, "optimize")


def search(verified: Verification, groups: ZoneGroups, course: Course) -> ZoneSet:
    """Method ``auto``: from sets that are enough downward, and from cores upward.

    Parameters
    ----------
    verified
        All zones together are proven to meet all requirements.
    groups
        Groups of zones, and their costs.
    course
        What the search may use, and whom to tell how far it is.
    """
    asked = verified.problem.asked
    asked = asked.those(asked.k >= 2)  # identity alone is one candidate
    if not len(asked):
        return ZoneSet((), 0, True)
    presolved = replace(verified.problem, requirements=asked)
    return CoreSearch(presolved, groups, course).run()


def groups_of(found: MinimumZones) -> ZoneGroups:
    """What an answer has chosen from."""
    places = None if found.places is None else found.problem.places
    return _groups(found.problem, found.weight, places)


def _groups(problem: Problem, weight: Weight, places: ZonePlaces | None) -> ZoneGroups:
    """What is chosen, and what it costs: zones, or places with all of their zones."""
    if places is None:
        return ZoneGroups.each(cost_of(problem.zones, weight))
    if len(places.of) != len(problem.zones):
        raise InputError(f"{len(places.of)} zones have a place, of {len(problem.zones)}")
    return ZoneGroups(places.of, places.cost)


def _numbers(zones: ZoneMask) -> tuple[int, ...]:
    return tuple(np.flatnonzero(zones).tolist())


def _as_written(problem: Problem, zones: tuple[int, ...]) -> tuple[int, ...]:
    """Places of zones in the problem as it was written, ascending."""
    if problem.zone_index is None:
        return zones
    return tuple(sorted(problem.zone_index[z] for z in zones))
