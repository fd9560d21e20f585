"""Columns of lines of fixes: which one of a table is, and its rows as rows with a fix each.

A column ``geometry`` may have a line of positions in each row, in any spelling of
:mod:`mixsafe.io.lines.texts` and :mod:`mixsafe.io.lines.arrays`. The times of the positions are

- in the line, as MobilityDB, kepler.gl and PostGIS write them; the column of times is then the
  column of lines itself (``Layout.time == Layout.geometry``), or is not used;
- in a list in the column of times, one for each position (``coordTimes`` of GeoJSON);
- one every 15 seconds, of the taxis of Porto alone.

Only these positions are fixes; nobody is placed between them. All rules for rows hold for fixes:
what is wrong with one is counted once, and named by the row of the file. A row without a position
becomes one fix without a position, and a row that cannot be read one bad row.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, LineColumn, plain_name
from mixsafe.io.columns.points import check_srid
from mixsafe.io.files.arrays import flags, is_text, numbers
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import TABLE
from mixsafe.io.files.csv_records import MISSING, Kind
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.tables import read_parts
from mixsafe.io.lines.arrays import (
    Lines,
    are_lines,
    bytes_of,
    is_line_of_wkb,
    is_list,
    lines_of_lists,
    lines_of_wkb,
)
from mixsafe.io.lines.texts import form_of_text, times_in_texts

_LOOK = 20
"""Rows that show what the others are."""

_POINT = re.compile(r"(?i)\s*(?:SRID\s*=\s*\d+\s*;\s*)?POINT")


def lines_of(column: pa.ChunkedArray) -> Lines | None:
    """Lines of a column, with their times or without; None: it has none."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if are_lines(kind):
        return lines_of_lists(column.combine_chunks())
    if _is_binary(kind):
        first = _first_of(column)
        return lines_of_wkb(column) if first and is_line_of_wkb(first[0]) else None
    for text in _first_of(column) if is_text(kind) else []:
        form = form_of_text(text)
        if form is not None:
            return Lines.joined([form.lines(chunk) for chunk in column.chunks])
        if is_line_of_wkb(bytes_of(text)):
            return lines_of_wkb(column)
        if _POINT.match(text):
            return None
    return None


def no_lines(column: pa.ChunkedArray) -> Lines:
    """Lines of a part of a column that has none: cells are missing, or something else."""
    wrong = np.array([not _is_missing(one) for one in column.to_pylist()], bool)
    none = np.zeros(0)
    return Lines(np.zeros(len(column), np.int64), none, none, pa.array([]), wrong)


def _is_missing(cell: str | bytes | None) -> bool:
    """True if a cell has nothing; ``[]`` is a line without positions."""
    return not cell or (isinstance(cell, str) and cell.strip() in (*MISSING, "[]"))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _first_of(column: pa.ChunkedArray) -> list[Any]:
    """The first cells of a column that are not missing."""
    found: list[Any] = []
    begin = 0
    while begin < len(column) and len(found) < _LOOK:
        size = begin + _LOOK
        cells = column.slice(begin, size).to_pylist()
        found += [one for one in cells if not _is_missing(one)]
        begin += size
    return found


def line_column(
    path: str | os.PathLike[str],
    header: Iterable[str],
    name: str | None = None,
    form: TableForm | None = None,
) -> LineColumn | None:
    """The column of a file that has lines in its first rows, those with times first.

    Parameters
    ----------
    header
        Columns of the file.
    name
        The only column that may have lines; None: any.
    form
        What the user says of the table; None: nothing.
    """
    return line_among(_first_rows(path, header if name is None else (name,), form).items())


def refuse_lines(
    path: str | os.PathLike[str],
    header: Iterable[str],
    name: str | None = None,
    form: TableForm | None = None,
) -> None:
    """Refuse a file with lines, as :func:`line_column` finds it, where a row must be one position.

    Raises
    ------
    InputError
        Names the column of lines.
    """
    line = line_column(path, header, name, form)
    if line is not None:
        message, hint = "a row has a whole line of positions", "write a row per position"
        raise InputError(message, file=path, line=1, column=line.name, hint=hint)


def fixes_per_row(
    path: str | os.PathLike[str], names: Iterable[str], form: TableForm | None = None
) -> int:
    """How many positions a row of a file has, by its first rows: the mean of lines, rounded up.

    Parameters
    ----------
    names
        Columns that may have lines.
    """
    lines = [lines_of(column) for column in _first_rows(path, names, form).values()]
    means = [one.counts.mean() for one in lines if one is not None and len(one.counts)]
    return max([1, *(int(np.ceil(mean)) for mean in means)])


def _first_rows(
    path: str | os.PathLike[str], names: Iterable[str], form: TableForm | None
) -> Mapping[str, pa.ChunkedArray]:
    """Columns of a file in its first rows; none if these cannot be read."""
    kinds: dict[str, Kind] = dict.fromkeys(names, "optional")
    if not kinds:
        return {}
    for rows in (_LOOK, 1):
        try:
            return next(read_parts(path, kinds, rows, form=form)).columns
        except InputError:  # perhaps of a row that will be skipped
            continue
    return {}


def line_among(columns: Iterable[tuple[str, pa.ChunkedArray]]) -> LineColumn | None:
    """The column that has lines in its first rows, those with times first; None: there is none."""
    found = None
    for name, column in columns:
        lines = lines_of(column.slice(0, _LOOK))
        if lines is not None and len(lines.x):
            if lines.time is not None:
                return LineColumn(name, True)
            found = found or LineColumn(name, False)
    return found


Ints = npt.NDArray[np.int64]

PORTO = ("POLYLINE", "TIMESTAMP")
"""Columns of lines and of their first times in the data of the taxis of Porto."""

PORTO_SECONDS = 15


