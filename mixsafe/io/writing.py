"""Tables of results, written as CSV or Parquet by the ending of the file's name."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
from pyarrow import csv, parquet

from mixsafe.errors import InputError
from mixsafe.io.atomic import atomic_path

ENDINGS = (".csv", ".parquet")


def write_columns(path: str | os.PathLike[str], table: pa.Table) -> None:
    """Write a table, whole or not at all.

    CSV has LF line ends, a header without quotes, and quotes only where a value needs them.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"cannot write '{ending}' files", file=path, hint="use .csv or .parquet")
    with atomic_path(path) as draft:
        if ending == ".parquet":
            parquet.write_table(table, draft)
        else:
            _write_csv(draft, table)


def _write_csv(path: Path, table: pa.Table) -> None:
    """Write lines as everybody does; PyArrow alone would put the header into quotes."""
    plain = [
        column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        for column in table.columns
    ]
    table = pa.table(plain, names=table.column_names)
    header = ",".join(table.column_names).encode() + b"\n"
    for style in ("none", "needed"):
        options = csv.WriteOptions(include_header=False, quoting_style=style)
        try:
            with path.open("wb") as file:
                file.write(header)
                csv.write_csv(table, file, options)
        except pa.ArrowInvalid:
            continue  # A text has a comma, a quote or a line end: then all texts get quotes.
        return
