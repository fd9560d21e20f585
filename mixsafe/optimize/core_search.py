"""Search for a minimum set of zones from both sides (method ``auto``).

From below, an exact search for all requirements at once (:mod:`mixsafe.optimize.narrowing`).
From above, exact searches for one requirement after the other; then, in parallel with the bound,
for a few requirements. The zones that the others need cost nothing in them. A kernel search goes
through the zones of the cores that were found so far: few of all, and mostly enough (Angelelli,
Mansini and Speranza 2010, Computers & Operations Research 37). Both sides close a gap: the best set
so far, and a bound on all sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from itertools import chain, combinations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.background import BackgroundTask
from mixsafe.model.course import Course, Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.network.subproblem import among_users
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.answer import ZoneSet
from mixsafe.optimize.narrowing import Narrowing, minimum
from mixsafe.optimize.reduction import among, met_first
from mixsafe.optimize.zone_formula import that_fit
from mixsafe.optimize.zone_groups import ZoneGroups

_LARGEST_PART = 3  # requirements that are met anew
_TOO_LARGE = "a formula of all would be too large"


class Gap:
    """The best set and the lower bound, which enclose the minimum.

    Parameters
    ----------
    groups
        Groups of zones, and their costs.
    course
        When to stop, and whom to tell how far the search is.
    """

    def __init__(self, groups: ZoneGroups, course: Course) -> None:
        self.groups, self.deadline = groups, course.deadline
        self._progress = course.progress
        self.bound = 0
        self.best = np.ones(len(groups.of), bool)
        self.tell()

    @property
    def total(self) -> int:
        """Cost of the best set."""
        return self.groups.price(self.best)

    @property
    def is_open(self) -> bool:
        """Whether the gap is positive, and time is left."""
        return self.bound < self.total and not self.deadline.passed

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(n_zones,) the best set; no zones while it is still all of them."""
        return self.best & (self.total < self.groups.total)

    def tell(self) -> None:
        """Tell how far the search is."""
        self._progress(f"{self.total} zones' cost or less", self.bound, self.total)

    def rise(self, bound: int) -> None:
        """Raise the lower bound to ``bound``."""
        self.bound = max(self.bound, bound)
        self.tell()

    def take(self, found: npt.NDArray[np.bool_] | None) -> bool:
        """Keep (n_zones,) zones that are enough, if they cost less than the best ones."""
        if found is None or self.groups.price(found) >= self.total:
            return False
        self.best = found
        self.tell()
        return True


