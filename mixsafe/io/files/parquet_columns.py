"""Columns of a Parquet file, at once or in batches."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.csv_records import LONGEST, MISSING, PLACED, Kind
from mixsafe.io.files.parquet_files import check_columns, open_parquet
from mixsafe.io.files.region_texts import regions_of
from mixsafe.io.files.spellings import whole_texts
from mixsafe.model.numerals import DECIMAL

if TYPE_CHECKING:
    from pyarrow import parquet

_NAMED: tuple[Kind, ...] = ("name", "region")


def parquet_header(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Column names of a Parquet file."""
    with open_parquet(path) as file:
        return tuple(file.schema_arrow.names)


def parquet_tables(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
) -> Iterator[Table]:
    """Yield columns of a Parquet file, with nulls for missing values.

    Parameters
    ----------
    rows
        Maximum number of rows per table; None: one table.

    Raises
    ------
    InputError
        The file is damaged or a column has another type, when the table at fault is read.
    """
    begin = 0
    names = [name for name, kind in kinds.items() if kind in _NAMED]
    # Column chunks are read on demand: a whole row group can be larger than memory.
    how: dict[str, Any] = {"read_dictionary": names, "buffer_size": 0 if rows is None else 1 << 20}
    with open_parquet(path, **how) as file:
        check_columns(path, file, kinds, held=rows is None)
        for data in _parts(file, list(kinds), rows):
            data.validate(full=True)
            yield table_of_kinds(path, header, kinds, (data, begin))
            begin += len(data)


def _parts(file: parquet.ParquetFile, columns: list[str], rows: int | None) -> Iterator[pa.Table]:
    """Yield the columns at once or in batches; names as dictionaries."""
    if rows is None:
        yield file.read(columns=columns)
        return
    for batch in file.iter_batches(rows, columns=columns):
        yield pa.Table.from_batches([batch])


def parquet_rows(path: str | os.PathLike[str]) -> int:
    """Number of rows of a Parquet file.

    Raises
    ------
    InputError
        The file is damaged.
    """
    with open_parquet(path) as file:
        return int(file.metadata.num_rows)


def table_of_kinds(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    part: tuple[pa.Table, int],
) -> Table:
    """Convert columns of a part of a file to the types of their kinds.

    Parameters
    ----------
    path
        For messages.
    part
        The rows, and the number of rows of the file before them.

    Raises
    ------
    InputError
        A column has another type.
    """
    data, begin = part
    columns = {name: _as_kind(path, data[name], name, kind) for name, kind in kinds.items()}
    return Table(os.fspath(path), header, columns, None, begin)


def _as_kind(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str, kind: Kind
) -> pa.ChunkedArray:
    """Convert a Parquet column to the type of its kind.

    Raises
    ------
    InputError
        The column's type does not fit the kind.
    """
    column = _without_decimals(column, kind)
    kind_of = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    whole = pa.types.is_integer(kind_of)
    text = pa.types.is_string(kind_of) or pa.types.is_large_string(kind_of)
    if kind == "name" and (whole or text):
        return _coded(column, kind_of)
    if kind == "name" and pa.types.is_floating(kind_of):
        return _coded_numbers(path, column, name)
    if kind in ("integer", "region") and whole:
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise InputError(
                "a number does not fit into a signed 64-bit integer", file=path, column=name
            ) from None
    if kind in ("number", "coordinate") and (whole or pa.types.is_floating(kind_of)):
        return column.cast(pa.float64(), safe=False)  # coordinates out of range are refused later
    if kind in ("time", "text", "optional", "geometry"):
        return column
    if kind in PLACED:
        return _as_place(path, column, name, kind)
    if pa.types.is_null(kind_of):
        raise InputError("the column contains no values", file=path, column=name)
    raise _other_type(path, name, kind, kind_of)


