"""Lines of a column, whatever they are written as, and which column of a table has lines."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import LineColumn
from mixsafe.io.files.arrays import is_text
from mixsafe.io.files.csv_records import MISSING, Kind
from mixsafe.io.files.sniffing import TableForm
from mixsafe.io.files.tables import read_parts
from mixsafe.io.lines.arrays import (
    are_lines,
    bytes_of,
    is_line_of_wkb,
    lines_of_lists,
    lines_of_wkb,
)
from mixsafe.io.lines.parts import Lines
from mixsafe.io.lines.texts import form_of_text

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
