"""Stays: rows with a start and an end become fixes in every time step between.

A stay is from its start until its end, and its end is no part of it: whoever leaves when another
comes does not meet her, unless both moments are in one time step. A stay becomes a fix

- at its start,
- at every multiple of the time step after that, counted from 1970-01-01 00:00 UTC,
- and in its last second.

So it has a fix in each step that it has a part of, wherever the steps begin, if they are as long or
longer (the last one of a period that ``--end`` cuts off may be shorter); and the person is there at
each of these moments.
"""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout
from mixsafe.io.columns.fixes import Fixes
from mixsafe.io.columns.instants import (
    SAY_TZ,
    Instants,
    instants,
    order_of,
    seconds_since_start,
    with_dates,
)
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.table_form import TableForm
from mixsafe.io.files.tables import read_parts
from mixsafe.machinery.memory import default_memory
from mixsafe.model.mobility.instant import DateOrder

Ints = npt.NDArray[np.int64]

MOST_FIXES, MOST_PER_ROW = 20_000_000, 1_000
"""Fixes that the stays of one table may become, or its rows on average, if memory suffices."""

_FIX_BYTES = 120
"""Approximate memory of a fix while traces are read, bytes."""

_LOOK = 100
"""Rows that show how long stays are."""


def kinds_of_times(layout: Layout) -> dict[str, Kind]:
    """Kinds of the columns of times."""
    kind: Kind = "integer" if layout.numbered else "number" if layout.seconds else "time"
    kinds: dict[str, Kind] = {layout.time: kind}
    kinds |= {} if layout.date is None else {layout.date: "optional"}
    return kinds if layout.end is None else {**kinds, layout.end: "time"}


def times_of(
    table: CheckedTable, layout: Layout, zone: str | None, order: DateOrder | None
) -> tuple[Instants, Ints | None]:
    """Times of rows whose steps are not numbered, and the last seconds of stays (None: no stays).

    Parameters
    ----------
    zone, order
        Zone of timestamps without one, and what comes first in dates whose year comes last; None:
        what they tell.

    Raises
    ------
    InputError
        Names the line of the first cell that is no time.
    """
    if layout.end is not None:
        return stays_of(table, layout, zone, order)
    if layout.seconds:
        return seconds_since_start(table, layout.time), None
    table = with_dates(table, layout.time, layout.date)
    return instants(table, layout.time, zone, order), None


def stays_of(
    table: CheckedTable, layout: Layout, zone: str | None, order: DateOrder | None
) -> tuple[Instants, Ints]:
    """Starts of stays, and (n_rows,) their last seconds, none before the start.

    Parameters
    ----------
    zone, order
        Zone of timestamps without one, and what comes first in dates whose year comes last; None:
        what they tell.

    Raises
    ------
    InputError
        Names the line of the first time that is none, or that ends a stay before its start; or the
        columns have times of two zones or kinds.
    """
    start, end = layout.time, str(layout.end)
    for name in (start, end):
        table = with_dates(table, name, layout.date)
    notes: tuple[str, ...] = ()
    if order is None:
        order, notes = order_of(table, (start, end))
    first, last = (instants(table, name, zone, order) for name in (start, end))
    for what, one, other, hint in (
        ("are of the zone", zone or first.tz or "none", zone or last.tz or "none", SAY_TZ),
        ("are", first.form or "no numbers", last.form or "no numbers", "write both in one way"),
    ):
        if one != other:
            message = f"starts {what} {one}, and ends {what} {other}"
            raise InputError(message, file=table.file, column=end, hint=hint)
    zero = np.zeros(len(table), np.int32)
    begun = zero if first.fraction is None else first.fraction
    ended = zero if last.fraction is None else last.fraction
    wrong = (last.seconds < first.seconds) | ((last.seconds == first.seconds) & (ended < begun))
    table.check(wrong, end, "the stay ends at {}, before it starts", "interchange the two")
    until = np.maximum(last.seconds - (ended == 0), first.seconds)
    said = tuple(dict.fromkeys((*notes, *first.notes, *last.notes)))
    return replace(first, notes=said), until


def with_steps(fixes: Fixes, step: int) -> Fixes:
    """The fixes of one table of stays, with one in every time step that a stay has a part of.

    Parameters
    ----------
    fixes
        The starts of stays; ``fixes.until`` is in use up.
    step
        Length of the shortest time step, seconds, >= 1.

    Raises
    ------
    InputError
        They would be too many.
    """
    if fixes.until is None:
        return fixes
    table, until = fixes.tables[0], fixes.until
    first = (fixes.time // step + 1) * step
    between = np.maximum((until - first) // step + 1, 0)
    counts = 1 + between + ((until > fixes.time) & (until % step > 0))
    check_number(counts, step, table.file)
    row = np.repeat(np.arange(len(counts)), counts)
    place = np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    time = np.where(
        place == 0, fixes.time[row], np.minimum(first[row] + (place - 1) * step, until[row])
    )
    names = {fixes.user: table.columns[fixes.user].take(pa.array(row))}
    found = fixes.taken(row, table.repeated(counts, names, {}))
    fraction = found.fraction
    fraction = None if fraction is None else np.where(place == 0, fraction, np.int32(0))
    return replace(found, time=time, fraction=fraction, until=None, stay_step=step)


def in_each_step(table: CheckedTable, first: Ints, last: Ints) -> tuple[CheckedTable, Ints]:
    """The table with a row for each step from a first to a last one, and these steps.

    Raises
    ------
    InputError
        They are too many.
    """
    counts = last - first + 1
    check_number(counts, None, table.file)
    row = np.repeat(np.arange(len(counts)), counts)
    columns = {name: column.take(pa.array(row)) for name, column in table.columns.items()}
    steps = first[row] + np.arange(len(row)) - (np.cumsum(counts) - counts)[row]
    return table.repeated(counts, columns, {}), steps


def check_number(counts: Ints, step: int | None, file: str | os.PathLike[str]) -> None:
    """Refuse stays that become too many fixes, (n_rows,) each.

    Raises
    ------
    InputError
        They do.
    """
    fixes = int(counts.sum())
    most = max(MOST_FIXES, MOST_PER_ROW * len(counts))
    most = min(most, default_memory() // _FIX_BYTES)
    if fixes > most:
        every = "" if step is None else f", one every {step:,} s"
        raise InputError(
            f"the stays are {fixes:,} fixes{every}, more than {most:,}",
            file=file,
            hint="use a larger --time-step (time_step= in Python), or look for a stay that is too"
            " long",
        )


def fixes_per_stay(
    path: str | os.PathLike[str], layout: Layout, form: TableForm | None, step: int
) -> int:
    """How many fixes a stay of a file becomes, by its first rows: the mean, rounded up."""
    try:
        kinds: dict[str, Kind] = {layout.time: "time", str(layout.end): "time"}
        table = next(read_parts(path, kinds, _LOOK, form=form))
        start, until = stays_of(table, layout, None, None)
    except InputError:
        return 1
    return 2 + int(np.mean(until - start.seconds)) // step
