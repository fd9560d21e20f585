"""Timestamps as Unix seconds, and time zones by name: of IANA, and offsets such as ``+09:00``."""

from __future__ import annotations

import datetime as dt
import re
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.mobility.clock_numbers import WRITE, NoTimeError, NumberedTimes, numbered_times
from mixsafe.model.numerals import in_ascii_digits, integer_of, is_decimal

_OFFSET = re.compile(r"([+-])(\d\d):(\d\d)", re.ASCII)
_UTC = frozenset(
    {"UTC", "Z", "GMT", "Etc/UTC", "Etc/GMT", "Zulu", "+00:00", "-00:00", "+00", "utc"}
)


def zone_of(name: str) -> dt.tzinfo:
    """The time zone with a name.

    Parameters
    ----------
    name
        IANA name such as ``Europe/Berlin``, or a fixed offset such as ``+09:00``.

    Raises
    ------
    InputError
        The time zone is unknown.
    """
    offset = _OFFSET.fullmatch(name)
    if offset is not None and int(offset[2]) < 24 and int(offset[3]) < 60:
        minutes = int(offset[2]) * 60 + int(offset[3])
        return dt.timezone(dt.timedelta(minutes=-minutes if offset[1] == "-" else minutes), name)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        hint = "use an IANA name such as Europe/Berlin, or an offset such as +09:00"
        raise InputError(f"unknown time zone '{name}'", hint=hint) from None


def check_tz(name: str) -> str:
    """Return the name of a time zone if it exists.

    Raises
    ------
    InputError
        The time zone is unknown.
    """
    zone_of(name)
    return name


def usual_name(name: str) -> str:
    """The same zone by the name that mixsafe writes: ``UTC`` for all names of it."""
    offset = re.fullmatch(r"([+-]\d\d):?(\d\d)?", name, re.ASCII)
    if offset is not None:
        name = f"{offset[1]}:{offset[2] or '00'}"
    return "UTC" if name in _UTC else name


def offset_name(seconds: int) -> str:
    """Name of the zone with a fixed offset, in seconds east of Greenwich.

    Examples
    --------
    >>> offset_name(32400), offset_name(-12600), offset_name(0)
    ('+09:00', '-03:30', 'UTC')
    """
    if not seconds:
        return "UTC"
    hours, minutes = divmod(abs(seconds) // 60, 60)
    return f"{'-' if seconds < 0 else '+'}{hours:02}:{minutes:02}"


EARLIEST = -62_135_510_400
"""Unix second at which the second day of year 1 begins."""

LATEST = 253_402_214_400
"""Unix second at which the last day of year 9999 begins.

Times outside these limits have no date in some time zones.
"""

ODD = {
    "twice": "where it occurs twice (clocks set back); the first is used",
    "skip": "where it does not exist (clocks set forward); the offset before is used",
}
"""Treatment of local times that a zone skips or repeats."""

DateOrder = Literal["day", "month"]
"""What comes first in a date whose year comes last."""

_EPOCH = dt.datetime(1970, 1, 1)
_SECOND = 10**9

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_MONTH = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?:(?P<weekday>mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?\s+)?"
_CLOCK = (
    # SQL Server writes thousandths of a second after a colon.
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:(?:[.,]|:(?=\d{3}(?:\D|$)))(?P<fraction>\d+))?)?"
    r"(?:\s*(?P<half>[ap])\.?m\.?)?"
)
# Offsets may be followed by the name of the zone, as in Go and Java; the offset says the same. Go
# adds a monotonic clock.
_ZONE = (
    r"\s*(?:(?P<utc>z|utc|gmt)"
    r"|(?:(?:utc|gmt)(?P<hours>[+-]\d)|(?:utc|gmt)?(?P<offset>[+-]\d\d(?::?\d\d)?))"
    r"(?:\s+\(?[a-z]{1,5}\)?|\[[a-z_/]+\])?)(?:\s+m=[+-][0-9.]+)?"
)
_TIME = rf"(?:{_CLOCK}(?:{_ZONE})?)"

