"""Timestamps of files (ISO 8601 or Unix seconds) as Unix seconds, UTC."""

from __future__ import annotations

from collections.abc import Set
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import Table
from mixsafe.model.mobility.instant import EARLIEST, LATEST, parse_instant

NAIVE = "times without a time zone are read as {}"
ODD = {
    "twice": "times that occur twice in {} (clocks set back) are read as the first of the two",
    "skip": "times that do not exist in {} (clocks set forward) are read with the offset before",
}
_SAY_OFFSET = "write them with an offset: 2008-05-17T10:00:04+02:00"
_WRITE = (
    "write times with the year first, as 2008-05-17 10:00:04 or 2008-05-17T10:00:04Z, or in Unix"
    " seconds"
)


def check_tz(name: str) -> str:
    """Return the name of a time zone if it exists.

    Raises
    ------
    InputError
        The time zone is unknown.
    """
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"unknown time zone '{name}'", hint="use an IANA name such as Europe/Berlin"
        ) from None
    return name


def instants(
    table: Table, name: str, zone: str | None = None
) -> tuple[npt.NDArray[np.int64], tuple[str, ...], str | None]:
    """Convert a column of timestamps to Unix seconds.

    Parameters
    ----------
    zone
        IANA zone of timestamps without one; None: UTC.

    Returns
    -------
    seconds
        (n_rows,), rounded down.
    notes
        Assumptions about timestamps without a time zone.
    tz
        Name of the column's time zone, if it has a named one (Parquet).

    Raises
    ------
    InputError
        Names the line of the first cell that is not a timestamp.
    """
    column = table.columns[name]
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_numbers(table, name), (), None
    if pa.types.is_date(kind):
        column, kind = column.cast(pa.timestamp("s")), pa.timestamp("s")
    if pa.types.is_timestamp(kind):
        seconds, odd = _seconds(column), frozenset[str]()
        if kind.tz is None and zone not in (None, "UTC"):
            seconds, odd = _in_zone(column, zone)
        wrong = (seconds < EARLIEST) | (seconds >= LATEST)
        if wrong.any():
            message = "the timestamp is outside the years 1 to 9999"
            raise table.error(message, int(wrong.argmax()), name)
        notes = _notes(odd, zone or "UTC") if kind.tz is None else ()
        return seconds, notes, _named_zone(kind.tz)
    texts = _texts(column)
    if texts is None:
        raise table.error(f"'{column[0].as_py()}' is not a timestamp", 0, name, _WRITE)
    return *_from_texts(table, name, texts, zone or "UTC"), None


def _seconds(column: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Unix seconds of timestamps; those without a zone are read as UTC."""
    # NumPy rounds down when it converts to a coarser unit, also before 1970.
    moments = column.cast(pa.timestamp(column.type.unit)).to_numpy().astype("datetime64[s]")
    seconds: npt.NDArray[np.int64] = moments.astype(np.int64)
    return seconds


def _in_zone(
    column: pa.ChunkedArray, zone: str | None
) -> tuple[npt.NDArray[np.int64], frozenset[str]]:
    """Unix seconds of a zone's local times, as ``parse_instant``, and the irregularities found.

    Arrow maps all skipped local times to one instant, the last before the change.
    """
    whole = pa.timestamp("s")
    said = pa.array(_seconds(column)).cast(whole)
    first, last = (
        compute.assume_timezone(said, zone, ambiguous=end, nonexistent=end)
        for end in ("earliest", "latest")
    )
    local, shown, seconds = (
        numbers(one.cast(whole).cast(pa.int64()))
        for one in (said, compute.local_timestamp(first), first)
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


def _from_numbers(table: Table, name: str) -> npt.NDArray[np.int64]:
    """Unix seconds of a column of numbers, rounded down."""
    given = table.values(name)
    table.check(~np.isfinite(given), name, "'{}' is not a timestamp", _WRITE)
    wrong = (given < EARLIEST) | (given >= LATEST)
    table.check(
        wrong,
        name,
        "{} Unix seconds are beyond the year 9999",
        "if these are milliseconds, divide by 1000",
    )
    whole = given if given.dtype.kind in "iu" else np.floor(given)
    seconds: npt.NDArray[np.int64] = whole.astype(np.int64, copy=False)
    return seconds


def _texts(column: pa.ChunkedArray) -> pa.DictionaryArray | None:
    """A text column as a dictionary array; None if the column has another type."""
    kind = column.type
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(value) or pa.types.is_large_string(value)):
        return None
    coded = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
    return coded.unify_dictionaries().combine_chunks()


def _from_texts(
    table: Table, name: str, texts: pa.DictionaryArray, zone: str
) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Unix seconds of texts, parsing each distinct text once, and the assumptions made."""
    code = numbers(texts.indices)
    seconds = np.zeros(len(texts.dictionary), np.int64)
    wrong = np.zeros(len(seconds), bool)
    some_naive, odd = False, set[str]()
    for number, text in enumerate(texts.dictionary.to_pylist()):
        try:
            found = parse_instant(text, zone)
            seconds[number] = found.second
        except (ValueError, OverflowError):
            wrong[number] = True
        else:
            some_naive |= found.naive
            odd |= set() if found.odd is None else {found.odd}
    table.check(wrong[code], name, "'{}' is not a timestamp", _WRITE)
    return seconds[code], _notes(odd, zone) if some_naive else ()


def _named_zone(tz: str | None) -> str | None:
    """A time zone's name; None for a plain offset such as +09:00."""
    try:
        return None if tz is None else check_tz(tz)
    except InputError:
        return None
