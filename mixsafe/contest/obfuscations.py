"""Obfuscations: those of the organizers, A1 to A5, and those of teams, AS and KM.

The organizers' are those of the contest paper, section 4.1, and of the sample programs, 2.1. Each
draws its random numbers in the programs' order, so that with ``RandomState(1)`` the cells are
theirs, line by line. AS is team 004's, shifting the regions that give a user away (the team's
slides).

KM is the one that won the contest, made from its description (contest paper, 5.2). Users are
clustered by their visit counts; noise moves each user's counts towards her cluster's mean, so that
she is hard to tell from the others in it; visits to hospitals go to the nearest other hospital; all
while s_U stays at what the rules require. The paper leaves the choice of the noise open. Here each
visit beyond the mean's count of its region is assigned to a region that has too few (at least total
loss), and of all these moves of all users, each of which brings the counts closer by the same
amount, the cheapest are made until the utility is used up.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import Random, RegionAnonymiser
from mixsafe.contest.base.reference import visit_counts
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

RegionArray = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class NoObfuscation(RegionAnonymiser):
    """A1: the original regions."""

    short, long = "A1", "A1-none"

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The same regions."""
        return original.region


@dataclass(frozen=True)
class MergeAndHide:
    """A2, MRLH (Shokri et al., S&P 2011): merge regions into blocks, hide some altogether.

    Parameters
    ----------
    mu_x, mu_y
        Bits dropped from the column and from the row of a region, >= 0: blocks of
        2^mu_x by 2^mu_y regions.
    share
        lambda: probability with which a cell is deleted, 0 to 1.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    mu_x: int = 2
    mu_y: int = 2
    share: float = 0.5

    short: ClassVar[str] = "A2"
    long: ClassVar[str] = "A2-MRLH"

    def __post_init__(self) -> None:
        if self.mu_x < 0 or self.mu_y < 0:
            raise InputError(f"A2 cannot drop {min(self.mu_x, self.mu_y)} bits")
        if not 0 <= self.share <= 1:
            raise InputError(f"A2 cannot hide with probability {self.share}")

    def anonymise(self, original: TraceMatrix, rules: Rules, random: Random) -> Cells:
        """Blocks and deletions.

        Raises
        ------
        InputError
            Blocks larger than the grid.
        """
        regions, n_regions = rules.regions, rules.regions.count
        content, ptr, member = self._blocks(regions)
        code = content[original.region]
        hidden = random.random(original.region.size).reshape(code.shape) < self.share
        code[hidden] = n_regions
        return Cells(code, n_regions, ptr, member, original.first_time)

    def _blocks(
        self, regions: Regions
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Content of each region, and the blocks as CSR with ascending members."""
        if 2**self.mu_x > regions.columns or 2**self.mu_y > regions.rows:
            raise InputError(
                f"A2 blocks of 2^{self.mu_x} by 2^{self.mu_y} regions are larger than the"
                f" {regions.columns} x {regions.rows} grid"
            )
        region = np.arange(regions.count, dtype=np.int32)
        if self.mu_x == self.mu_y == 0:
            return region, np.zeros(1, np.int64), region[:0]
        row, column = np.divmod(region, regions.columns)
        corner = (row >> self.mu_y << self.mu_y) * regions.columns + (
            column >> self.mu_x << self.mu_x
        )
        _, block, size = np.unique(corner, return_inverse=True, return_counts=True)
        member = np.argsort(block, kind="stable").astype(np.int32)
        # A grid that is no multiple of the block leaves blocks of one region: a plain region.
        single = size == 1
        content = np.cumsum(~single)[block] + regions.count
        content = np.where(single[block], region, content).astype(np.int32)
        kept = np.repeat(~single, size)
        return content, pointers(size[~single]), member[kept]


