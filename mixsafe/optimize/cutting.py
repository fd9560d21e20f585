"""Search for a minimum set of zones from below: an implicit hitting set.

The cheapest zones that respect all cuts so far are either enough, and then they are a minimum, or
break a cut that is not there yet (Moreno-Centeno and Karp 2013 describe the scheme). Most cuts
come from the relaxation in :mod:`mixsafe.optimize.loops`, at first for the optimum of the linear
program, rounded at several levels. Where the relaxation sees nothing wrong, the verifier decides;
zones that it proves not enough are grown to more zones that are still not enough, and at least one
of all others must be active.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import SolveLimits
from mixsafe.model.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.enough import ENOUGH, NOT_ENOUGH, Judge
from mixsafe.optimize.loops import ALWAYS, Cut, Loops
from mixsafe.optimize.master import Choice, Master
from mixsafe.optimize.shrink import shrink
from mixsafe.verify.answers import Deadline, Progress

_LEVELS = (0.9, 0.5, 0.25, 0.1, 0.01)  # from which on a fraction of a zone counts as active
_ROUNDS = 60  # of linear programs at most
_STALLED = 5  # rounds that may pass without progress
_TOKENS = 30  # per requirement and round, those that are chosen most
_GROW_SECONDS = 2.0  # for making one cut of the verifier's stronger
_PROBE_SECONDS = 0.25  # for one question on the way
_SHRINK_SECONDS = 5.0  # for leaving out zones, each time; a tenth of what is left at most
_PATIENCE = 20  # choices between two attempts to turn one into an answer

Start = Callable[[int, Deadline], npt.NDArray[np.bool_]]
"""Finds (n_zones,) zones that are enough; those of the cost given, or less, need no improvement."""


class CutSearch:
    """Narrow down what a minimum set costs, from both sides.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    cost
        (n_zones,) int64 > 0.
    start
        Finds zones that are enough.
    limits, deadline, progress
        What the search may use, and whom to tell how far it is.
    """

    def __init__(
        self,
        problem: Problem,
        cost: npt.NDArray[np.int64],
        start: Start,
        limits: SolveLimits,
        deadline: Deadline,
        progress: Progress,
    ) -> None:
        self._zones, self._cost = problem.zones, cost
        self._limits, self._deadline, self._progress = limits, deadline, progress
        asked = problem.requirements
        if asked is None:
            raise ValueError("a search needs requirements")
        self._judge = Judge(problem.zones, problem.knowledge, asked, limits)
        self._loops = [
            Loops.of(problem.zones, problem.knowledge, number, *one)
            for number, one in enumerate(
                zip(asked.row.tolist(), asked.time.tolist(), asked.k.tolist(), strict=True)
            )
        ]
        everything = np.ones(len(cost), bool)
        self._candidates = [one.candidates(*one.reach(everything)) for one in self._loops]
        self._master = Master(cost, self._candidates, [one.k - 1 for one in self._loops])
        self._random = np.random.default_rng(limits.seed)
        self._value = np.zeros(len(cost))
        self._bound = 0
        self._start = start
        self._best = everything

    def run(self) -> ZoneSet:
        """Search until both sides meet or no time is left."""
        nothing = np.zeros(len(self._cost), bool)
        for loops, tokens in zip(self._loops, self._candidates, strict=True):
            self._add(loops.displacement_cuts(nothing))
            self._add(loops.cuts(nothing, tokens.tolist(), loops.reach(nothing)))
        self._relax()
        self._begin()
        self._raise_bound()
        return ZoneSet(
            tuple(np.flatnonzero(self._best).tolist()), self._bound, self._bound >= self._total
        )

    def _begin(self) -> None:
        """Find a set to begin with, and leave out what it can spare."""
        self._tell()
        found = self._start(self._bound, self._deadline)
        if int(self._cost[found].sum()) < self._total:
            self._best = found
        if self._total > self._bound:
            self._best = self._spared(self._best)
        if np.all(self._best):
            self._improve(self._value > _LEVELS[-1])

    @property
    def _total(self) -> int:
        """Cost of the best set."""
        return int(self._cost[self._best].sum())

    def _tell(self) -> None:
        self._progress(f"{self._total} zones' cost or less", self._bound, self._total)

    def _relax(self) -> None:
        """Solve linear programs, each with the cuts that the optimum of the last one breaks."""
        stalled, last = 0, -1.0
        for _ in range(_ROUNDS):
            found = self._master.relaxed(self._deadline)
            if found is None:
                return
            optimum, choice = found
            self._value = choice.zone
            self._bound = max(self._bound, math.ceil(optimum - 1e-6))
            self._tell()
            stalled = 0 if optimum > last + 1e-3 else stalled + 1
            last = optimum
            levels = [choice.zone >= level for level in _LEVELS]
            if not sum(self._separate(active, choice) for active in levels) or stalled > _STALLED:
                return

    def _raise_bound(self) -> None:
        """Ask for zones at the bound; there are none: raise it; they are not enough: cut."""
        tried = 0
        while self._bound < self._total and not self._deadline.passed:
            self._tell()
            known, choice = self._master.within(self._bound, self._limits, self._deadline)
            if not known:
                return
            if choice is None:
                self._bound += 1
                continue
            active = choice.zone > 0.5
            tried += 1
            if not self._separate(active, choice) and not self._settle(active):
                return
            if tried % _PATIENCE == 0:
                self._improve(active | (self._value > _LEVELS[-1]))

    def _separate(self, active: npt.NDArray[np.bool_], choice: Choice) -> int:
        """Add the cuts that ``active`` zones break; how many are new."""
        added = 0
        for loops, weight in zip(self._loops, choice.token, strict=True):
            added += self._add(loops.displacement_cuts(active))
            reached = loops.reach(active)
            if len(loops.candidates(*reached)) >= loops.k - 1:
                continue
            chosen = np.argsort(-weight, kind="stable")[:_TOKENS]
            chosen = chosen[weight[chosen] > 1e-6]
            tokens = self._candidates[loops.number][chosen]
            added += self._add(loops.cuts(active, tokens.tolist(), reached))
        return added

    def _add(self, cuts: Iterable[Cut]) -> int:
        return sum(self._master.add(cut) for cut in cuts)

    def _settle(self, active: npt.NDArray[np.bool_]) -> bool:
        """Let the verifier decide about zones that break no cut of the relaxation.

        Returns
        -------
        Whether that was of use: the zones are enough, or there is a new cut.
        """
        verdict = self._judge.decide(active, self._deadline)
        if np.all(verdict == ENOUGH):
            if int(self._cost[active].sum()) < self._total:
                self._best = active
            return True
        added = 0
        for number in np.flatnonzero(verdict == NOT_ENOUGH).tolist():
            rest = np.flatnonzero(~self._grown(active, number))
            added += self._master.add(Cut(rest, number, ALWAYS))
        return added > 0

    def _grown(self, active: npt.NDArray[np.bool_], number: int) -> npt.NDArray[np.bool_]:
        """More zones that still do not meet requirement ``number``: none can be added, or time."""
        grown, end = active.copy(), Deadline(min(_GROW_SECONDS, self._deadline.left))
        others = self._random.permutation(np.flatnonzero(~active))
        parts = np.array_split(others, min(8, max(1, len(others))))
        while parts and not end.passed:
            part = parts.pop()
            more = grown.copy()
            more[part] = True
            probe = Deadline(min(_PROBE_SECONDS, end.left))
            if self._judge.decide(more, probe, np.array([number]))[0] == NOT_ENOUGH:
                grown = more
            elif len(part) > 1:
                parts += np.array_split(part, 2)
        return grown

    def _improve(self, active: npt.NDArray[np.bool_]) -> None:
        """Turn zones into an answer: add what makes them enough, leave out what they can spare."""
        direct = np.zeros(len(self._cost), bool)
        asked = [one.row for one in self._loops]
        direct[self._zones.zone_of_member[np.isin(self._zones.members, asked)]] = True
        for more in (active, active | self._best, active | direct):
            if self._enough(more):
                smaller = self._spared(more)
                if int(self._cost[smaller].sum()) < self._total:
                    self._best = smaller
                return

    def _spared(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """What is left of enough zones without those that they can spare, in a little time."""
        end = Deadline(min(_SHRINK_SECONDS, 0.1 * self._deadline.left))
        return shrink(active, self._cost, self._value, self._enough, end)

    def _enough(self, active: npt.NDArray[np.bool_]) -> bool:
        """Whether zones are proven to meet all requirements."""
        probe = Deadline(min(4 * _PROBE_SECONDS, self._deadline.left))
        return bool(np.all(self._judge.decide(active, probe) == ENOUGH))
