"""Parquet files: opening them, and the memory that their columns take."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.content import check_plausible, reading
from mixsafe.machinery.spill.memory import check_fits

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
    groups = (file.metadata.row_group(i) for i in range(file.metadata.num_row_groups))
    needed = sum(group_memory(group, names) for group in groups)
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
