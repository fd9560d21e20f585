"""For how long somebody is followed: the unit in which everybody understands an attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mixsafe.model.answer.wording import duration

CERTAIN = "1"
"""Key of the times for which somebody is followed with certainty, beside those by belief."""

HIGH = 0.9
"""Belief from which on a follower calls something certain."""

BELIEFS = (HIGH, 0.5)
"""Least beliefs for which times are told."""

_CERTAINTY = (
    (CERTAIN, "with certainty"),
    (f"{BELIEFS[0]:g}", f"with a belief of {BELIEFS[0]:g}"),
    (f"{BELIEFS[1]:g}", f"of {BELIEFS[1]:g}"),
)


class TimeFollowed(NamedTuple):
    """Seconds, or steps where times are numbers, for which somebody is followed."""

    longest: float
    median: float


def times_sentence(followed: Mapping[str, Mapping[str, float]], pieces: str, unit: str = "") -> str:
    """For how long somebody is followed, with certainty and with beliefs.

    Parameters
    ----------
    followed
        Longest and median time, by ``CERTAIN`` and beliefs as ``0.9``.
    pieces
        What each time is of, such as ``from any moment on``.
    unit
        Of the times; empty: seconds.
    """
    times = []
    for key, words in _CERTAINTY:
        longest, median = (_span(followed[key][name], unit) for name in ("longest", "median"))
        times.append(f"{words} for {median} in the median, {longest} at most")
    return f"{pieces}, {'; '.join(times)}"


def _span(time: float, unit: str) -> str:
    if unit:
        return f"{time:,g} {unit.removesuffix('s') if time == 1 else unit}"
    return duration(int(time), int(time), 1) if time >= 1 else "0 s"
