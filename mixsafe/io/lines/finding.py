"""Which column of a table has lines, by its first rows."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

import numpy as np
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import LineColumn
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.tables import read_parts
from mixsafe.io.lines.reading import lines_of

_LOOK = 20
"""Rows that show what the others are."""


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
