"""Search for a minimum set of zones from below: an implicit hitting set.

The cheapest zones that respect all cuts so far are either enough, and then they are a minimum, or
break a cut that is not there yet (Moreno-Centeno and Karp 2013 describe the scheme). Most cuts
come from the relaxation in :mod:`mixsafe.optimize.loops`: at first the bottlenecks of the optimum
of the linear program, until there are none, then cuts of whole choices. Where the relaxation sees
nothing wrong, the verifier decides; zones that it proves not enough are grown to more zones that
are still not enough, and at least one of all others must be active.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import SolveLimits
from mixsafe.model.problem import Problem
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.bottlenecks import Bottlenecks
from mixsafe.optimize.enough import ENOUGH, NOT_ENOUGH, Judge
from mixsafe.optimize.loops import ALWAYS, Cut, Loops
from mixsafe.optimize.master import Master
from mixsafe.optimize.shrink import shrink
from mixsafe.verify.answers import Deadline, Progress

_LEAST_VALUE = 0.01  # in a linear program, of a zone that counts as active
_RELAX_SHARE = 0.4  # of the time that linear programs may take
_STALLED = 6  # linear programs in a row that may bring next to nothing
_PROGRESS = 0.005
_TOKENS = 40  # per requirement and choice, of those that break no cut yet
_DEEPER = 8  # times that a choice is made better before the next one is asked for
_GROW_SECONDS = 2.0  # for making one cut of the verifier's stronger
_PROBE_SECONDS = 0.25  # for one question on the way
_PATIENCE = 5  # choices between two that are turned into an answer by leaving out zones
_SHRINK_SECONDS = 5.0  # for leaving out zones, each time; a tenth of what is left at most


class Start(Protocol):
    """Finds zones that are enough."""

    def __call__(self, enough: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that are enough; no cheaper ones than ``enough`` are looked for."""

    def near(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, many of which are ``active``; None: not found."""


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
        self._bottlenecks = Bottlenecks(problem.zones, self._loops)
        self._random = np.random.default_rng(limits.seed)
        self._value = np.zeros(len(cost))
        self._bound = 0
        self._start = start
        self._best = everything

    def run(self) -> ZoneSet:
        """Search until both sides meet or no time is left."""
        nothing = np.zeros(len(self._cost), bool)
        for loops in self._loops:
            self._add(loops.displacement_cuts(nothing))
            self._add(loops.cuts(nothing, (), loops.reach(nothing)))
        self._relax()
        self._begin()
        self._raise_bound()
        return ZoneSet(
            tuple(np.flatnonzero(self._best).tolist()), self._bound, self._bound >= self._total
        )

    def _begin(self) -> None:
        """Find a set to begin with, and leave out what it can spare."""
        self._tell()
        self._take(self._start(self._bound, self._deadline))
        if self._total > self._bound:
            self._best = self._spared(self._best, self._value)
        if np.all(self._best):
            self._improve(self._value > _LEAST_VALUE)

    @property
    def _total(self) -> int:
        """Cost of the best set."""
        return int(self._cost[self._best].sum())

    def _tell(self) -> None:
        self._progress(f"{self._total} zones' cost or less", self._bound, self._total)

    def _relax(self) -> None:
        """Solve linear programs, each with the cuts that the optimum of the last one breaks."""
        stalled, last = 0, -1.0
        end = Deadline(_RELAX_SHARE * self._deadline.left)
        while stalled <= _STALLED and not end.passed:
            found = self._master.relaxed(end)
            if found is None:
                return
            optimum, choice = found
            self._value = choice.zone
            self._raise_to(math.ceil(optimum - 1e-6))
            stalled = 0 if optimum > last + _PROGRESS else stalled + 1
            last = max(last, optimum)
            cuts = self._bottlenecks.cuts(choice.zone, choice.token, self._candidates)
            if not self._add(cuts):
                return

    def _raise_to(self, bound: int) -> None:
        """Note that nothing costs less than ``bound``."""
        self._bound = max(self._bound, bound)
        self._tell()

    def _raise_bound(self) -> None:
        """Ask for the cheapest zones that respect the cuts, and for what is wrong with them."""
        tried = 0
        while self._bound < self._total and not self._deadline.passed:
            bound, choice = self._master.cheapest(self._deadline)
            self._raise_to(bound)
            if choice is None:
                return
            active = choice.zone > 0.5
            if not self._separate(active) and not self._settle(active):
                return
            self._take(self._start.near(active))
            tried += 1
            if tried % _PATIENCE == 1:
                self._improve(active)

    def _take(self, found: npt.NDArray[np.bool_] | None) -> None:
        """Keep zones that are enough, if they cost less than the best ones."""
        if found is not None and int(self._cost[found].sum()) < self._total:
            self._best = found

    def _separate(self, active: npt.NDArray[np.bool_]) -> int:
        """Add cuts that ``active`` zones break; how many are new.

        Then some zones of the new cuts are added, and what is wrong with these is asked, and so
        on: cuts that the next choices would break as well.
        """
        added = 0
        for depth in range(_DEEPER):
            cuts = list(self._broken(active))
            new = self._add(cuts)
            if not new:
                break
            added += new
            if depth > 1:
                active = active.copy()
                for cut in cuts[:: max(1, len(cuts) // 10)]:
                    active[self._random.choice(cut.zones)] = True
        return added

    def _broken(self, active: npt.NDArray[np.bool_]) -> Iterable[Cut]:
        """Cuts that zones break, for tokens that could be chosen as far as the cuts so far go."""
        unbroken = self._master.unbroken(active)
        for loops, tokens, free in zip(self._loops, self._candidates, unbroken, strict=True):
            yield from loops.displacement_cuts(active)
            reached = loops.reach(active)
            able = loops.candidates(*reached)
            if len(able) < loops.k - 1:
                wrong = tokens[free & ~np.isin(tokens, able)]
                yield from loops.cuts(active, wrong[:_TOKENS].tolist(), reached)

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
            self._take(active)
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
                self._take(self._spared(more, self._value + active))
                return

    def _spared(
        self, active: npt.NDArray[np.bool_], value: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.bool_]:
        """What is left of enough zones without those that they can spare, in a little time."""
        end = Deadline(min(_SHRINK_SECONDS, 0.1 * self._deadline.left))
        return shrink(active, self._cost, value, self._enough, end)

    def _enough(self, active: npt.NDArray[np.bool_]) -> bool:
        """Whether zones are proven to meet all requirements."""
        probe = Deadline(min(4 * _PROBE_SECONDS, self._deadline.left))
        return bool(np.all(self._judge.decide(active, probe) == ENOUGH))
