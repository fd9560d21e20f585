"""A minimum set of zones for some requirements, by cores of their formula.

The formula (:mod:`mixsafe.optimize.zone_formula`) is the oracle of an implicit hitting set
search, and speaks for itself: its clauses are the master's. What the master proposes is enough when
no token is misplaced; until then, more tokens are tracked.

The search is begun anew on few zones when only few are left.
What costs less than a set that is known cannot use zones that are too dear beside the bound
(:meth:`mixsafe.solver.hitting.MinimumCost.harden`). Without these zones there are
fewer wires, so the formula is smaller, and so are the cores: again there are zones that are too
dear, and others than before.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.reduction import among, needed_zones
from mixsafe.optimize.zone_formula import ZoneFormula, that_fit
from mixsafe.optimize.zone_groups import ZoneGroups
from mixsafe.solver.hitting import ImplicitHittingSet
from mixsafe.solver.sat.session import Session


class Narrowing:
    """The search, which can be stopped and go on.

    Close it at the end, as :class:`mixsafe.solver.sat.session.Session`.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    groups
        Groups of zones, and their costs.
    deadline
        When to stop writing formulas.
    """

    def __init__(
        self,
        problem: Problem,
        groups: ZoneGroups,
        deadline: Deadline,
    ) -> None:
        self._problem, self._groups, self._deadline = problem, groups, deadline
        self._kept = np.arange(len(groups.of))  # zones that the formula is about
        self._proven = 0
        self._searched = np.zeros(
            len(groups.of), bool
        )  # zones among which there is nothing cheaper
        self._begin()

    def _begin(self) -> None:
        fewer, self._left = among(self._problem, self._kept), self._groups.those(self._kept)
        self._session = Session("glucose4")
        self._formula = ZoneFormula(self._session, fewer, self._deadline, self._left.of)
        self._search = ImplicitHittingSet(self._left.cost, session=self._session)
        self._search.name(self._formula.chosen)

    def close(self) -> None:
        """Give the solver's memory back."""
        self._session.close()

    @property
    def n_variables(self) -> int:
        """Booleans of the formula as it is now."""
        return self._session.n_variables

    @property
    def bound(self) -> int:
        """Lower bound of the cost of any sufficient set of zones."""
        return max(self._proven, self._search.lower)

    def pause(self) -> None:
        """Leave the processor to others until the next step."""
        self._session.pause()

    def kernel(self) -> tuple[npt.NDArray[np.bool_], int]:
        """(n_zones,) zones of which all sets are made that cost less than a number; this number.

        These are the zones of the cores so far, and the number is one more than was paid for them.
        """
        below = self._search.lower + 1
        zones = np.zeros(len(self._groups.of), bool)
        zones[self._kept] = self._search.may_be_in(below)[self._left.of]
        return zones, below

    def in_cores(self) -> npt.NDArray[np.bool_]:
        """(n_cores, n_zones) zones of the smallest core so far, of the two smallest, and so on."""
        found = self._search.in_cores()
        zones = np.zeros((len(found), len(self._groups.of)), bool)
        zones[:, self._kept] = found[:, self._left.of]
        return zones

    def harden(self, below: int) -> None:
        """Search only for zones that cost less than ``below``.

        ``bound`` is ``below`` when there are none.
        """
        if not self._formula.is_written:
            return
        self._search.look_below(below)
        left = self._search.may_be_in(below)[self._left.of]
        if np.count_nonzero(left) > zone_strategy.FEW * len(left):
            return
        self._proven = self.bound
        self._kept = self._kept[left]
        fewer = among(self._problem, self._kept)
        self._kept = self._kept[needed_zones(fewer, self._groups.those(self._kept))]
        self._session.close()
        self._begin()
        self._search.look_below(below)
        if self._searched.any():
            self.look_beyond(self._searched, below)

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
        if self._formula.is_written:
            self._session.give_up()
            self._search.look_below(below)
            others = np.unique(self._left.of[~zones[self._kept]])
            self._search.refute(others.tolist())

    def step(self, deadline: Deadline) -> bool | None:
        """Raise the bound by a core, or look at zones that may be a minimum.

        Returns
        -------
        Whether :attr:`zones` are proven to be enough: they are a minimum, then, and cost as much as
        the bound. None: there was no time.
        """
        if not self._formula.is_written:
            return None
        hits_all = self._search.raise_bound(deadline)
        return not self._formula.track_misplaced() if hits_all else hits_all

    @property
    def zones(self) -> npt.NDArray[np.bool_]:
        """(n_zones,) those that the last step looked at."""
        zones = np.zeros(len(self._groups.of), bool)
        zones[self._kept] = self._left.among(self._search.chosen())
        return zones


def minimum(
    problem: Problem,
    groups: ZoneGroups,
    below: int,
    deadline: Deadline,
) -> npt.NDArray[np.bool_] | None:
    """(n_zones,) a minimum set; None: it costs ``below`` or more, or there was too little time."""
    return within(problem, groups, below - 1, deadline)[0]


def within(
    problem: Problem,
    groups: ZoneGroups,
    most: int,
    deadline: Deadline,
) -> tuple[npt.NDArray[np.bool_] | None, bool]:
    """(n_zones,) a minimum set that costs ``most`` or less, or None; and whether that is proven."""
    n = len(problem.asked)
    if len(that_fit(problem, np.arange(n))) < n:
        return None, False
    with closing(Narrowing(problem, groups, deadline)) as search:
        while search.bound <= most:
            search.harden(most + 1)
            enough = search.step(deadline)
            if enough is None:
                return None, False
            if enough:
                return search.zones, True
    return None, True
