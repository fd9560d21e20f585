"""Columns of a CSV file, at once or in batches."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.content import opened, text_head_of
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.lenient_csv import INTEGER, KNOWN, REGION, lenient_table

_FIRST = 1 << 14
"""Bytes in which the first lines are."""


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
    also: Mapping[str, pa.DataType] | None = None,
) -> dict[str, pa.ChunkedArray] | None:
    """Parse columns from lines; None if a line is invalid.

    Parameters
    ----------
    opens
        Opens the input of PyArrow, once per attempt.
    also
        Further types of columns.
    """
    whole = {name: REGION for name, kind in kinds.items() if kind == "region"}
    types = {name: KNOWN[kind] for name, kind in kinds.items() if kind in KNOWN}
    types |= dict.fromkeys(whole, NAMES) | dict(also or {})
    times = [name for name, kind in kinds.items() if kind == "time"]
    types |= _with_offsets(_head(opens, header, times, skip))
    coded = types | dict.fromkeys(kinds.keys() - types.keys(), NAMES)
    signed = {name: INTEGER for name, kind in kinds.items() if kind == "integer"}
    for attempt in (types, coded, coded | dict.fromkeys(signed, NAMES)):
        how = csv.ReadOptions(column_names=header, skip_rows=skip)
        what = csv.ConvertOptions(
            include_columns=list(kinds), column_types=attempt, null_values=MISSING
        )
        try:
            with opens() as file:
                watched = _Watched(file)
                data = csv.read_csv(watched, read_options=how, convert_options=what)
        except pa.ArrowInvalid:
            continue
        if watched.found and _has_hexadecimal(opens, data.schema, how):
            continue
        missed = _with_offsets(data.select(times))
        if missed:
            return _columns(opens, header, kinds, skip, types | missed)
        columns = dict(zip(kinds, data.columns, strict=True))
        texts = whole | {name: one for name, one in signed.items() if attempt[name] == NAMES}
        found = {name: _whole_numbers(columns[name], one) for name, one in texts.items()}
        return None if None in found.values() else columns | found
    return None


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


def _has_hexadecimal(
    opens: Callable[[], AbstractContextManager[Any]], schema: pa.Schema, how: csv.ReadOptions
) -> bool:
    """Whether a cell of a column of integers is ``0x10``, which PyArrow reads as 16."""
    kinds = zip(schema.names, schema.types, strict=True)
    texts = {name: pa.string() for name, kind in kinds if pa.types.is_integer(kind)}
    if not texts:
        return False
    what = csv.ConvertOptions(include_columns=list(texts), column_types=texts)
    with opens() as file:
        data = csv.read_csv(file, read_options=how, convert_options=what)
    found = (compute.match_substring_regex(column, "0[xX]") for column in data.columns)
    return any(compute.any(one).as_py() for one in found)


def _whole_numbers(column: pa.ChunkedArray, pattern: str) -> pa.ChunkedArray | None:
    """Texts as numbers; None if one has another form.

    As regions, 0150 would be one place with 150.
    """
    whole = column.unify_dictionaries().combine_chunks()
    texts = compute.utf8_trim_whitespace(whole.dictionary)
    missing = compute.is_in(texts, value_set=pa.array(MISSING))
    good = compute.or_(missing, compute.match_substring_regex(texts, pattern))
    if not compute.all(good, min_count=0).as_py():
        return None
    texts = compute.if_else(missing, None, texts)
    numbers = compute.replace_substring_regex(texts, r"^\+", "").cast(pa.int64())
    return pa.chunked_array([numbers.take(whole.indices)])


def _head(
    opens: Callable[[], AbstractContextManager[Any]],
    header: tuple[str, ...],
    names: list[str],
    skip: int,
) -> pa.Table:
    """Columns of the first lines; no columns if that cannot be told."""
    if not names:
        return pa.table({})
    with opens() as file:
        first = file.read(_FIRST)
    lines = io.BytesIO(first[: first.rfind(b"\n") + 1])
    how = csv.ReadOptions(column_names=header, skip_rows=skip, use_threads=False)
    try:
        return csv.read_csv(lines, how, convert_options=csv.ConvertOptions(include_columns=names))
    except pa.ArrowInvalid:
        return pa.table({})


def _with_offsets(data: pa.Table) -> dict[str, pa.DataType]:
    """Types of columns of times that say an offset: texts, because PyArrow forgets the offset."""
    kinds = zip(data.schema.names, data.schema.types, strict=True)
    return {name: pa.string() for name, kind in kinds if pa.types.is_timestamp(kind) and kind.tz}


def _has_no_row(path: str | os.PathLike[str]) -> bool:
    """True if a text file has only one line."""
    return len(text_head_of(path).split(b"\n", 1)) == 1
