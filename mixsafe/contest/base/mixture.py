"""Where users may be, in as few numbers as it takes.

A table of all users, regions and steps of the day has 40 million numbers in the contest, and its
product with a matrix of regions (what is near, what noise shows, what a guess finds) a thousand
times as many terms. But users' habits are everybody's, but for where they were themselves, and
near to it: a dozen regions each. So products are taken of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.held_out import LONG, NEAR_KM, SHORT, Parts, nearness, time_kernel
from mixsafe.contest.base.rules import Rules
from mixsafe.machinery.compiled import compiled
from mixsafe.model.mobility.complete_traces import Regions

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class VisitMixture:
    """Probabilities of regions at each step of the day, a mixture for each user.

    Parameters
    ----------
    ptr, region
        (n_users + 1,) and (n_visited,) regions that each user was in: CSR.
    exact, lately
        (steps_per_day, n_visited) what having been there counts for that region itself, and for the
        regions near to it.
    common
        (steps_per_day, n_regions) what is the same for everybody.
    regions
        The regions.
    """

    ptr: npt.NDArray[np.int64]
    region: npt.NDArray[np.int64]
    exact: Floats
    lately: Floats
    common: Floats
    regions: Regions

    @classmethod
    def of_visits(
        cls, region: npt.NDArray[np.int32], step: npt.NDArray[np.int64], shares: Parts, rules: Rules
    ) -> VisitMixture:
        """The mixture of reference traces.

        Parameters
        ----------
        region
            (n_users, n) where they were.
        step
            (n,) the step of the day of each column.
        shares
            How much each part counts.
        """
        n_users, count, steps = len(region), rules.regions.count, rules.steps_per_day
        key = np.arange(n_users)[:, None] * count + region
        pairs, pair = np.unique(key, return_inverse=True)
        user, visited = np.divmod(pairs, count)
        visits = np.bincount(
            (step * len(pairs) + pair.reshape(region.shape)).reshape(-1),
            minlength=steps * len(pairs),
        ).reshape(steps, len(pairs))
        days = np.bincount(step, minlength=steps).astype(np.float32)
        short, long = (time_kernel(steps, memory, days) for memory in (SHORT, LONG))
        lately = long @ visits
        crowd = np.stack([np.bincount(visited, row, minlength=count) for row in lately]) / n_users
        crowd += 1e-6
        crowd /= crowd.sum(axis=1, keepdims=True)
        exact = shares.short * short + shares.long * long + shares.always / days.sum()
        return cls(
            np.searchsorted(user, np.arange(n_users + 1)),
            visited,
            (exact @ visits).astype(np.float32),
            (shares.near * lately).astype(np.float32),
            (shares.crowd * crowd + shares.anywhere / count).astype(np.float32),
            rules.regions,
        )

    @cached_property
    def near(self) -> Floats:
        """(n_regions, n_regions) probability of each region (column) near to one (row)."""
        return nearness(self.regions, NEAR_KM)

    def through(self, kernel: Floats | None = None) -> Iterator[Floats]:
        """The table of each step, times a matrix.

        Parameters
        ----------
        kernel
            (n_regions, n); None: the table as it is.

        Yields
        ------
        (n_users, n) float32
            New at each step.
        """
        beside = self.near if kernel is None else self.near @ kernel
        n_users = len(self.ptr) - 1
        user = np.repeat(np.arange(n_users), np.diff(self.ptr))
        for exact, lately, common in zip(self.exact, self.lately, self.common, strict=True):
            found = np.tile(common if kernel is None else common @ kernel, (n_users, 1))
            add_visits(self.ptr, self.region, lately, beside, found)
            if kernel is not None:
                add_visits(self.ptr, self.region, exact, kernel, found)
            if kernel is None:
                found[user, self.region] += exact
            yield found


@compiled
def add_visits(
    ptr: npt.NDArray[np.int64],
    region: npt.NDArray[np.int64],
    value: Floats,
    kernel: Floats,
    found: Floats,
) -> None:
    """Add to each user what each of her regions is worth, times that region's row of a matrix.

    Parameters
    ----------
    ptr, region
        (n_users + 1,) and (n_visited,) regions of each user: CSR.
    value
        (n_visited,).
    kernel
        (n_regions, n).
    found
        (n_users, n) added to.
    """
    for user in range(len(found)):
        row = found[user]
        for visit in range(ptr[user], ptr[user + 1]):
            worth, there = value[visit], kernel[region[visit]]
            for column in range(len(row)):
                row[column] += worth * there[column]


def mixture_ratios(mixture: VisitMixture, kernel: Floats | None = None) -> tuple[Floats, Floats]:
    """How much more likely each user is in each region than everybody, seen through a kernel.

    Returns
    -------
    ratio
        (steps_per_day, n_regions + 1, n_users) logarithms; last 0, for a deleted cell.
    background
        (steps_per_day, n_regions) everybody's probabilities: ratios of nobody's habits are 1 in the
        mean.
    """
    steps, count = mixture.common.shape
    ratio = np.zeros((steps, count + 1, len(mixture.ptr) - 1), np.float32)
    background = np.empty((steps, count), np.float32)
    for at, likely in enumerate(mixture.through(kernel)):
        background[at] = likely.mean(axis=0)
        likely /= background[at]
        ratio[at, :-1] = np.log(likely, out=likely).T
    return ratio, background
