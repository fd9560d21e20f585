"""Columns of a CSV file, at once or in batches."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import pyarrow as pa
from pyarrow import csv

from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.content import PLAIN, WESTERN, is_western, opened, unpacked_head_of
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.lenient_csv import KNOWN, lenient_table
from mixsafe.io.files.region_texts import regions_of
from mixsafe.io.files.text_form import TextForm
from mixsafe.io.files.text_part import TextPart

_FIRST = 1 << 14
"""Bytes in which the first lines are."""

_PIECE = 1 << 24


def csv_tables(
    path: str | os.PathLike[str],
    form: TextForm,
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
    skip_bad: bool | None = None,
) -> Iterator[Table]:
    """Yield columns of a CSV file, with nulls for empty cells; nothing if it has no row.

    Parameters
    ----------
    form
        How the file writes a table.
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
    for number, part in enumerate(_parts(path, form, header, rows)):
        part = replace(part, begin=begin)
        columns = _columns(part, kinds)
        if columns is None and not number and _has_no_row(path, form):
            return
        if columns is None and form.encoding == PLAIN and _is_western(path):
            form = replace(form, encoding=WESTERN)
            part = part.western()
            columns = _columns(part, kinds)
        if columns is None and skip_bad:
            table = lenient_table(path, part, kinds)
        elif columns is None:
            raise explain(path, part.form, kinds, skippable=skip_bad is not None)
        else:
            table = Table(os.fspath(path), header, columns, part.form, begin)
        begin += len(table) + len(table.gone)
        yield table


def _parts(
    path: str | os.PathLike[str], form: TextForm, header: tuple[str, ...], rows: int | None
) -> Iterator[TextPart]:
    """The file, or each part of it that is not blank."""
    if rows is None:
        yield TextPart(partial(opened, path, form.encoding), form, header, form.skipped)
        return
    head = unpacked_head_of(path)
    line = max(len(head) // (head.count(b"\n") or 1), 1)  # bytes per row, estimated
    for number, piece in enumerate(_whole_lines(path, form, rows * line)):
        if not number or piece.strip():
            skip = 0 if number else form.skipped
            yield TextPart(partial(io.BytesIO, piece), form, header, skip)


def _whole_lines(path: str | os.PathLike[str], form: TextForm, size: int) -> Iterator[bytes]:
    """Yield a text file in pieces of about ``size`` bytes that end at a line end."""
    rest = b""
    with opened(path, form.encoding) as file:
        while block := file.read(size):
            cut = block.rfind(b"\n") + 1
            if cut:
                yield rest + block[:cut]
                rest = block[cut:]
            else:
                rest += block
    if rest:
        yield rest


def _is_western(path: str | os.PathLike[str]) -> bool:
    """Whether a file that begins as ASCII is no UTF-8 later, but the text of a spreadsheet."""
    found = False
    for piece in _whole_lines(path, TextForm(), _PIECE):
        if not piece.isascii():
            if not is_western(piece):
                return False
            found = True
    return found


def _columns(
    part: TextPart, kinds: Mapping[str, Kind], also: Mapping[str, pa.DataType] | None = None
) -> dict[str, pa.ChunkedArray] | None:
    """Parse columns from lines; None if a line is invalid.

    Parameters
    ----------
    also
        Further types of columns.
    """
    types = {name: KNOWN[kind] for name, kind in kinds.items() if kind in KNOWN}
    types |= dict(also or {})
    times = [name for name, kind in kinds.items() if kind == "time"]
    types |= _with_offsets(_head(part, times))
    long = bool({"geometry", "optional"} & set(kinds.values()))
    for attempt in (types, types | dict.fromkeys(kinds.keys() - types.keys(), NAMES)):
        what = csv.ConvertOptions(
            include_columns=list(kinds),
            column_types=attempt,
            null_values=MISSING,
            decimal_point=part.form.decimal,
        )
        try:
            with part.opens() as file:
                data = csv.read_csv(file, part.rows(long=long), part.cells(), what)
        except pa.ArrowInvalid:
            continue
        missed = _with_offsets(data.select(times))
        if missed:
            return _columns(part, kinds, types | missed)
        columns = dict(zip(kinds, data.columns, strict=True))
        for name in (name for name, kind in kinds.items() if kind == "region"):
            columns[name] = regions_of(columns[name])
        return columns
    return None


def _head(part: TextPart, names: list[str]) -> pa.Table:
    """Columns of the first lines; no columns if that cannot be told."""
    if not names:
        return pa.table({})
    with part.opens() as file:
        first = file.read(_FIRST)
    if len(first) < _FIRST:
        return pa.table({})  # The whole file is as little work.
    lines = io.BytesIO(first[: first.rfind(b"\n") + 1])
    what = csv.ConvertOptions(include_columns=names)
    try:
        return csv.read_csv(lines, part.rows(use_threads=False), part.cells(), what)
    except pa.ArrowInvalid:
        return pa.table({})


def _with_offsets(data: pa.Table) -> dict[str, pa.DataType]:
    """Types of columns of times that say an offset: texts, because PyArrow forgets the offset."""
    kinds = zip(data.schema.names, data.schema.types, strict=True)
    return {name: pa.string() for name, kind in kinds if pa.types.is_timestamp(kind) and kind.tz}


def _has_no_row(path: str | os.PathLike[str], form: TextForm) -> bool:
    """True if a text file ends before its first row."""
    return unpacked_head_of(path).count(b"\n") < form.skipped
