"""Minimum mix zones by search over zone sets, with a verify engine as oracle (``--method dp``).

The CSP paper (section 5) finds the minimum number of mix zones with "an optimization program based
on dynamic programming" on top of its verifier, and says no more about it. This is a reconstruction
with the same parts: a verifier that is only asked whether a set of zones meets the requirements,
and a memory of the answers. Sets are tried in order of increasing cost:

1. The cheapest set that hits all known cuts is a candidate, and its cost a lower bound.
2. If it meets all requirements it is a minimum. Otherwise it is grown as long as some requirement
   fails; what is left outside is a new cut: no set without any of it will do. Small sets that are
   known to meet a requirement say which zones must stay outside.

It is an implicit hitting set search (Moreno-Centeno and Karp 2013, Operations Research 61(2)), the
same as Reiter's diagnosis (1987, Artificial Intelligence 32(1)) with the verifier for a theorem
prover.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.oracle.hitting_sets import HittingSets
from mixsafe.optimize.oracle.memory import Oracle, ZoneMask
from mixsafe.solver.registry import Engine

_FIRST_TRIED = 8
"""Zones, the nearest in time to a requirement, that are tried first."""


def search(
    problem: Problem,
    cost: npt.NDArray[np.int64],
    engine: str | Engine,
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
    return _Search(oracle, problem, cost, HittingSets(cost, limits), progress).run(deadline)


class _Search:
    """The state of a search: the oracle's memory, the cuts, the best set, the lower bound."""

    def __init__(
        self,
        oracle: Oracle,
        problem: Problem,
        cost: npt.NDArray[np.int64],
        master: HittingSets,
        progress: Progress,
    ) -> None:
        self._oracle, self._cost, self._master = oracle, cost, master
        self._time, self._progress = problem.zones.time, progress
        self._order = list(range(oracle.n_requirements))
        self._best: ZoneMask | None = None
        self._bound = 0

    def run(self, deadline: Deadline) -> ZoneSet:
        """Search until the cheapest hitting set is a sufficient one, or the time is up."""
        everything = np.ones(len(self._cost), bool)
        met = [self._oracle.meets(number, everything) for number in self._order]
        if False in met:
            return self._result(complete=True)
        for number in self._order:
            if met[number]:
                self._new_safe_set(number, everything)
        while True:
            self._improve()
            hitting, bound = self._master.cheapest(deadline)
            self._bound = max(self._bound, bound)
            self._progress("searching zone sets", self._bound, self._best_cost or 0)
            if self._best_cost == self._bound:
                return self._result(complete=True)
            if hitting is None or deadline.passed:
                return self._result(complete=False, because="the time was up")
            unmet = self._oracle.first_unmet(hitting, self._order)
            if unmet is None:
                self._best = hitting
                return self._result(complete=True)
            number, undecided = unmet
            if undecided:
                why = f"requirement {number} was left undecided for a set of zones"
                return self._result(
                    complete=False, because="the time was up" if deadline.passed else why
                )
            self._cut_off(hitting)

    def _cut_off(self, hitting: ZoneMask) -> None:
        """Add cuts that ``hitting`` does not hit, no two of which share a zone.

        So each of them costs at least its cheapest zone, whatever the others cost.
        """
        zones = hitting.copy()
        bound = 0
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
            bound += int(self._cost[cut].min())
            self._bound = max(self._bound, bound)

    def _grown(self, number: int, zones: ZoneMask) -> ZoneMask:
        """A superset of ``zones`` that fails a requirement, and no larger one does.

        All zones are taken but a few, so that no set that is known to meet the requirement is
        among them. If that still meets it, a smallest part of it that does is one more such set.
        """
        while True:
            tried = ~smallest_hitting_set(self._oracle.known_safe(number) & ~zones)
            met = self._new_safe_set(number, tried)
            if met is False:
                return tried
            if met is None:
                return self._grown_by_halves(number, zones)

    def _grown_by_halves(self, number: int, zones: ZoneMask) -> ZoneMask:
        """A superset of ``zones`` that fails a requirement, where the engine cannot say of all.

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

    def _new_safe_set(self, number: int, zones: ZoneMask) -> bool | None:
        """Whether ``zones`` meet a requirement; if they do, a smallest part that does is kept.

        What is near in time is tried first, then four times as much, and so on: small sets are
        decided at once.
        """
        inside = np.flatnonzero(zones)
        far = np.abs(self._time[inside] - self._oracle.step(number))
        inside = inside[np.argsort(far, kind="stable")]
        size = _FIRST_TRIED
        while True:
            tried = np.zeros_like(zones)
            tried[inside[:size]] = True
            met = self._oracle.meets(number, tried)
            if met:
                self._shrink(number, inside[:size])
            if met or size >= len(inside):
                return met
            size *= 4

    def _shrink(self, number: int, zones: npt.NDArray[np.int64]) -> None:
        """Find a part of ``zones`` that meets a requirement, and no smaller part of it does.

        Halves are taken out, and halves of halves, from the end of the list on.
        """
        left = np.zeros(len(self._cost), bool)
        left[zones] = True
        stack = [zones]
        while stack:
            removed = stack.pop()
            tried = left.copy()
            tried[removed] = False
            if self._oracle.meets(number, tried):
                left = tried
            elif len(removed) > 1:
                half = len(removed) // 2
                stack += [removed[:half], removed[half:]]

    def _improve(self) -> None:
        """Join sets that meet one requirement each: the cheapest addition at each turn."""
        zones = np.zeros(len(self._cost), bool)
        for number in range(self._oracle.n_requirements):
            known = self._oracle.known_safe(number)
            if not len(known):
                return
            added = (known & ~zones) @ self._cost
            zones |= known[int(added.argmin())]
        if self._best_cost is None or self._cost[zones].sum() < self._best_cost:
            self._best = zones

    @property
    def _best_cost(self) -> int | None:
        return None if self._best is None else int(self._cost[self._best].sum())

    def _result(self, *, complete: bool, because: str | None = None) -> ZoneSet:
        zones = None if self._best is None else tuple(np.flatnonzero(self._best).tolist())
        notes = () if because is None else (because, *self._oracle.notes[:1])
        return ZoneSet(zones, self._bound, complete, notes)


def smallest_hitting_set(sets: npt.NDArray[np.bool_]) -> ZoneMask:
    """Few zones such that every set has one of them, and none of them can be spared; greedily.

    Parameters
    ----------
    sets
        (n_sets, n_zones) bool, at least one zone in each.

    Returns
    -------
    (n_zones,) bool.
    """
    chosen = np.zeros(sets.shape[1], bool)
    left = sets
    while len(left):
        zone = int(left.sum(axis=0).argmax())
        chosen[zone] = True
        left = left[~left[:, zone]]
    for zone in np.flatnonzero(chosen).tolist():
        chosen[zone] = False
        if not np.all(sets[:, chosen].any(axis=1)):
            chosen[zone] = True
    return chosen
