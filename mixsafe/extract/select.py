"""Selection of a part of traces: a period and users."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.arguments import of_kind
from mixsafe.model.mobility.clock_numbers import NoTimeError
from mixsafe.model.mobility.instant import EARLIEST, LATEST, ODD, parse_instant, zone_of
from mixsafe.model.mobility.names import plain
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.numerals import integer_of

SECONDS_PER_DAY = 86_400


class UnknownUserError(InputError):
    """Unknown user in a list of users.

    Parameters
    ----------
    name
        Which.
    """

    def __init__(self, name: str) -> None:
        super().__init__(f"user {name} of the list is not in the data")
        self.name = name


class Period(TypedDict, total=False):
    """A period; each bound is optional.

    Parameters
    ----------
    start, end
        ``end`` excluded: ISO 8601 (in the traces' zone unless it says another), Unix seconds, or
        time_ids; None: from the first fix, or up to the last one.
    days
        Length, at most one of this and ``end``: days of 24 hours, or of ``steps_per_day`` steps
        where steps are numbered.
    steps_per_day
        Steps of a day where steps are numbered; by default 20.
    """

    start: str | int | None
    end: str | int | None
    days: int | None
    steps_per_day: int


def select(
    traces: Traces,
    *,
    users: int | None = None,
    user_list: Iterable[str | int] | None = None,
    seed: int = 0,
    **period: Unpack[Period],
) -> Traces:
    """A period of some traces, and some of the users.

    The period is fixed before users are chosen, so that all samples of one source share it. Users
    without a fix in it stay, without places and meetings.

    Parameters
    ----------
    users
        Size of a random sample of the users; None: all of them.
    user_list
        Names of the users to keep, at most one of this and ``users``. A name may occur twice.
    seed
        Seed of the sample.
    period
        ``start``, ``end``, ``days`` and ``steps_per_day``, see :class:`Period`.

    Returns
    -------
    Traces
        With ``window`` set; users in the order in which they were.

    Raises
    ------
    InputError
        A sample that is empty or larger than the users, an unknown user, a period without a fix,
        a time that is none, or arguments that exclude each other.
    """
    of_kind("traces", traces, (Traces,), "traces", "give what mixsafe.load returns")
    choice = choose(traces, users=users, user_list=user_list, seed=seed, **period)
    window, chosen = choice
    kept = (traces.time >= window[0]) & (traces.time < window[1])
    if not kept.any():
        raise nothing_in(traces, window)
    if chosen is not None:
        kept &= np.isin(np.arange(len(traces.users)), chosen)[traces.user]
    part = _part(traces, np.flatnonzero(kept), chosen)
    absent = len(part.users) - len(np.unique(part.user))
    notes = notes_of(traces, len(part.users), absent, **period)
    return replace(part, window=window, notes=notes)


class ChosenPart(NamedTuple):
    """A part of some traces.

    Parameters
    ----------
    window
        First time of the period, and the first time after it.
    rows
        Ascending rows of the users; None: all of them.
    """

    window: tuple[int, int]
    rows: npt.NDArray[np.int64] | None


def choose(
    traces: Traces,
    *,
    users: int | None = None,
    user_list: Iterable[str | int] | None = None,
    seed: int = 0,
    **period: Unpack[Period],
) -> ChosenPart:
    """Which part of some traces is meant; arguments and errors are those of :func:`select`.

    Of the traces' fixes only the first and the last time are looked at.
    """
    start, end, days = period.get("start"), period.get("end"), period.get("days")
    window = _window(traces, start, end, days, period.get("steps_per_day", 20))
    return ChosenPart(window, _chosen(traces, users, user_list, seed))


def nothing_in(traces: Traces, window: tuple[int, int]) -> InputError:
    """The error for a period without a fix."""
    begin, end, first, last = (
        _label(traces, int(time)) for time in (*window, traces.time.min(), traces.time.max())
    )
    return InputError(
        f"there is no fix in the period from {begin} to {end}",
        hint=f"the fixes range from {first} to {last}",
    )


def notes_of(traces: Traces, users: int, absent: int, **period: Unpack[Period]) -> tuple[str, ...]:
    """Notes on a part of some traces: theirs, absent users, times without a zone.

    Parameters
    ----------
    traces
        All of them.
    users, absent
        Users of the part, and those of them who have no fix in the period.
    """
    notes = list(traces.notes)
    if absent:
        notes.append(f"{absent} of {users} users have no data in the period, and are not judged")
    for name, time in (("start", period.get("start")), ("end", period.get("end"))):
        if traces.clock != "unix" or time is None:
            continue
        instant = parse_instant(str(time), traces.tz, traces.order)
        if instant.naive:
            odd = "" if instant.odd is None else f", {ODD[instant.odd]}"
            notes.append(f"the {name} {time} is without a time zone and taken as {traces.tz}{odd}")
    return tuple(notes)


def _label(traces: Traces, time: int) -> str:
    """A time as people write it."""
    if traces.clock == "time_id":
        return str(time)
    return dt.datetime.fromtimestamp(time, zone_of(traces.tz)).isoformat()


def _window(
    traces: Traces,
    start: str | int | None,
    end: str | int | None,
    days: int | None,
    steps_per_day: int,
) -> tuple[int, int]:
    """First time of the period, and the first time after it.

    Raises
    ------
    InputError
        A time that is none, a period that ends before it begins, or no fix to begin with.
    """
    if end is not None and days is not None:
        raise InputError("give either an end or a number of days, not both")
    if days is not None and days < 1:
        raise InputError(f"the number of days is not positive: {days}")
    if not len(traces.time):
        raise InputError("the traces contain no fix")
    known = traces.window or (int(traces.time.min()), int(traces.time.max()) + 1)
    first = known[0] if start is None else _moment(traces, start, "start")
    if days is not None:
        last = first + days * (SECONDS_PER_DAY if traces.clock == "unix" else steps_per_day)
    else:
        last = known[1] if end is None else _moment(traces, end, "end")
    if traces.clock == "unix" and not (first >= EARLIEST and last < LATEST):
        raise InputError("the period exceeds the years 1 to 9999")
    if last <= first:
        ends, begins = _label(traces, last), _label(traces, first)
        raise InputError(f"the period ends at {ends}, before it begins at {begins}")
    return first, last


def _moment(traces: Traces, moment: str | int, name: str) -> int:
    """A time in the traces' own clock.

    Raises
    ------
    InputError
        It is no time.
    """
    if traces.clock == "unix":
        try:
            return parse_instant(str(moment), traces.tz, traces.order).second
        except NoTimeError as error:
            raise InputError(f"the {name}: {error.message}", hint=error.hint) from None
    time = integer_of(str(moment))
    if time is None:
        hint = "use a time_id: the traces number their steps"
        raise InputError(f"the {name} '{moment}' is not a time", hint=hint)
    return time


def _chosen(
    traces: Traces, users: int | None, user_list: Iterable[str | int] | None, seed: int
) -> npt.NDArray[np.int64] | None:
    """Ascending rows of the users to keep; None: all of them.

    Raises
    ------
    InputError
        A sample that is empty or too large, or an unknown user.
    """
    if users is not None and user_list is not None:
        raise InputError("give either a sample size or a list of users, not both")
    if user_list is not None:
        row_of = {str(name): row for row, name in enumerate(traces.users.tolist())}
        names = [str(name) for name in user_list]
        unknown = next((name for name in names if plain(name) not in row_of), None)
        if unknown is not None:
            raise UnknownUserError(unknown)
        if not names:
            raise InputError("the list of users is empty")
        return np.unique([row_of[plain(name)] for name in names])
    if users is None:
        return None
    if not 1 <= users <= len(traces.users):
        raise InputError(f"the sample size {users} is not within 1 to {len(traces.users)} users")
    rows = np.random.default_rng(seed).choice(len(traces.users), users, replace=False)
    return np.sort(rows)


def _part(
    traces: Traces, kept: npt.NDArray[np.int64], chosen: npt.NDArray[np.int64] | None
) -> Traces:
    """The fixes ``kept`` of the users ``chosen``."""
    part = traces.those(kept)
    if chosen is None:
        return part
    rank = np.zeros(len(traces.users), np.int32)
    rank[chosen] = np.arange(len(chosen), dtype=np.int32)
    return replace(part, users=traces.users[chosen], user=rank[part.user])
