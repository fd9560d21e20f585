"""KM: the obfuscation that won the contest, made from its description (contest paper, 5.2).

Users are clustered by their visit counts; noise moves each user's counts towards her cluster's
mean, so that she is hard to tell from the others in it; visits to hospitals go to the nearest other
hospital; all while s_U stays at what the rules require. The paper leaves the choice of the noise
open. Here each visit beyond the mean's count of its region is assigned to a region that has too few
(at least total loss), and of all these moves of all users, each of which brings the counts closer
by the same amount, the cheapest are made until the utility is used up.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import Random, RegionAnonymiser
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.visits import visit_counts
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

RegionArray = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]


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
