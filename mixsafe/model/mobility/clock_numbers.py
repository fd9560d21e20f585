"""Numbers that are times: Unix times from 1990 to 2050, and dates written without separators.

A column has one unit. Units are told apart by their magnitude alone, because their ranges do not
meet:

======================  ==========================
2024-03-01 08:01:59     a number from ... on
======================  ==========================
``20240301``            19900101
``1709280119``          631152000
``202403010801``        199001010000
``1709280119000``       631152000000
``20240301080159``      19900101000000
``1709280119000000``    631152000000000
``20240301080159000``   19900101000000000
``1709280119000000000`` 631152000000000000
======================  ==========================

All other numbers are refused: days of spreadsheets, of GeoLife and of MATLAB, numbers of steps, and
what has two readings.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

FIRST = 631_152_000
"""Unix second at which 1990 begins: numbers are times from here on."""

LAST = 2_524_608_000
"""Unix second at which 2050 begins: numbers are times before it."""

Ints = npt.NDArray[np.int64]
Numbers = npt.NDArray[Any]

WRITE = "write 2008-05-17 10:00:04, 2008-05-17T10:00:04Z, or Unix seconds"

_DAY = 86_400
_SECOND = 10**9
_TICKS = (627_667_488_000_000_000, 646_602_048_000_000_000)
"""Units of 100 ns from the year 1 (.NET) to 1990 and 2050: nanoseconds of 1989 and 1990."""


_HOURS = 1_990_010_100
"""The hour 0 of 1990-01-01 without separators; Unix seconds of 2033."""

_DAY_NUMBERS = (
    (
        -25_569,
        "1899-12-30 (of a spreadsheet or .plt)",
        "format the cells as yyyy-mm-dd hh:mm:ss, or use pandas.to_datetime(days, unit='D',"
        " origin='1899-12-30')",
    ),
    (
        -719_529,
        "the year 0 (of MATLAB)",
        "use datestr in MATLAB, or pandas.to_datetime(days - 719529, unit='D')",
    ),
    (
        -40_587,
        "1858-11-17 (modified Julian days)",
        "use pandas.to_datetime(days, unit='D', origin='1858-11-17')",
    ),
    (
        -2_440_587.5,
        "4713 BC (Julian days)",
        "use pandas.to_datetime(days, unit='D', origin='julian')",
    ),
)
"""Day numbers: days to add for days since 1970, their origin, and what to do about them."""


class NumberForm(NamedTuple):
    """A form of numbers that are times.

    Parameters
    ----------
    name
        In words.
    least, end
        Numbers from ``least`` on and below ``end``.
    per_second
        Units in a second; 0: the digits of a date.
    digits
        Number of digits of a date.
    """

    name: str
    least: int
    end: int
    per_second: int = 0
    digits: int = 0


FORMS = (
    *(
        NumberForm(f"Unix {name}", FIRST * per_second, LAST * per_second, per_second)
        for name, per_second in (
            ("seconds", 1),
            ("milliseconds", 10**3),
            ("microseconds", 10**6),
            ("nanoseconds", 10**9),
        )
    ),
    *(
        NumberForm("dates", 19900101 * 10**more, 20500101 * 10**more, digits=8 + more)
        for more in (0, 4, 6, 9)
    ),
)
"""All forms; their ranges are disjoint."""


class NumberedTimes(NamedTuple):
    """Times that were numbers.

    Parameters
    ----------
    seconds
        (n,) int64, rounded down: Unix seconds, or local ones of dates.
    fraction
        (n,) int32 nanoseconds after these; None: all are 0.
    form
        The form of all of them.
    """

    seconds: Ints
    fraction: npt.NDArray[np.int32] | None
    form: NumberForm

    @property
    def naive(self) -> bool:
        """True for dates, which say no time zone."""
        return not self.form.per_second


class NoTimeError(InputError):
    """A value that is no time.

    Parameters
    ----------
    row
        Which, from 0.
    """

    def __init__(self, message: str, hint: str | None, row: int = 0) -> None:
        super().__init__(message, hint=hint)
        self.row = row


def numbered_times(values: Numbers) -> NumberedTimes:
    """Convert numbers to times.

    Parameters
    ----------
    values
        (n,) integers or floats, n >= 1, in one unit.

    Raises
    ------
    NoTimeError
        A number is no time, is in another unit than the first one, or could be two times.

    Examples
    --------
    >>> numbered_times(np.array([1709280119500])).seconds.tolist()
    [1709280119]
    >>> numbered_times(np.array([39539.33]))
    Traceback (most recent call last):
    mixsafe.model.mobility.clock_numbers.NoTimeError: 39539.33 looks like days since 1899-12-30 ...
    """
    least, most = values.min(), values.max()
    form = _form_of(least)
    if form is None or form != _form_of(most):
        raise _odd_one(values)
    if not form.per_second:
        return _dates(values, form)
    _refuse_two_readings(values, form, least)
    if values.dtype.kind in "iu":
        whole = values.astype(np.int64, copy=False)
        if form.per_second == 1:
            return NumberedTimes(whole, None, form)
        seconds = whole // form.per_second
        rest = (whole - seconds * form.per_second) * (_SECOND // form.per_second)
    else:
        # The remainder of floating-point numbers is exact.
        left = np.mod(values.astype(np.float64, copy=False), form.per_second)
        seconds = np.rint((values - left) / form.per_second).astype(np.int64)
        rest = np.minimum(np.rint(left * (_SECOND / form.per_second)), _SECOND - 1)
    return NumberedTimes(seconds, _fraction(rest), form)


def are_unix_times(values: Numbers) -> bool:
    """True if all numbers, at least one, are Unix times in one unit."""
    if not len(values):
        return False
    form = _form_of(values.min())
    return form is not None and form.per_second > 0 and form == _form_of(values.max())


def _fraction(nanoseconds: Numbers) -> npt.NDArray[np.int32] | None:
    """Nanoseconds as they are kept; None if all are 0."""
    return nanoseconds.astype(np.int32) if nanoseconds.any() else None


def _form_of(value: Any) -> NumberForm | None:  # noqa: ANN401 -- any scalar of NumPy
    """The form of a number; None: it is no time."""
    return next((form for form in FORMS if form.least <= value < form.end), None)


def _odd_one(values: Numbers) -> NoTimeError:
    """The error for the first number that is no time, or has another form than the first."""
    first = _form_of(values[0])
    if first is None:
        return _no_time(values[0], 0)
    row = int((~((values >= first.least) & (values < first.end))).argmax())
    other = _form_of(values[row])
    if other is None:
        return _no_time(values[row], row)
    return NoTimeError(
        f"{_shown(values[row])} reads as {_of(other)}, but {_shown(values[0])} before as"
        f" {_of(first)}",
        "write all times in one unit",
        row,
    )


def _of(form: NumberForm) -> str:
    return form.name if form.per_second else f"a date of {form.digits} digits"


def _shown(value: Any) -> str:  # noqa: ANN401 -- any scalar of NumPy
    """A number as a person would write it."""
    plain = value.item() if isinstance(value, np.generic) else value
    return str(int(plain)) if plain == int(plain) and abs(plain) >= 1e9 else str(plain)


def _no_time(value: Any, row: int) -> NoTimeError:  # noqa: ANN401 -- any scalar of NumPy
    """The error for a number that is no time, with what it may be."""
    if not np.isfinite(value):
        return NoTimeError(f"'{value}' is not a timestamp", WRITE, row)
    shown, whole = _shown(value), value == np.floor(value)
    steps = "numbers of steps belong into the column time_id: --column time_id=COLUMN"
    for origin, since, convert in _DAY_NUMBERS:
        unix = (float(value) + origin) * _DAY
        if FIRST <= unix < LAST:
            moment = dt.datetime.fromtimestamp(round(unix), dt.UTC)
            hint = f"write {moment:%Y-%m-%d %H:%M:%S}: {convert}"
            if whole and value < 1e5:
                hint += f"; {steps}"
            return NoTimeError(f"{shown} looks like days since {since}, not a time", hint, row)
    message = f"{shown} is not a Unix time from 1990 to 2050"
    if not 0 <= value < 1e7:
        return NoTimeError(message, WRITE, row)
    seconds = "seconds of a simulation are said with --column seconds=COLUMN"
    return NoTimeError(message, f"{steps}; {seconds}" if whole else seconds, row)


def _refuse_two_readings(values: Numbers, form: NumberForm, least: Any) -> None:  # noqa: ANN401
    """Refuse Unix times that could all be something else.

    Raises
    ------
    NoTimeError
        ``2024030108``: 8 o'clock, or seconds in 2034. ``638448480000000000``: ticks of .NET, or
        nanoseconds in 1990.
    """
    if form.per_second == _SECOND and least < _TICKS[1]:
        shown = _shown(values[0])
        message = f"{shown} reads as ticks of .NET since the year 1, and as nanoseconds in 1990"
        raise NoTimeError(message, WRITE)
    if form.per_second != 1 or least < _HOURS:
        return
    whole = values.astype(np.int64)
    hours = (whole // 10**6, whole % 10**6 * 100)  # YYYYMMDDhh
    minutes = (whole // 10**8 + 2000, whole % 10**8)  # YYMMDDhhmm
    for year, rest in (hours, minutes):
        month, day, hour, minute = (rest // 10**place % 100 for place in (6, 4, 2, 0))
        _, wrong = _days(year, month, day)
        if not (wrong | (year >= 2050) | (hour > 23) | (minute > 59)).any():
            date = f"{year[0]}-{month[0]:02}-{day[0]:02} {hour[0]:02}:{minute[0]:02}"
            moment = dt.datetime.fromtimestamp(int(whole[0]), dt.UTC)
            raise NoTimeError(
                f"{_shown(values[0])} reads as {date}, and as Unix seconds of {moment:%Y-%m-%d}",
                f"write {date}, or {moment:%Y-%m-%dT%H:%M:%SZ}",
            )


def _days(year: Ints, month: Ints, day: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """(n,) days since 1970-01-01 of dates, and which of them do not exist."""
    months = ((year - 1970) * 12 + month - 1).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    wrong = (month < 1) | (month > 12) | (day < 1) | (days.astype("datetime64[M]") != months)
    return days.astype(np.int64), wrong


def _dates(values: Numbers, form: NumberForm) -> NumberedTimes:
    """Local times of dates without separators.

    Raises
    ------
    NoTimeError
        A date or a clock time does not exist.
    """
    whole = values.astype(np.int64)
    if values.dtype.kind == "f" and (np.any(whole != values) or form.digits > 14):
        row = int((whole != values).argmax())
        raise NoTimeError(f"{_shown(values[row])} is not a date without separators", WRITE, row)
    rest = whole * 10 ** (17 - form.digits)
    date, clock = rest // 10**9, rest % 10**9
    days, wrong = _days(date // 10_000, date // 100 % 100, date % 100)
    hour, minute, second = clock // 10**7, clock // 10**5 % 100, clock // 1000 % 100
    wrong |= (hour > 23) | (minute > 59) | (second > 59)
    if wrong.any():
        row = int(wrong.argmax())
        raise NoTimeError(f"{_shown(values[row])} is no date and time that exists", WRITE, row)
    seconds = days * _DAY + hour * 3600 + minute * 60 + second
    return NumberedTimes(seconds, _fraction(clock % 1000 * 10**6), form)
