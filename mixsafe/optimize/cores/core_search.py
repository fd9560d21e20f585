"""Search for a minimum set of zones from both sides (method ``auto``).

From below, an exact search for all requirements at once (:mod:`mixsafe.optimize.cores.exact`). From
above, sets among a few rows (:mod:`mixsafe.optimize.heuristics.initial_solution`); then, beside the
bound, exact searches for a few requirements, for whom the zones that the others need cost nothing.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.beside import Beside
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.cores.exact import MAX_VARIABLES, expected_variables
from mixsafe.optimize.cores.narrowing import Narrowing, minimum
from mixsafe.optimize.reduction import only

_FIRST_SECONDS, _FIRST_SHARE = 20.0, 0.35  # for the bound, until the set that was found is used
_LARGE = 500_000  # booleans of a formula, beside which a set is looked for from the beginning
_IDLE_SECONDS, _IDLE_LARGE = 5.0, 2.0  # in which it may stay as it is meanwhile
_LOOK_SECONDS = 0.2  # for the bound, between two tries to make the set better
_PART_SECONDS = 5.0  # for a few requirements
_LARGEST_PART = 3  # requirements
_KERNEL_SECONDS, _KERNEL_SHARE = 60.0, 0.9  # for the zones of cores alone
_KERNEL = 0.5  # of the zones: where cores hold more of them, they are no smaller question
_TOO_LARGE = "a formula of all would be too large"
_DRAWS = 30  # of parts, until there seems to be none that was not tried


class Start(Protocol):
    """Finds zones that are enough."""

    def __call__(self, enough: int, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that are enough; no cheaper ones than ``enough`` are looked for."""

    def near(self, active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, many of which are ``active``; None: not found."""


class CoreSearch:
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
        if problem.requirements is None:
            raise ValueError("a search needs requirements")
        self._problem, self._zones = problem, problem.zones
        self._asked, self._cost = problem.requirements, cost
        self._start, self._deadline, self._progress = start, deadline, progress
        self._random = np.random.default_rng(limits.seed)
        self._bound = 0
        self._best = np.ones(len(cost), bool)
        self._begun = self._partial = self._exhausted = False
        self._notes: tuple[str, ...] = ()
        self._tried: set[tuple[int, ...]] = set()  # parts that do not make the best set better

    def run(self) -> ZoneSet:
        """Search until both sides meet or no time is left."""
        self._tell()
        asked = replace(self._problem, requirements=self._that_fit())
        with closing(Narrowing(asked, self._cost, self._deadline)) as exact:
            self._narrow(exact)
        zones = tuple(np.flatnonzero(self._best).tolist())
        return ZoneSet(zones, self._bound, self._bound >= self._total, self._notes)

    def _narrow(self, exact: Narrowing) -> None:
        """Raise the bound for a while; take a set; then make both better in turn."""
        if exact.n_variables <= _LARGE:
            self._raise_while_it_rises(exact, _IDLE_SECONDS)
            if self._is_open:
                self._first(self._start(self._bound, self._deadline))
                self._search_kernel(exact)
        else:
            with closing(Beside(lambda end: self._start(0, end), self._deadline)) as sought:
                self._search_kernels(exact, sought)
        while self._is_open and (part := self._part()) is not None:
            self._raise_bound(exact, self._deadline.within(_LOOK_SECONDS))
            self._improve(part)
        self._raise_bound(exact, self._deadline)

    def _first(self, found: npt.NDArray[np.bool_]) -> None:
        """Take the set that was looked for; from now on it is clear how to look for others."""
        self._begun = True
        self._take(found)

    def _raise_while_it_rises(self, exact: Narrowing, idle: float) -> None:
        """Raise the bound until it stays for so many seconds, or the time for that is up."""
        end, before = Deadline(min(_FIRST_SECONDS, _FIRST_SHARE * self._deadline.left)), -1
        while self._bound > before and not end.passed:
            before = self._bound
            self._raise_bound(exact, end.within(idle if self._bound else _IDLE_SECONDS))

    def _search_kernels(self, exact: Narrowing, sought: Beside[npt.NDArray[np.bool_]]) -> None:
        """Raise the bound, and search the kernel each time that it stays, while a set is sought.

        A formula so large is stuck sooner than that of its kernel, which is the smaller, the fewer
        cores there are.
        """
        before = -1, -1
        while self._is_open and (self._bound, self._total) != before:
            before = self._bound, self._total
            self._raise_while_it_rises(exact, _IDLE_LARGE)
            self._search_kernel(exact, sought)
        if self._is_open and not self._begun:
            self._first(sought.result())

    def _that_fit(self) -> Requirements:
        """Requirements that the bound is about: all, or as many as a formula can hold."""
        n = len(self._asked)
        size = expected_variables(self._zones, self._asked)
        order = self._random.permutation(n)
        fit = np.sort(order[np.cumsum(size[order]) <= MAX_VARIABLES])
        self._partial = len(fit) < n
        if self._partial:
            self._notes = (f"the bound is that of {len(fit)} of {n} requirements: {_TOO_LARGE}",)
        return self._asked.those(fit)

    @property
    def _is_open(self) -> bool:
        return self._bound < self._total and not self._deadline.passed

    @property
    def _total(self) -> int:
        """Cost of the best set."""
        return int(self._cost[self._best].sum())

    def _tell(self) -> None:
        self._progress(f"{self._total} zones' cost or less", self._bound, self._total)

    def _raise_bound(self, exact: Narrowing, deadline: Deadline) -> None:
        """Raise the bound to what the best set costs, or until the time is up."""
        while self._bound < self._total and not deadline.passed and not self._exhausted:
            if self._begun:
                exact.harden(self._total)
            step = exact.step(deadline)
            self._bound = max(self._bound, exact.bound)
            if step is None:
                return
            if step.enough and self._partial:
                self._exhausted = True
            elif step.enough:
                self._take(step.zones)
            elif step.zones is not None and self._begun:
                self._take(self._start.near(step.zones))
            self._tell()

    def _search_kernel(
        self, exact: Narrowing, sought: Beside[npt.NDArray[np.bool_]] | None = None
    ) -> None:
        """Look for a set among the zones of the cores so far; there are few of them, if any.

        (Kernel search: Angelelli, Mansini and Speranza 2010, Computers & Operations Research 37.)
        Where not even these are enough at the price that was paid for the cores, nothing is. Where
        they are not enough for less than the best set, what is cheaper uses one of the others.
        """
        kernel, below = exact.kernel()
        among = np.flatnonzero(kernel | (self._best & (self._total < self._cost.sum())))
        if self._partial or not self._is_open or len(among) > _KERNEL * len(kernel):
            return
        there = replace(self._problem, zones=only(self._problem.zones, among), zone_index=None)
        end = Deadline(min(_KERNEL_SECONDS, _KERNEL_SHARE * self._deadline.left))
        exact.pause()
        with closing(Narrowing(there, self._cost[among], end)) as small:
            while self._is_open and not end.passed and small.bound < self._total:
                if sought is not None and sought.is_done and not self._begun:
                    self._first(sought.result())
                small.harden(self._total)
                step = small.step(end.within(_PART_SECONDS))
                self._bound = max(self._bound, min(small.bound, below))
                self._tell()
                if step is not None and step.enough and step.zones is not None:
                    self._take(np.isin(np.arange(len(kernel)), among[step.zones]))
            exact.resume()
            if self._is_open and small.bound >= self._total:
                self._look_beyond(exact, np.isin(np.arange(len(kernel)), among))

    def _look_beyond(self, exact: Narrowing, zones: npt.NDArray[np.bool_]) -> None:
        """Pay for one of the other zones, where nothing among ``zones`` is cheaper than the best.

        It is a core of nearly all zones, which makes most other questions harder. But where the
        bound is so near then that no other zone may be used, hardly anything is left to be asked.
        """
        if exact.bound + 2 * int(self._cost.min()) >= self._total:
            exact.look_beyond(zones, self._total)

    def _take(self, found: npt.NDArray[np.bool_] | None) -> bool:
        """Keep zones that are enough, if they cost less than the best ones."""
        if found is None or int(self._cost[found].sum()) >= self._total:
            return False
        self._best = found
        self._tell()
        return True

    def _improve(self, part: tuple[int, ...]) -> None:
        """Meet a few requirements anew."""
        if self._is_open and self._take(self._met_anew(np.array(part))):
            self._tried.clear()

    def _part(self) -> tuple[int, ...] | None:
        """Numbers of a few requirements that were not tried yet."""
        n = len(self._asked)
        for _ in range(_DRAWS if n > 1 else 0):
            size = int(self._random.integers(1, min(_LARGEST_PART, n - 1) + 1))
            part = tuple(sorted(self._random.choice(n, size, replace=False).tolist()))
            if part not in self._tried:
                self._tried.add(part)
                return part
        return None

    def _met_anew(self, part: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, of the best ones those that the other ones need."""
        others = np.delete(np.arange(len(self._asked)), part)
        best = np.flatnonzero(self._best)
        end = self._deadline.within(_PART_SECONDS)
        there = self._about(others, only(self._zones, best))
        needed = minimum(there, self._cost[best], self._total + 1, end)
        if needed is None:
            return None
        kept, price = np.zeros(len(self._cost), bool), self._cost.copy()
        kept[best[needed]], price[best[needed]] = True, 0
        below = self._total - int(self._cost[kept].sum())
        found = minimum(self._about(part, self._zones), price, below, end)
        return None if found is None else found | kept

    def _about(self, numbers: npt.NDArray[np.int64], zones: MixZones) -> Problem:
        """The problem of some requirements, with ``zones`` only."""
        asked = self._asked.those(numbers)
        return replace(self._problem, zones=zones, requirements=asked, zone_index=None)
