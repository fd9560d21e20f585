"""How well traces or releases keep the statistics of others (contest paper, 5.5 and app. B).

Statistics are who is where when, and where people go from there (:class:`Occupancy`). Lower is
better in all distances; 0 is no difference. POI accuracy is whether a released location still finds
the places nearby.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial import KDTree

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells

Floats = npt.NDArray[np.float64]

TOP = 50
"""Regions per time of the day that TP-TV-Top50 looks at."""

BINS = 24
"""Bins of visit fractions."""

PROJECTIONS = 50
"""Directions of the sliced distance."""

BATCH = 1 << 14
"""Pairs of a region and a content that are looked at together."""


@dataclass(frozen=True, eq=False)
class Occupancy:
    """Traces, or released cells, as weights of regions.

    A cell that shows a set of regions counts in equal shares for each of them, a deleted one for
    none.

    Parameters
    ----------
    cells
        What is shown of each row at each time.
    steps_per_day
        Times per day; time_id 1 is the first of a day.
    """

    cells: Cells
    steps_per_day: int

    @classmethod
    def of(cls, shown: TraceMatrix | Cells, n_regions: int, steps_per_day: int) -> Occupancy:
        """Of traces, or of released cells.

        Raises
        ------
        InputError
            A region that is not one of ``n_regions``.
        """
        if isinstance(shown, TraceMatrix):
            if shown.region.max() >= n_regions:
                raise InputError(
                    f"region {shown.region.max() + 1} is not one of the {n_regions} regions"
                )
            shown = Cells.of_regions(shown.region, n_regions, shown.first_time)
        return cls(shown, steps_per_day)

    @property
    def step_of_day(self) -> npt.NDArray[np.int64]:
        """(n_steps,) place of each time in its day, from 0."""
        return (self.cells.time_ids - 1) % self.steps_per_day

    def shares(self) -> sparse.csr_array:
        """(n_contents, n_regions): what a cell of each content says about regions."""
        cells = self.cells
        ptr, region = cells.members_of(np.arange(cells.n_contents, dtype=np.int32))
        sizes = np.diff(ptr)
        share = np.repeat(1.0 / np.maximum(sizes, 1), sizes)
        return sparse.csr_array((share, region, ptr), shape=(cells.n_contents, cells.n_regions))

    def visits(self, group: npt.NDArray[np.int64], n_groups: int) -> sparse.csr_array:
        """(n_groups, n_regions) visits, ``group`` being what each cell belongs to.

        Parameters
        ----------
        group
            Broadcasts to (n_rows, n_steps), 0 to ``n_groups - 1``.
        """
        code = self.cells.code
        where = np.broadcast_to(group, code.shape).reshape(-1), code.reshape(-1)
        counts = sparse.coo_array(
            (np.ones(code.size), where), shape=(n_groups, self.cells.n_contents)
        )
        return sparse.csr_array(counts.tocsr() @ self.shares())

    def populations(self) -> Floats:
        """(steps_per_day, n_regions) where people are at each time of the day; rows sum to 1.

        A row of zeros is a time of the day that does not occur, or at which all is deleted.
        """
        visits = self.visits(self.step_of_day, self.steps_per_day).toarray()
        return np.asarray(_normalized(visits))

    def profiles(self) -> sparse.csr_array:
        """(n_rows, n_regions) the part of her time that each user spends in each region."""
        visits = self.visits(np.arange(self.cells.n_rows)[:, None], self.cells.n_rows)
        total = visits.sum(axis=1)
        scale = np.divide(1.0, total, out=np.zeros(len(total)), where=total > 0)
        return sparse.csr_array(sparse.diags_array(scale) @ visits)

    def transitions(self) -> sparse.csr_array:
        """(n_regions, n_regions) how often people go from a region to another within a day."""
        code = self.cells.code
        goes_on = self.step_of_day[1:] != 0
        pair = code[:, :-1][:, goes_on].reshape(-1), code[:, 1:][:, goes_on].reshape(-1)
        n_contents = self.cells.n_contents
        counts = sparse.coo_array((np.ones(len(pair[0])), pair), shape=(n_contents, n_contents))
        shares = self.shares()
        return sparse.csr_array(shares.T @ counts.tocsr() @ shares)

    def transition_matrix(self) -> Floats:
        """(n_regions, n_regions) probabilities, over all users and times.

        From where nobody goes, everybody stays, as in the experiments of PPMTF.
        """
        counts = self.transitions().toarray()
        nobody = np.flatnonzero(counts.sum(axis=1) == 0)
        counts[nobody, nobody] = 1.0
        return np.asarray(_normalized(counts))


def _normalized(counts: Floats) -> Floats:
    """Rows that sum to 1, or stay 0."""
    total = counts.sum(axis=1, keepdims=True)
    return np.asarray(np.divide(counts, total, out=np.zeros_like(counts), where=total > 0))


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


def poi_accuracy(
    original: TraceMatrix,
    release: Occupancy,
    regions: Regions,
    places: tuple[Floats, Floats],
    *,
    near_km: float = 1.0,
    asked_km: float = 2.0,
) -> float:
    """Share of the places near a user that a query for her released location returns.

    Places are near within r1 = ``near_km`` of the centre of the true region; the answer holds those
    within r2 = ``asked_km`` of the centre of the released one, of any region of a released set, and
    nothing for a deleted cell. The mean over all true locations that have a place nearby.

    Parameters
    ----------
    original
        True traces; rows of ``release`` are the same users.
    places
        Latitude and longitude of the places, degrees.

    Raises
    ------
    InputError
        Other users or times, a radius that is not positive, or no place near any location.
    """
    if original.region.shape != release.cells.code.shape:
        raise InputError(
            f"the release has {release.cells.n_rows} x {release.cells.n_steps} cells,"
            f" the original traces {original.n_users} x {original.n_steps}"
        )
    if not (near_km > 0 and asked_km > 0):
        raise InputError(f"radii of {near_km} and {asked_km} km are not positive")
    near = _within(regions, places, near_km)
    shown = (release.shares() != 0).astype(np.int32)
    asked = (shown @ _within(regions, places, asked_km)).astype(bool).astype(np.int32)
    n_contents = release.cells.n_contents
    key = original.region.astype(np.int64) * n_contents + release.cells.code
    pair, times = np.unique(key, return_counts=True)
    region, content = np.divmod(pair, n_contents)
    wanted = np.asarray(near.sum(axis=1))[region]
    batches = [slice(b, b + BATCH) for b in range(0, len(pair), BATCH)]
    found = np.concatenate(
        [np.asarray(near[region[b]].multiply(asked[content[b]]).sum(1)) for b in batches]
    )
    some = wanted > 0
    if not some.any():
        raise InputError(f"no location has a place within {near_km:g} km")
    return float(np.average(found[some] / wanted[some], weights=times[some]))


def _within(regions: Regions, places: tuple[Floats, Floats], radius: float) -> sparse.csr_array:
    """(n_regions, n_places) 1 where the place is within ``radius`` km of the region's centre."""
    scale = np.array(regions.km_per_degree)
    centre = np.stack(regions.centres(np.arange(regions.count, dtype=np.int32)), axis=1) * scale
    tree = KDTree(np.stack(places, axis=1) * scale)
    found = tree.query_ball_point(centre, radius)
    size = np.array([len(some) for some in found])
    index = np.concatenate([np.asarray(some, np.int64) for some in found])
    ptr = pointers(size)
    shape = (regions.count, len(places[0]))
    return sparse.csr_array((np.ones(len(index), np.int32), index, ptr), shape=shape)
