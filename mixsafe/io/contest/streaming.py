"""Streaming output of traces in regions, for traces larger than memory.

The output is one table, or a folder with a table per day.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import pyarrow as pa

from mixsafe.io.files.writing import column_stream
from mixsafe.machinery.atomic import atomic_folder
from mixsafe.model.mobility.trace_matrix import TraceMatrix

Adder = Callable[[TraceMatrix], None]
"""Writes the next users."""


@contextmanager
def region_stream(path: str | os.PathLike[str]) -> Iterator[Adder]:
    """Open a stream that writes ``user_id,time_id,reg_id`` as CSV or Parquet, atomically.

    Yields
    ------
    callable
        Writes the next users with all their steps; users are numbered 1, 2, … in that order.

    Raises
    ------
    InputError
        The file ending is unknown, or the file cannot be written.
    """
    users = 0
    with column_stream(path) as write:

        def add(traces: TraceMatrix) -> None:
            nonlocal users
            write(_table(traces, users))
            users += traces.n_users

        yield add


@contextmanager
def day_folder(path: str | os.PathLike[str], steps: int, steps_per_day: int) -> Iterator[Adder]:
    """Open a stream that writes ``day=1/part-0.parquet``, ``day=2/…`` (Hive layout), atomically.

    Parameters
    ----------
    steps
        Number of steps of each user.
    steps_per_day
        Steps per day; the last day may have fewer.

    Yields
    ------
    callable
        As in :func:`region_stream`; the rows are split by day.

    Raises
    ------
    InputError
        The folder is not empty, or cannot be written.
    """
    with atomic_folder(path) as draft, ExitStack() as stack:
        days: list[tuple[slice, Adder]] = []
        for number, begin in enumerate(range(0, steps, steps_per_day), 1):
            folder = draft / f"day={number}"
            folder.mkdir()
            stream = stack.enter_context(region_stream(folder / "part-0.parquet"))
            days.append((slice(begin, begin + steps_per_day), stream))

        def add(traces: TraceMatrix) -> None:
            for part, stream in days:
                stream(TraceMatrix(traces.region[:, part], traces.first_time + part.start))

        yield add


def _table(traces: TraceMatrix, before: int) -> pa.Table:
    """Columns of users numbered from ``before`` + 1 on, by user and step."""
    names = np.arange(before + 1, before + traces.n_users + 1, dtype=np.int32)
    columns = {
        "user_id": np.repeat(names, traces.n_steps),
        "time_id": np.tile(traces.time_ids.astype(np.int32), traces.n_users),
        "reg_id": traces.region.reshape(-1) + np.int32(1),
    }
    return pa.table(columns)
