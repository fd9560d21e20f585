"""Timestamps as Unix seconds."""

from __future__ import annotations

import datetime as dt
import math
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

EARLIEST = -62_135_510_400
"""Unix second at which the second day of year 1 begins."""

LATEST = 253_402_214_400
"""Unix second at which the last day of year 9999 begins.

Times outside these limits have no date in some time zones.
"""

ODD = {
    "twice": "where it occurs twice (clocks set back); the first is used",
    "skip": "where it does not exist (clocks set forward); the offset before is used",
}
"""Treatment of local times that a zone skips or repeats."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class Instant(NamedTuple):
    """A timestamp, and how it was written.

    Parameters
    ----------
    second
        Unix second, rounded down.
    naive
        True if it was written without a time zone.
    odd
        ``twice``: the zone repeats this local time, and the first is used; ``skip``: the zone skips
        it, and the offset before is used. None: the local time is unique.
    """

    second: int
    naive: bool
    odd: Literal["twice", "skip"] | None = None


def parse_instant(text: str, tz: str = "UTC") -> Instant:
    """Parse a timestamp.

    Parameters
    ----------
    text
        ISO 8601, or a number of Unix seconds.
    tz
        IANA zone of a text without one.

    Raises
    ------
    ValueError
        The text has another form, or lies outside ``EARLIEST`` to ``LATEST``.
    """
    odd = None
    try:
        second, naive = float(text), False
    except ValueError:
        moment = dt.datetime.fromisoformat(text.strip())
        naive = moment.tzinfo is None
        if naive:
            moment = moment.replace(tzinfo=dt.UTC if tz == "UTC" else ZoneInfo(tz))
            odd = _odd(moment)
        second = (moment - _EPOCH) / dt.timedelta(seconds=1)
    if not EARLIEST <= second < LATEST:
        raise ValueError(text)
    return Instant(math.floor(second), naive, odd)


def _odd(moment: dt.datetime) -> Literal["twice", "skip"] | None:
    """Whether the zone repeats (``twice``) or skips (``skip``) this local time."""
    before, after = moment.utcoffset(), moment.replace(fold=1).utcoffset()
    if before is None or after is None or before == after:
        return None
    return "twice" if before > after else "skip"
