"""Verdicts as a table: a row per wire or requirement."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pyarrow as pa

from mixsafe.io.files.writing import write_columns

if TYPE_CHECKING:
    import pandas as pd


def write_wires(path: str | os.PathLike[str], wires: pd.DataFrame) -> None:
    """Write a table of verdicts as CSV or Parquet, by the ending, whole or not at all.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    table = pa.Table.from_pandas(wires, preserve_index=False)
    write_columns(path, table.replace_schema_metadata(None))