class KernelSearch:
    """Search kernels, each time that the formula of all zones is stuck.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    gap
        What is known, and made better here.
    hear
        Called now and then: a set may have been found elsewhere. Whether a processor is free.
    seed
        Of orders.
    """

    def __init__(
        self,
        problem: Problem,
        gap: Gap,
        hear: Callable[[], bool],
        seed: int,
    ) -> None:
        self._problem, self._gap, self._hear = problem, gap, hear
        self._random = np.random.default_rng(seed)
        self._searched: list[npt.NDArray[np.bool_]] = []  # nothing is cheaper among these zones

    def search(self, exact: Narrowing) -> None:
        """Look for sets among the zones of its cores; the formula of all zones rests meanwhile.

        Among those of the smallest cores first: what is found there makes the next question easier.
        Where not even those of all cores are enough at the price that was paid, nothing is. Where
        they are not enough for less than the best set, what is cheaper uses one of the others.
        """
        kernel, below = exact.kernel()
        exact.pause()
        for zones in _growing(exact.in_cores(), kernel, zone_strategy.KERNEL_ZONES):
            self._among(zones, 0, zone_strategy.SHORT)
        searched = self._among(kernel, below, zone_strategy.KERNEL)
        if searched is not None and self._gap.is_open:
            self._look_beyond(exact, searched)

    def _among(
        self, zones: npt.NDArray[np.bool_], promised: int, seconds: float
    ) -> npt.NDArray[np.bool_] | None:
        """Look for a cheaper set among some zones, and those of the best one.

        Parameters
        ----------
        zones, promised
            (n_zones,) zones of which all is made that costs less than this.
        seconds
            To look for it.

        Returns
        -------
        (n_zones,) zones among which nothing is cheaper than the best; None: that is not known.
        """
        gap = self._gap
        there = zones | gap.known
        if not gap.is_open or np.count_nonzero(there) > zone_strategy.FEW * len(there):
            return None  # it is no smaller question
        if not any(np.all(searched[there]) for searched in self._searched):
            end = gap.deadline.within(min(seconds, zone_strategy.KERNEL_SHARE * gap.deadline.left))
            if not self._whole(np.flatnonzero(there), promised, end):
                return None
            self._searched.append(there)
        gap.rise(min(gap.total, promised))
        return there

    def _whole(self, zones: npt.NDArray[np.intp], promised: int, end: Deadline) -> bool:
        """Search some zones for a cheaper set; return whether none is cheaper than the best.

        Where that is stuck, it is begun once more with the requirements in another order, on the
        other processor: the times that the solver takes have heavy tails.
        """
        gap = self._gap
        stuck = Deadline(zone_strategy.STUCK)
        with ExitStack() as stack:
            begun = [self._begun(zones, end, stack)]
            while gap.is_open and not end.passed and all(s.bound < gap.total for s in begun):
                if self._hear() and stuck.passed and len(begun) == 1:
                    begun.append(self._begun(zones, end, stack))
                for search in begun:
                    if self._one_step(search, zones, promised, end.within(zone_strategy.LOOK)):
                        stuck = Deadline(zone_strategy.STUCK)
            return any(search.bound >= gap.total for search in begun)

    def _begun(self, zones: npt.NDArray[np.intp], end: Deadline, stack: ExitStack) -> Narrowing:
        """A search among some zones, the requirements in any order."""
        asked = self._problem.asked
        asked = asked.those(self._random.permutation(len(asked)))
        fewer = among(replace(self._problem, requirements=asked), zones)
        search = Narrowing(fewer, self._gap.groups.those(zones), end)
        return stack.enter_context(closing(search))

    def _one_step(
        self, search: Narrowing, zones: npt.NDArray[np.intp], promised: int, deadline: Deadline
    ) -> bool:
        """Let a search among some zones go on; whether it brought anything."""
        gap = self._gap
        search.harden(gap.total)
        enough = search.step(deadline)
        gap.rise(min(search.bound, promised))
        if enough:
            gap.take(np.isin(np.arange(len(gap.best)), zones[search.zones]))
        return enough is not None

    def _look_beyond(self, exact: Narrowing, zones: npt.NDArray[np.bool_]) -> None:
        """Pay for one of the other zones, where nothing among ``zones`` is cheaper than the best.

        It is a core of nearly all zones, which makes most other questions harder. But where the
        bound is so near then that no other zone may be used, hardly anything is left to be asked.
        """
        if exact.bound + 2 * int(self._gap.groups.cost.min()) >= self._gap.total:
            exact.look_beyond(zones, self._gap.total)


def _growing(
    in_cores: npt.NDArray[np.bool_], kernel: npt.NDArray[np.bool_], least: int
) -> list[npt.NDArray[np.bool_]]:
    """(n_zones,) zones of the smallest cores, each time twice as many, and half of all at most."""
    found, most = [], np.count_nonzero(kernel) // 2
    for zones, n in zip(in_cores, np.count_nonzero(in_cores, axis=1).tolist(), strict=True):
        if least <= n <= most:
            found.append(zones)
            least = 2 * n
    return found


