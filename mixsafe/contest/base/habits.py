"""Where each user may be at each time of the day, learned so that it does not flatter itself.

A user's next days are a mixture: where she was at that time of the day, nearby in time, at any
time; near to where she was; where everybody is at that time; anywhere. How much each part counts is
found by leaving days of the reference traces out and predicting them
(:mod:`mixsafe.contest.base.held_out`), and so is how much a cell seen at a time of the day
tells about who it is: people who are at home at eight are told apart by that, and hardly by where
they are at noon, as far as one and the same person is elsewhere on another day.

A table of all users, regions and steps of the day has 40 million numbers in the contest, and its
product with a matrix of regions (what is near, what noise shows, what a guess finds) a thousand
times as many terms. But users' habits are everybody's, but for where they were themselves, and
near to it: a dozen regions each. So the mixture has few numbers (:class:`VisitMixture`), and
products are taken of these.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.held_out import (
    LONG,
    NEAR_KM,
    SHORT,
    HeldOut,
    Parts,
    evidence_weights,
    last_day,
    mixture_shares,
    nearness,
    step_evidence,
    time_kernel,
)
from mixsafe.contest.base.rules import Rules
from mixsafe.machinery.compiled import compiled
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix

Floats = npt.NDArray[np.float32]

MOST_ENTRIES = 2**30
"""Entries of the largest table: 4 GB."""


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


@dataclass(frozen=True, eq=False)
class VisitHabits:
    """Visit probabilities of users by the time of the day, and what seeing a cell tells.

    Parameters
    ----------
    ratio
        (steps_per_day, n_regions + 1, n_users): logarithm of a user's probability of a region
        against everybody's; last 0, for a deleted cell.
    background
        (steps_per_day, n_regions) everybody's probabilities, none of them 0; rows sum to 1.
    weight
        (steps_per_day,) how much the evidence of a step counts, >= 0.
    mixture
        Where users are.
    telling
        The mixture that tells users apart (``Parts.telling``), of which ``ratio`` is.
    rules
        The contest's rules.
    held
        The last reference day, held out to learn weights from; None: there is no other.
    ratio_before
        Ratios of the users of ``held``, learnt from the other days; empty where there are none.
    """

    ratio: Floats
    background: Floats
    weight: Floats
    mixture: VisitMixture
    telling: VisitMixture
    rules: Rules
    held: HeldOut | None
    ratio_before: Floats

    @classmethod
    def learn(cls, traces: TraceMatrix, rules: Rules) -> VisitHabits:
        """Habits from reference traces; of one day alone, with the shares of ``Parts``."""
        step, day = rules.step_of_day(traces.time_ids), (traces.time_ids - 1) // rules.steps_per_day
        shares = mixture_shares(traces.region, step, day, rules)
        telling = VisitMixture.of_visits(traces.region, step, shares.telling, rules)
        weight = np.full(rules.steps_per_day, shares.usual_weight, np.float32)
        held, before = last_day(traces, rules), np.empty((0, 0, 0), np.float32)
        if held is not None:
            before = ratios_before(held, shares, rules)
            weight = evidence_weights([step_evidence(before, held)])
        mixture = VisitMixture.of_visits(traces.region, step, shares, rules)
        ratios = mixture_ratios(telling)
        return cls(*ratios, weight, mixture, telling, rules, held, before)

    @property
    def n_users(self) -> int:
        """Number of users."""
        return int(self.ratio.shape[2])


def ratios_before(held: HeldOut, shares: Parts, rules: Rules) -> Floats:
    """As ``VisitHabits.ratio``, for the users of held-out traces by what is known of them."""
    parts = shares.telling
    return mixture_ratios(VisitMixture.of_visits(held.known, held.step_known, parts, rules))[0]


def gains(rules: Rules) -> Floats:
    """What naming a region (column) finds of a true one (row), (n_regions, n_regions).

    The trace inference score's own: 0 to 1 by distance, times the weight of the true region.
    """
    region = np.arange(rules.regions.count, dtype=np.int32)
    near = 1 - rules.regions.distance_km(region[:, None], region) / rules.lost_km
    weight = np.where(rules.regions.hospital, rules.hospital_weight, 1.0)
    return (weight[:, None] * np.maximum(0.0, near)).astype(np.float32)
