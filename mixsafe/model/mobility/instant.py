"""Moments in Unix seconds."""

from __future__ import annotations

import datetime as dt
import math
from zoneinfo import ZoneInfo

EARLIEST = -62_135_510_400
"""Unix second at which the second day of year 1 begins."""

LATEST = 253_402_214_400
"""Unix second at which the last day of year 9999 begins.

Nothing before or after these can be shown as a date in every time zone.
"""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def parse_instant(text: str, tz: str = "UTC") -> tuple[int, bool]:
    """Unix second of a moment, rounded down, and whether it was said without a time zone.

    Parameters
    ----------
    text
        ISO 8601, or a number of Unix seconds.
    tz
        IANA zone that is meant where the text says none; of an hour that clocks show twice, the
        first is meant.

    Raises
    ------
    ValueError
        Neither of them, or outside ``EARLIEST`` to ``LATEST``.
    """
    try:
        second, naive = float(text), False
    except ValueError:
        second, naive = _from_iso(text.strip(), tz)
    if not EARLIEST <= second < LATEST:
        raise ValueError(text)
    return math.floor(second), naive


def _from_iso(text: str, tz: str) -> tuple[float, bool]:
    """As :func:`parse_instant`, of ISO 8601."""
    moment = dt.datetime.fromisoformat(text)
    naive = moment.tzinfo is None
    if naive:
        moment = moment.replace(tzinfo=dt.UTC if tz == "UTC" else ZoneInfo(tz))
    return (moment - _EPOCH) / dt.timedelta(seconds=1), naive
