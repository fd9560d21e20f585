"""For how long somebody is followed: the unit in which everybody understands an attack."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mixsafe.model.answer.wording import duration

CERTAIN = "1"
"""Key of the times for which somebody is followed with certainty, beside those by belief."""

BELIEFS = (0.9, 0.5)
"""Beliefs by which times are told."""


class TimeFollowed(NamedTuple):
    """Seconds, or steps without a clock, for which somebody is followed in one piece."""

    longest: float
    median: float


def times_followed(followed: Mapping[str, TimeFollowed], step_seconds: int | None) -> str:
    """For how long people are followed, with certainty and with beliefs, as a clause.

    Parameters
    ----------
    followed
        By belief as ``0.9``, and ``CERTAIN``.
    step_seconds
        Length of a step, seconds; None: times are numbers of steps.
    """
    said = []
    for key, words in (
        (CERTAIN, "with certainty"),
        (f"{BELIEFS[0]:g}", f"with a belief of {BELIEFS[0]:g}"),
        (f"{BELIEFS[1]:g}", f"of {BELIEFS[1]:g}"),
    ):
        longest, median = (_span(time, step_seconds) for time in followed[key])
        said.append(f"{words} for {median} in the median, {longest} at most")
    return "; ".join(said)


def _span(time: float, step_seconds: int | None) -> str:
    if step_seconds is None:
        return f"{time:,.0f} {'step' if time == 1 else 'steps'}"
    return duration(int(time), int(time), 1) if time >= 1 else "0 s"