def _without_decimals(column: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """A column of DECIMAL as numbers: whole ones if all are, and a coordinate need not be."""
    kind_of = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not pa.types.is_decimal(kind_of):
        return column
    column = column.cast(kind_of)
    if kind not in ("number", "coordinate"):
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            pass
    if kind == "name" and kind_of.scale == 0:  # larger than 64 bits
        return column.cast(pa.string())
    # By way of texts: Arrow multiplies by a power of ten, and 0.0127 gets 0.012700000000000001.
    return column.cast(pa.string()).cast(pa.float64())


def _as_place(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str, kind: Kind
) -> pa.ChunkedArray:
    """Coordinates or regions in a column of another type.

    Raises
    ------
    InputError
        The column's type does not fit the kind.
    """
    kind_of = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if pa.types.is_null(kind_of):
        return column.cast(pa.float64() if kind == "coordinate" else pa.int64())
    if kind == "region" and pa.types.is_floating(kind_of):
        return _whole_numbers(path, column.cast(kind_of), name)
    if pa.types.is_string(kind_of) or pa.types.is_large_string(kind_of):
        return regions_of(column) if kind == "region" else _degrees(path, column, name)
    raise _other_type(path, name, kind, kind_of)


def _whole_numbers(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str
) -> pa.ChunkedArray:
    """Whole numbers in a column of floats, as pandas holds them where some are missing.

    Raises
    ------
    InputError
        A number is not whole.
    """
    try:
        return compute.if_else(compute.is_nan(column), None, column).cast(pa.int64())
    except pa.ArrowInvalid:
        raise _other_type(path, name, "region", column.type) from None


def _degrees(path: str | os.PathLike[str], column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Coordinates in a column of texts, as tables are read where some cells are ``NA``.

    Raises
    ------
    InputError
        A text is neither a number nor stands for a missing one.
    """
    texts = compute.utf8_trim_whitespace(column.cast(pa.string()))
    none = compute.is_in(texts, value_set=pa.array(MISSING))
    try:
        return compute.if_else(none, None, texts).cast(pa.float64())
    except pa.ArrowInvalid:
        plain = compute.match_substring_regex(texts, rf"^{DECIMAL}$")
        row = compute.index(compute.or_(plain, none).fill_null(True), False).as_py()
        if row < 0:
            raise _other_type(path, name, "coordinate", pa.string()) from None
        text = str(texts[row].as_py())[:LONGEST]
        message = f"row {row + 1}: the column contains string, and '{text}' is not a number"
        raise InputError(message, file=path, column=name) from None


def _other_type(
    path: str | os.PathLike[str], name: str, kind: Kind, kind_of: pa.DataType
) -> InputError:
    """The error for a column of another type."""
    wanted = {
        "name": "names or whole numbers", "integer": "whole numbers",
        "region": "names or whole numbers",
        "number": "numbers", "coordinate": "numbers",
    }  # fmt: skip
    message = f"the column contains {kind_of}, not {wanted[kind]}"
    return InputError(message, file=path, column=name)


def _coded_numbers(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str
) -> pa.ChunkedArray:
    """Encode whole numbers in a column of floating-point numbers: one with a missing value.

    Raises
    ------
    InputError
        A number is no whole number, or so large that it may stand for several.
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    values = column.cast(kind).combine_chunks()
    whole = compute.if_else(compute.is_nan(values), None, values).dictionary_encode()
    texts = whole_texts(whole.dictionary)
    if texts is None:
        message = f"the column contains {kind}, not names or whole numbers"
        hint = "write names as whole numbers or as texts"
        raise InputError(message, file=path, column=name, hint=hint)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(whole.indices, texts)])


def _coded(column: pa.ChunkedArray, kind_of: pa.DataType) -> pa.ChunkedArray:
    """Encode names or whole numbers as a dictionary of strings, in one chunk.

    Encoding chunk by chunk would give each chunk a copy of all names, and unifying them would take
    longer than everything else.
    """
    if column.type != NAMES:
        whole = column.cast(kind_of).combine_chunks().dictionary_encode()
        column = pa.DictionaryArray.from_arrays(whole.indices, whole.dictionary.cast(pa.string()))
        return pa.chunked_array([column])
    return pa.chunked_array([column.unify_dictionaries().combine_chunks()])
