"""Columns of a CSV file: all of it, or piece after piece."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

import pyarrow as pa
from pyarrow import csv

from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.content import opened, text_head_of
from mixsafe.io.files.csv_records import Kind, explain


def read_csv(
    path: str | os.PathLike[str], header: tuple[str, ...], kinds: Mapping[str, Kind]
) -> Table | None:
    """Columns of a CSV file, nulls where cells are empty; None: there is not even a second line.

    Raises
    ------
    InputError
        Names the first line that is not as it should be.
    """
    columns = _columns(lambda: opened(path), header, kinds, skip=1)
    if columns is None and _has_no_row(path):
        return None
    if columns is None:
        raise explain(path, kinds)
    return Table(os.fspath(path), header, columns, True)


def csv_pieces(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    size: int,
) -> Iterator[Table]:
    """The same, some ``size`` bytes of whole lines at a time.

    Raises
    ------
    InputError
        As :func:`read_csv`, when the piece with that line is read.
    """
    begin = 0
    for number, piece in enumerate(_whole_lines(path, size)):
        if number and not piece.strip():
            continue
        columns = _columns(lambda: io.BytesIO(piece), header, kinds, skip=not number)  # noqa: B023 -- read at once
        if columns is None and not number and b"\n" not in piece:
            continue  # the header alone
        if columns is None:
            raise explain(path, kinds)
        table = Table(os.fspath(path), header, columns, True, begin)
        begin += len(table)
        yield table


def _whole_lines(path: str | os.PathLike[str], size: int) -> Iterator[bytes]:
    """A text file in pieces of about ``size`` bytes that end with a line."""
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
    """Columns of lines; None: some are not as they should be.

    Parameters
    ----------
    opens
        Opens what PyArrow reads from, as often as it is tried.
    """
    known = {
        "name": NAMES,
        "integer": pa.int64(),
        "number": pa.float64(),
        "text": pa.string(),
    }
    types = {name: known[kind] for name, kind in kinds.items() if kind in known}
    for attempt in (types, types | dict.fromkeys(kinds.keys() - types.keys(), known["name"])):
        how = csv.ReadOptions(column_names=header, skip_rows=skip)
        what = csv.ConvertOptions(include_columns=list(kinds), column_types=attempt)
        try:
            with opens() as file:
                data = csv.read_csv(file, read_options=how, convert_options=what)
        except pa.ArrowInvalid:
            continue
        return dict(zip(kinds, data.columns, strict=True))
    return None


def _has_no_row(path: str | os.PathLike[str]) -> bool:
    """Whether a text file ends with its first line."""
    return len(text_head_of(path).split(b"\n", 1)) == 1
