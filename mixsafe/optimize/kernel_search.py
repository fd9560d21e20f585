"""Search among the zones of the cores that were found so far: few of all, and mostly enough.

(Kernel search: Angelelli, Mansini and Speranza 2010, Computers & Operations Research 37.)
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import zone_strategy
from mixsafe.optimize.gap import Gap
from mixsafe.optimize.narrowing import Narrowing
from mixsafe.optimize.reduction import among


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
