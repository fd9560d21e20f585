"""Moments as files write them (ISO 8601 or Unix seconds) in Unix seconds, UTC."""

from __future__ import annotations

from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import numbers
from mixsafe.io.files.checked_table import Table
from mixsafe.model.mobility.instant import EARLIEST, LATEST, parse_instant

NAIVE = "times without a time zone are taken as {}"
_WRITE = "write times as 2008-05-17T10:00:04Z or in Unix seconds"


def check_tz(name: str) -> str:
    """The name of a time zone, if there is one.

    Raises
    ------
    InputError
        No zone has this name.
    """
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"there is no time zone '{name}'", hint="use an IANA name such as Europe/Berlin"
        ) from None
    return name


def instants(
    table: Table, name: str, zone: str | None = None
) -> tuple[npt.NDArray[np.int64], bool, str | None]:
    """Unix seconds of a column of moments.

    Parameters
    ----------
    zone
        IANA zone of moments that say none; None: UTC.

    Returns
    -------
    seconds
        (n_rows,), rounded down.
    naive
        Whether a moment is without a time zone.
    tz
        Name of the column's own time zone, if it has one with a name (Parquet).

    Raises
    ------
    InputError
        Names the line of the first cell that is no moment.
    """
    column = table.columns[name]
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_numbers(table, name), False, None
    if pa.types.is_date(kind):
        column, kind = column.cast(pa.timestamp("s")), pa.timestamp("s")
    if pa.types.is_timestamp(kind):
        if kind.tz is None and zone not in (None, "UTC"):
            # The first of an hour that clocks show twice, as ``parse_instant`` has it.
            column = compute.assume_timezone(
                column, zone, ambiguous="earliest", nonexistent="earliest"
            )
        # NumPy rounds down when it goes to a coarser unit, before 1970 as well.
        moments = column.cast(pa.timestamp(kind.unit)).to_numpy().astype("datetime64[s]")
        seconds = moments.astype(np.int64)
        wrong = (seconds < EARLIEST) | (seconds >= LATEST)
        if wrong.any():
            raise table.error("the time is outside the years 1 to 9999", int(wrong.argmax()), name)
        return seconds, kind.tz is None, _named_zone(kind.tz)
    texts = _texts(column)
    if texts is None:
        raise table.error(f"'{column[0].as_py()}' is no moment", 0, name, _WRITE)
    return *_from_texts(table, name, texts, zone or "UTC"), None


def _from_numbers(table: Table, name: str) -> npt.NDArray[np.int64]:
    """Unix seconds of a column of numbers, rounded down."""
    given = table.values(name)
    table.check(~np.isfinite(given), name, "'{}' is no moment", _WRITE)
    wrong = (given < EARLIEST) | (given >= LATEST)
    table.check(
        wrong,
        name,
        "{} Unix seconds are beyond the year 9999",
        "are these milliseconds? mixsafe takes seconds",
    )
    whole = given if given.dtype.kind in "iu" else np.floor(given)
    seconds: npt.NDArray[np.int64] = whole.astype(np.int64, copy=False)
    return seconds


def _texts(column: pa.ChunkedArray) -> pa.DictionaryArray | None:
    """A column of texts, as a dictionary; None if it is no such column."""
    kind = column.type
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(value) or pa.types.is_large_string(value)):
        return None
    coded = column if pa.types.is_dictionary(kind) else column.dictionary_encode()
    return coded.unify_dictionaries().combine_chunks()


def _from_texts(
    table: Table, name: str, texts: pa.DictionaryArray, zone: str
) -> tuple[npt.NDArray[np.int64], bool]:
    """Unix seconds of texts, each different one read once; and whether one has no zone."""
    code = numbers(texts.indices)
    seconds = np.zeros(len(texts.dictionary), np.int64)
    wrong = np.zeros(len(seconds), bool)
    some_naive = False
    for number, text in enumerate(texts.dictionary.to_pylist()):
        try:
            seconds[number], naive = parse_instant(text, zone)
        except (ValueError, OverflowError):
            wrong[number] = True
        else:
            some_naive |= naive
    table.check(wrong[code], name, "'{}' is no moment", _WRITE)
    return seconds[code], some_naive


def _named_zone(tz: str | None) -> str | None:
    """A time zone's name, unless it is a mere offset such as +09:00."""
    if tz is None:
        return None
    try:
        ZoneInfo(tz)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
    return tz