@dataclass(frozen=True)
class RandomizedResponse(RegionAnonymiser):
    """A3, k-RR (Kairouz et al., ICML 2016): k-ary randomized response over all regions.

    Parameters
    ----------
    epsilon
        Privacy budget of each cell, >= 0. The truth is kept with probability
        e^epsilon / (k - 1 + e^epsilon); otherwise each other region is equally likely.

    Raises
    ------
    InputError
        A budget that is negative or not finite.
    """

    epsilon: float = 0.1

    short, long = "A3", "A3-kRR"

    def __post_init__(self) -> None:
        if not (self.epsilon >= 0 and math.isfinite(self.epsilon)):
            raise InputError(f"A3 cannot have a privacy budget of {self.epsilon}")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The true region of each cell, or another one."""
        truth, n_regions = original.region, rules.regions.count
        # Beyond 700 the exponential overflows, and the truth is kept surely long before.
        weight = math.exp(min(self.epsilon, 700.0))
        keep, other = weight / (n_regions - 1 + weight), 1 / (n_regions - 1 + weight)
        draw = random.random(truth.size).reshape(truth.shape)
        # The last other region takes the rounding of a draw next to 1.
        rank = np.clip((draw - keep) / other, 0, n_regions - 2).astype(np.int32)
        noise = rank + (rank >= truth)
        return np.where(draw < keep, truth, noise)


@dataclass(frozen=True)
class PlanarLaplace(RegionAnonymiser):
    """A4, planar Laplace noise (Andres et al., CCS 2013): l-privacy within r km.

    Parameters
    ----------
    privacy
        l, > 0.
    radius_km
        r, kilometres, > 0. Noise has density proportional to exp(-(l / r) distance).

    Raises
    ------
    InputError
        A parameter that is not positive and finite.
    """

    privacy: float = 0.1
    radius_km: float = 1.0

    short, long = "A4", "A4-PL"

    def __post_init__(self) -> None:
        for value in (self.privacy, self.radius_km):
            if not (value > 0 and math.isfinite(value)):
                raise InputError(f"A4 needs positive parameters, not {value}")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """Noisy regions; noise that leaves the grid stops at its border."""
        regions = rules.regions
        north, east = self.displacement_km(original.region.size, random)
        lat, lon = regions.centres(original.region.reshape(-1))
        km_north, km_east = regions.km_per_degree
        noisy = regions.nearest(lat + north / km_north, lon + east / km_east)
        return noisy.reshape(original.region.shape)

    def displacement_km(
        self, count: int, random: Random
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Noise to the north and to the east, kilometres, (count,) each."""
        from scipy.special import lambertw

        draw = random.random(2 * count).reshape(-1, 2)
        angle = 2 * math.pi * draw[:, 0]
        # Inverse of the radius law 1 - (1 + e R) exp(-e R); at a draw of 0, W is undefined, R is 0.
        branch = lambertw((draw[:, 1] - 1) / math.e, k=-1).real
        radius = np.nan_to_num(-(branch + 1) * self.radius_km / self.privacy, nan=0.0)
        return radius * np.sin(angle), radius * np.cos(angle)


@dataclass(frozen=True)
class Cheat(RegionAnonymiser):
    """A5, cheating or Yamaoka anonymization: whole traces change users before pseudonyms do.

    Parameters
    ----------
    share
        p, 0 to 1: the first ``int(n p)`` users have their traces shuffled.

    Raises
    ------
    InputError
        A share outside 0 to 1.
    """

    share: float = 1.0

    short, long = "A5", "A5-YA"

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise InputError(f"A5 cannot shuffle a share of {self.share} of the users")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """The same traces at other users' places."""
        place = np.arange(int(original.n_users * self.share))
        random.shuffle(place)
        region = original.region.copy()
        region[place] = original.region[: len(place)]
        return region


@dataclass(frozen=True)
class ShiftRareRegions(RegionAnonymiser):
    """AS-ShiftRareRegions(n, d_1, d_2): shift visits to hospitals and to rare regions.

    A region is rare at a time of the day when fewer than n visits of the original traces, over
    all users and days, are there then. A shift goes to any region at most d rows and d columns
    away, each equally likely, the region itself included. The slides leave both open; with this
    reading their number of untouched regions and their s_U fit together (AS(94, 0, 3): 275,598 of
    800,000, 0.7027).

    Parameters
    ----------
    rare
        n, >= 0.
    hospital_shift
        d_1, regions, >= 0.
    rare_shift
        d_2, regions, >= 0; rare hospital regions are shifted as hospitals.

    Raises
    ------
    InputError
        A negative parameter.
    """

    rare: int = 94
    hospital_shift: int = 0
    rare_shift: int = 3

    short, long = "AS", "AS-ShiftRareRegions"

    def __post_init__(self) -> None:
        if min(self.rare, self.hospital_shift, self.rare_shift) < 0:
            raise InputError(
                f"AS cannot have the parameters {self.rare}, {self.hospital_shift},"
                f" {self.rare_shift}: all must be 0 or more"
            )

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """Regions after shifts."""
        region, regions = original.region, rules.regions
        reach = np.where(self._is_rare(original, rules), self.rare_shift, 0)
        if self.hospital_shift:
            reach = np.where(regions.hospital[region], self.hospital_shift, reach)
        return shift_within(region, reach, regions, random)

    def _is_rare(self, original: TraceMatrix, rules: Rules) -> npt.NDArray[np.bool_]:
        """Whether each visit is to a region that is rare at its time of the day."""
        key = rules.step_of_day(original.time_ids) * rules.regions.count + original.region
        visits = np.bincount(key.reshape(-1))
        return np.asarray(visits[key] < self.rare)


def shift_within(
    region: npt.NDArray[np.int32],
    reach: npt.NDArray[np.int64],
    regions: Regions,
    random: Random,
) -> npt.NDArray[np.int32]:
    """Uniform among the regions of the grid at most ``reach`` rows and columns away."""
    row, column = np.divmod(region, regions.columns)
    shifted = []
    for place, last in ((row, regions.rows - 1), (column, regions.columns - 1)):
        low, high = np.maximum(place - reach, 0), np.minimum(place + reach, last)
        drawn = random.random(region.size).reshape(region.shape)
        shifted.append(low + (drawn * (high - low + 1)).astype(np.int64))
    return np.asarray(shifted[0] * regions.columns + shifted[1], dtype=np.int32)


