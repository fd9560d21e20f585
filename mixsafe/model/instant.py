"""Moments in Unix seconds."""

from __future__ import annotations

import datetime as dt
import math

EARLIEST = -62_135_596_800
"""Unix second at which the year 1 begins."""

LATEST = 253_402_300_800
"""Unix second at which the year 10000 begins; nothing later can be shown as a date."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def parse_instant(text: str) -> tuple[int, bool]:
    """Unix second of a moment, rounded down, and whether it was said without a time zone.

    Parameters
    ----------
    text
        ISO 8601, or a number of Unix seconds. Without a time zone UTC is meant.

    Raises
    ------
    ValueError
        Neither of them, or outside the years 1 to 9999.
    """
    try:
        number = float(text)
    except ValueError:
        return _from_iso(text.strip())
    if not EARLIEST <= number < LATEST:
        raise ValueError(text)
    return math.floor(number), False


def _from_iso(text: str) -> tuple[int, bool]:
    """As :func:`parse_instant`, of ISO 8601."""
    moment = dt.datetime.fromisoformat(text)
    naive = moment.tzinfo is None
    if naive:
        moment = moment.replace(tzinfo=dt.UTC)
    return (moment - _EPOCH) // dt.timedelta(seconds=1), naive
