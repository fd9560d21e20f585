"""Columns of a CSV file, at once or in batches; lines that cannot be read may be left out."""

from __future__ import annotations

import codecs
import io
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.io.files.arrays import flags
from mixsafe.io.files.checked_table import NAMES, CheckedTable, Faults
from mixsafe.io.files.content import PLAIN, WESTERN, is_western, opened, unpacked_head_of
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.spellings import regions_of
from mixsafe.io.files.table_form import TextForm
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import DECIMAL

_BLOCK, _LONG_BLOCK = 1 << 20, 1 << 24
"""Bytes that Arrow parses at once: a row must be shorter."""

Opens = Callable[[], AbstractContextManager[Any]]


@dataclass(frozen=True, eq=False)
class TextPart:
    """Lines of a text file.

    Parameters
    ----------
    opens
        Opens them as bytes in UTF-8, once per attempt to read them.
    form
        How the file writes a table.
    header
        Names of its columns.
    skip
        Number of lines before the first row.
    begin
        Number of rows of the file before these.
    content
        The lines, if they are held in memory.
    """

    opens: Opens
    form: TextForm
    header: tuple[str, ...]
    skip: int
    begin: int = 0
    content: bytes | None = None

    def rows(self, *, use_threads: bool = True, long: bool = False) -> csv.ReadOptions:
        """How Arrow reads rows; ``long``: some may be whole lines of fixes."""
        size = _LONG_BLOCK if long else _BLOCK
        if self.content is not None and len(self.content) < _LONG_BLOCK:
            use_threads, size = False, len(self.content) + 1  # columns are not cut into pieces
        return csv.ReadOptions(
            column_names=self.header,
            skip_rows=self.skip,
            use_threads=use_threads,
            block_size=size,
        )

    def cells(self, **more: Any) -> csv.ParseOptions:
        """How Arrow reads cells."""
        return csv.ParseOptions(delimiter=self.form.separator, **more)

    def western(self) -> TextPart:
        """The part of a file that turns out to be Windows-1252."""
        with self.opens() as file:
            text = bytes(file.read()).decode(WESTERN).encode(PLAIN)
        form = replace(self.form, encoding=WESTERN)
        return replace(self, opens=partial(io.BytesIO, text), form=form, content=None)


KNOWN: Mapping[Kind, pa.DataType] = {
    "name": NAMES,
    "integer": pa.int64(),
    "region": NAMES,
    "number": pa.float64(),
    "coordinate": pa.float64(),
    "text": pa.string(),
    "geometry": pa.string(),
    "optional": pa.string(),
}
"""Type in which a column of each kind is read but ``time``, whose type is inferred."""

_INTEGER = r"^[ \t]*[+-]?0*([0-9]{1,18}|[1-8][0-9]{18})[ \t]*$"
_FLOAT = rf"^[ \t]*{DECIMAL}[ \t]*$"


def lenient_table(
    path: str | os.PathLike[str], part: TextPart, kinds: Mapping[str, Kind]
) -> CheckedTable:
    """Read a part of a file that the fast reader has refused.

    Raises
    ------
    InputError
        The part cannot be read at all: it is not UTF-8, or not CSV.
    """
    if not _is_utf8(part):
        raise explain(path, part.form, kinds)
    broken: list[tuple[int, str]] = []

    def note(row: csv.InvalidRow) -> str:
        # Numbers count the lines that are not empty, from 1, with the header.
        message = f"{row.actual_columns} fields instead of {row.expected_columns}"
        broken.append((row.number - 1 - part.skip, message))
        return "skip"

    plain = {"name": NAMES, "time": NAMES, "region": NAMES}
    types = {name: plain.get(kind, pa.string()) for name, kind in kinds.items()}
    try:
        with part.opens() as file:
            data = csv.read_csv(
                file,
                part.rows(use_threads=False, long=True),
                part.cells(invalid_row_handler=note),
                csv.ConvertOptions(include_columns=list(kinds), column_types=types),
            )
    except pa.ArrowInvalid:
        raise explain(path, part.form, kinds) from None
    columns = dict(zip(kinds, data.columns, strict=True))
    gone = np.array([row for row, _ in broken], np.int64)
    first = [(part.begin + row, what) for row, what in broken[:MOST_EXAMPLES]]
    table = CheckedTable(
        os.fspath(path),
        part.header,
        columns,
        part.form,
        part.begin,
        gone=gone,
        faults=Faults(len(broken), first),
    )
    return replace(
        table, columns={name: _converted(table, name, kind) for name, kind in kinds.items()}
    )


def _is_utf8(part: TextPart) -> bool:
    """Whether the lines are UTF-8: Arrow shows a traceback where a line that it hands on is not."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with part.opens() as file:
            while block := file.read(_BLOCK):
                decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _converted(table: CheckedTable, name: str, kind: Kind) -> pa.ChunkedArray:
    """A column of texts as one of its kind; null where it is missing or marked as wrong."""
    column = table.columns[name]
    if kind == "time":
        return _times(table, name)
    if kind == "region":
        return regions_of(column)
    wanted = KNOWN[kind]
    if not (pa.types.is_integer(wanted) or pa.types.is_floating(wanted)):
        return column
    found, wrong = numbers_of(_with_points(table, column), kind)
    table.mark(flags(wrong), name, "'{}' is not a number")
    return found


def numbers_of(
    texts: pa.Array | pa.ChunkedArray, kind: Kind
) -> tuple[pa.Array | pa.ChunkedArray, pa.Array | pa.ChunkedArray]:
    """Texts as numbers, null where one is missing or none, and flags of those that are none."""
    good = compute.match_substring_regex(texts, _INTEGER if kind == "integer" else _FLOAT)
    trimmed = compute.utf8_trim_whitespace(texts)
    missing = compute.is_in(trimmed, value_set=pa.array(MISSING))
    kept = compute.replace_substring_regex(compute.if_else(good, trimmed, None), r"^\+", "")
    return kept.cast(KNOWN[kind]), compute.invert(compute.or_(missing, good))


def _with_points(table: CheckedTable, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Texts of numbers with a point for the decimal mark."""
    if table.form is None or table.form.decimal == ".":
        return column
    return compute.replace_substring(column, table.form.decimal, ".")


def _times(table: CheckedTable, name: str) -> pa.ChunkedArray:
    """Times: numbers if most of them are, else texts."""
    coded = table.columns[name].unify_dictionaries().combine_chunks()
    texts = coded.dictionary
    good = flags(compute.match_substring_regex(texts, _FLOAT))
    of_row = good[coded.indices.to_numpy()]
    if 2 * np.count_nonzero(of_row) <= len(of_row):
        return table.columns[name]
    table.mark(~of_row, name, "'{}' is not a timestamp")
    kept = compute.utf8_trim_whitespace(compute.if_else(pa.array(good), texts, None))
    whole = bool(flags(compute.match_substring_regex(kept, _INTEGER).fill_null(True)).all())
    values = kept.cast(pa.int64() if whole else pa.float64())
    return pa.chunked_array([values.take(coded.indices)])


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
