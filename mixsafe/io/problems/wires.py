"""Writer of verdicts as a table: a row per wire or requirement."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

from mixsafe.io.files.writing import PART_ROWS, write_parts

if TYPE_CHECKING:
    import pandas as pd


def write_wires(path: str | os.PathLike[str], wires: pd.DataFrame) -> None:
    """Write a table of verdicts as CSV or Parquet, by the file's ending, atomically.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_tables(path, lambda _: [wires])


def write_tables(
    path: str | os.PathLike[str], tables: Callable[[int], Iterable[pd.DataFrame]]
) -> None:
    """Write a table of verdicts in batches; as :func:`write_wires`.

    Parameters
    ----------
    path
        Path of the file.
    tables
        Returns the batches, at least one, given their number of rows; it may be called twice (see
        :func:`mixsafe.io.files.writing.write_parts`).

    Raises
    ------
    InputError
        As :func:`write_wires`.
    """

    def plain(table: pd.DataFrame) -> pa.Table:
        return pa.Table.from_pandas(table, preserve_index=False).replace_schema_metadata(None)

    write_parts(path, lambda: map(plain, tables(PART_ROWS)))
