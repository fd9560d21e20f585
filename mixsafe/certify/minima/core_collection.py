"""Cores of all requirements that together cost as much as a search said that zones do.

The cheapest zones that have one of each core so far are asked whether they meet all requirements;
where they do not there are more cores (implicit hitting sets, as in
:mod:`mixsafe.optimize.oracle.zone_search`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing

import numpy as np
import numpy.typing as npt

from mixsafe.certify.minima.requirement_cores import RequirementCores, Zones
from mixsafe.errors import InputError
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.cores.exact import MAX_VARIABLES, expected_variables
from mixsafe.optimize.oracle.hitting_sets import HittingSets
from mixsafe.optimize.reduction import among, stand_ins


def zone_cores(
    problem: Problem,
    cost: npt.NDArray[np.int64],
    bound: int,
    deadline: Deadline,
    progress: Progress,
) -> list[tuple[int, Zones]]:
    """Number of a requirement, and zones without which it is not met, of each of some cores.

    Parameters
    ----------
    problem
        With requirements, all of which all zones together meet.
    cost
        (n_zones,) int64, each > 0.
    bound
        What the cores are to cost: no more are looked for then.
    deadline, progress
        When to look for no more, and whom to tell how far it is.
    """
    stands_in = stand_ins(problem, cost)
    kept = np.unique(stands_in)
    fewer = among(problem, kept)
    found = []
    with ExitStack() as stack:
        asked = [
            (number, stack.enter_context(closing(RequirementCores(fewer, number, deadline))))
            for number in _that_fit(fewer)
            if not deadline.passed
        ]
        for number, core in _collected(asked, cost[kept], bound, deadline, progress):
            # Without those for which another stands in, too, nothing else can do what it does.
            found.append((number, np.flatnonzero(np.isin(stands_in, kept[core]))))
    return found


def _that_fit(problem: Problem) -> list[int]:
    """Numbers of the requirements of which formulas are written: the smallest ones, if not all."""
    asked = problem.requirements
    if asked is None:
        raise InputError("nothing is asked")
    size = expected_variables(problem.zones, asked)
    order = np.argsort(size, kind="stable")
    fit = order[np.cumsum(size[order]) <= MAX_VARIABLES]
    return [int(number) for number in np.sort(fit) if asked.k[number] >= 2]


def _collected(
    asked: list[tuple[int, RequirementCores]],
    cost: npt.NDArray[np.int64],
    bound: int,
    deadline: Deadline,
    progress: Progress,
) -> Iterator[tuple[int, Zones]]:
    """Cores, until zones that have one of each cost the bound."""
    master = HittingSets(cost, SolveLimits(workers=1))
    while not deadline.passed:
        zones, proven = master.cheapest(deadline)
        progress("looking for cores", min(proven, bound), bound)
        if zones is None or proven >= bound:
            return
        n_before = np.count_nonzero(zones)
        for number, one in asked:
            while (core := one.without(zones)) is not None:
                master.add(core)
                zones[core] = True
                yield number, core
        if np.count_nonzero(zones) == n_before:
            return  # not even these formulas refuse these zones
