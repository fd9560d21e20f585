"""The most people whose requirements are met by zones within a budget.

To leave out the fewest people is a hitting-set problem once more: its elements are people, and a
core is a group whom no zones within the budget protect together, so that one of them is left out.
The oracle is the search for a minimum set (:mod:`mixsafe.optimize.narrowing`), stopped at the
budget.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Course, Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.narrowing import within
from mixsafe.optimize.zone_groups import ZoneGroups, ZoneMask
from mixsafe.solver.hitting import Answer, ImplicitHittingSet, minimal_part


class ProtectedPeople(NamedTuple):
    """People who are protected, and how many might be.

    Parameters
    ----------
    rows
        (n_protected,) ascending rows of those whose requirements are met.
    zones
        (n_zones,) the cheapest zones that do so, within the budget.
    most
        No zones within the budget protect more people.
    """

    rows: npt.NDArray[np.int64]
    zones: ZoneMask
    most: int


def most_protected(
    problem: Problem, groups: ZoneGroups, budget: int, rows: npt.NDArray[np.int64], course: Course
) -> ProtectedPeople:
    """Find zones within a budget that protect as many people as possible.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    groups
        Groups of zones, and their costs.
    budget
        What the zones may cost, >= 0.
    rows
        (n,) ascending rows of the people who count; some may have no requirement.
    course
        Of the run: when it ends, its seed, and whom it tells how far it is.
    """
    oracle = _Oracle(problem, groups, budget, rows, course.deadline)
    search = ImplicitHittingSet()
    search.accept(oracle.one_after_the_other(zone_strategy.part_of(course.deadline)))

    def tell(lower: int, upper: int | None) -> None:
        course.progress("people left out, at least", lower, upper or 0)

    search.run(oracle, course.deadline, tell)
    left_out = np.array(search.best, np.int64)
    zones = oracle.enough[tuple(search.best)]
    return ProtectedPeople(np.delete(rows, left_out), zones, len(rows) - search.lower)


class _Oracle:
    """Whether the budget is enough for all but some people; if not, a group too dear together.

    Attributes
    ----------
    enough
        (n_zones,) cheapest zones by the people who were left out, as numbers in ``rows``.
    """

    def __init__(
        self,
        problem: Problem,
        groups: ZoneGroups,
        budget: int,
        rows: npt.NDArray[np.int64],
        deadline: Deadline,
    ) -> None:
        self._problem, self._groups, self._budget, self._rows = problem, groups, budget, rows
        self._deadline = deadline
        nobody: ZoneMask = np.zeros(len(groups.of), bool)
        self.enough: dict[tuple[int, ...], ZoneMask] = {tuple(range(len(rows))): nobody}

    def __call__(self, left_out: Sequence[int]) -> Answer:
        """Whether the budget is enough; a core if not; no elements if that is not known."""
        people = self._others(left_out)
        affordable = self._affordable(people, self._deadline)
        if affordable is False:
            return Answer(False, self._core(people))
        return Answer(affordable)

    def one_after_the_other(self, deadline: Deadline) -> list[int]:
        """People to leave out, so that the budget is enough: each who is too dear after others."""
        people: list[int] = []
        for person in range(len(self._rows)):
            if deadline.passed:
                break
            more = [*people, person]
            if self._affordable(more, deadline.within(zone_strategy.SHORT)):
                people = more
        return self._others(people)

    def _others(self, people: Sequence[int]) -> list[int]:
        inside = set(people)
        return [person for person in range(len(self._rows)) if person not in inside]

    def _affordable(self, people: Sequence[int], deadline: Deadline) -> bool | None:
        """Whether zones within the budget protect some people together; None: it is not known."""
        asked = self._problem.asked
        about = asked.those(np.isin(asked.row, self._rows[list(people)]))
        if not len(about):
            zones: ZoneMask | None = np.zeros(len(self._groups.of), bool)
        else:
            part = replace(self._problem, requirements=about)
            zones, known = within(part, self._groups, self._budget, deadline)
            if zones is None:
                return False if known else None
        if zones is not None:
            self.enough[tuple(self._others(people))] = zones
        return True

    def _core(self, people: list[int]) -> list[int]:
        """A part of some people who are too dear together; if there is time, a smallest one."""

        def is_too_dear(some: list[int]) -> bool:
            return bool(some) and self._affordable(some, self._deadline) is False

        return minimal_part(people, is_too_dear)