_FORMS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # 2024-03-01T08:15:30.5+01:00, 2024/3/1 8:15, 2024-03-01
        rf"(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})"
        rf"(?:(?:t|_|,?\s+){_TIME})?",
        # 2024-03-01T08, 2024-03-01T08+01:00
        rf"(?P<year>\d{{4}})-(?P<month>\d\d)-(?P<day>\d\d)[t ](?P<hour>\d\d)(?:{_ZONE})?",
        # 20240301T081530Z
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)[t ](?P<hour>\d\d)"
        rf"(?:(?P<minute>\d\d)(?:(?P<second>\d\d)(?:[.,](?P<fraction>\d+))?)?)?(?:{_ZONE})?",
        # 20240301 08:15:30
        rf"(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d)[t ]{_TIME}",
        # Fri, 01 Mar 2024 08:15:30 +0000 (RFC 2822), 1-Mar-2024 08:15:30, 01/Mar/2024:08:15:30 (web
        # servers), 01MAR2024:08:15:30 (SAS)
        rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[-/\s.]?\s*{_MONTH}"
        r"[-/\s,]?\s*(?P<year>\d{4})"
        rf"(?:[\s:,t]\s*(?:at\s+)?{_TIME})?",
        # 2024-Mar-01 08:15:30
        rf"(?P<year>\d{{4}})[-/\s]{_MONTH}[-/\s](?P<day>\d{{1,2}})(?:(?:t|,?\s+){_TIME})?",
        # Fri Mar  1 08:15:30 +0000 2024 (Foursquare, X), Fri Mar 1 08:15:30 UTC 2024 (date)
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})\s+{_TIME}\s+(?P<year>\d{{4}})",
        # March 1, 2024, 8:15 AM; Fri Mar 01 2024 08:15:30 GMT+0100 (JavaScript)
        rf"{_WEEKDAY}{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})"
        rf"(?:,?\s+(?:at\s+)?{_TIME})?",
    )
)
"""Forms that have one reading."""

_YEAR_LAST = re.compile(
    r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<other>\d{1,2})(?P=mark)(?P<year>\d{4})"
    rf"(?:(?:t|,?\s+){_TIME})?",
    re.IGNORECASE,
)
_WEEK = re.compile(r"\d{4}-?W\d\d")
_SHORT_YEAR = re.compile(r"\d{1,2}[-/. ](?:\d{1,2}|[A-Za-z]{3,9})[-/. ]\d{1,2}(?:\D.*)?")
_NAMED_ZONE = re.compile(
    r".*:\d\d(?:[.,:]\d+)?\s*(?:[AaPp]\.?[Mm]\.?)?"
    r"\s*(?:\(?(?P<short>[A-Z]{2,5}|[a-z]{3,5})\)?|\[?(?P<long>[A-Z][A-Za-z_]+/[A-Za-z_/]+)\]?)"
    r"(?:\s+\d{4})?"
)
_CLOCK_ALONE = re.compile(r"\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?(?:\s*[AaPp][Mm])?")

SAY_ORDER = "say --day-first or --month-first (in Python day_first=True, month_first=True)"


def date_order(day_first: bool, month_first: bool) -> DateOrder | None:
    """What comes first in dates whose year comes last; None: it is not said.

    Raises
    ------
    InputError
        Both are said.
    """
    if day_first and month_first:
        raise InputError("dates have either the day or the month first, not both")
    return "day" if day_first else "month" if month_first else None


class WrittenTime(NamedTuple):
    """A timestamp as it is written.

    Parameters
    ----------
    second
        Seconds after 1970-01-01 00:00 on its own clock, rounded down.
    nanosecond
        Nanoseconds after that; 10**9 and more in a leap second.
    offset
        Seconds by which its clock is ahead of UTC; None: it says no time zone.
    """

    second: int
    nanosecond: int
    offset: int | None


class Instant(NamedTuple):
    """A timestamp, and how it was written.

    Parameters
    ----------
    second
        Unix second, rounded down.
    naive
        True if it was written without a time zone.
    odd
        ``twice``: the zone repeats this local time, and the first is used; ``skip``: the zone skips
        it, and the offset before is used. None: the local time is unique.
    """

    second: int
    naive: bool
    odd: Literal["twice", "skip"] | None = None