def with_fixes(
    table: CheckedTable, layout: Layout, crs: object = None
) -> tuple[CheckedTable, Layout, tuple[str, ...]]:
    """A table whose rows have lines as one with a row per fix; any other table as it is.

    Parameters
    ----------
    crs
        Reference system of the coordinates; None: degrees. That of a line must not differ.

    Returns
    -------
    The table, its layout, and assumptions, one sentence each.

    Raises
    ------
    InputError
        A row has no line, or not as many times as positions; names its line.
    """
    name = layout.geometry
    if name is None:
        return table, layout, ()
    lines = lines_of(table.columns[name])
    if lines is None and (layout.time == name or (name, layout.time) == PORTO):
        lines = no_lines(table.columns[name])
    if lines is None:
        return table, layout, ()
    if lines.time is None and not _has_times(table, layout):
        if not is_text(table.columns[name].type):
            row = int((lines.counts > 0).argmax())
            raise table.error("the line has no times", row, name, TABLE)
        return table, layout, ()  # refused where points are read, which may be in other rows
    if lines.wrong is not None and lines.wrong.any():
        message = "'{}' is no line of positions like those of other rows"
        table.check(lines.wrong, name, message, "write all lines in one spelling")
        lines = lines.without(lines.wrong)
    for srid in lines.srid:
        check_srid(srid, crs, table.file, name)
    layout = replace(layout, end=None)
    lines, when, layout, notes = _timed(table, layout, lines)
    if plain_name(layout.user) == "name":
        notes = (*notes, f"users are the names of lines, in column '{layout.user}'")
    return *_repeated(table, layout, lines, when), notes


def _has_times(table: CheckedTable, layout: Layout) -> bool:
    """True if the column of times tells when somebody was at each position of a line."""
    column = table.columns[layout.time]
    if (layout.geometry, layout.time) == PORTO and pa.types.is_integer(column.type):
        return True
    return layout.time != layout.geometry and _times_of(column) is not None


def _times_of(column: pa.ChunkedArray) -> tuple[pa.Array, Ints] | None:
    """Times of lists, one list a row, and how many each has; None: there are no lists."""
    if is_list(column.type):
        whole = column.combine_chunks()
        counts = numbers(compute.list_value_length(whole).fill_null(0)).astype(np.int64)
        times = whole.flatten()
        return times.cast(pa.string()) if pa.types.is_string_view(times.type) else times, counts
    if is_text(column.type):
        return times_in_texts(column.combine_chunks())
    return None


def _timed(
    table: CheckedTable, layout: Layout, lines: Lines
) -> tuple[Lines, pa.Array, Layout, tuple[str, ...]]:
    """Lines that can be read, times of their positions, where these are, and notes about them.

    Raises
    ------
    InputError
        A row has not as many times as positions.
    """
    name, column = layout.time, table.columns[layout.time]
    listed = None if name == layout.geometry else _times_of(column)
    if listed is not None:
        return *_listed(table, name, lines, listed), layout, ()
    if lines.time is None:
        note = (
            f"'{PORTO[0]}' is read as a fix every {PORTO_SECONDS} s from '{PORTO[1]}' on, as the"
            " description of the data of Porto says"
        )
        return lines, _every_15_seconds(numbers(column), lines.counts), layout, (note,)
    notes: tuple[str, ...] = ()
    if name != layout.geometry:
        notes = (
            f"column '{name}' is not used: lines in column '{layout.geometry}' have times of"
            " their own",
        )
    return lines, lines.time, replace(layout, time=str(layout.geometry)), notes


def _every_15_seconds(first: Ints, counts: Ints) -> pa.Array:
    """Times of positions of lines that begin at these."""
    row = np.repeat(np.arange(len(counts)), counts)
    begin = np.cumsum(counts) - counts
    return pa.array(first[row] + (np.arange(len(row)) - begin[row]) * PORTO_SECONDS)


def _listed(
    table: CheckedTable, name: str, lines: Lines, listed: tuple[pa.Array, Ints]
) -> tuple[Lines, pa.Array]:
    """Lines with as many times in lists of a column as positions, and these times.

    Raises
    ------
    InputError
        A row has not as many times as positions.
    """
    times, counts = listed
    wrong = (counts != lines.counts) & (lines.counts > 0)

    def message(row: int) -> str:
        return f"{counts[row]:,} times for {lines.counts[row]:,} positions"

    table.check(wrong, name, message, "give each position of a line its time")
    none = wrong | (lines.counts == 0)
    if none.any():
        times = times.filter(pa.array(~np.repeat(none, counts)))
    return lines.without(wrong), times


def _repeated(
    table: CheckedTable, layout: Layout, lines: Lines, when: pa.Array
) -> tuple[CheckedTable, Layout]:
    """The table with a row per position, and one for each row without any."""
    name = str(layout.geometry)
    times = np.maximum(lines.counts, 1)
    there = np.repeat(lines.counts > 0, times)
    x, y, time = lines.x, lines.y, when
    if not there.all():
        x, y = np.full((2, len(there)), np.nan)
        x[there], y[there] = lines.x, lines.y
        place = np.cumsum(there) - 1
        time = when.take(pa.array(place, mask=~there))
    row = pa.array(np.repeat(np.arange(len(table)), times))
    lat, lon = f"y of {name}", f"x of {name}"
    columns = {
        layout.user: table.columns[layout.user].take(row),
        layout.time: pa.chunked_array([time]),
        lat: pa.chunked_array([y]),
        lon: pa.chunked_array([x]),
    }
    made = table.repeated(times, columns, {lat: name, lon: name})
    missing = there & flags(time.is_null())
    made.check(missing, layout.time, "a position of the line has no time")
    return made, replace(layout, numbered=False, lat=lat, lon=lon, geometry=None)
