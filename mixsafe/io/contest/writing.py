"""Writers of the files of PWS Cup 2019, byte for byte as the organizers' programs.

Traces larger than memory are written as a stream: one table, or a folder with a table per day.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.io.files.writing import column_stream
from mixsafe.machinery.files import atomic_folder, secret, write_text
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells, IdTable

Path = str | os.PathLike[str]
Strings = npt.NDArray[np.object_]


def write_traces(path: Path, traces: TraceMatrix) -> None:
    """Write reference or original traces: ``user_id,time_id,reg_id``."""
    users, times = _names(1, traces.n_users), _names(traces.first_time, traces.n_steps)
    regions = _names(1, int(traces.region.max()) + 1)[traces.region]
    write_text(path, "user_id,time_id,reg_id\n" + _rows(users[:, None], times, regions))


@secret()
def write_anonymized(path: Path, cells: Cells) -> None:
    """Write released cells of users: one column ``reg_id``; secret, as its order says whose."""
    write_text(path, "reg_id\n" + _rows(_contents(cells)[cells.code]))


def write_public(path: Path, release: Cells) -> None:
    """Write a release: ``pse_id,time_id,reg_id``."""
    pseudonyms = _names(release.n_rows + 1, release.n_rows)[:, None]
    times = _names(release.first_time, release.n_steps)
    rows = _rows(pseudonyms, times, _contents(release)[release.code])
    write_text(path, "pse_id,time_id,reg_id\n" + rows)


@secret()
def write_id_table(path: Path, table: IdTable) -> None:
    """Write an ID table, which is secret: ``pse_id,user_id``, or by time if the table is."""
    users = _names(1, len(table.user))[table.user]
    if table.user.shape[1] == 1:
        pseudonyms = _names(len(users) + 1, len(users))[:, None]
        write_text(path, "pse_id,user_id\n" + _rows(pseudonyms, users))
    else:
        _write_by_time(path, users, table.first_time)


def write_inferred_ids(path: Path, answer: npt.NDArray[np.int32], first_time: int = 1) -> None:
    """Write an attacker's users: one column ``user_id``; if by time, ``pse_id,time_id,user_id``.

    Parameters
    ----------
    answer
        (n,) or (n, n_steps) users from 0.
    first_time
        time_id of the first column.
    """
    users = _names(1, int(answer.max()) + 1)[answer]
    if answer.ndim == 1:
        write_text(path, "user_id\n" + _rows(users))
    else:
        _write_by_time(path, users, first_time)


def _write_by_time(path: Path, users: Strings, first_time: int) -> None:
    """Write the user of each pseudonym at each time."""
    pseudonyms = _names(len(users) + 1, len(users))[:, None]
    times = _names(first_time, users.shape[1])
    write_text(path, "pse_id,time_id,user_id\n" + _rows(pseudonyms, times, users))


def write_inferred_traces(path: Path, answer: npt.NDArray[np.int32]) -> None:
    """Write an attacker's regions: one column ``reg_id``, by user and time."""
    write_text(path, "reg_id\n" + _rows(_names(1, int(answer.max()) + 1)[answer]))


def _names(first: int, count: int) -> Strings:
    """``count`` numbers from ``first`` on, as texts."""
    return np.array([str(number) for number in range(first, first + count)], object)


def _contents(cells: Cells) -> Strings:
    """Text of each distinct cell."""
    ids = _names(1, cells.n_regions).tolist()
    sets = [
        " ".join(str(region + 1) for region in cells.member[start:end])
        for start, end in zip(cells.ptr[:-1], cells.ptr[1:], strict=True)
    ]
    return np.array([*ids, "*", *sets], object)


def _rows(*columns: Strings) -> str:
    """CSV lines of columns, broadcast to one shape."""
    shape = np.broadcast_shapes(*(column.shape for column in columns))
    fields = np.empty((*shape, 2 * len(columns)), object)
    for number, column in enumerate(columns):
        fields[..., 2 * number] = column
        fields[..., 2 * number + 1] = ","
    fields[..., -1] = "\n"
    return "".join(fields.reshape(-1).tolist())


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
