"""Timestamps of files as Unix seconds, UTC.

Of a column of numbers all are one kind of number; of a column of texts each says its own time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError, about
from mixsafe.io.files.arrays import is_text, numbers, value_type
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.csv_records import or_skip
from mixsafe.model.mobility.clock_numbers import (
    FORMS,
    WRITE,
    NoTimeError,
    NumberedTimes,
    numbered_times,
)
from mixsafe.model.mobility.instant import (
    EARLIEST,
    LATEST,
    SAY_ORDER,
    DateOrder,
    check_tz,
    is_clock,
    is_number,
    offset_name,
    offset_of,
    usual_name,
    written_time,
    year_last,
)

NAIVE = "times without a time zone are read as {}"
ODD = {
    "twice": "times that occur twice in {} (clocks set back) are read as the first of the two",
    "skip": "times that do not exist in {} (clocks set forward) are read with the offset before",
}
_SAY_OFFSET = "write them with an offset: 2008-05-17T10:00:04+02:00"
SAY_TZ = "say the zone that its days are of: --tz Europe/Berlin (tz= in Python)"

_OFFSET = re.compile(r"(?:(?P<utc>[Zz])|(?P<offset>[+-]\d\d(?::?\d\d)?))$")
_LONGEST_OFFSET = 6
_SECOND = 10**9
# A stand-in for "no offset" that no clock has.
_NONE = -(2**31)

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Instants:
    """A column of times.

    Parameters
    ----------
    seconds
        (n_rows,) Unix seconds, rounded down.
    fraction
        (n_rows,) int32 nanoseconds after these; None: all are 0.
    tz
        The column's own time zone: a name, or the offset that all its times have; None: it has
        none.
    form
        What kind of numbers they are; empty: texts and timestamps.
    notes
        Assumptions about them.
    """

    seconds: Ints
    fraction: npt.NDArray[np.int32] | None = None
    tz: str | None = None
    form: str = ""
    notes: tuple[str, ...] = ()


def instants(
    table: CheckedTable, name: str, zone: str | None = None, order: DateOrder | None = None
) -> Instants:
    """Convert a column of timestamps to Unix seconds.

    Parameters
    ----------
    zone
        Zone in which days begin and end, and of timestamps without one; None: that of the column,
        else UTC.
    order
        What comes first in dates whose year comes last; None: what they tell.

    Raises
    ------
    InputError
        Names the line of the first cell that is not a timestamp, or of the first that has another
        offset than the ones before, where no zone is given.
    """
    column = _plain_kind(table.columns[name])
    if column.null_count == len(column):
        return Instants(np.zeros(len(column), np.int64))
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _of_numbers(table, name, numbers(column), zone)
    if pa.types.is_timestamp(kind):
        found = _of_timestamps(column, zone)
        if zone is None and found.tz is not None:
            with about(table.file):
                check_tz(found.tz)
    elif _is_text(kind):
        found = _of_texts(table, name, _plain(column), zone, order)
    else:
        hint = WRITE
        if pa.types.is_time(kind):
            hint = "join the columns of dates and of times into one, or call that of dates 'date'"
        raise table.error(f"'{column[0].as_py()}' is not a timestamp", 0, name, hint)
    wrong = (found.seconds < EARLIEST) | (found.seconds >= LATEST)
    if wrong.any():
        message = "the timestamp is outside the years 1 to 9999"
        raise table.error(message, int(wrong.argmax()), name)
    return found


def order_of(table: CheckedTable, names: Sequence[str]) -> tuple[DateOrder | None, tuple[str, ...]]:
    """What comes first in dates whose year comes last, if a column of several tells it; a note.

    Raises
    ------
    InputError
        Some dates of a column have the day first, and others the month.
    """
    for name in names:
        if _is_text(table.columns[name].type):
            coded = _plain(table.columns[name]).drop_null().dictionary_encode()
            texts = coded.dictionary.to_pylist(), numbers(coded.indices)
            order, notes = _told_order(table, name, texts)
            if order is not None:
                return order, notes
    return None, ()


def seconds_since_start(table: CheckedTable, name: str) -> Instants:
    """Seconds after the start of a simulation, as if that was 1970-01-01 00:00 UTC.

    Raises
    ------
    InputError
        Names the line of the first number that is negative, or too large.
    """
    values = table.values(name)
    wrong = ~((values >= 0) & (values < LATEST))
    table.check(wrong, name, "{} is no number of seconds after a start")
    values = np.where(wrong, 0, values)
    whole = np.floor(values).astype(np.int64)
    rest = np.rint((values - whole) * _SECOND).astype(np.int64)
    rest = np.minimum(rest, _SECOND - 1).astype(np.int32)
    note = f"'{name}' has seconds of a simulation: 0 is shown as 1970-01-01 00:00 UTC"
    return Instants(whole, rest if rest.any() else None, "UTC", "seconds", (note,))


def with_dates(table: CheckedTable, name: str, dates: str | None) -> CheckedTable:
    """The table, with dates before the times of a column of times of the day.

    Parameters
    ----------
    dates
        Column of dates; None: there is none.

    Raises
    ------
    InputError
        A date is missing; names its line.
    """
    column = table.columns[name]
    if dates is None or not _is_clock(column):
        return table
    days = table.columns[dates]
    if pa.types.is_timestamp(days.type):
        days = days.cast(pa.date32())
    days = days.cast(pa.string())
    missing = compute.equal(compute.utf8_trim_whitespace(days.fill_null("")), "")
    missing = compute.and_(missing, column.is_valid())
    table.check(np.asarray(missing), dates, "the value is missing")
    joined = compute.binary_join_element_wise(days, column.cast(pa.string()), " ")
    return replace(table, columns={**table.columns, name: joined})


def _is_clock(column: pa.ChunkedArray) -> bool:
    """Whether a column has times of the day, without dates; of texts, by the first one."""
    if pa.types.is_time(column.type):
        return True
    there = column.drop_null()
    return len(there) > 0 and _is_text(column.type) and is_clock(str(there[0].as_py()))


def _plain_kind(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column without decimals and dates, and without nulls if it has any value.

    Rows with nulls have been marked, and are still in the table.
    """
    kind = column.type
    if pa.types.is_decimal(kind):
        whole = kind.scale == 0 and kind.precision <= 18
        column = column.cast(pa.int64() if whole else pa.float64())
    elif pa.types.is_date(kind):
        column = column.cast(pa.timestamp("s"))
    if not column.null_count or column.null_count == len(column):
        return column
    return column.fill_null(column.drop_null()[0])


