"""How well traces or releases keep the statistics of others (contest paper, 5.5 and app. B).

Lower is better in all of these; 0 is no difference.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.measure.statistics import Floats, Occupancy
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions

TOP = 50
"""Regions per time of the day that TP-TV-Top50 looks at."""

BINS = 24
"""Bins of visit fractions."""

PROJECTIONS = 50
"""Directions of the sliced distance."""


@dataclass(frozen=True)
class Quality:
    """Distances between the statistics of two sets of traces.

    Parameters
    ----------
    tp_tv_top50
        Of the time-dependent populations, total variation over the top regions.
    tm_emd
        Of the transition matrices, sliced 1-Wasserstein distance, in regions.
    vf_tv
        Of the distributions of visit fractions, total variation.
    """

    tp_tv_top50: float
    tm_emd: float
    vf_tv: float

    def to_dict(self) -> dict[str, float]:
        """The distances by their names in the paper."""
        return dict(zip(("TP-TV-Top50", "TM-EMD", "VF-TV"), astuple(self), strict=True))


def quality(original: Occupancy, other: Occupancy, regions: Regions, *, seed: int = 0) -> Quality:
    """All three distances; ``seed`` is that of the directions of TM-EMD."""
    return Quality(
        population_distance(original, other),
        transition_distance(original, other, regions, random=np.random.default_rng(seed)),
        visit_fraction_distance(original, other),
    )


def population_distance(original: Occupancy, other: Occupancy, *, top: int = TOP) -> float:
    """TP-TV-Top50: where people are at each time of the day.

    Half the sum of the absolute differences over the ``top`` regions of the original traces at
    that time, the mean over the times of the day that both know.

    Raises
    ------
    InputError
        The two know no time of the day together, or have other regions or days.
    """
    _check(original, other)
    one, two = original.populations(), other.populations()
    both = (one.sum(axis=1) > 0) & (two.sum(axis=1) > 0)
    if not both.any():
        raise InputError("the two sets of traces have no time of the day in common")
    one, two = one[both], two[both]
    # A stable order: of regions that are as popular, the first ones count.
    chosen = np.argsort(-one, axis=1, kind="stable")[:, :top]
    off = np.take_along_axis(one, chosen, 1) - np.take_along_axis(two, chosen, 1)
    return float(np.abs(off).sum(axis=1).mean() / 2)


def transition_distance(
    original: Occupancy,
    other: Occupancy,
    regions: Regions,
    *,
    random: np.random.Generator,
    projections: int = PROJECTIONS,
) -> float:
    """TM-EMD: sliced 1-Wasserstein distance of the transition matrices' rows, the mean over rows.

    Distances are those of a grid of squares with side 1.

    Parameters
    ----------
    random
        Draws the directions.
    projections
        Number of directions, >= 1.

    Raises
    ------
    InputError
        The two have other regions or days.
    """
    _check(original, other)
    off = original.transition_matrix() - other.transition_matrix()
    off = off[np.any(off, axis=1)]  # equal rows are no distance apart, and many where data are few
    row, column = np.divmod(np.arange(regions.count), regions.columns)
    direction = random.standard_normal((projections, 2))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    distances = sliced_distances(off, np.stack([column, row]), direction)
    return float(distances.sum() / regions.count)


def sliced_distances(off: Floats, point: npt.NDArray[np.int64], direction: Floats) -> Floats:
    """Sliced 1-Wasserstein distance of many pairs of distributions on the same points.

    On a line, that distance is the area between the two distribution functions. All pairs share
    their points, so that each direction needs one order of the points for all of them.

    Parameters
    ----------
    off
        (n_pairs, n_points) differences of the two distributions; rows sum to 0.
    point
        (2, n_points) coordinates.
    direction
        (n_directions, 2) of length 1.

    Returns
    -------
    (n_pairs,) distances.
    """
    total = np.zeros(len(off))
    by_point = np.ascontiguousarray(off.T)  # whole rows are put in order: half the time
    for place in direction @ point:
        order = np.argsort(place, kind="stable")
        area = by_point[order[:-1]]
        np.cumsum(area, axis=0, out=area)
        total += np.diff(place[order]) @ np.abs(area, out=area)
    return total / len(direction)


def visit_fraction_distance(
    original: Occupancy,
    other: Occupancy,
    *,
    bins: int = BINS,
    testing: Occupancy | None = None,
) -> float:
    """VF-TV: how much of their time people spend in a region, the mean over regions.

    As the published code of PPMTF computes it: users who are never or always in a region do not
    count there. Where nobody counts in the others, all are taken to be in the first bin. The mean
    is over the regions that somebody counts in, in the original traces, and in testing traces where
    there are any.

    Parameters
    ----------
    testing
        Traces that others are compared with, too; regions that are not in them are left out.

    Raises
    ------
    InputError
        The two have other regions or days, or nobody in the original traces is in two regions.
    """
    _check(original, other)
    one, two = _visit_fractions(original, bins), _visit_fractions(other, bins)
    seen = one.sum(axis=1) > 0
    if testing is not None:
        _check(original, testing)
        seen &= _visit_fractions(testing, bins).sum(axis=1) > 0
    if not seen.any():
        raise InputError("nobody in the original traces is in more than one region")
    two[two.sum(axis=1) == 0, 0] = 1.0
    return float(np.abs(one[seen] - two[seen]).sum(axis=1).mean() / 2)


def _visit_fractions(traces: Occupancy, bins: int) -> Floats:
    """(n_regions, bins) users by the part of their time that they are there; rows sum to 1 or 0."""
    profiles = traces.profiles().tocoo()
    some = (profiles.data > 0) & (profiles.data < 1 - 1e-12)
    place = np.ceil(profiles.data[some] * bins - 1e-9).astype(np.int64) - 1  # 1/24 is in (0, 1/24]
    n_regions = traces.cells.n_regions
    key = profiles.coords[1][some].astype(np.int64) * bins + np.clip(place, 0, bins - 1)
    count = np.bincount(key, minlength=n_regions * bins).astype(np.float64)
    count = count.reshape(n_regions, bins)
    total = count.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(count, total, out=count, where=total > 0))


@dataclass(frozen=True)
class Diversity:
    """Whether the i-th users of two teams are more alike than other pairs (appendix B).

    Parameters
    ----------
    same, different
        Same-TV and Diff-TV: mean total variation between the profiles of the i-th users, and of
        the i-th user of one team and another one of the other. As large: the teams are diverse.
    same_deviation, different_deviation
        Standard deviation over the pairs.
    pairs
        Pairs of each kind.
    """

    same: float
    different: float
    same_deviation: float
    different_deviation: float
    pairs: int


def diversity(one: Occupancy, two: Occupancy) -> Diversity:
    """Same-TV and Diff-TV of two teams: the first half of the users, and the second half.

    Raises
    ------
    InputError
        Fewer than two users, or other regions or days.
    """
    _check(one, two)
    half = min(one.cells.n_rows, two.cells.n_rows) // 2
    if half < 1:
        raise InputError("diversity needs two users of each team at least")
    profile, other = one.profiles(), two.profiles()
    same, different = (
        np.asarray(abs(profile[:half] - other[begin : begin + half]).sum(axis=1)) / 2
        for begin in (0, half)
    )
    return Diversity(
        float(same.mean()), float(different.mean()), float(same.std()), float(different.std()), half
    )


def _check(one: Occupancy, other: Occupancy) -> None:
    """Refuse traces that cannot be compared."""
    if one.cells.n_regions != other.cells.n_regions:
        raise InputError(
            f"traces in {one.cells.n_regions} and in {other.cells.n_regions} regions"
            " cannot be compared"
        )
    if one.steps_per_day != other.steps_per_day:
        raise InputError("traces of days of other lengths cannot be compared")
