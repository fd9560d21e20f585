"""Moments in Unix seconds."""

from __future__ import annotations

import datetime as dt
import math
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

EARLIEST = -62_135_510_400
"""Unix second at which the second day of year 1 begins."""

LATEST = 253_402_214_400
"""Unix second at which the last day of year 9999 begins.

Nothing before or after these can be shown as a date in every time zone.
"""

ODD = {
    "twice": "whose clocks show it twice: the first is meant",
    "skip": "whose clocks skip it: it is taken by the clock before it was put forward",
}
"""What is done about times without a zone that are none, or two, in a zone."""

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class Instant(NamedTuple):
    """A moment, and how it was said.

    Parameters
    ----------
    second
        Unix second, rounded down.
    naive
        Whether it was said without a time zone.
    odd
        Clocks of the zone show it ``twice``, and the first is meant; or they ``skip`` it, and it is
        taken by the clock before it was put forward. None: they show it once.
    """

    second: int
    naive: bool
    odd: Literal["twice", "skip"] | None = None


def parse_instant(text: str, tz: str = "UTC") -> Instant:
    """A moment.

    Parameters
    ----------
    text
        ISO 8601, or a number of Unix seconds.
    tz
        IANA zone that is meant where the text says none.

    Raises
    ------
    ValueError
        Neither of them, or outside ``EARLIEST`` to ``LATEST``.
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
    """Whether clocks of the moment's zone show it twice, or skip it."""
    before, after = moment.utcoffset(), moment.replace(fold=1).utcoffset()
    if before is None or after is None or before == after:
        return None
    return "twice" if before > after else "skip"