def _is_text(kind: pa.DataType) -> bool:
    value = value_type(kind)
    return is_text(value) or bool(pa.types.is_string_view(value))


def _plain(column: pa.ChunkedArray) -> pa.Array:
    """A column of texts in one piece, without a dictionary."""
    whole = column if column.type == pa.string() else column.cast(pa.string())
    return whole.combine_chunks()


def _of_numbers(
    table: CheckedTable, name: str, values: npt.NDArray[Any], zone: str | None
) -> Instants:
    """Times of a column of numbers.

    Raises
    ------
    InputError
        Names the line of the first number that is no time.
    """
    if table.faults is not None:
        values = _usual_numbers(table, name, values)
    try:
        found = numbered_times(values)
    except NoTimeError as error:
        times = [((values >= form.least) & (values < form.end)).any() for form in FORMS]
        several = sum(times) > 1 or " reads as " in error.message
        raise _placed(table, name, error, error.row, skippable=any(times) and not several) from None
    if not found.naive:
        notes = () if found.form.per_second == 1 else (f"times are read as {found.form.name}",)
        return Instants(found.seconds, found.fraction, None, found.form.name, notes)
    return _of_dates(found, int(values[0]), zone)


def _usual_numbers(table: CheckedTable, name: str, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Numbers of the form that most have; the others are marked, and replaced by one of these."""
    wrong = [(values < form.least) | ~(values < form.end) for form in FORMS]
    other = min(wrong, key=np.count_nonzero)
    while not other.all():
        usual = np.where(other, values[int((~other).argmax())], values)
        try:
            numbered_times(usual)
        except NoTimeError as error:
            if " reads as " in error.message:  # All of them.
                raise _placed(table, name, error, error.row, skippable=False) from None
            other = other | (values == usual[error.row])
        else:
            if other.any():
                table.mark(other, name, "'{}' is not a timestamp")
            return usual
    return values


def _of_dates(found: NumberedTimes, first: int, zone: str | None) -> Instants:
    """Times of dates without separators, and how they were read."""
    seconds, odd = _in_zone(found.seconds, zone or "UTC")
    moment = str(np.datetime64(int(found.seconds[0]), "s")).replace("T", " ")
    said = f"times are read as dates without separators: {first} is {moment}"
    notes = (said, *_notes(odd, zone or "UTC"))
    return Instants(seconds, found.fraction, None, f"{found.form.digits} digits", notes)


def _placed(
    table: CheckedTable, name: str, error: NoTimeError, row: int, *, skippable: bool = True
) -> InputError:
    """The error about a cell, with its line; ``skippable``: other rows are times."""
    hint = error.hint and error.hint.replace("COLUMN", f"'{name}'" if " " in name else name)
    hint = or_skip(hint) if table.skippable and skippable else hint
    return table.error(error.message, row, name, hint)


def _of_timestamps(column: pa.ChunkedArray, zone: str | None) -> Instants:
    """Times of a column of timestamps."""
    tz = column.type.tz
    seconds, fraction = _split(column)
    if tz is not None:
        return Instants(seconds, fraction, usual_name(tz))
    seconds, odd = _in_zone(seconds, zone or "UTC")
    return Instants(seconds, fraction, notes=_notes(odd, zone or "UTC"))


def _split(
    column: pa.ChunkedArray | pa.Array,
) -> tuple[Ints, npt.NDArray[np.int32] | None]:
    """Whole seconds of timestamps, rounded down, and nanoseconds after them, if there are any."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": _SECOND}[column.type.unit]
    moments = numbers(column.cast(pa.timestamp(column.type.unit)).cast(pa.int64()))
    if per_second == 1:
        return moments, None
    seconds = moments // per_second
    rest = moments - seconds * per_second
    fraction = (rest * (_SECOND // per_second)).astype(np.int32) if rest.any() else None
    return seconds, fraction


def _in_zone(local: Ints, zone: str) -> tuple[Ints, frozenset[str]]:
    """Unix seconds of a zone's local times, as ``parse_instant``, and the irregularities found.

    Arrow maps all skipped local times to one instant, the last before the change.
    """
    if zone == "UTC":
        return local, frozenset()
    whole = pa.timestamp("s")
    said = pa.array(local).cast(whole)
    first, last = (
        compute.assume_timezone(said, zone, ambiguous=end, nonexistent=end)
        for end in ("earliest", "latest")
    )
    shown, seconds = (
        numbers(one.cast(whole).cast(pa.int64())) for one in (compute.local_timestamp(first), first)
    )
    skipped = shown != local
    odd = {"skip"} if skipped.any() else set()
    if (~skipped & (seconds != numbers(last.cast(whole).cast(pa.int64())))).any():
        odd.add("twice")
    return np.where(skipped, local - (shown - seconds), seconds), frozenset(odd)


def _notes(odd: Set[str], zone: str) -> tuple[str, ...]:
    """Notes on the assumptions about times without a time zone."""
    notes = [f"{ODD[one].format(zone)}; {_SAY_OFFSET}" for one in sorted(odd)]
    return (NAIVE.format(zone), *notes)


def _of_texts(
    table: CheckedTable, name: str, texts: pa.Array, zone: str | None, order: DateOrder | None
) -> Instants:
    """Times of a column of texts: those that Arrow reads at once, others each distinct text once.

    Raises
    ------
    InputError
        Names the line of the first text that is no time.
    """
    zoned = _parsed(texts, "UTC")
    if zoned is not None:
        offset = _offsets(texts)
        return Instants(*_split(zoned), _one_zone(table, name, offset, zone))
    naive = _parsed(texts, None)
    if naive is not None:
        return _of_timestamps(naive, zone)
    coded = texts.dictionary_encode()
    code, distinct = numbers(coded.indices), coded.dictionary.to_pylist()
    digits = np.fromiter(map(is_number, distinct), bool, len(distinct))
    if 2 * np.count_nonzero(digits[code]) > len(code):
        table.check(~digits[code], name, "'{}' is not a timestamp", WRITE)
        code = np.where(digits[code], code, int(digits.argmax()))
        distinct = [text for text in distinct if is_number(text)]
        coded = pa.DictionaryArray.from_arrays(np.cumsum(digits)[code] - 1, pa.array(distinct))
        code = numbers(coded.indices)
    if all(map(is_number, distinct)):
        return _of_numbers(table, name, _as_numbers(coded.dictionary)[code], zone)
    return _of_distinct(table, name, (distinct, code), zone, order)


def _parsed(texts: pa.Array, tz: str | None) -> pa.Array | None:
    """Texts as timestamps if Arrow reads all of them, all with an offset or none; else None."""
    for unit in ("s", "ns"):
        try:
            return texts.cast(pa.timestamp(unit, tz))
        except pa.ArrowInvalid:
            continue
    return None


def _offsets(texts: pa.Array) -> Ints:
    """(n,) seconds by which the clocks of texts are ahead of UTC; all of them say it."""
    if compute.all(compute.ends_with(texts, "Z")).as_py():
        return np.zeros(len(texts), np.int64)
    ends = compute.utf8_slice_codeunits(texts, -_LONGEST_OFFSET).dictionary_encode()
    found = (_OFFSET.search(end) for end in ends.dictionary.to_pylist())
    said = np.array([0 if one is None else offset_of(one.groupdict()) for one in found], np.int64)
    offset: Ints = said[numbers(ends.indices)]
    return offset


def _one_zone(table: CheckedTable, name: str, offset: Ints, zone: str | None) -> str | None:
    """Name of the only offset of a column; None if it has none.

    Raises
    ------
    InputError
        It has several, and no zone is given: whose days are meant is not said.
    """
    there = offset[offset != _NONE] if len(offset) and offset.min() == _NONE else offset
    if not len(there):
        return None
    if zone is not None or there.min() == there.max():
        return offset_name(int(there[0]))
    row = int(((offset != there[0]) & (offset != _NONE)).argmax())
    shown, before = offset_name(int(offset[row])), offset_name(int(there[0]))
    message = f"the time has the offset {shown}, and others have {before}"
    raise table.error(message.replace("UTC", "+00:00"), row, name, SAY_TZ)


def _as_numbers(texts: pa.Array) -> npt.NDArray[Any]:
    """Numbers in texts: integers if all are."""
    plain = compute.utf8_trim_whitespace(texts)
    try:
        return numbers(plain.cast(pa.int64()))
    except pa.ArrowInvalid:
        return np.array([float(text) for text in plain.to_pylist()])


def _of_distinct(
    table: CheckedTable,
    name: str,
    coded: tuple[list[str], npt.NDArray[Any]],
    zone: str | None,
    order: DateOrder | None,
) -> Instants:
    """Times of distinct texts, (n_rows,) codes of which are given.

    Raises
    ------
    InputError
        Names the line of the first text that is no time.
    """
    distinct, code = coded
    notes: tuple[str, ...] = ()
    if order is None:
        order, notes = _told_order(table, name, coded)
    size = len(distinct)
    second, nanosecond = np.zeros(size, np.int64), np.zeros(size, np.int64)
    offset = np.full(size, _NONE, np.int64)
    errors: dict[int, NoTimeError] = {}
    for number, text in enumerate(distinct):
        try:
            second[number], nanosecond[number], said = written_time(text, order)
        except NoTimeError as error:
            errors[number] = error
        else:
            offset[number] = _NONE if said is None else said
    if errors:
        if table.faults is None or len(errors) == size:
            raise _first_of(table, name, coded, errors)
        table.mark(np.isin(code, list(errors)), name, "'{}' is not a timestamp")
        good = next(number for number in range(size) if number not in errors)
        for values in (second, nanosecond, offset):
            values[list(errors)] = values[good]
    tz = _one_zone(table, name, offset[code], zone)
    naive = offset == _NONE
    if naive.any():
        own = zone or tz or "UTC"
        local, odd = _in_zone(second[naive], own)
        second[naive], offset[naive] = local, 0
        notes += _notes(odd, own)
    fraction = nanosecond[code].astype(np.int32) if nanosecond.any() else None
    return Instants((second - offset)[code], fraction, tz, notes=notes)


def _first_of(
    table: CheckedTable,
    name: str,
    coded: tuple[list[str], npt.NDArray[Any]],
    errors: Mapping[int, NoTimeError],
) -> InputError:
    """The error for the first text that is no time; numbers are only if all other texts are."""
    distinct, code = coded
    texts = [number for number in errors if not is_number(distinct[number])]
    row = int(np.isin(code, texts or list(errors)).argmax())
    error = errors[int(code[row])]
    if not texts:
        message = f"'{distinct[int(code[row])]}' is a number, and others are texts"
        error = NoTimeError(message, "write all times in one form")
    return _placed(table, name, error, row, skippable=len(errors) < len(distinct))


def _told_order(
    table: CheckedTable, name: str, coded: tuple[list[str], npt.NDArray[Any]]
) -> tuple[DateOrder | None, tuple[str, ...]]:
    """What comes first in dates whose year comes last, if one of them tells it, and a note.

    Raises
    ------
    InputError
        Some have the day first, and others the month.
    """
    distinct, code = coded
    dates = [year_last(text) or (0, 0, "") for text in distinct]
    if len({mark for *_, mark in dates if mark}) > 1:  # 25.01.2024 says nothing about 1/2/2024
        return None, ()
    pairs = np.array([date[:2] for date in dates], np.int64).reshape(-1, 2)
    told: dict[DateOrder, npt.NDArray[np.bool_]] = {
        "day": (pairs[:, 0] > 12) & (pairs[:, 1] <= 12),
        "month": (pairs[:, 1] > 12) & (pairs[:, 0] <= 12),
    }
    there: list[DateOrder] = [which for which, mask in told.items() if mask.any()]
    if not there:
        return None, ()
    rows = {which: int(told[which][code].argmax()) for which in there}
    if len(there) > 1:
        row, other = max(rows.values()), min(rows.values())
        message = f"'{distinct[code[row]]}' and '{distinct[code[other]]}' are not in one order"
        raise table.error(message, row, name, SAY_ORDER)
    which = there[0]
    text = distinct[code[rows[which]]]
    return which, (f"dates are read with the {which} first, as '{text}' has it",)
