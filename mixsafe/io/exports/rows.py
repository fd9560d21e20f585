"""Rows that were collected from JSON, as a table in memory."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.objects.frames import Frame, column_of

Row = Mapping[str, Any]


def rows_frame(
    path: str | os.PathLike[str],
    rows: Sequence[Row],
    said: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    bad: Mapping[int, InputError] | None = None,
) -> Frame:
    """A table of rows.

    Parameters
    ----------
    rows
        What each row has of each key; the columns are all keys.
    said
        Columns known from the format, by meaning.
    notes
        Assumptions made, one sentence each.
    bad
        What is wrong with rows that could not be read, by their index.

    Raises
    ------
    InputError
        There is no row.
    """
    header = tuple(dict.fromkeys(key for row in rows for key in row))
    if bad and not header:
        raise next(iter(bad.values()))
    if not rows or not header:
        raise InputError("the file has no fixes", file=path)
    label = os.fspath(path)

    def column(name: str) -> pa.ChunkedArray:
        return column_of([row.get(name) for row in rows], label, name, "key")

    return Frame(label, header, column, said or {}, None, tuple(notes), bad or {})
