"""The steps 0, 1, …, t* of a problem and what they are called outside."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import EARLIEST, LATEST


@dataclass(frozen=True)
class TimeAxis:
    """The time steps of a data set; step 0 is the moment before anything happens.

    Parameters
    ----------
    steps
        The horizon t*: the number of steps after step 0, >= 1.
    first
        What step 1 is called in the data: its ``time_id``, or, where times are known,
        the Unix second (UTC) at which it begins.
    step_seconds
        Length of a step, seconds, >= 1; None where the data only number their steps.
    tz
        IANA name of the time zone in which days begin and end, and in which times are shown.

    Raises
    ------
    InputError
        A horizon or a step length below 1.
    """

    steps: int
    first: int = 1
    step_seconds: int | None = None
    tz: str = "UTC"

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise InputError(f"a horizon of {self.steps} steps leaves nothing to decide")
        if self.step_seconds is not None and self.step_seconds < 1:
            raise InputError(f"time step {self.step_seconds} is not a positive number of seconds")

    @property
    def timed(self) -> bool:
        """Whether steps are moments of a clock, not just numbers."""
        return self.step_seconds is not None

    def label(self, step: int) -> int | str:
        """Outside name of ``step``: its time_id, or the ISO 8601 time at which it begins.

        Step 0 is called by the number before the first (or the time one step before it).
        """
        if self.step_seconds is None:
            return self.first + step - 1
        return self._moment(self.first + (step - 1) * self.step_seconds)

    def _moment(self, second: int) -> str:
        """A Unix second as people write it."""
        return dt.datetime.fromtimestamp(second, ZoneInfo(self.tz)).isoformat()

    def step(self, label: int) -> int:
        """Step that is called ``label`` (a time_id, or a Unix second inside the step).

        A time_id of 0 always means step 0, so that adversary files may say "before anything".

        Raises
        ------
        InputError
            The label lies before step 0 or after the last step.
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