def parse_instant(text: str, tz: str = "UTC", order: DateOrder | None = None) -> Instant:
    """Parse a timestamp.

    Parameters
    ----------
    text
        A date and time in a form that has one reading, or a number as
        :func:`mixsafe.model.mobility.clock_numbers.numbered_times`.
    tz
        Zone of a text without one.
    order
        What comes first in 3/1/2024; None: such a date is refused.

    Raises
    ------
    NoTimeError
        The text has another form, or lies outside ``EARLIEST`` to ``LATEST``.
    """
    number = number_of(text)
    if number is not None:
        second, said = int(number.seconds[0]), None if number.naive else 0
    else:
        second, _, said = written_time(text, order)
    offset, odd = _local(second, tz) if said is None else (said, None)
    if not EARLIEST <= second - offset < LATEST:
        raise NoTimeError(f"'{text}' is outside the years 1 to 9999", None)
    return Instant(second - offset, said is None, odd)


def number_of(text: str) -> NumberedTimes | None:
    """The time that a number in a text is; None: the text is no number.

    Raises
    ------
    NoTimeError
        The number is no time.
    """
    text = text.strip()
    if not is_number(text):
        return None
    whole = integer_of(text)
    return numbered_times(np.array([float(text)] if whole is None else [whole]))


def is_clock(text: str) -> bool:
    """Whether a text is a time of the day, without a date."""
    return _CLOCK_ALONE.fullmatch(text.strip()) is not None


def is_number(text: str) -> bool:
    """Whether a text is a number."""
    return is_decimal(text.strip())


def _local(second: int, tz: str) -> tuple[int, Literal["twice", "skip"] | None]:
    """Offset of a zone at a second of its clock, and whether that time is repeated or skipped."""
    if tz == "UTC":
        return 0, None
    moment = (_EPOCH + dt.timedelta(seconds=second)).replace(tzinfo=zone_of(tz))
    before, after = moment.utcoffset(), moment.replace(fold=1).utcoffset()
    if before is None or after is None:
        return 0, None
    odd: Literal["twice", "skip"] | None = None
    if before != after:
        odd = "twice" if before > after else "skip"
    return round(before.total_seconds()), odd


def written_time(text: str, order: DateOrder | None = None) -> WrittenTime:
    """Read a date and time that is no number.

    Parameters
    ----------
    order
        What comes first in 3/1/2024; None: such a date is refused.

    Raises
    ------
    NoTimeError
        The text has another form; says what to do about it.

    Examples
    --------
    >>> written_time("2024/3/1 8:15:30 UTC")
    WrittenTime(second=1709280930, nanosecond=0, offset=0)
    """
    text = text.strip()
    if not in_ascii_digits(text):
        raise NoTimeError(f"'{text}' has digits that are not ASCII", WRITE)
    for form in _FORMS:
        found = form.fullmatch(text)
        if found is not None:
            return _time_of(text, found.groupdict())
    found = _YEAR_LAST.fullmatch(text)
    if found is not None:
        parts = found.groupdict()
        if order is None:
            raise NoTimeError(*_either_order(text, parts))
        day, month = ("first", "other") if order == "day" else ("other", "first")
        parts |= {"day": parts[day], "month": parts[month]}
        return _time_of(text, parts)
    try:
        # 2024-W09-5. Of others, it takes the offset of 2024-03-01+01:00 for a time of the day.
        moment = dt.datetime.fromisoformat(text if _WEEK.match(text) else "")
    except ValueError:
        raise NoTimeError(*_complaint(text)) from None
    offset = moment.utcoffset()
    since = moment.replace(tzinfo=None) - _EPOCH
    return WrittenTime(
        since.days * 86_400 + since.seconds,
        since.microseconds * 1000,
        None if offset is None else round(offset.total_seconds()),
    )


