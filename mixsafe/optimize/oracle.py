"""Minimum mix zones by search over zone sets, with a verify engine as oracle (``--method dp``).

The CSP paper (section 5) finds the minimum number of mix zones with "an optimization program based
on dynamic programming" on top of its verifier, and says no more about it. This is a reconstruction
with the same parts: a verifier that is only asked whether a set of zones meets the requirements,
and a memory of the answers. Sets are tried in order of increasing cost:

1. The cheapest set that hits all known cuts is a candidate, and its cost a lower bound.
2. If it meets all requirements it is a minimum. Otherwise it is grown, zone by zone, as long as
   some requirement fails; what is left outside is a new cut: no set without any of it will do.

It is an implicit hitting set search (Moreno-Centeno and Karp 2013, Operations Research 61(2)), the
dual of Reiter's diagnosis (1987, Artificial Intelligence 32(1)).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import SolveLimits
from mixsafe.model.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.oracle_master import HittingSets
from mixsafe.optimize.oracle_memory import Oracle, ZoneMask
from mixsafe.verify.answers import Deadline, Progress, no_progress


def search(
    problem: Problem,
    cost: npt.NDArray[np.int64],
    engine: str,
    deadline: Deadline,
    progress: Progress = no_progress,
    limits: SolveLimits | None = None,
) -> ZoneSet:
    """Find a cheapest set of zones that meets all requirements of a problem.

    Parameters
    ----------
    problem
        With requirements.
    cost
        (n_zones,) int64: what an exchange in each zone costs, > 0.
    engine
        Engine of :func:`mixsafe.verify.verify` that is the oracle: ``dp``, ``cpsat`` or ``auto``.
    deadline
        After it the best set so far is returned, with the lower bound so far.
    progress
        Called with the stage, the lower bound, and the cost of the best set so far.
    limits
        Workers and seed.

    Returns
    -------
    ZoneSet
        With ``notes`` that say why a search is not complete.
    """
    limits = limits or SolveLimits()
    oracle = Oracle(problem, engine, limits, deadline)
    return _Search(oracle, cost, HittingSets(cost, limits), deadline, progress).run()


class _Search:
    """The state of a search: the oracle's memory, the cuts, the best set, the lower bound."""

    def __init__(
        self,
        oracle: Oracle,
        cost: npt.NDArray[np.int64],
        master: HittingSets,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        self._oracle, self._cost, self._master = oracle, cost, master
        self._deadline, self._progress = deadline, progress
        self._order = list(range(oracle.n_requirements))
        self._best: ZoneMask | None = None
        self._bound = 0

    def run(self) -> ZoneSet:
        """Search until the cheapest hitting set is a sufficient one, or the time is up."""
        everything = np.ones(len(self._cost), bool)
        met = [self._oracle.meets(number, everything) for number in self._order]
        if False in met:
            return self._result(complete=True)
        if None not in met:
            self._best = everything
        while True:
            hitting, bound = self._master.cheapest(self._deadline)
            self._bound = max(self._bound, bound)
            self._progress("searching zone sets", self._bound, self._best_cost or 0)
            if hitting is None:
                return self._result(complete=False, because="the time was up")
            if self._best_cost == self._bound:
                return self._result(complete=True)
            unmet_one = self._oracle.first_unmet(hitting, self._order)
            if unmet_one is None:
                self._best = hitting
                return self._result(complete=True)
            number, undecided = unmet_one
            if undecided:
                return self._result(complete=False, because=self._why(number))
            self._cut_off(hitting)

    def _cut_off(self, hitting: ZoneMask) -> None:
        """Add cuts that ``hitting`` does not hit, no two of which share a zone.

        Each cut is added to the set as a whole before the next is looked for; in the end the set is
        sufficient (or undecided), and may be made a better one than the best so far.
        """
        zones = hitting.copy()
        while (unmet := self._oracle.first_unmet(zones, self._order)) is not None:
            number, undecided = unmet
            if undecided:
                return
            # What failed is likely to fail again: it is asked first next time.
            self._order.remove(number)
            self._order.insert(0, number)
            cut = np.flatnonzero(~self._grown(number, zones))
            self._master.add(cut)
            zones[cut] = True
        self._improve(zones)

    def _grown(self, number: int, zones: ZoneMask) -> ZoneMask:
        """A superset of ``zones`` that fails a requirement, and no other one contains it.

        Zones are added in halves, and halves of halves where a half is too much. Where the engine
        is undecided, a zone stays outside: the cut is a weaker one then, but true.
        """
        grown = zones.copy()
        stack = [np.flatnonzero(~zones)]
        while stack:
            added = stack.pop()
            tried = grown.copy()
            tried[added] = True
            if self._oracle.meets(number, tried) is False:
                grown = tried
            elif len(added) > 1:
                half = len(added) // 2
                stack += [added[half:], added[:half]]
        return grown

    def _improve(self, zones: ZoneMask) -> None:
        """Take zones out of a sufficient set, the dearest first, as long as it is sufficient."""
        if self._best_cost is not None and self._bound == self._best_cost:
            return
        shrunk = zones.copy()
        inside = np.flatnonzero(zones)
        stack = [inside[np.argsort(self._cost[inside], kind="stable")]]
        while stack and not self._deadline.passed:
            removed = stack.pop()
            tried = shrunk.copy()
            tried[removed] = False
            if self._oracle.first_unmet(tried, self._order) is None:
                shrunk = tried
            elif len(removed) > 1:
                half = len(removed) // 2
                stack += [removed[:half], removed[half:]]
        if self._best_cost is None or self._cost[shrunk].sum() < self._best_cost:
            self._best = shrunk

    @property
    def _best_cost(self) -> int | None:
        return None if self._best is None else int(self._cost[self._best].sum())

    def _why(self, number: int) -> str:
        """Why the search stops at a requirement that is neither met nor unmet."""
        if self._deadline.passed:
            return "the time was up"
        return f"requirement {number} was left undecided for a set of zones"

    def _result(self, *, complete: bool, because: str | None = None) -> ZoneSet:
        zones = None if self._best is None else tuple(np.flatnonzero(self._best).tolist())
        notes = () if because is None else (because, *self._oracle.notes)
        return ZoneSet(zones, self._bound, complete, notes)
