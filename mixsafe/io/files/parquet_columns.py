"""Columns of a Parquet file: all of it, or piece after piece."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.checked_table import NAMES, Table
from mixsafe.io.files.content import check_fits
from mixsafe.io.files.csv_records import Kind

_DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)

VALUE_BYTES = 8
"""Of a value in memory, about: a number, or a place in a list."""


def parquet_header(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Column names of a Parquet file."""
    from pyarrow import parquet  # loaded here: most files are CSV

    try:
        return tuple(parquet.read_schema(path).names)
    except _DAMAGED as error:
        raise _bad_parquet(path, error) from None


def _bad_parquet(path: str | os.PathLike[str], error: Exception) -> InputError:
    """The error for a Parquet file that PyArrow refuses."""
    reason = str(error).partition("\n")[0].partition(".")[0]
    return InputError(f"the Parquet file is damaged: {reason}", file=path)


def parquet_tables(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
) -> Iterator[Table]:
    """Columns of a Parquet file, nulls where values are missing.

    Parameters
    ----------
    rows
        Of a table, at most; None: all in one.

    Raises
    ------
    InputError
        The file is damaged, or a column holds something else, when the table at fault is read.
    """
    begin = 0
    try:
        for data in _parts(path, kinds, rows):
            data.validate(full=True)
            yield table_of_kinds(path, header, kinds, (data, begin))
            begin += len(data)
    except _DAMAGED as error:
        raise _bad_parquet(path, error) from None


def _parts(
    path: str | os.PathLike[str], kinds: Mapping[str, Kind], rows: int | None
) -> Iterator[pa.Table]:
    """The columns, all at once or some rows at a time; names as dictionaries."""
    from pyarrow import parquet

    names, columns = [name for name, kind in kinds.items() if kind == "name"], list(kinds)
    if rows is None:
        check_fits(path, parquet_rows(path) * len(kinds) * VALUE_BYTES)
        yield parquet.read_table(path, columns=columns, read_dictionary=names)
        return
    # Column chunks are read as they are needed: whole row groups can be larger than memory.
    with parquet.ParquetFile(path, read_dictionary=names, buffer_size=1 << 20) as file:
        for batch in file.iter_batches(rows, columns=columns):
            yield pa.Table.from_batches([batch])


def parquet_rows(path: str | os.PathLike[str]) -> int:
    """Number of rows of a Parquet file.

    Raises
    ------
    InputError
        The file is damaged.
    """
    from pyarrow import parquet

    try:
        return int(parquet.read_metadata(path).num_rows)
    except _DAMAGED as error:
        raise _bad_parquet(path, error) from None


def table_of_kinds(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    part: tuple[pa.Table, int],
) -> Table:
    """Columns in the types of their kinds, of a part of a file that begins with some row.

    Parameters
    ----------
    path
        For messages.
    part
        The rows, and the number of those of the file before them.

    Raises
    ------
    InputError
        A column holds something else.
    """
    data, begin = part
    columns = {name: _as_kind(path, data[name], name, kind) for name, kind in kinds.items()}
    return Table(os.fspath(path), header, columns, False, begin)


def _as_kind(
    path: str | os.PathLike[str], column: pa.ChunkedArray, name: str, kind: Kind
) -> pa.ChunkedArray:
    """A Parquet column in the types of its kind.

    Raises
    ------
    InputError
        The column's type does not go with the kind.
    """
    kind_of = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    whole = pa.types.is_integer(kind_of)
    text = pa.types.is_string(kind_of) or pa.types.is_large_string(kind_of)
    if kind == "name" and (whole or text):
        return _coded(column, kind_of)
    if kind == "integer" and whole:
        try:
            return column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise InputError(
                "a number is too large for 64 bits with a sign", file=path, column=name
            ) from None
    if kind == "number" and (whole or pa.types.is_floating(kind_of)):
        return column.cast(pa.float64(), safe=False)  # who is too far away is refused later
    if kind in ("time", "text"):
        return column
    if pa.types.is_null(kind_of):
        raise InputError("there is no value in the column", file=path, column=name)
    wanted = {"name": "names or whole numbers", "integer": "whole numbers", "number": "numbers"}
    raise InputError(f"the column holds {kind_of}, not {wanted[kind]}", file=path, column=name)


def _coded(column: pa.ChunkedArray, kind_of: pa.DataType) -> pa.ChunkedArray:
    """Names or whole numbers as a dictionary of strings, in one chunk.

    Encoding chunk by chunk would give each chunk all names, and comparing those takes longer than
    all the rest.
    """
    if column.type != NAMES:
        whole = column.cast(kind_of).combine_chunks().dictionary_encode()
        column = pa.DictionaryArray.from_arrays(whole.indices, whole.dictionary.cast(pa.string()))
        return pa.chunked_array([column])
    return pa.chunked_array([column.unify_dictionaries().combine_chunks()])
