"""Days on a time axis."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, SpanError
from mixsafe.model.mobility.instant import zone_of
from mixsafe.model.mobility.time_axis import TimeAxis

MOST_DAYS = 40_000
"""More than a century; data with more days contain an erroneous time."""

SECONDS_PER_DAY = 86_400

Steps = npt.NDArray[np.int64]


def day_starts(
    axis: TimeAxis,
    *,
    steps_per_day: int = 20,
    at: npt.NDArray[np.integer[Any]] | None = None,
    most_days: int = MOST_DAYS,
) -> Steps:
    """First step of each day.

    A day is a calendar day in the axis's time zone where times are known, and a step belongs to
    the day in which it begins. Where steps are only numbered, days end after every time_id that is
    a multiple of ``steps_per_day``, as in the contest (time_id 41 begins its third day).

    Parameters
    ----------
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    at
        Steps; of more than ``most_days`` days, those without any of them may be left out.
    most_days
        More days are refused where it is not said which of them matter.

    Returns
    -------
    (n_days,) ascending steps, the first is 1. Days in which no step begins do not occur.

    Raises
    ------
    InputError
        ``steps_per_day`` below 1.
    SpanError
        More than ``most_days`` days, and it is not said which of them matter.
    """
    if axis.step_seconds is not None:
        starts = _calendar_days(axis, axis.step_seconds, at, most_days)
    elif axis.steps // positive_steps(steps_per_day) > most_days:
        days = axis.steps // steps_per_day
        hint = "choose a period (--start, --end), or a larger --steps-per-day"
        raise SpanError(f"the data span {days} days of {steps_per_day} steps", hint=hint)
    else:
        gone = (axis.first - 1) % steps_per_day
        starts = np.arange(1 - gone, axis.steps + 1, steps_per_day)
    return np.unique(np.clip(starts[starts <= axis.steps], 1, None)).astype(np.int64)


def positive_steps(per_day: int) -> int:
    """Validate a number of steps per day.

    Raises
    ------
    InputError
        It is below 1.
    """
    if per_day < 1:
        raise InputError(f"the number of steps per day is not positive: {per_day}")
    return per_day


def _calendar_days(
    axis: TimeAxis, step_seconds: int, at: npt.NDArray[np.integer[Any]] | None, most_days: int
) -> Steps:
    """First step that begins on or after the midnight of each day from the first step's on."""
    zone = zone_of(axis.tz)
    first = dt.datetime.fromtimestamp(axis.first, zone).date()
    end = axis.first + (axis.steps - 1) * step_seconds
    n_days = (dt.datetime.fromtimestamp(end, zone).date() - first).days + 1
    days: Sequence[int] = range(n_days)
    if n_days > most_days:
        if at is None:
            hint = "choose a period (--start, --end)"
            raise SpanError(f"the data span {n_days} days", hint=hint)
        # A day is one of four, whatever clocks did since the first midnight.
        near = np.unique((at.astype(np.int64) - 1) * step_seconds // SECONDS_PER_DAY)
        near = np.unique(near[:, None] + np.arange(-1, 3))
        days = near[(near >= 0) & (near < n_days)].tolist()
    # Midnights are asked for one by one: days of 23 and 25 hours exist.
    midnights = [
        dt.datetime.combine(first + dt.timedelta(days=day), dt.time(), zone).timestamp()
        for day in days
    ]
    off = np.array(midnights, np.int64) - axis.first
    starts: npt.NDArray[np.int64] = -(-off // step_seconds) + 1
    return starts
