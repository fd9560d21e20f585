"""Columns of a CSV file some of whose lines cannot be read: these are left out, and counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute, csv

from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.csv_records import MISSING, Kind, explain
from mixsafe.io.files.faults import Faults
from mixsafe.model.mobility.premises import MOST_EXAMPLES
from mixsafe.model.numerals import DECIMAL

KNOWN: Mapping[Kind, pa.DataType] = {
    "name": NAMES,
    "integer": pa.int64(),
    "region": pa.int64(),
    "number": pa.float64(),
    "coordinate": pa.float64(),
    "text": pa.string(),
    "geometry": pa.string(),
    "optional": pa.string(),
}
"""Type of a column of each kind but ``time``, whose type is inferred."""

INTEGER = r"^[ \t]*[+-]?0*([0-9]{1,18}|[1-8][0-9]{18})[ \t]*$"
REGION = r"^[ \t]*[+-]?(0|[1-9][0-9]{0,17}|[1-8][0-9]{18})[ \t]*$"
_FLOAT = rf"^[ \t]*{DECIMAL}[ \t]*$"

_PATTERNS: Mapping[Kind, str] = {"integer": INTEGER, "region": REGION}
"""What whole numbers look like; all other numbers are like ``_FLOAT``."""

Opens = Callable[[], AbstractContextManager[Any]]


def lenient_table(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    part: tuple[Opens, int],
    skip: int,
) -> Table:
    """Read a part of a file that the fast reader has refused.

    Parameters
    ----------
    part
        Opens the part, and the number of rows of the file before it.
    skip
        Lines of the part to skip: 1 if it begins with the header.

    Raises
    ------
    InputError
        The part cannot be read at all: it is not UTF-8, or not CSV.
    """
    opens, begin = part
    broken: list[tuple[int, str]] = []

    def note(row: csv.InvalidRow) -> str:
        # Numbers count the lines that are not empty, from 1, with the header.
        message = f"{row.actual_columns} fields instead of {row.expected_columns}"
        broken.append((row.number - 1 - skip, message))
        return "skip"

    plain = {"name": NAMES, "time": NAMES}
    types = {name: plain.get(kind, pa.string()) for name, kind in kinds.items()}
    try:
        with opens() as file:
            data = csv.read_csv(
                file,
                csv.ReadOptions(column_names=header, skip_rows=skip, use_threads=False),
                csv.ParseOptions(invalid_row_handler=note),
                csv.ConvertOptions(include_columns=list(kinds), column_types=types),
            )
    except pa.ArrowInvalid:
        raise explain(path, kinds) from None
    columns = dict(zip(kinds, data.columns, strict=True))
    gone = np.array([row for row, _ in broken], np.int64)
    faults = Faults(len(broken), [(begin + row, what) for row, what in broken[:MOST_EXAMPLES]])
    table = Table(os.fspath(path), header, columns, True, begin, gone=gone, faults=faults)
    converted = {name: _converted(table, name, kind) for name, kind in kinds.items()}
    return Table(os.fspath(path), header, converted, True, begin, gone=gone, faults=faults)


def _converted(table: Table, name: str, kind: Kind) -> pa.ChunkedArray:
    """A column of texts as one of its kind; null where it is missing or marked as wrong."""
    column = table.columns[name]
    if kind == "time":
        return _times(table, name)
    wanted = KNOWN[kind]
    if not (pa.types.is_integer(wanted) or pa.types.is_floating(wanted)):
        return column
    pattern = _PATTERNS.get(kind, _FLOAT)
    missing, good = _missing(column), compute.match_substring_regex(column, pattern)
    table.mark(_flags(compute.invert(compute.or_(missing, good))), name, "'{}' is not a number")
    texts = compute.utf8_trim_whitespace(compute.if_else(good, column, None))
    return compute.replace_substring_regex(texts, r"^\+", "").cast(wanted)


def _times(table: Table, name: str) -> pa.ChunkedArray:
    """Times: numbers if most of them are, else texts."""
    coded = table.columns[name].unify_dictionaries().combine_chunks()
    texts = coded.dictionary
    good = _flags(compute.match_substring_regex(texts, _FLOAT))
    of_row = good[coded.indices.to_numpy()]
    if 2 * np.count_nonzero(of_row) <= len(of_row):
        return table.columns[name]
    table.mark(~of_row, name, "'{}' is not a timestamp")
    kept = compute.utf8_trim_whitespace(compute.if_else(pa.array(good), texts, None))
    whole = bool(_flags(compute.match_substring_regex(kept, INTEGER).fill_null(True)).all())
    values = kept.cast(pa.int64() if whole else pa.float64())
    return pa.chunked_array([values.take(coded.indices)])


def _missing(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Flags of cells that stand for a missing number."""
    trimmed = compute.utf8_trim_whitespace(column)
    return compute.is_in(trimmed, value_set=pa.array(MISSING))


def _flags(found: pa.Array | pa.ChunkedArray) -> npt.NDArray[np.bool_]:
    """Flags as a NumPy array."""
    return np.asarray(
        found.to_numpy(zero_copy_only=False) if isinstance(found, pa.Array) else found.to_numpy(),
        bool,
    )
