"""The time steps 0, 1, …, t* of a problem, and their labels in the data."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import EARLIEST, LATEST, DateOrder, zone_of


def moment(label: int | str) -> str:
    """A time as people write it: no seconds where there are none, the zone said elsewhere."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(:\d\d)?.*", str(label))
    if found is None:
        return str(label)
    seconds = "" if found[3] in (None, ":00") else found[3]
    return f"{found[1]} {found[2]}{seconds}"


@dataclass(frozen=True)
class TimeAxis:
    """The time steps of a data set; step 0 is before the first step of the data.

    Parameters
    ----------
    steps
        The horizon t*: the number of steps after step 0, >= 1.
    first
        Label of step 1 in the data: its ``time_id``, or, for data with timestamps, the Unix second
        (UTC) at which it begins.
    step_seconds
        Length of a step, seconds, >= 1; None: the data only number their steps.
    tz
        Time zone of days and displayed times: an IANA name, or an offset such as ``+09:00``.
    order
        What comes first in dates whose year comes last, in files about the data.

    Raises
    ------
    InputError
        The horizon or the step length is below 1.
    """

    steps: int
    first: int = 1
    step_seconds: int | None = None
    tz: str = "UTC"
    order: DateOrder | None = None

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InputError(f"the horizon must be at least 1 step, not {self.steps}")
        if self.step_seconds is not None and self.step_seconds < 1:
            raise InputError(f"the time step is not positive: {self.step_seconds} seconds")

    @property
    def timed(self) -> bool:
        """True if steps have timestamps, False if they are only numbered."""
        return self.step_seconds is not None

    def label(self, step: int) -> int | str:
        """Label of ``step``: its time_id, or the ISO 8601 time at which it begins.

        The label of step 0 is the number (or the time) one step before step 1.
        """
        if self.step_seconds is None:
            return self.first + step - 1
        return self._moment(self.first + (step - 1) * self.step_seconds)

    @property
    def period(self) -> str:
        """The first and the last step, and the time zone of their labels if they have times.

        Examples
        --------
        >>> TimeAxis(3, 1_709_280_000, 3600, "+09:00").period
        '2024-03-01 17:00 to 2024-03-01 19:00, +09:00'
        >>> TimeAxis(20).period
        '1 to 20'
        """
        zone = f", {self.tz}" if self.timed else ""
        return f"{moment(self.label(1))} to {moment(self.label(self.steps))}{zone}"

    def _moment(self, second: int) -> str:
        """Format a Unix second as ISO 8601."""
        return dt.datetime.fromtimestamp(second, zone_of(self.tz)).isoformat()

    def step(self, label: int) -> int:
        """Step with a ``label`` (a time_id, or a Unix second within the step).

        A time_id of 0 always means step 0, so that adversary files can refer to it.

        Raises
        ------
        InputError
            The label is before step 0 or after the last step.
        """
        if self.step_seconds is None:
            step = 0 if label == 0 else label - self.first + 1
        else:
            step = (label - self.first) // self.step_seconds + 1
        if not 0 <= step <= self.steps:
            dated = self.timed and EARLIEST <= label < LATEST
            said = self._moment(label) if dated else label
            raise InputError(
                f"time {said} is outside the data's {self.label(0)} to {self.label(self.steps)}"
            )
        return step