@dataclass(frozen=True)
class ClusterVisits(RegionAnonymiser):
    """KM(k): k-means on visit counts, towards the means, hospitals swapped.

    Parameters
    ----------
    clusters
        k, >= 1; at most one per user is used.

    Raises
    ------
    InputError
        No cluster.
    """

    clusters: int = 100

    short, long = "KM", "KM-ClusterVisits"

    def __post_init__(self) -> None:
        if self.clusters < 1:
            raise InputError(f"KM cannot make {self.clusters} clusters")

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """Regions of utility ``rules.required_utility`` or more."""
        region = original.region
        swapped = _other_hospital(region, rules)
        mean = _cluster_means(original, rules, self.clusters, random)
        moved = np.where(swapped != region, swapped, _towards(region, swapped, mean, rules))
        loss = np.minimum(1.0, rules.regions.distance_km(region, moved) / rules.lost_km)
        # A hair below what is allowed, so that rounding cannot make the release invalid.
        budget = (1 - rules.required_utility - 1e-9) * region.size
        # Hospitals come first: they are what an attacker gains most from.
        order = np.lexsort((loss.reshape(-1), (swapped == region).reshape(-1)))
        affordable = np.empty(region.size, bool)
        affordable[order] = np.cumsum(loss.reshape(-1)[order]) <= budget
        return np.where(affordable.reshape(region.shape), moved, region)


def _other_hospital(region: RegionArray, rules: Rules) -> RegionArray:
    """The nearest other hospital region (the lowest id of equals); other regions stay."""
    hospital = np.flatnonzero(rules.regions.hospital).astype(np.int32)
    if len(hospital) < 2:
        return region
    distance = rules.regions.distance_km(hospital[:, None], hospital)
    np.fill_diagonal(distance, np.inf)
    other = np.arange(rules.regions.count, dtype=np.int32)
    other[hospital] = hospital[distance.argmin(axis=1)]
    return other[region]


def _cluster_means(original: TraceMatrix, rules: Rules, clusters: int, random: Random) -> Floats:
    """Mean visit counts of the cluster of each user, (n_users, n_regions)."""
    from scipy.cluster.vq import kmeans2

    counts = visit_counts(original, rules.regions.count)
    users = np.arange(original.n_users)
    random.shuffle(users)
    start = counts[np.sort(users[:clusters])]
    with warnings.catch_warnings():
        # A cluster that runs empty keeps its centre, and nobody is in it.
        warnings.filterwarnings("ignore", "One of the clusters is empty")
        _, cluster = kmeans2(counts, start, minit="matrix", iter=20)
    total = np.zeros_like(start)
    np.add.at(total, cluster, counts)
    size = np.bincount(cluster, minlength=len(start))
    return np.asarray(total[cluster] / size[cluster][:, None])


def _towards(region: RegionArray, swapped: RegionArray, mean: Floats, rules: Rules) -> RegionArray:
    """Where each visit that is no hospital's goes so that all counts become the mean's."""
    from scipy.optimize import linear_sum_assignment

    moved = region.copy()
    # The assignment solver takes one problem at a time.
    for user in range(len(region)):
        free = np.flatnonzero(swapped[user] == region[user])
        beyond, lacking = _differences(region[user, free], mean[user])
        if not len(beyond):
            continue
        source = region[user, free[beyond]]
        distance = rules.regions.distance_km(source[:, None], lacking)
        visit, goal = linear_sum_assignment(np.minimum(1.0, distance / rules.lost_km))
        moved[user, free[beyond[visit]]] = lacking[goal]
    return moved


def _differences(visits: RegionArray, mean: Floats) -> tuple[npt.NDArray[np.int64], RegionArray]:
    """Visits beyond the mean's count of their region, and the regions that have too few.

    Returns
    -------
    beyond, lacking
        As many numbers of visits as regions; a region is named once for each visit it lacks.
    """
    goal = _rounded(mean, len(visits))
    order = np.argsort(visits, kind="stable")
    ordered = visits[order]
    rank = np.arange(len(visits)) - np.searchsorted(ordered, ordered)
    beyond = np.sort(order[rank >= goal[ordered]])
    lack = np.maximum(goal - np.bincount(visits, minlength=len(mean)), 0)
    return beyond, np.repeat(np.arange(len(mean), dtype=np.int32), lack)


def _rounded(mean: Floats, total: int) -> npt.NDArray[np.int64]:
    """Whole counts of the given total in the proportions of ``mean`` (largest remainders)."""
    exact = mean * (total / mean.sum())
    whole = np.asarray(np.floor(exact), dtype=np.int64)
    missing = total - int(whole.sum())
    whole[np.argsort(whole - exact, kind="stable")[:missing]] += 1
    return whole
