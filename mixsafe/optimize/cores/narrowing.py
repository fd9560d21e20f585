"""A search for a minimum set that is begun anew on few zones when only few are left.

What costs less than a set that is known cannot use zones that are too dear beside the bound
(:meth:`mixsafe.optimize.cores.minimum_cost.Cores.harden`). Without these zones there are fewer
wires, so the formula is smaller, and so are the cores: again there are zones that are too dear, and
others than before.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.cores.exact import MAX_VARIABLES, Exact, Step, expected_variables
from mixsafe.optimize.reduction import among, needed_zones
from mixsafe.solver.sat.session import Session

_FEW = 0.5  # of the zones: when no more of them are left, the search is begun anew


class Narrowing:
    """The search, which can be stopped and go on.

    Close it at the end, as :class:`mixsafe.solver.sat.session.Session`.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    cost
        (n_zones,) int64 >= 0.
    deadline
        When to stop writing formulas.
    """

    def __init__(self, problem: Problem, cost: npt.NDArray[np.int64], deadline: Deadline) -> None:
        self._problem, self._cost, self._deadline = problem, cost, deadline
        self._kept = np.arange(len(cost))  # zones that the formula is about
        self._proven = 0
        self._searched = np.zeros(len(cost), bool)  # zones among which there is nothing cheaper
        self._begin()

    def _begin(self) -> None:
        fewer = among(self._problem, self._kept)
        self._session = Session("glucose4")
        question = fewer.zones, fewer.knowledge, fewer.asked, self._cost[self._kept]
        self._exact = Exact(self._session, *question, self._deadline)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    @property
    def n_variables(self) -> int:
        """Booleans of the formula as it is now."""
        return self._session.n_variables

    @property
    def bound(self) -> int:
        """What zones that are enough cost at least."""
        return max(self._proven, self._exact.bound)

    def pause(self) -> None:
        """Leave the processor to others until the next step."""
        self._exact.pause()

    def kernel(self) -> tuple[npt.NDArray[np.bool_], int]:
        """(n_zones,) zones of which all sets are made that cost less than a number; this number.

        These are the zones of the cores so far, and the number is one more than was paid for them.
        """
        below = self._exact.bound + 1
        zones = np.zeros(len(self._cost), bool)
        zones[self._kept[self._exact.left(below)]] = True
        return zones, below

    def in_cores(self) -> npt.NDArray[np.bool_]:
        """(n_cores, n_zones) zones of the smallest core so far, of the two smallest, and so on."""
        found = self._exact.in_cores()
        zones = np.zeros((len(found), len(self._cost)), bool)
        zones[:, self._kept] = found
        return zones

    def harden(self, below: int) -> None:
        """Look for zones that cost less than ``below`` and for nothing else.

        ``bound`` is ``below`` when there are none.
        """
        self._exact.harden(below)
        left = self._exact.left(below)
        if not self._exact.written or np.count_nonzero(left) > _FEW * len(left):
            return
        self._proven = self.bound
        self._kept = self._kept[left]
        fewer = among(self._problem, self._kept)
        self._kept = self._kept[needed_zones(fewer, self._cost[self._kept])]
        self._session.close()
        self._begin()
        self._exact.harden(below)
        if self._searched.any():
            self._exact.look_beyond(self._searched[self._kept], below)

    def look_beyond(self, zones: npt.NDArray[np.bool_], below: int) -> None:
        """Look for what costs less than ``below`` and uses a zone besides some.

        Parameters
        ----------
        zones
            (n_zones,) zones that are not enough for less by themselves.
        below
            ``bound`` is this when there is nothing of that kind.
        """
        self._searched = zones
        self._exact.look_beyond(zones[self._kept], below)

    def step(self, deadline: Deadline) -> Step | None:
        """Raise the bound by a core, or look at zones that may be a minimum; None: no time.

        The first zones that are proven to be enough are a minimum.
        """
        step = self._exact.step(deadline)
        if step is None or step.zones is None:
            return step
        zones = np.zeros(len(self._cost), bool)
        zones[self._kept[step.zones]] = True
        return Step(zones, step.enough)


def minimum(
    problem: Problem, cost: npt.NDArray[np.int64], below: int, deadline: Deadline
) -> npt.NDArray[np.bool_] | None:
    """(n_zones,) a minimum set; None: it costs ``below`` or more, or there was too little time."""
    asked = problem.requirements
    if asked is None or expected_variables(problem.zones, asked).sum() > MAX_VARIABLES:
        return None
    with closing(Narrowing(problem, cost, deadline)) as search:
        while search.bound < below:
            search.harden(below)
            step = search.step(deadline)
            if step is None:
                break
            if step.enough:
                return step.zones
    return None
