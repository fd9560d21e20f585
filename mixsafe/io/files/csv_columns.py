"""Columns of a CSV file, at once or in batches."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pyarrow as pa
from pyarrow import csv

from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.content import opened, text_head_of
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.lenient_csv import KNOWN, lenient_table


def csv_tables(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
    skip_bad: bool | None = None,
) -> Iterator[Table]:
    """Yield columns of a CSV file, with nulls for empty cells; nothing if there is no second line.

    Parameters
    ----------
    rows
        Approximate number of rows per table; None: one table.
    skip_bad
        As for :func:`mixsafe.io.files.tables.read_parts`.

    Raises
    ------
    InputError
        Names the first invalid line, when its table is read.
    """
    begin = 0
    for number, opens in enumerate(_parts(path, rows)):
        columns = _columns(opens, header, kinds, skip=not number)
        if columns is None and not number and _has_no_row(path):
            return
        if columns is None and skip_bad:
            table = lenient_table(path, header, kinds, (opens, begin), skip=not number)
        elif columns is None:
            raise explain(path, kinds, skippable=skip_bad is not None)
        else:
            table = Table(os.fspath(path), header, columns, True, begin)
        begin += len(table) + len(table.gone)
        yield table


def _parts(
    path: str | os.PathLike[str], rows: int | None
) -> Iterator[Callable[[], AbstractContextManager[Any]]]:
    """Functions that open the file, or each part of it that is not blank."""
    if rows is None:
        yield partial(opened, path)
        return
    head = text_head_of(path)
    line = max(len(head) // (head.count(b"\n") or 1), 1)  # bytes per row, estimated
    for number, piece in enumerate(_whole_lines(path, rows * line)):
        if not number or piece.strip():
            yield partial(io.BytesIO, piece)


def _whole_lines(path: str | os.PathLike[str], size: int) -> Iterator[bytes]:
    """Yield a text file in pieces of about ``size`` bytes that end at a line end."""
    rest = b""
    with opened(path) as file:
        while block := file.read(size):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
            else:
                rest += block
    if rest:
        yield rest


def _columns(
    opens: Callable[[], AbstractContextManager[Any]],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    skip: int,
) -> dict[str, pa.ChunkedArray] | None:
    """Parse columns from lines; None if a line is invalid.

    Parameters
    ----------
    opens
        Opens the input of PyArrow, once per attempt.
    """
    types = {name: KNOWN[kind] for name, kind in kinds.items() if kind in KNOWN}
    for attempt in (types, types | dict.fromkeys(kinds.keys() - types.keys(), NAMES)):
        how = csv.ReadOptions(column_names=header, skip_rows=skip)
        what = csv.ConvertOptions(
            include_columns=list(kinds), column_types=attempt, null_values=MISSING
        )
        try:
            with opens() as file:
                data = csv.read_csv(file, read_options=how, convert_options=what)
        except pa.ArrowInvalid:
            continue
        return dict(zip(kinds, data.columns, strict=True))
    return None


def _has_no_row(path: str | os.PathLike[str]) -> bool:
    """True if a text file has only one line."""
    return len(text_head_of(path).split(b"\n", 1)) == 1
