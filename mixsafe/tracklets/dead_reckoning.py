"""Where a vehicle is after some seconds if it keeps its heading and speed, and how far others are.

Dead reckoning: between the last message under one pseudonym and the first under the next, a vehicle
goes on with the mean of the velocities that both say. What remains of its way, by its heading ahead
and aside, and by how much heading and speed change, tells it from others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.tracklets import Moments, Tracklets
from mixsafe.tracklets.rules import TrackletPairs

Floats = npt.NDArray[np.float64]

SECONDS = "seconds"
"""Feature: time between the two messages."""

REMAINS = ("along", "across")
"""Features: metres that remain of the way, ahead of dead reckoning (behind: below 0) and aside."""

CHANGES = ("turn", "gain")
"""Features: change of the heading, degrees from 0 to 180, and of the speed, m/s."""

UNRECKONED = "unreckoned"
"""Feature: the distance, metres, of pairs of which dead reckoning says nothing."""

NEEDS = {"along": "speed", "across": "heading", "turn": "heading", "gain": "speed",
         SECONDS: "speed", UNRECKONED: "speed"}  # fmt: skip
"""The field that each feature needs."""


def are_of_course(features: Iterable[str]) -> bool:
    """Whether some features are about heading or speed."""
    return not {*REMAINS, *CHANGES}.isdisjoint(features)


def dead_reckoning(
    tracklets: Tracklets, pairs: TrackletPairs, fields: Collection[str]
) -> dict[str, Floats]:
    """Features of pairs by the headings and speeds that both sides say.

    Parameters
    ----------
    tracklets, pairs
        Tracklets, and which end is tested with which beginning.
    fields
        Fields that the adversary compares.

    Returns
    -------
    (n_pairs,) each, not a number where not known: :data:`SECONDS`, :data:`REMAINS`,
    :data:`CHANGES`, :data:`UNRECKONED`; those that heading alone, or speed alone, does not tell
    are left out; nothing if neither is known.
    """
    sides = tracklets.ends.fields, tracklets.begins.fields
    known = {name for name in ("heading", "speed") if all(name in one for one in sides)}
    known &= set(fields)
    if not known:
        return {}
    found = {SECONDS: _seconds(tracklets, pairs)}
    east, north = _way(tracklets, pairs)
    directions = _directions(pairs) if "heading" in known else None
    if directions is not None:
        before, after = directions
        turn = np.abs(np.angle(after * before.conj(), deg=True))
        found["turn"] = turn
    if "speed" in known:
        speeds = pairs.of("speed")
        found["gain"] = speeds[1] - speeds[0]
    if directions is None:
        found["along"] = np.hypot(east, north) - (speeds[0] + speeds[1]) / 2 * found[SECONDS]
    elif "speed" in known:
        velocity = (speeds[0] * before + speeds[1] * after) / 2
        remains = (east + 1j * north - velocity * found[SECONDS]) * before.conj()
        found["along"], found["across"] = remains.real.copy(), np.abs(remains.imag)
    else:
        middle = before + after  # 0 for those who turn round: any direction is as likely
        length = np.abs(middle)
        aside = np.abs(((east + 1j * north) * middle.conj()).imag)
        blank = np.full(len(aside), np.nan)
        found["across"] = np.divide(aside, length, out=blank, where=length > 1e-6)
    reckoned = np.isfinite(found["along"] if "along" in found else found["across"])
    found[UNRECKONED] = np.where(reckoned, np.nan, np.hypot(east, north))
    return found


def _seconds(tracklets: Tracklets, pairs: TrackletPairs) -> Floats:
    """(n_pairs,) seconds between the records next to the end and to the beginning."""
    begins, ends = tracklets.begins, tracklets.ends
    part, rest = _fraction(begins), _fraction(ends)
    begun = begins.latest - np.ceil(part) + part
    seconds: Floats = begun[pairs.begin] - (ends.earliest + rest)[pairs.end]
    return np.maximum(seconds, 0.0)


def _fraction(moments: Moments) -> Floats:
    """(n,) parts of a second after those that times are rounded down to."""
    return moments.fields.get("fraction", np.zeros(len(moments)))


def _way(tracklets: Tracklets, pairs: TrackletPairs) -> tuple[Floats, Floats]:
    """(n_pairs,) metres to the east and to the north from ends to beginnings, for short ways."""
    ends, begins = tracklets.ends, tracklets.begins
    metres = np.radians(1) * EARTH_RADIUS
    east = (begins.lon[pairs.begin] - ends.lon[pairs.end] + 180) % 360 - 180
    shrink = np.cos(np.radians(ends.lat))[pairs.end]
    return east * shrink * metres, (begins.lat[pairs.begin] - ends.lat[pairs.end]) * metres


def _directions(pairs: TrackletPairs) -> tuple[npt.NDArray[np.complex128], ...]:
    """(n_pairs,) directions at ends and at beginnings: numbers of length 1, 1 east, 1j north."""
    return tuple(np.exp(1j * np.radians(90 - heading)) for heading in pairs.of("heading"))
