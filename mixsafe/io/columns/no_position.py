"""Coordinates that are no position: missing ones, and what devices write without a fix.

====================================  ==========================================================
coordinates                           written by
====================================  ==========================================================
missing, NaN, infinite                loggers, Movebank, R (``NA``), pandas
0, 0 in degrees ("null island")       GPS trackers, feeds of shared vehicles
latitude 91, longitude 181            AIS (ITU-R M.1371-5, table 48)
-999, 9999, 999.99, ...               fill values: nines only, at least three of them
214.7483647                           the largest 32-bit integer, in 1e-7 degrees (u-blox, MAVLink)
====================================  ==========================================================

A fill value counts only where it cannot be a coordinate: longitude 99.99 is in China. All other
coordinates out of range are mistakes, which readers refuse.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Coordinates = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

REASON = "no position"
"""Why rows without a position are skipped: a key of ``skipped`` in the JSON of answers."""

NEAR_ZERO = 1e-6
"""Degrees: coordinates nearer to 0 than this, 0.1 m, are 0."""

_AIS = (91.0, 181.0)
_LARGEST_INTEGER = 214.7483647
_MOST_DIGITS = 10


def no_position(
    lat: Coordinates, lon: Coordinates, *, degrees: bool = True, keep_null_island: bool = False
) -> Flags:
    """Mark points that are no position.

    Parameters
    ----------
    lat, lon
        (n,) coordinates as written, NaN where one is missing; y and x of a plane.
    degrees
        Whether they are degrees. On a plane, 0, 0 is a place, and a fill value counts only if both
        coordinates are the same negative one, such as -9999, -9999.
    keep_null_island
        Take 0, 0 for a place.

    Returns
    -------
    (n,) flags.
    """
    missing = ~(np.isfinite(lat) & np.isfinite(lon))
    if not degrees:
        low = np.flatnonzero((lat == lon) & (lat <= -99))
        missing[low] |= _is_fill_value(lat[low])
        return missing
    far = np.flatnonzero((np.abs(lat) > 90) | (np.abs(lon) > 180))
    if len(far):
        missing[far] |= _is_outside(lat[far], 90) | _is_outside(lon[far], 180)
    return missing if keep_null_island else missing | at_null_island(lat, lon)


def all_are_positions(lat: Coordinates, lon: Coordinates) -> bool:
    """True if points in degrees are certainly positions; a quick look at their extremes."""
    if not len(lat):
        return True
    south, north, west, east = (float(one) for one in (lat.min(), lat.max(), lon.min(), lon.max()))
    # Comparisons with NaN, which is the minimum where there is one, are false.
    valid = south >= -90 and north <= 90 and west >= -180 and east <= 180
    apart = south > NEAR_ZERO or north < -NEAR_ZERO or west > NEAR_ZERO or east < -NEAR_ZERO
    return valid and apart


def at_null_island(lat: Coordinates, lon: Coordinates, within: float = NEAR_ZERO) -> Flags:
    """Mark points at latitude 0, longitude 0; ``within`` degrees."""
    return (np.abs(lat) < within) & (np.abs(lon) < within)


def _is_outside(value: Coordinates, limit: float) -> Flags:
    """Mark values beyond a limit that stand for "no position"."""
    size = np.abs(value)
    known = np.isin(size, _AIS) | (np.abs(size - _LARGEST_INTEGER) < 1e-5)
    return (size > limit) & (known | _is_fill_value(value))


def _is_fill_value(value: Coordinates) -> Flags:
    """Mark numbers that consist of three nines or more, as 999, -9999 or 99.9."""
    size = np.abs(value)
    found = np.zeros(len(size), bool)
    for digits in range(3, _MOST_DIGITS + 1):
        for decimals in range(digits):
            fill = (10**digits - 1) / 10**decimals
            found |= np.abs(size - fill) < fill * 1e-6
    return found
