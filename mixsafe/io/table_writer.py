"""Traces as a table: ``user_id``, ``time``, ``lat`` and ``lon``, or ``reg_id``."""

from __future__ import annotations

import os

import pyarrow as pa

from mixsafe.io.writing import write_columns
from mixsafe.model.traces import Traces


def write_table(path: str | os.PathLike[str], traces: Traces) -> None:
    """Write traces as CSV or Parquet, by the file's ending, whole or not at all.

    Times are Unix seconds in a column ``time``, or numbers in a column ``time_id``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    columns = {
        "user_id": pa.array(traces.users.tolist()).take(pa.array(traces.user)),
        "time" if traces.clock == "unix" else "time_id": pa.array(traces.time),
    }
    for name, values in (("lat", traces.lat), ("lon", traces.lon), ("reg_id", traces.region)):
        if values is not None:
            columns[name] = pa.array(values)
    write_columns(path, pa.table(columns))