class CoreSearch:
    """Tighten the lower and upper bound of the minimum cost.

    Parameters
    ----------
    problem
        With requirements of k >= 2, all of which all zones together meet.
    groups
        Groups of zones, and their costs.
    course
        What the search may use, and whom to tell how far it is.
    """

    def __init__(self, problem: Problem, groups: ZoneGroups, course: Course) -> None:
        self._problem, self._asked = problem, problem.asked
        self._deadline = course.deadline
        self._gap = Gap(groups, course)
        self._kernels = KernelSearch(problem, self._gap, self._hear, course.seed)
        self._random = np.random.default_rng(course.seed)
        self._begun = self._partial = self._exhausted = False
        self._sought: BackgroundTask[npt.NDArray[np.bool_]] | None = None
        self._notes: tuple[str, ...] = ()

    def run(self) -> ZoneSet:
        """Search until both sides meet or no time is left."""
        asked = replace(self._problem, requirements=self._that_fit())
        gap = self._gap
        with closing(Narrowing(asked, gap.groups, self._deadline)) as exact:
            self._narrow(exact)
        zones = tuple(np.flatnonzero(gap.best).tolist())
        return ZoneSet(zones, gap.bound, gap.bound >= gap.total, self._notes)

    def _narrow(self, exact: Narrowing) -> None:
        """Raise the bound for a while; take a set; then make both better in turn."""
        if exact.n_variables > zone_strategy.LARGE:
            self._search_beside(exact)
        else:
            self._raise_while_it_rises(exact, zone_strategy.SHORT)
            if self._gap.is_open:
                self._first(self._in_turn(self._deadline))
                self._search_kernel(exact)
        parts = self._parts()
        while self._gap.is_open and (part := next(parts, None)) is not None:
            if self._gap.take(self._met_beside(exact, np.array(part))):
                parts = self._parts()
        self._raise_bound(exact, self._deadline)

    def _search_beside(self, exact: Narrowing) -> None:
        """Raise the bound, and search its kernel when it stays, while a thread searches for a set.

        A formula so large is stuck sooner than that of its kernel, which is the smaller, the fewer
        cores there are: it is searched again each time that there are more of them.
        """
        gap, before = self._gap, (-1, -1)
        with closing(BackgroundTask(self._in_turn, self._deadline)) as self._sought:
            while gap.is_open and (gap.bound, gap.total) != before:
                before = gap.bound, gap.total
                self._raise_while_it_rises(exact, zone_strategy.STUCK)
                self._search_kernel(exact)
            if gap.is_open and not self._begun:
                self._first(self._sought.result())

    def _search_kernel(self, exact: Narrowing) -> None:
        if not self._partial:
            self._kernels.search(exact)

    def _in_turn(self, deadline: Deadline) -> npt.NDArray[np.bool_]:
        """(n_zones,) zones that are enough."""
        return met_in_turn(self._problem, self._gap.groups, deadline)

    def _first(self, found: npt.NDArray[np.bool_]) -> None:
        """Take the set that was looked for."""
        self._begun = True
        self._gap.take(found)

    def _hear(self) -> bool:
        """Take the set of the background search once it is there; whether that search has ended."""
        if self._sought is not None and self._sought.is_done and not self._begun:
            self._first(self._sought.result())
        return self._begun

    def _raise_while_it_rises(self, exact: Narrowing, idle: float) -> None:
        """Raise the bound until it stays for so many seconds, or the time for that is up."""
        gap = self._gap
        end = zone_strategy.part_of(self._deadline)
        still = end.within(idle if gap.bound else zone_strategy.SHORT)
        while gap.is_open and not still.passed and not self._exhausted:
            before = gap.bound
            self._raise_bound(exact, still.within(zone_strategy.LOOK))
            self._hear()
            if gap.bound > before:
                still = end.within(idle)

    def _that_fit(self) -> Requirements:
        """Requirements that the bound is about: all, or as many as a formula can hold."""
        n = len(self._asked)
        fit = that_fit(self._problem, self._random.permutation(n))
        self._partial = len(fit) < n
        if self._partial:
            self._notes = (f"the bound is that of {len(fit)} of {n} requirements: {_TOO_LARGE}",)
        return self._asked.those(fit)

    def _raise_bound(self, exact: Narrowing, deadline: Deadline) -> None:
        """Raise the lower bound to the cost of the best set, or until the time is up."""
        gap = self._gap
        while gap.bound < gap.total and not deadline.passed and not self._exhausted:
            exact.harden(gap.total)
            enough = exact.step(deadline)
            gap.rise(exact.bound)
            if enough is None:
                return
            if enough and self._partial:
                self._exhausted = True
            elif enough:
                gap.take(exact.zones)

    def _parts(self) -> Iterator[tuple[int, ...]]:
        """Numbers of a few requirements, in any order: one, then two, then three; not all."""
        n = len(self._asked)
        order = self._random.permutation(n).tolist()
        sizes = range(1, min(_LARGEST_PART, n - 1) + 1)
        return chain.from_iterable(combinations(order, size) for size in sizes)

    def _met_beside(
        self, exact: Narrowing, part: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.bool_] | None:
        """Meet a few requirements anew in a thread, and raise the bound meanwhile."""
        with closing(BackgroundTask(partial(self._met_anew, part), self._deadline)) as task:
            while self._gap.is_open and not task.is_done:
                look = self._deadline.within(zone_strategy.LOOK)
                self._raise_bound(exact, look)
                task.wait(look.left)
            return task.result() if task.is_done else None

    def _met_anew(
        self, part: npt.NDArray[np.int64], deadline: Deadline
    ) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) zones that are enough, of the best ones those that the other ones need."""
        others = np.delete(np.arange(len(self._asked)), part)
        best, groups = np.flatnonzero(now := self._gap.best), self._gap.groups
        total = groups.price(now)
        end = deadline.within(zone_strategy.SHORT)
        kept = among(self._about(others), best)
        needed = minimum(kept, groups.those(best), total + 1, end)
        if needed is None:
            return None
        stay = np.zeros(len(groups.of), bool)
        stay[best[needed]] = True
        below = total - groups.price(stay)
        found = minimum(self._about(part), groups.paid(stay), below, end)
        return None if found is None else found | stay

    def _about(self, numbers: npt.NDArray[np.int64]) -> Problem:
        """The problem of some requirements."""
        return replace(self._problem, requirements=self._asked.those(numbers))


def met_in_turn(
    problem: Problem,
    groups: ZoneGroups,
    deadline: Deadline,
) -> npt.NDArray[np.bool_]:
    """(n_zones,) zones that are enough: cheap ones for one requirement after the other.

    What was taken for those before costs nothing. What takes longer than its share of the time
    comes once more after the others, which make it easier. All zones where the time is too short.
    """
    found = np.zeros(len(groups.of), bool)
    left = list(range(len(problem.asked)))
    for _ in range(2):
        later = list[int]()
        for number in left:
            alone = replace(problem, requirements=problem.asked.those(slice(number, number + 1)))
            added = _met_nearby(alone, groups.paid(found), zone_strategy.part_of(deadline))
            if added is None:
                later.append(number)
            else:
                found |= added
        left = later
    return np.ones(len(groups.of), bool) if left else found


def _met_nearby(
    alone: Problem, groups: ZoneGroups, deadline: Deadline
) -> npt.NDArray[np.bool_] | None:
    """(n_zones,) zones that meet one requirement; None: there was too little time.

    They are the cheapest in which the user and those met next to it in time exchange, while all
    others keep their pseudonyms (fact 8): so many that these are enough.
    """
    zones, size = np.zeros(len(groups.of), bool), zone_strategy.NEAREST
    order = met_first(alone)
    while not deadline.passed:
        part, kept = among_users(alone, order[:size])
        found = minimum(part, groups.those(kept), groups.total + 1, deadline)
        if found is not None:
            zones[kept[found]] = True
            return zones
        if size >= len(order):
            break
        size *= 2
    return None
