"""Parquet files: opening them, the memory that they take, and their columns, whole or by parts."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.files.arrays import is_text, value_type
from mixsafe.io.files.checked_table import NAMES, CheckedTable
from mixsafe.io.files.content import check_plausible, reading
from mixsafe.io.files.csv_records import LONGEST, MISSING, Kind
from mixsafe.io.files.spellings import regions_of, whole_texts
from mixsafe.machinery.memory import check_fits
from mixsafe.model.numerals import DECIMAL

if TYPE_CHECKING:
    from pyarrow import parquet


_DAMAGED = (pa.ArrowException, OSError, UnicodeDecodeError)

MOST_TIMES = 500
"""Plausible multiple of a file's size: places and times of parked vehicles take up to 150."""

_VALUE = 8
"""Bytes of a value: a number, or an offset of a text."""

_LISTED, _LIST = 16, 24
"""Bytes of a value in a list and of a list, measured where all were read at once."""


@contextmanager
def open_parquet(
    path: str | os.PathLike[str],
    **how: Any,
) -> Iterator[parquet.ParquetFile]:
    """Open a Parquet file; what is read in the block may find it damaged, too.

    Parameters
    ----------
    how
        Options of PyArrow's ``ParquetFile``.

    Raises
    ------
    InputError
        It is not a file, cannot be read, or is damaged.
    """
    with reading(path) as file:
        try:
            with _opened(file, how) as found:
                yield found
        except _DAMAGED as error:
            reason = str(error).partition("\n")[0].partition(".")[0]
            raise InputError(f"the Parquet file is damaged: {reason}", file=path) from None


def _opened(file: Any, how: dict[str, Any]) -> parquet.ParquetFile:  # noqa: ANN401
    """An open file whose columns have the names that its header says."""
    from pyarrow import parquet  # imported lazily: most files are CSV

    try:
        return parquet.ParquetFile(file, **how)
    except KeyError as error:  # names are in two places, one of which is damaged
        name = bytes(error.args[0]).decode("utf-8", "replace")
        raise pa.ArrowInvalid(f"it names column {name} in one place only") from None


def row_groups(file: parquet.ParquetFile) -> list[parquet.RowGroupMetaData]:
    """Row groups of an open file, to be used while it is open: PyArrow decodes them when asked.

    Raises
    ------
    ArrowInvalid
        Impossible numbers of rows.
    """
    groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
    rows = [group.num_rows for group in groups]
    if min(rows, default=0) < 0 or sum(rows) != file.metadata.num_rows:
        raise pa.ArrowInvalid("its parts have other rows than it says")
    return groups


def check_columns(
    path: str | os.PathLike[str], file: parquet.ParquetFile, names: Collection[str], held: bool
) -> None:
    """Refuse columns that take far more than their file, or than memory, before they are decoded.

    Parameters
    ----------
    held
        True: all are in memory at once.

    Raises
    ------
    InputError
        States the limit.
    """
    needed = sum(group_memory(group, names) for group in row_groups(file))
    hint = "write it as CSV if this is intended"
    check_plausible(path, needed, hint=hint, times=MOST_TIMES)
    if held:
        check_fits(path, needed)


def group_memory(group: parquet.RowGroupMetaData, names: Collection[str] | None = None) -> int:
    """Memory of a row group, bytes, from its metadata: nothing is decoded.

    Parameters
    ----------
    names
        Columns that are read; None: all.
    """
    columns = (group.column(i) for i in range(group.num_columns))
    return sum(
        _chunk_memory(one, group.num_rows)
        for one in columns
        if names is None or {one.path_in_schema, one.path_in_schema.partition(".")[0]} & {*names}
    )


def _chunk_memory(column: parquet.ColumnChunkMetaData, rows: int) -> int:
    """Memory of a column of a row group, bytes."""
    values = column.num_values * _VALUE
    if "." in column.path_in_schema:
        values = column.num_values * _LISTED + rows * _LIST
    return int(max(column.total_uncompressed_size, values))


File = str | os.PathLike[str]

_NAMED: tuple[Kind, ...] = ("name", "region")


def parquet_header(path: File) -> tuple[str, ...]:
    """Column names of a Parquet file."""
    with open_parquet(path) as file:
        return tuple(file.schema_arrow.names)


def parquet_tables(
    path: File,
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    rows: int | None,
) -> Iterator[CheckedTable]:
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


def parquet_rows(path: File) -> int:
    """Number of rows of a Parquet file.

    Raises
    ------
    InputError
        The file is damaged.
    """
    with open_parquet(path) as file:
        return sum(group.num_rows for group in row_groups(file))


