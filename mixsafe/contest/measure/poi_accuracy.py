"""POI accuracy: whether a released location still finds the places nearby (contest paper, 5.5)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.spatial import KDTree

from mixsafe.contest.measure.statistics import Occupancy
from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix

Floats = npt.NDArray[np.float64]

BATCH = 1 << 14
"""Pairs of a region and a content that are looked at together."""


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
