"""Columns that refer to data already read: users by name, and times."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.io.columns.dialects import Layout, reference_columns
from mixsafe.io.columns.names import rows_of_users
from mixsafe.io.columns.stays import in_each_step, kinds_of_times, times_of
from mixsafe.io.files.checked_table import CheckedTable
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

    def table(self, kinds: Mapping[str, Kind]) -> CheckedTable:
        """Validated columns of the given kinds."""


TableSource = str | os.PathLike[str] | MemoryTable


def read_references(
    source: TableSource,
    users: Names,
    axis: TimeAxis,
    others: dict[str, Kind] | None = None,
    aliases: Mapping[str, str] | None = None,
) -> tuple[CheckedTable, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
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
    read: Callable[[Mapping[str, Kind]], CheckedTable]
    if isinstance(source, str | os.PathLike):
        label, header, read = os.fspath(source), header_of(source), partial(read_table, source)
    else:
        label, header, read = source.label, source.header, source.table
    layout = reference_columns(label, header, timed=axis.timed)
    kinds: dict[str, Kind] = {layout.user: "name", **kinds_of_times(layout)}
    table, step = _steps(read(kinds | (others or {})), layout, axis)
    return table, rows_of_users(table, layout.user, users, aliases), step


def _steps(
    table: CheckedTable, layout: Layout, axis: TimeAxis
) -> tuple[CheckedTable, npt.NDArray[np.int32]]:
    """Convert times to steps; the table has a row for each step of stays.

    Raises
    ------
    InputError
        Names the line of the first time outside the range of the data.
    """
    name = layout.time
    if not layout.numbered:
        when, until = times_of(table, layout, axis.tz, axis.order)
        length = axis.step_seconds or 1
        step = (when.seconds - axis.first) // length + 1
        if until is not None:
            table, step = in_each_step(table, step, (until - axis.first) // length + 1)
        first, last = axis.label(0), axis.label(axis.steps)
    else:
        begin = 1 if axis.timed else axis.first
        first, last = begin - 1, begin + axis.steps - 1
        number = np.clip(table.values(name), min(first, 0) - 1, last + 1)  # differences fit
        step = np.where(number == 0, 0, number - begin + 1)
    outside = (step < 0) | (step > axis.steps)
    table.check(outside, name, f"time {{}} is outside the data's {first} to {last}")
    return table, step.astype(np.int32)
