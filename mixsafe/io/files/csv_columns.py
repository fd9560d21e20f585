"""Columns of a CSV file, at once or in batches."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.io.files.checked_table import NAMES, CheckedTable
from mixsafe.io.files.content import PLAIN, WESTERN, is_western, opened, unpacked_head_of
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.lenient_csv import KNOWN, lenient_table, numbers_of
from mixsafe.io.files.region_texts import regions_of
from mixsafe.io.files.text_form import TextForm
from mixsafe.io.files.text_part import TextPart

_FIRST = 1 << 14
"""Bytes in which the first lines are."""

_LOOK = 1 << 10
_OFFSET = re.compile(rb"[0-9]\s?([zZ]|[+-][0-9]{2}(:?[0-9]{2})?)\b")
"""The end of a time with an offset."""

_PIECE = 1 << 24
"""Bytes of a text that are held in memory at once."""


def csv_tables(
    path: str | os.PathLike[str],
    form: TextForm,
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
    skip_bad: bool | None = None,
) -> Iterator[CheckedTable]:
    """Yield columns of a CSV file, with nulls for empty cells; nothing if it has no row.

    Parameters
    ----------
    form
        How the file writes a table.
    rows
        Approximate number of rows per table; None: one table.
    skip_bad
        Leave out rows at fault and count them; False: refuse them, and say that they can be left
        out; None: refuse them.

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
            table = CheckedTable(os.fspath(path), header, columns, part.form, begin)
        begin += len(table) + len(table.gone)
        yield table


def _parts(
    path: str | os.PathLike[str], form: TextForm, header: tuple[str, ...], rows: int | None
) -> Iterator[TextPart]:
    """The file, or each part of it that is not blank."""
    if rows is None:
        opens = partial(opened, path, form.encoding)
        with opens() as file:
            content = file.read(_PIECE)
        held = content if len(content) < _PIECE else None
        yield TextPart(opens, form, header, form.skipped, content=held)
        return
    head = unpacked_head_of(path)
    line = max(len(head) // (head.count(b"\n") or 1), 1)  # bytes per row, estimated
    for number, piece in enumerate(_whole_lines(path, form, rows * line)):
        if not number or piece.strip():
            skip = 0 if number else form.skipped
            yield TextPart(partial(io.BytesIO, piece), form, header, skip, content=piece)


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
    coded = types | dict.fromkeys(kinds.keys() - types.keys(), NAMES)
    signed = [name for name, kind in kinds.items() if kind == "integer"]
    long = bool({"geometry", "optional"} & set(kinds.values()))
    for attempt in (types, coded, coded | dict.fromkeys(signed, NAMES)):
        what = csv.ConvertOptions(
            include_columns=list(kinds),
            column_types=attempt,
            null_values=MISSING,
            decimal_point=part.form.decimal,
        )
        try:
            data, watched = _read(part, what, long=long)
        except pa.ArrowInvalid:
            continue
        if watched.found and _has_hexadecimal(part, data.schema):
            continue
        missed = _with_offsets(data.select(times))
        if missed:
            return _columns(part, kinds, types | missed)
        columns = dict(zip(kinds, data.columns, strict=True))
        for name in (name for name, kind in kinds.items() if kind == "region"):
            columns[name] = regions_of(columns[name])
        texts = [name for name in signed if attempt[name] == NAMES]
        found = {name: _whole_numbers(columns[name]) for name in texts}
        return None if None in found.values() else columns | found
    return None


def _read(part: TextPart, what: csv.ConvertOptions, *, long: bool) -> tuple[pa.Table, _Watched]:
    """Columns of a part, and whether ``0x`` occurs in it."""
    if part.content is None:
        with part.opens() as file:
            watched = _Watched(file)
            return csv.read_csv(watched, part.rows(long=long), part.cells(), what), watched
    # Arrow waits for a stream of Python, above all in threads, but not for bytes.
    source, watched = pa.BufferReader(part.content), _Watched(io.BytesIO(part.content))
    watched.read()
    return csv.read_csv(source, part.rows(long=long), part.cells(), what), watched


class _Watched(io.BufferedIOBase):
    """A stream of bytes, and whether ``0x`` occurs in it."""

    def __init__(self, stream: Any) -> None:  # noqa: ANN401 -- any stream of bytes
        super().__init__()
        self._stream, self._last, self.found = stream, b"", False

    def readable(self) -> bool:
        """True: the stream is readable."""
        return True

    def read(self, size: int | None = -1) -> bytes:
        """Read the next bytes."""
        block: bytes = self._stream.read(size)
        if not self.found:
            ends = self._last + block[:1]
            self.found = any(
                # A single byte is found ten times as fast.
                (mark[1:] in block and mark in block) or ends == mark
                for mark in (b"0x", b"0X")
            )
            self._last = block[-1:]
        return block


def _has_hexadecimal(part: TextPart, schema: pa.Schema) -> bool:
    """Whether a cell of a column of integers is ``0x10``, which PyArrow reads as 16."""
    kinds = zip(schema.names, schema.types, strict=True)
    texts = {name: pa.string() for name, kind in kinds if pa.types.is_integer(kind)}
    if not texts:
        return False
    what = csv.ConvertOptions(include_columns=list(texts), column_types=texts)
    with part.opens() as file:
        data = csv.read_csv(file, part.rows(), part.cells(), what)
    found = (compute.match_substring_regex(column, "0[xX]") for column in data.columns)
    return any(compute.any(one).as_py() for one in found)


def _whole_numbers(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Texts as numbers; None if one has another form."""
    whole = column.unify_dictionaries().combine_chunks()
    found, wrong = numbers_of(whole.dictionary, "integer")
    if compute.any(wrong).as_py():
        return None
    return pa.chunked_array([found.take(whole.indices)])


def _head(part: TextPart, names: list[str]) -> pa.Table:
    """Columns of the first lines; no columns if that cannot be told."""
    if not names:
        return pa.table({})
    with part.opens() as file:
        first = file.read(_FIRST)
    if len(first) < _FIRST or not _OFFSET.search(first[:_LOOK]):
        return pa.table({})  # The whole file is as little work, or has no offset.
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
