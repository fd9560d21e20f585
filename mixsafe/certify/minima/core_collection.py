"""Cores of all requirements that together cost as much as a search said that zones do.

The cheapest groups of zones that have one of each core so far are asked whether they meet all
requirements; where they do not there are more cores (:mod:`mixsafe.solver.hitting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack, closing

import numpy as np
import numpy.typing as npt

from mixsafe.certify.minima.requirement_cores import RequirementCores
from mixsafe.model.course import Course
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.reduction import among, stand_ins
from mixsafe.optimize.zone_formula import expected_variables, that_fit
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.hitting import Answer, ImplicitHittingSet


def zone_cores(
    problem: Problem, groups: ZoneGroups, bound: int, course: Course
) -> list[tuple[int, npt.NDArray[np.int64]]]:
    """Number of a requirement, and zones without which it is not met, of each of some cores.

    Parameters
    ----------
    problem
        With requirements, all of which all zones together meet.
    groups
        Groups of zones, and their costs.
    bound
        What the cores are to cost: no more are looked for then.
    course
        When to look for no more, and whom to tell how far it is.
    """
    stands_in = stand_ins(problem, groups)
    kept = np.unique(stands_in)
    fewer, left = among(problem, kept), groups.those(kept)
    found = []
    with ExitStack() as stack:
        asked = [
            (
                number,
                stack.enter_context(
                    closing(RequirementCores(fewer, left, number, course.deadline))
                ),
            )
            for number in _that_fit(fewer)
            if not course.passed
        ]

        met_by: dict[int, set[int]] = {}  # of each requirement, groups that are enough for it

        def core_without(chosen: Sequence[int]) -> Answer:
            """A core that has none of some groups, of the first requirement that has one."""
            for number, one in asked:
                if number in met_by and met_by[number].issubset(chosen):
                    continue
                core = one.without(chosen)
                if core is not None:
                    # Without those for which another stands in, too, no other does what they do.
                    zones = np.isin(stands_in, kept[left.among(core)])
                    found.append((number, np.flatnonzero(zones)))
                    return Answer(False, core.tolist())
                met_by[number] = set(chosen)
            return Answer(None)  # these formulas do not refuse it, or the time was up

        ImplicitHittingSet(left.cost, most=bound - 1).run(
            core_without,
            course.deadline,
            lambda proven, _: course.progress("looking for cores", min(proven, bound), bound),
        )
    return found


def _that_fit(problem: Problem) -> list[int]:
    """Numbers of the requirements of which formulas are written: the smallest ones, if not all."""
    smallest = np.argsort(expected_variables(problem.zones, problem.asked), kind="stable")
    return [one for one in that_fit(problem, smallest).tolist() if problem.asked.k[one] >= 2]
