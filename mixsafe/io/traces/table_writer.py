"""Writer of traces as a table: ``user_id``, ``time``, ``lat`` and ``lon``, or ``reg_id``."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.io.files.writing import column_stream, write_columns
from mixsafe.model.mobility.traces import Traces


def write_table(path: str | os.PathLike[str], traces: Traces) -> None:
    """Write traces as CSV or Parquet, by the file's ending, atomically.

    Times are Unix seconds in a column ``time``, or numbers in a column ``time_id``.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_columns(path, _table(traces))


@contextmanager
def table_stream(path: str | os.PathLike[str]) -> Iterator[Callable[[Traces], None]]:
    """Open a stream that writes traces larger than memory, as ``write_table``.

    Yields
    ------
    callable
        Writes the fixes of the next users; each user's fixes come in one call.

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
    for name, values in (("lat", traces.lat), ("lon", traces.lon)):
        if values is not None:
            columns[name] = pa.array(values)
    if traces.region is not None:
        columns["reg_id"] = region_column(traces.region, traces.place_names)
    return pa.table(columns)


def region_column(region: npt.NDArray[np.int64], place_names: tuple[str, ...] | None) -> pa.Array:
    """Regions as files have them: by name, if they have names."""
    if place_names is None:
        return pa.array(region)
    return pa.array(place_names, pa.string()).take(pa.array(region - 1))
