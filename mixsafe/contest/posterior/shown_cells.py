"""What a shown cell tells of where its user was: noise, estimated from a release alone.

Obfuscation is not announced. But everybody together is where everybody usually is, and the release
shows how many are where: where it shows them elsewhere, that is noise. A cell is taken to be the
true region, one near to it, or any region, and how often each happens is what makes the counts of
the release likeliest (expectation and maximization). Seen through such noise a region tells less of
who is there, and the more so, the fewer are usually there.

A shown cell tells as much of where its user was as it agrees with her habits and home. Where cells
are as they were, those of a user are as her habits and home have them, in steps whose cells say
nothing of who she is as well; where they are noise, they are no more hers than anybody's. The share
of cells that are hers is estimated, and is what is kept: no threshold is set. On the preliminary
data it is 0.98 of unchanged cells exchanged, 0.56 of A4(4,1), 0.20 of A3(6), and 0.67 of KM(100),
whose cells do not look like noise.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.base.habits import VisitHabits, mixture_ratios
from mixsafe.contest.posterior.whereabouts import BelievedPlaces, Floats
from mixsafe.contest.posterior.whole_tracks import agreements, common_share
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.release import Cells

SCALES_KM = (0.125, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.7, 1.0, 1.5)
"""Near to a region counts by exp(-distance / one of these): a cell is 0.35 km."""

POINTS = 5
"""Points of a region along either side over which that is averaged.

Noise is drawn around a place, and what is shown is the region where it ends.
"""

ROUNDS = 100
"""Of expectation and maximization."""

ALONE = 0.35
"""How much the evidence of a step counts at least where all cells are noise: exchanged releases.

Cells of a day depend on each other, and so count little; noise makes them less so. It was chosen on
the truth of the preliminary data: with 0.25, 0.35 and 0.5, A4(4,1) exchanged leaves s_R = 0.976,
and A3(8) 0.9653, 0.9646 and 0.9631. Where steps count more than that in the mean, as in small
towns, they count so much under noise, too.
"""

SOME, ALL = 0.15, 0.8
"""The same of later cells in shuffled releases, at the least: under some noise, and all noise.

The left-out reference days of the preliminary data, shown by A4(4,1), are told apart best with
0.15: of twice 2,000 tracks, twice drawn, 0.1, 0.15 and 0.2 find 562, 582 and 570. Where most cells
are noise, more was chosen on the truth of these data: with 0.6, A3(6) leaves s_R = 0.8785 and with
0.3 0.8800, two thirds of whose cells are noise.
"""

LEAST_SHARE = 0.01
"""A part that fewer cells have is none, which spares its cost."""

LEAST_NEAR = 0.05
"""The same of the part that shows regions near the true one.

