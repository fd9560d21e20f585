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

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.oracle.memory import Oracle, ZoneMask
from mixsafe.solver.hitting.implicit import Answer, ImplicitHittingSet
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
    everything = np.ones(len(cost), bool)
    met = [oracle.meets(number, everything) for number in range(oracle.n_requirements)]
    if False in met:
        return ZoneSet(None, 0, complete=True)
    cores = _Cores(oracle, problem, cost)
    for number, is_met in enumerate(met):
        if is_met:
            cores.new_safe_set(number, everything)
    found = ImplicitHittingSet(cost)
    joined = cores.joined()
    if joined is not None:
        found.accept(joined)
    found.run(cores, deadline, lambda low, up: progress("searching zone sets", low, up or 0))
    zones = None if found.upper is None else tuple(found.best)
    if found.upper == found.lower:
        return ZoneSet(zones, found.lower, complete=True)
    because = "the time was up" if deadline.passed else cores.undecided
    return ZoneSet(zones, found.lower, complete=False, notes=(because, *oracle.notes[:1]))


class _Cores:
    """The oracle of the search: asks the engine, and makes cores of what it refuses.

    Parameters
    ----------
    oracle
        The engine, with a memory.
    problem
        With requirements.
    cost
        (n_zones,) what an exchange costs.

    Attributes
    ----------
    undecided
        Which requirement the engine left undecided last.
    """

    def __init__(self, oracle: Oracle, problem: Problem, cost: npt.NDArray[np.int64]) -> None:
        self._oracle, self._cost = oracle, cost
        self._time = problem.zones.time
        self._order = list(range(oracle.n_requirements))
        self.undecided = ""

    def __call__(self, chosen: Sequence[int]) -> Answer:
        """Whether zones are enough: a set that is enough, or a core."""
        zones = np.zeros(len(self._cost), bool)
        zones[list(chosen)] = True
        unmet = self._oracle.first_unmet(zones, self._order)
        if unmet is None:
            return Answer(True, self.joined() or ())
        number, undecided = unmet
        if undecided:
            self.undecided = f"requirement {number} was left undecided for a set of zones"
            return Answer(None)
        # What failed is likely to fail again: it is asked first next time.
        self._order.remove(number)
        self._order.insert(0, number)
        return Answer(False, np.flatnonzero(~self._grown(number, zones)).tolist())

    def _grown(self, number: int, zones: ZoneMask) -> ZoneMask:
        """A superset of ``zones`` that fails a requirement, as large as one can be.

        What is left out is a smallest set that hits all sets that meet the requirement, as far as
        they are known. If the rest still meets it, a smallest part of that is one more such set
        (Ignatiev, Previti, Liffiton and Marques-Silva 2015).
        """
        search, left_out = ImplicitHittingSet(), list[int]()
        while True:
            known = self._oracle.known_safe(number)
            for one in known[~known[:, left_out].any(axis=1)]:
                search.refute(np.flatnonzero(one & ~zones).tolist())
            left_out = search.propose(Deadline(None)) or []
            tried = np.ones_like(zones)
            tried[left_out] = False
            met = self.new_safe_set(number, tried)
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

    def new_safe_set(self, number: int, zones: ZoneMask) -> bool | None:
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

    def joined(self) -> list[int] | None:
        """Sets that meet one requirement each, joined: the cheapest addition at each turn."""
        zones = np.zeros(len(self._cost), bool)
        for number in range(self._oracle.n_requirements):
            known = self._oracle.known_safe(number)
            if not len(known):
                return None
            added = (known & ~zones) @ self._cost
            zones |= known[int(added.argmin())]
        return np.flatnonzero(zones).tolist()
