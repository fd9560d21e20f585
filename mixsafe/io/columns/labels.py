"""Columns that refer to data already read: users by name, and times."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.io.columns.dialects import date_beside, reference_columns
from mixsafe.io.columns.instants import instants, with_dates
from mixsafe.io.columns.names import rows_of_users
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import header_of, read_table
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names


class MemoryTable(Protocol):
    """Protocol of tables in memory, such as :class:`mixsafe.io.objects.frames.Frame`."""

    @property
    def label(self) -> str:
        """Name of the table in messages."""

    @property
    def header(self) -> tuple[str, ...]:
        """Names of the columns."""

    def table(self, kinds: Mapping[str, Kind]) -> Table:
        """Validated columns of the given kinds."""


TableSource = str | os.PathLike[str] | MemoryTable


def read_references(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    others: dict[str, Kind] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> tuple[Table, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Read a table with columns ``user_id`` and ``time_id`` (or ``time``), and optional others.

    Columns may have the other names that those of traces may have
    (:mod:`mixsafe.io.columns.dialects`).

    ``time_id`` is the data's label of a step; for data with timestamps it is the number of the
    step, from 1. Time 0 is before the first step. ``time`` is a timestamp, for such data only.

    Returns
    -------
    table, row, step
        The table, and (n_rows,) rows and steps.

    Raises
    ------
    InputError
        Names the line of the first user who is not in the data, or time outside its range.
    """
    read: Callable[[Mapping[str, Kind]], Table]
    if isinstance(source, str | os.PathLike):
        label, header, read = os.fspath(source), header_of(source), partial(read_table, source)
    else:
        label, header, read = source.label, source.header, source.table
    user, time, numbered = reference_columns(label, header, timed=axis.timed)
    kinds: dict[str, Kind] = {user: "name", time: "integer" if numbered else "time"}
    date = None if numbered else date_beside(header, time)
    if date is not None:
        kinds[date] = "optional"
    table = with_dates(read(kinds | (others or {})), time, date)
    row = rows_of_users(table, user, users, aliases)
    return table, row, _steps(table, time, axis, numbered=numbered)


def _steps(table: Table, name: str, axis: TimeAxis, *, numbered: bool) -> npt.NDArray[np.int32]:
    """Convert a column of times to steps.

    Raises
    ------
    InputError
        Names the line of the first time outside the range of the data.
    """
    if not numbered:
        seconds = instants(table, name, axis.tz, axis.order).seconds
        step = (seconds - axis.first) // (axis.step_seconds or 1) + 1
        first, last = axis.label(0), axis.label(axis.steps)
    else:
        begin = 1 if axis.timed else axis.first
        first, last = begin - 1, begin + axis.steps - 1
        number = np.clip(table.values(name), min(first, 0) - 1, last + 1)  # differences fit
        step = np.where(number == 0, 0, number - begin + 1)
    outside = (step < 0) | (step > axis.steps)
    table.check(outside, name, f"time {{}} is outside the data's {first} to {last}")
    return step.astype(np.int32)