Crowds are not quite where they were on the reference days. On the preliminary data that looks as if
4% of the cells were near to the true ones, where none is.
"""

SHARE_ROUNDS = 30
"""Of expectation and maximization."""


@dataclass(frozen=True)
class Noise:
    """How cells of single regions come from true ones.

    Parameters
    ----------
    same, anywhere
        Parts of cells that show the true region, and any region alike.
    near
        Part of cells that show a region near the true one.
    scale_km
        How near: by exp(-distance / scale).
    """

    same: float
    anywhere: float
    near: float = 0.0
    scale_km: float = SCALES_KM[0]

    @classmethod
    def of_release(cls, habits: VisitHabits, release: Cells) -> Noise:
        """The likeliest parts, from how many show each region at each step of the day."""
        usual, count = habits.background, release.n_regions
        shown = np.zeros((len(usual), release.n_contents))
        for at, column in zip(
            habits.rules.step_of_day(release.time_ids), release.code.T, strict=True
        ):
            shown[at] += np.bincount(column, minlength=release.n_contents)
        shown = shown[:, :count]
        if not shown.any():  # sets alone, which are taken as they are
            return cls(1.0, 0.0)
        seen = shown.reshape(-1) / shown.sum()
        found = []
        for scale in SCALES_KM:
            near = usual @ _near(habits.rules.regions, scale)
            likely = np.stack([usual, near, np.full_like(usual, 1 / count)]).reshape(3, -1)
            share = _shares(likely, seen)
            found.append((float(seen @ np.log(share @ likely)), scale, share))
        _, scale, share = max(found, key=lambda one: one[0])
        share[share < (LEAST_SHARE, LEAST_NEAR, LEAST_SHARE)] = 0
        same, part, anywhere = (share / share.sum()).tolist()
        return cls(same, anywhere, part, scale)

    @property
    def none(self) -> bool:
        """Whether cells are what they were."""
        return self.near == self.anywhere == 0

    @property
    def everything(self) -> bool:
        """Whether cells of single regions say nothing of what they were."""
        return self.anywhere == 1

    @property
    def least_weight(self) -> float:
        """How much the evidence of each later cell of a shuffled track counts, at the least."""
        return SOME + (ALL - SOME) * self.anywhere**2

    def weights(self, weight: Floats) -> Floats:
        """How much the evidence of each step counts, from how much it does without noise."""
        alone = max(ALONE, float(weight.mean()))
        return np.asarray(weight + (alone - weight) * (1 - self.same), dtype=np.float32)

    def kernel(self, regions: Regions) -> Floats:
        """Probability of showing each region (column) for being in one (row)."""
        shown = np.full((regions.count, regions.count), self.anywhere / regions.count, np.float32)
        shown += np.float32(self.same) * np.eye(regions.count, dtype=np.float32)
        if self.near:
            shown += np.float32(self.near) * _near(regions, self.scale_km)
        return shown

    def ratios(self, habits: VisitHabits) -> Floats:
        """Log-ratios of shown regions, as ``habits.ratio`` has those of true ones."""
        if self.none:
            return habits.ratio
        return mixture_ratios(habits.telling, self.kernel(habits.rules.regions))[0]


def shown_alike(
    release: Cells, noise: Noise, regions: Regions, region: npt.NDArray[np.int32]
) -> Cells:
    """Regions, shown as a release shows its own: a random choice, the same for the same release.

    As many cells are deleted, and of a region as many are shown by sets as of all cells that may be
    of that region; the others are seen through the noise.

    Parameters
    ----------
    region
        (n, n_steps) true ones.
    """
    random, flat = np.random.default_rng(0), region.reshape(-1)
    count = np.bincount(release.code.reshape(-1), minlength=release.n_contents)
    n_regions = release.n_regions
    shown = flat.copy() if noise.none else _drawn(noise.kernel(regions), flat, random)
    if len(release.ptr) > 1:
        each = (count[n_regions + 1 :] / release.set_sizes).repeat(release.set_sizes)
        of_set = np.arange(len(release.ptr) - 1).repeat(release.set_sizes)
        shape = n_regions, len(release.ptr) - 1
        may_be = sparse.csr_array((each, (release.member, of_set)), shape)
        in_sets = may_be.sum(axis=1)
        hidden = random.random(len(flat)) * (in_sets + count[:n_regions])[flat] < in_sets[flat]
        until = np.concatenate([[0.0], np.cumsum(may_be.data)])
        begin, end = may_be.indptr[flat[hidden]], may_be.indptr[flat[hidden] + 1]
        wanted = until[begin] + random.random(len(begin)) * (until[end] - until[begin])
        entry = np.clip(np.searchsorted(until, wanted, side="right") - 1, begin, end - 1)
        shown[hidden] = n_regions + 1 + may_be.indices[entry]
    shown[random.random(len(flat)) < count[release.deleted] / count.sum()] = release.deleted
    return replace(release, code=shown.reshape(region.shape).astype(np.int32))


def _drawn(
    kernel: Floats, region: npt.NDArray[np.int32], random: np.random.Generator
) -> npt.NDArray[np.int64]:
    """A region for each, by its row of probabilities."""
    until = np.cumsum(kernel, axis=1, dtype=np.float64)
    until = until / until[:, -1:] + np.arange(len(kernel))[:, None]
    found = np.searchsorted(until.reshape(-1), region + random.random(len(region)), side="right")
    found = found - region.astype(np.int64) * len(kernel)
    return np.asarray(np.minimum(found, len(kernel) - 1))


@lru_cache(maxsize=len(SCALES_KM))
def _near(regions: Regions, scale_km: float) -> Floats:
    """Probability of each region (column) where noise around the centre of one (row) leads."""
    rows, columns = (np.arange(1 - many, many) for many in (regions.rows, regions.columns))
    height, width = regions.region_km
    inside = (np.arange(POINTS) - (POINTS - 1) / 2) / POINTS
    north = (rows[:, None] + inside).reshape(-1, 1) * height
    east = (columns[:, None] + inside).reshape(1, -1) * width
    fine = np.exp(-np.hypot(north, east) / scale_km)
    by_offset = fine.reshape(len(rows), POINTS, len(columns), POINTS).sum(axis=(1, 3))
    row, column = np.divmod(np.arange(regions.count), regions.columns)
    found = by_offset[
        row - row[:, None] + regions.rows - 1, column - column[:, None] + regions.columns - 1
    ]
    return np.asarray(found / found.sum(axis=1, keepdims=True), dtype=np.float32)


def _shares(
    likely: npt.NDArray[np.float64], shown: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Shares of parts under which what is shown is likeliest.

    Parameters
    ----------
    likely
        (n_parts, n) probability of each place under each part.
    shown
        (n,) part of all that is shown, of each place; they sum to 1.
    """
    share = np.full(len(likely), 1 / len(likely))
    for _ in range(ROUNDS):
        share = share * (likely @ (shown / (share @ likely)))
    return share


def shown_share(
    habits: VisitHabits, release: Cells, ratio: Floats, places: BelievedPlaces
) -> float:
    """What part of what is believed of a cell is to be kept, 0 to 1; the rest goes by habit.

    Parameters
    ----------
    ratio
        (steps_per_day, n_contents, n_users) log-ratios of the release's contents.
    places
        Where each user is believed to be.
    """
    step = habits.rules.step_of_day(release.time_ids)
    # Cells that decided who a user is agree with her anyway.
    columns = np.flatnonzero(habits.weight[step] <= habits.weight.mean())
    shown = np.stack([np.bincount(one, minlength=release.n_contents) for one in release.code.T])
    usual = _usual(habits, release)[step] / (np.maximum(shown, 1) / release.n_rows)
    usual[:, release.deleted] = -1
    hers = np.empty(len(places.content), np.float32)
    masses = np.empty_like(hers)
    believed = places.ptr, places.content, places.mass
    count = agreements(believed, (columns, step), ratio, usual, hers, masses)
    if not count:
        return 0.0
    return float(common_share(hers[:count], masses[:count], SHARE_ROUNDS))


def _usual(habits: VisitHabits, release: Cells) -> npt.NDArray[np.float64]:
    """(steps_per_day, n_contents) everybody's probability of each content."""
    background = habits.background
    usual = np.zeros((len(background), release.n_contents))
    usual[:, : release.n_regions] = background
    if len(release.ptr) > 1:
        of_members = background[:, release.member]
        usual[:, release.n_regions + 1 :] = np.add.reduceat(of_members, release.ptr[:-1], axis=1)
    return usual
