"""Lines of a column, whatever they are written as."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa

from mixsafe.io.files.arrays import is_text
from mixsafe.io.files.csv_records import MISSING
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
"""Cells that show what the others are."""

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