def year_last(text: str) -> tuple[int, int, str] | None:
    """Both numbers of a date such as 25/3/2024, and its mark; None: it is no such date."""
    found = _YEAR_LAST.fullmatch(text.strip()) if in_ascii_digits(text) else None
    return None if found is None else (int(found["first"]), int(found["other"]), found["mark"])


def _time_of(text: str, parts: dict[str, str | None]) -> WrittenTime:
    """The time that the parts of a text say.

    Raises
    ------
    NoTimeError
        There is no such date or clock time.
    """
    name = parts.get("name")
    month = _MONTHS.index(name[:3].lower()) + 1 if name else int(parts["month"] or 0)
    hour, minute, second = (int(parts.get(part) or 0) for part in ("hour", "minute", "second"))
    half = parts.get("half")
    if half is not None:
        if not 1 <= hour <= 12:
            raise NoTimeError(f"'{text}' is no time that exists", WRITE)
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    nanosecond = int(f"{parts.get('fraction') or '0':0<9}"[:9])
    # Midnight at the end of a day.
    next_day = (hour, minute, second, nanosecond) == (24, 0, 0, 0)
    leap = second == 60
    try:
        moment = dt.datetime(
            int(parts["year"] or 0),
            month,
            int(parts["day"] or 0),
            0 if next_day else hour,
            minute,
            59 if leap else second,
        )
        moment += dt.timedelta(days=1 if next_day else 0)
    except (ValueError, OverflowError):
        raise NoTimeError(f"'{text}' is no date and time that exists", WRITE) from None
    weekday = parts.get("weekday")
    if weekday is not None and _DAYS.index(weekday.lower()) != moment.weekday():
        day = f"{moment:%Y-%m-%d}"
        raise NoTimeError(f"'{text}' is not on that day of the week: {day} is {moment:%A}", None)
    offset = offset_of(parts)
    since = moment - _EPOCH
    seconds = since.days * 86_400 + since.seconds
    if leap:
        # Leap seconds are the last ones of a day of UTC.
        if (seconds - (offset or 0)) % 86_400 != 86_399 and (offset is not None or minute != 59):
            raise NoTimeError(f"'{text}' is no time that exists", WRITE)
        nanosecond += _SECOND
    return WrittenTime(seconds, nanosecond, offset)


def offset_of(parts: dict[str, str | None]) -> int | None:
    """Seconds by which the clock of a text is ahead of UTC; None: it does not say so."""
    if parts.get("utc"):
        return 0
    said = parts.get("offset")
    if not said and parts.get("hours"):
        said = str(parts["hours"]).replace("+", "+0").replace("-", "-0")
    if not said:
        return None
    digits = said[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return minutes * (-60 if said[0] == "-" else 60)


def _either_order(text: str, parts: dict[str, str | None]) -> tuple[str, str]:
    """Message and hint about a date whose year comes last."""
    first, other = int(parts["first"] or 0), int(parts["other"] or 0)
    if first > 12 >= other:
        return f"'{text}' has the day first", "say --day-first (day_first=True in Python)"
    if other > 12 >= first:
        return f"'{text}' has the month first", "say --month-first (month_first=True in Python)"
    return f"'{text}' could have the day or the month first", SAY_ORDER


def _complaint(text: str) -> tuple[str, str]:
    """Message and hint about a text that is no time."""
    message = f"'{text}' is not a timestamp"
    if _CLOCK_ALONE.fullmatch(text):
        return f"'{text}' has no date", (
            "join the columns of dates and of times into one, or call that of dates 'date'"
        )
    if _SHORT_YEAR.fullmatch(text):
        return message, "write the year with four digits, first: 2008-05-17 10:00:04"
    zone = _NAMED_ZONE.fullmatch(text)
    if zone is not None and zone["long"]:
        return message, f"leave the zone out, and say --tz {zone['long']} (tz= in Python)"
    if zone is not None:
        hint = (
            f"{zone['short']} is the name of several zones: write the offset, as in +01:00, or"
            " leave it out and say --tz Europe/Berlin (tz= in Python)"
        )
        return message, hint
    return message, WRITE
