"""Columns of a CSV file some of whose lines cannot be read: these are left out, and counted."""

from __future__ import annotations

import codecs
import os
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.io.files.arrays import flags
from mixsafe.io.files.checked_table import NAMES, CheckedTable, Faults
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.region_texts import regions_of
from mixsafe.io.files.text_part import TextPart
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import DECIMAL

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

_BLOCK = 1 << 20

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
