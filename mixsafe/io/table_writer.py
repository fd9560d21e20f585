"""Traces as a table: ``user_id``, ``time``, ``lat`` and ``lon``, or ``reg_id``."""

from __future__ import annotations

import os

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
    users = pa.array(traces.users.tolist())
    columns = {
        "user_id": users.take(pa.array(traces.user)),
        "time" if traces.clock == "unix" else "time_id": pa.array(traces.time),
    }
    for name, values in (("lat", traces.lat), ("lon", traces.lon), ("reg_id", traces.region)):
        if values is not None:
            columns[name] = pa.array(values)
    table = pa.table(columns)
    ending = os.path.splitext(path)[1].lower()
    if ending not in (".csv", ".parquet"):
        raise InputError(
            f"'{ending}' is not a table's ending", file=path, hint="use .csv or .parquet"
        )
    with atomic_path(path) as draft:
        if ending == ".parquet":
            pa.parquet.write_table(table, draft)
        else:
            options = pa.csv.WriteOptions(quoting_style="none")
            pa.csv.write_csv(table, draft, options)
