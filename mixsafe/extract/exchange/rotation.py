"""Rotation: all pseudonyms change at scheduled times, wherever their carriers are.

A rotation is a mix zone of everybody. It takes the place of the mix zones of its step: whatever is
exchanged in these can be exchanged in it.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, SpanError
from mixsafe.extract.days import MOST_DAYS, SECONDS_PER_DAY, day_starts
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.instant import zone_of
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones

Ints = npt.NDArray[np.int64]

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_CALENDAR = re.compile(r"(daily|weekly)(?:@([a-z]{3})?([0-9]{1,2}):([0-9]{2}))?")
_EVERY = re.compile(r"every:([0-9]{1,9})(d|h|min)?")
_SECONDS = {"d": SECONDS_PER_DAY, "h": 3600, "min": 60}
_HINT = "write daily@04:00, weekly@mon04:00, every:14d, every:6h or every:30min"
_HINT_NUMBERED = "write daily, weekly, every:14d, or every:5 for five steps"

MOST_MEMBERSHIPS = 1 << 31
"""Memberships of all rotations; with more, the schedule is a slip."""


@dataclass(frozen=True)
class Schedule:
    """Times at which all pseudonyms change.

    Parameters
    ----------
    text
        As it was written: ``daily``, ``daily@04:00``, ``weekly@mon04:00``, ``every:14d``,
        ``every:6h``, ``every:30min``, ``every:5`` (steps).
    kind
        ``daily`` and ``weekly`` follow the calendar; ``every`` counts from the first step.
    at
        Seconds after midnight; None: not said, which means midnight.
    weekday
        0 to 6 for Monday to Sunday; None: not said, which means Monday.
    every, unit
        Length of a period: a number of days, hours, minutes or (None) steps.
    """

    text: str
    kind: Literal["daily", "weekly", "every"]
    at: int | None = None
    weekday: int | None = None
    every: int = 1
    unit: str | None = None

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """Read a schedule.

        Raises
        ------
        InputError
            The text is no schedule.
        """
        calendar, every = _CALENDAR.fullmatch(text), _EVERY.fullmatch(text)
        if every is not None and int(every[1]) > 0:
            return cls(text, "every", every=int(every[1]), unit=every[2])
        if calendar is None:
            raise InputError(f"'{text}' is not a schedule of rotation", hint=_HINT)
        kind, day, hour, minute = calendar.groups()
        at = None if hour is None else int(hour) * 3600 + int(minute) * 60
        if (day is not None and (kind == "daily" or day not in _WEEKDAYS)) or (
            at is not None and (at >= SECONDS_PER_DAY or int(minute) > 59)
        ):
            raise InputError(f"'{text}' is not a schedule of rotation", hint=_HINT)
        if kind == "daily":
            return cls(text, "daily", at)
        return cls(text, "weekly", at, None if day is None else _WEEKDAYS.index(day))

    def steps(self, axis: TimeAxis, steps_per_day: int = 20) -> Ints:
        """First steps with new pseudonyms.

        A step has new pseudonyms if it begins at the scheduled time or later. Before the first step
        of the data nothing changes.

        Parameters
        ----------
        axis
            The time steps.
        steps_per_day
            Length of a day where steps are numbered, >= 1.

        Returns
        -------
        (n_rotations,) ascending steps from 2 on, at least one.

        Raises
        ------
        InputError
            The schedule has no time within the data, or it needs a clock and steps are numbered.
        """
        found = self._timed(axis) if axis.timed else self._numbered(axis, steps_per_day)
        found = np.unique(found[(found > 1) & (found <= axis.steps)])
        if not len(found):
            raise InputError(
                f"no rotation '{self.text}' falls between the first and the last step of the data,"
                f" {axis.label(1)} and {axis.label(axis.steps)}"
            )
        return found

    def _numbered(self, axis: TimeAxis, steps_per_day: int) -> Ints:
        if self.at is not None or self.weekday is not None or self.unit in ("h", "min"):
            raise InputError(
                f"'{self.text}' needs a clock, and the data only number their times",
                hint=_HINT_NUMBERED,
            )
        if self.kind == "every":
            length = self.every * (1 if self.unit is None else steps_per_day)
            return np.arange(1, axis.steps + 1, length)
        return day_starts(axis, steps_per_day=steps_per_day)[:: 7 if self.kind == "weekly" else 1]

    def _timed(self, axis: TimeAxis) -> Ints:
        length = axis.step_seconds or 1
        if self.kind == "every":
            if self.unit is None:
                return np.arange(1, axis.steps + 1, self.every)
            moments = np.arange(0, axis.steps * length, self.every * _SECONDS[self.unit])
        else:
            moments = self._moments(axis, length) - axis.first
        return -(-moments // length) + 1

    def _moments(self, axis: TimeAxis, length: int) -> Ints:
        """Scheduled Unix seconds of the calendar, from the day of the first step on."""
        zone = zone_of(axis.tz)
        first = dt.datetime.fromtimestamp(axis.first, zone).date()
        end = dt.datetime.fromtimestamp(axis.first + axis.steps * length, zone).date()
        n_days = (end - first).days + 1
        if n_days > MOST_DAYS:
            hint = "choose a period (--start, --end)"
            raise SpanError(f"the data span {n_days} days", hint=hint)
        at = dt.time(*divmod((self.at or 0) // 60, 60))
        days = [first + dt.timedelta(days=day) for day in range(n_days)]
        if self.kind == "weekly":
            days = [day for day in days if day.weekday() == (self.weekday or 0)]
        return np.array(
            [int(dt.datetime.combine(day, at, zone).timestamp()) for day in days], np.int64
        )


@dataclass(frozen=True, eq=False)
class Rotated:
    """Mix zones with rotations among them.

    Parameters
    ----------
    zones
        In order of time; the place of a rotation is ``EVERYWHERE``.
    rotation
        (n_zones,) bool: those that are rotations.
    met
        (n_memberships,) number of the mix zone that a member of a rotation would be in; -1: none.
    """

    zones: MixZones
    rotation: npt.NDArray[np.bool_]
    met: Ints

    @classmethod
    def never(cls, zones: MixZones) -> Rotated:
        """Mix zones without any rotation."""
        return cls(zones, np.zeros(len(zones), bool), np.full(len(zones.members), -1))


def rotated(zones: MixZones, steps: Ints, *, meetings: bool = True) -> Rotated:
    """Add rotations to mix zones.

    Parameters
    ----------
    zones
        Where users meet.
    steps
        First steps with new pseudonyms, ascending.
    meetings
        Whether pseudonyms are exchanged at mix zones, too.

    Raises
    ------
    InputError
        Fewer than two users with data, or far too many rotations.
    """
    everybody = np.setdiff1d(np.arange(zones.n_users, dtype=np.int32), zones.absent)
    if len(everybody) < 2:
        raise InputError("pseudonyms rotate among two users or more")
    if len(everybody) * len(steps) > MOST_MEMBERSHIPS:
        raise InputError(
            f"{len(steps)} rotations of {len(everybody)} users are too many",
            hint="rotate less often",
        )
    replaced = np.isin(zones.time, steps)
    met = np.full((len(steps), zones.n_users), -1, np.int64)
    if meetings:
        here = np.repeat(replaced, zones.sizes)
        zone = zones.zone_of_member[here]
        met[np.searchsorted(steps, zones.time[zone]), zones.members[here]] = zone
    kept = np.flatnonzero(~replaced) if meetings else np.zeros(0, np.int64)
    time = np.concatenate([zones.time[kept], steps.astype(np.int32)])
    order = np.argsort(time, kind="stable")
    size = np.concatenate([zones.sizes[kept], np.full(len(steps), len(everybody))])
    entries = ranges(zones.ptr[kept], zones.sizes[kept])
    members = np.concatenate([zones.members[entries], np.tile(everybody, len(steps))])
    of_members = np.concatenate([np.full(len(entries), -1), met[:, everybody].ravel()])
    moved = ranges(pointers(size)[:-1][order], size[order])
    place = None
    if zones.place is not None:
        place = np.append(zones.place[kept], np.full(len(steps), EVERYWHERE))[order]
    found = replace(
        zones, time=time[order], ptr=pointers(size[order]), members=members[moved], place=place
    )
    return Rotated(found, order >= len(kept), of_members[moved])
