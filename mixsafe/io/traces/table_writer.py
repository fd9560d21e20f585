"""Traces as a table: ``user_id``, ``time``, ``lat`` and ``lon``, or ``reg_id``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from mixsafe.io.files.writing import column_stream, write_columns
from mixsafe.model.mobility.traces import Traces


def write_table(path: str | os.PathLike[str], traces: Traces) -> None:
    """Write traces as CSV or Parquet, by the file's ending, whole or not at all.

    Times are Unix seconds in a column ``time``, or numbers in a column ``time_id``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_columns(path, _table(traces))


@contextmanager
def table_stream(path: str | os.PathLike[str]) -> Iterator[Callable[[Traces], None]]:
    """Write traces as they are made, so that they need not fit into memory; as ``write_table``.

    Yields
    ------
    callable
        Takes the fixes of the next users; those of one user come at once.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    with column_stream(path) as add:
        yield lambda traces: add(_table(traces))


def _table(traces: Traces) -> pa.Table:
    """Columns of the traces."""
    columns = {
        "user_id": pa.array(traces.users.tolist()).take(pa.array(traces.user)),
        "time" if traces.clock == "unix" else "time_id": pa.array(traces.time),
    }
    for name, values in (("lat", traces.lat), ("lon", traces.lon), ("reg_id", traces.region)):
        if values is not None:
            columns[name] = pa.array(values)
    return pa.table(columns)