def table_of_kinds(
    path: File,
    header: tuple[str, ...],
    kinds: Mapping[str, Kind],
    part: tuple[pa.Table, int],
) -> CheckedTable:
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
    return CheckedTable(os.fspath(path), header, columns, None, begin)


def _as_kind(path: File, column: pa.ChunkedArray, name: str, kind: Kind) -> pa.ChunkedArray:
    """Convert a Parquet column to the type of its kind.

    Raises
    ------
    InputError
        The column's type does not fit the kind.
    """
    column = _without_decimals(column, kind)
    if kind in ("time", "text", "optional", "geometry"):
        return column
    value = value_type(column.type)
    sort = next((sort for sort, is_one in _SORTS.items() if is_one(value)), "other")
    convert = _CONVERSIONS.get((kind, sort))
    if convert is not None:
        return convert(path, column, name)
    if sort == "nothing":
        raise InputError("the column contains no values", file=path, column=name)
    raise _other_type(path, name, kind, value)


def _without_decimals(column: pa.ChunkedArray, kind: Kind) -> pa.ChunkedArray:
    """A column of DECIMAL as numbers: whole ones if all are, and a coordinate need not be."""
    kind_of = value_type(column.type)
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


def _floats(_: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Numbers; coordinates out of range are refused later."""
    return column.cast(pa.float64(), safe=False)


def _integers(path: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Whole numbers of any size.

    Raises
    ------
    InputError
        One does not fit into 64 bits.
    """
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        message = "a number does not fit into a signed 64-bit integer"
        raise InputError(message, file=path, column=name) from None


def _whole_numbers(path: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Whole numbers in a column of floats, as pandas holds them where some are missing.

    Raises
    ------
    InputError
        A number is not whole.
    """
    column = column.cast(value_type(column.type))
    try:
        return compute.if_else(compute.is_nan(column), None, column).cast(pa.int64())
    except pa.ArrowInvalid:
        raise _other_type(path, name, "region", column.type) from None


def _degrees(path: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
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


def _other_type(path: File, name: str, kind: Kind, kind_of: pa.DataType) -> InputError:
    """The error for a column of another type."""
    wanted = {
        "name": "names or whole numbers", "integer": "whole numbers",
        "region": "names or whole numbers",
        "number": "numbers", "coordinate": "numbers",
    }  # fmt: skip
    message = f"the column contains {kind_of}, not {wanted[kind]}"
    return InputError(message, file=path, column=name)


def _coded_numbers(path: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Encode whole numbers in a column of floating-point numbers: one with a missing value.

    Raises
    ------
    InputError
        A number is no whole number, or so large that it may stand for several.
    """
    kind = value_type(column.type)
    values = column.cast(kind).combine_chunks()
    whole = compute.if_else(compute.is_nan(values), None, values).dictionary_encode()
    texts = whole_texts(whole.dictionary)
    if texts is None:
        message = f"the column contains {kind}, not names or whole numbers"
        hint = "write names as whole numbers or as texts"
        raise InputError(message, file=path, column=name, hint=hint)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(whole.indices, texts)])


def _coded(_: File, column: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    """Encode names or whole numbers as a dictionary of strings, in one chunk.

    Encoding chunk by chunk would give each chunk a copy of all names, and unifying them would take
    longer than everything else.
    """
    if column.type != NAMES:
        whole = column.cast(value_type(column.type)).combine_chunks().dictionary_encode()
        column = pa.DictionaryArray.from_arrays(whole.indices, whole.dictionary.cast(pa.string()))
        return pa.chunked_array([column])
    return pa.chunked_array([column.unify_dictionaries().combine_chunks()])


_SORTS: Mapping[str, Callable[[pa.DataType], bool]] = {
    "whole": pa.types.is_integer,
    "real": pa.types.is_floating,
    "text": is_text,
    "nothing": pa.types.is_null,
}

_CONVERSIONS: Mapping[tuple[Kind, str], Callable[[File, pa.ChunkedArray, str], pa.ChunkedArray]] = {
    ("name", "whole"): _coded,
    ("name", "text"): _coded,
    ("name", "real"): _coded_numbers,
    ("integer", "whole"): _integers,
    ("number", "whole"): _floats,
    ("number", "real"): _floats,
    ("coordinate", "whole"): _floats,
    ("coordinate", "real"): _floats,
    ("coordinate", "text"): _degrees,
    ("coordinate", "nothing"): _floats,
    ("region", "whole"): _integers,
    ("region", "real"): _whole_numbers,
    ("region", "text"): lambda _, column, name: regions_of(column),
    ("region", "nothing"): _integers,
}
"""How what a column holds becomes what it is for; all else is refused."""
