"""Traces as a table: ``user_id``, ``time``, ``lat`` and ``lon``, or ``reg_id``."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from mixsafe.errors import InputError
from mixsafe.io.atomic import atomic_path
from mixsafe.model.traces import Traces


def write_table(path: str | os.PathLike[str], traces: Traces) -> None:
    """Write traces as CSV or Parquet, by the file's ending, whole or not at all.

    Times are Unix seconds in a column ``time``, or numbers in a column ``time_id``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    ending = Path(path).suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InputError(f"cannot write '{ending}' files", file=path, hint="use .csv or .parquet")
    columns = {
        "user_id": pa.array(traces.users.tolist()).take(pa.array(traces.user)),
        "time" if traces.clock == "unix" else "time_id": pa.array(traces.time),
    }
    for name, values in (("lat", traces.lat), ("lon", traces.lon), ("reg_id", traces.region)):
        if values is not None:
            columns[name] = pa.array(values)
    with atomic_path(path) as draft:
        if ending == ".parquet":
            pa.parquet.write_table(pa.table(columns), draft)
        else:
            _write_csv(draft, pa.table(columns), traces)


def _write_csv(path: Path, table: pa.Table, traces: Traces) -> None:
    """Write lines as everybody does; PyArrow alone would put its header into quotes."""
    special = any(mark in str(name) for name in traces.users for mark in ',"\r\n')
    options = pa.csv.WriteOptions(
        include_header=False, quoting_style="needed" if special else "none"
    )
    with path.open("wb") as file:
        file.write(",".join(table.column_names).encode() + b"\n")
        pa.csv.write_csv(table, file, options)
