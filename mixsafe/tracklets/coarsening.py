"""Tracklets as they would be if less were published: coarser values, or fewer snapshots.

What is rounded widens the rules (``Tracklets.resolution``), so that coarser data never exclude a
link of finer data.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import isfinite, sqrt

import numpy as np

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.tracklets import Ints, Moments, Tracklets, Values

_CORNER = 1.01 / sqrt(2)
"""Farthest point of a cell of size 1 from its middle; 1%, because cells are not quite squares."""


def coarser(
    tracklets: Tracklets,
    *,
    places: float | None = None,
    range: float | None = None,
    battery: float | None = None,
    times: int | None = None,
    poll: int | None = None,
    drop: Collection[str] = (),
) -> Tracklets:
    """Make tracklets coarser.

    Parameters
    ----------
    places
        Size of the cells, metres, in whose middles positions are.
    range, battery
        Metres, and share of a full one, to whose multiples they are rounded.
    times
        Seconds to whose multiples the intervals of begins and ends are widened; reports likewise.
        The order in which identifiers appear stays: whoever reads the feed sees it.
    poll
        Seconds between snapshots. Tracklets between two snapshots vanish.
    drop
        Fields that are not published.

    Raises
    ------
    InputError
        A size is not a number above 0.
    """
    for name, size in (("places", places), ("range", range), ("battery", battery),
                       ("times", times), ("poll", poll)):  # fmt: skip
        if size is not None and not (isfinite(size) and size > 0):
            raise InputError(f"coarser {name}: {size:g} is not a number above 0")
    resolution = dict(tracklets.resolution)
    if poll is not None:
        tracklets = _polled(tracklets, poll)
    begins, ends = (_without(side, drop) for side in (tracklets.begins, tracklets.ends))
    order = tracklets.first, tracklets.last
    for name, size in (("range", range), ("battery", battery)):
        if size is not None:
            begins, ends = (_rounded(side, name, size) for side in (begins, ends))
            resolution[name] = resolution.get(name, 0.0) + size / 2
    if places is not None:
        begins, ends = (_in_cells(side, places) for side in (begins, ends))
        resolution["place"] = resolution.get("place", 0.0) + _CORNER * places
    if times is not None:
        begins, ends = (_widened(side, times) for side in (begins, ends))
    return replace(tracklets, begins=begins, ends=ends, order=order, resolution=resolution)


def _without(moments: Moments, drop: Collection[str]) -> Moments:
    fields = {name: column for name, column in moments.fields.items() if name not in drop}
    return replace(moments, fields=fields)


def _rounded(moments: Moments, name: str, size: float) -> Moments:
    """A field rounded to the nearest multiple."""
    if name not in moments.fields:
        return moments
    return _with(moments, {name: np.round(moments.fields[name] / size) * size})


def _with(moments: Moments, fields: Mapping[str, Values]) -> Moments:
    return replace(moments, fields={**moments.fields, **fields})


def _in_cells(moments: Moments, size: float) -> Moments:
    """Positions in the middles of cells; those of a row of cells have one width in degrees."""
    high = np.degrees(size / EARTH_RADIUS)
    lat = (np.floor(moments.lat / high) + 0.5) * high
    wide = high / np.cos(np.radians(np.minimum(np.abs(lat), 89)))
    lon = (np.floor(moments.lon / wide) + 0.5) * wide
    return replace(moments, lat=lat, lon=lon)


def _widened(moments: Moments, size: int) -> Moments:
    """Intervals of time from and to multiples of so many seconds."""
    found = replace(
        moments,
        earliest=moments.earliest // size * size,
        latest=-(-moments.latest // size) * size,
    )
    if "last_reported" not in moments.fields:
        return found
    reported = np.floor(moments.fields["last_reported"] / size) * size
    return _with(found, {"last_reported": reported})


def _polled(tracklets: Tracklets, poll: int) -> Tracklets:
    """What remains if only every snapshot at a multiple of ``poll`` is published.

    A vehicle is there, and its values are those of its first and its last record, at all snapshots
    between these.
    """
    start, stop = tracklets.horizon
    first = start - (start - tracklets.first) // poll * poll
    last = start + (tracklets.last - start) // poll * poll
    stop = start + (stop - start) // poll * poll
    kept = np.flatnonzero(first <= last)
    begins, ends = (_those(side, kept) for side in (tracklets.begins, tracklets.ends))
    first, last = first[kept], last[kept]
    begins = replace(
        begins,
        earliest=np.minimum(begins.earliest, np.maximum(first - poll, start)),
        latest=first,
    )
    ends = replace(
        ends, earliest=last, latest=np.maximum(ends.latest, last + poll), cut=last >= stop
    )
    truth = None if tracklets.truth is None else tracklets.truth[kept]
    return replace(
        tracklets,
        ids=tracklets.ids[kept],
        begins=begins,
        ends=ends,
        horizon=(start, stop),
        truth=truth,
        order=None,
    )


def _those(moments: Moments, kept: Ints) -> Moments:
    """The chosen tracklets' moments."""
    return Moments(
        moments.earliest[kept],
        moments.latest[kept],
        moments.lat[kept],
        moments.lon[kept],
        moments.cut[kept],
        {name: column[kept] for name, column in moments.fields.items()},
    )
