"""Conversion of fixes to positions: the place of each user in each time step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError, SpanError
from mixsafe.extract.companions import Track, always_together, is_looked_at, leading
from mixsafe.geometry.grid import CellGrid, CellSize, grid_at, plane_note
from mixsafe.model.mobility.instant import EARLIEST, LATEST
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.numerals import MOST_WHOLE, check_most

MOST_STEPS = 2**31 - 2
"""Steps are held as int32."""

BLOCK = 1 << 18
"""Number of fixes per batch of cell computations."""


def positions(
    traces: Traces,
    *,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    keep_together: bool = False,
) -> Positions:
    """Compute the place of each user in each step, from the last fix in the step.

    Users who are always together are one person first, see :func:`persons`.

    A user with no fix in a step has no place in it, and no meeting. Times of a clock are cut into
    steps from the window's begin, or from the first fix rounded down to a whole ``time_step``;
    data that number their steps keep them.

    Parameters
    ----------
    traces
        Fixes, all of them in the window if there is one.
    cell_size
        Side of a grid cell, metres, or ``h3:9``, H3 cells of a resolution (0 to 15); not used
        where places are regions.
    time_step
        Length of a step, seconds, >= 1; not used where steps are numbered.
    keep_together
        Users who are always together are different people.

    Raises
    ------
    InputError
        No fix at all, a cell size or time step that is not positive, no such H3 cells, or more
        than 2**31 steps.
    """
    traces = persons(traces, cell_size=cell_size, time_step=time_step, keep_together=keep_together)
    axis = axis_of(traces, time_step)
    user, step = traces.user, steps_of(traces.time, axis)
    last = last_of_steps(user, step)
    kept = None if last.all() else np.flatnonzero(last)
    place = _places(traces, kept, cell_size)
    notes = traces.notes + _plane_note(traces, kept, cell_size)
    if kept is not None:
        notes += superseded_note(len(step), len(kept))
        user, step = user[kept], step[kept]
    positions = Positions(
        traces.users, axis, user, step, place, notes,
        premises=traces.premises, place_names=traces.place_names, cells=traces.in_cells,
    )  # fmt: skip
    if traces.shapes is None or traces.shapes.elsewhere:
        return positions
    inside = place < 0
    outside = int(np.count_nonzero(~inside))
    note = f"{outside} of {len(place)} positions are in none of the places"
    return replace(positions.only(inside), notes=(*notes, note))


def persons(
    traces: Traces,
    *,
    cell_size: CellSize = 100.0,
    time_step: int = 60,
    keep_together: bool = False,
) -> Traces:
    """The traces with one track for each person: users who are always together are merged.

    A person has the name of the first of her users, and the places of all of them; in a step in
    which several have a fix, those of the user with the most steps count. What was found is in
    ``.premises.together``; of traces that have it already, nothing is looked for again.

    Parameters
    ----------
    cell_size, time_step
        Side of a grid cell, metres, or H3 cells; length of a step, seconds.
    keep_together
        Only name such users.

    Raises
    ------
    InputError
        As :func:`positions`.
    """
    if traces.premises.together is not None or not len(traces.time):
        return traces
    step = steps_of(traces.time, axis_of(traces, time_step))
    kept = np.flatnonzero(is_looked_at(step, len(step)))
    kept = kept[last_of_steps(traces.user[kept], step[kept])]
    track = Track(
        traces.user[kept],
        step[kept],
        _places(traces, kept, cell_size),
        None if traces.lat is None or traces.region is not None else traces.lat[kept],
        None if traces.lon is None or traces.region is not None else traces.lon[kept],
    )
    pairs = always_together(track)
    told = pairs.told(traces.users, merged=not keep_together)
    premises = replace(traces.premises, together=told)
    traces = replace(traces, premises=premises, notes=(*traces.notes, *told.notes))
    return _merged(traces, step, pairs.persons(len(traces.users))) if told.merged else traces


def _merged(traces: Traces, step: npt.NDArray[np.int32], person: npt.NDArray[np.int64]) -> Traces:
    """The traces with one user for each person.

    Parameters
    ----------
    step
        (n_fixes,) step of each fix.
    person
        (n_users,) the first user of each user's person.
    """
    first, rank = np.unique(person, return_inverse=True)
    row = rank.astype(np.int32)[traces.user]
    steps = np.bincount(traces.user[last_of_steps(traces.user, step)], minlength=len(person))
    device = leading(steps)[traces.user]
    several = np.flatnonzero(np.bincount(rank)[row] > 1)
    order = several[np.lexsort((device[several], step[several], row[several]))]
    same = (row[order][1:] == row[order][:-1]) & (step[order][1:] == step[order][:-1])
    begin = np.flatnonzero(np.append(True, ~same))
    leader = device[order][np.repeat(begin, np.diff(np.append(begin, len(order))))]
    kept = np.ones(len(row), bool)
    kept[order[device[order] != leader]] = False
    chosen = np.flatnonzero(kept)
    chosen = chosen[np.lexsort((traces.time[chosen], row[chosen]))]
    lat, lon, center = traces.lat, traces.lon, traces.center
    if lat is not None and lon is not None:
        is_whole = center == (float(lat.mean()), float(lon.mean()))
        lat, lon = lat[chosen], lon[chosen]
        if is_whole:  # the second device is not to move the grid; samples share that of the whole
            center = float(lat.mean()), float(lon.mean())
    return replace(
        traces,
        users=traces.users[first],
        user=row[chosen],
        time=traces.time[chosen],
        lat=lat,
        lon=lon,
        region=None if traces.region is None else traces.region[chosen],
        center=center,
    )


def last_of_steps(
    user: npt.NDArray[np.int32], step: npt.NDArray[np.int32]
) -> npt.NDArray[np.bool_]:
    """(n_fixes,) those that count: the last fix of each user in each step."""
    last = np.ones(len(step), bool)
    last[:-1] = (step[1:] != step[:-1]) | (user[1:] != user[:-1])
    return last


def everywhere(
    traces: Traces, found: Positions, *, cell_size: CellSize = 100.0, time_step: int = 60
) -> Positions:
    """The positions ``found``, and those outside of all places with outlines, in their cells.

    People mix at the places alone, but their tracks show where else they are.
    """
    if traces.shapes is None or traces.shapes.elsewhere:
        return found
    shapes = replace(traces.shapes, elsewhere=True)
    return positions(replace(traces, shapes=shapes), cell_size=cell_size, time_step=time_step)


def steps_of(time: npt.NDArray[np.int64], axis: TimeAxis) -> npt.NDArray[np.int32]:
    """(n_fixes,) step of each fix."""
    step = np.empty(len(time), np.int32)
    for begin in range(0, len(time), BLOCK):
        off = time[begin : begin + BLOCK] - axis.first
        if axis.step_seconds is not None and axis.step_seconds > 1:
            off //= axis.step_seconds
        step[begin : begin + BLOCK] = off + 1
    return step


def axis_of(traces: Traces, time_step: int) -> TimeAxis:
    """The time steps of some traces, of whose fixes the first and the last time are looked at.

    Raises
    ------
    InputError
        No fix and no window.
    SpanError
        More steps than can be counted.
    """
    if time_step < 1:
        raise InputError(f"the time step is not positive: {time_step} seconds")
    check_most(time_step, "the time step, seconds:", MOST_WHOLE)
    if traces.stay_step is not None and time_step < traces.stay_step:
        raise InputError(
            f"stays were read for time steps of {traces.stay_step} seconds or longer, not"
            f" {time_step}",
            hint=f"read them for these: --time-step {time_step}, in Python"
            f" load(..., time_step={time_step})",
        )
    if traces.window is None and not len(traces.time):
        raise InputError("the traces contain no fix")
    if traces.window is not None:
        begin, end = traces.window
    else:
        begin, end = int(traces.time.min()), int(traces.time.max()) + 1
        if traces.clock == "unix":
            begin -= begin % time_step
    length = time_step if traces.clock == "unix" else 1
    steps = -(-(end - begin) // length)
    if steps > MOST_STEPS:
        hint = "choose a period (--start, --end)"
        hint += ", or a longer --time-step" if traces.clock == "unix" else ""
        raise far_off(traces, f"the data span {steps} time steps", hint)
    return TimeAxis(
        steps, begin, time_step if traces.clock == "unix" else None, traces.tz, traces.order
    )


def far_off(traces: Traces, message: str, hint: str | None) -> InputError:
    """The error for traces that reach too far: it names the fix farthest from the middle one.

    That may be a slip; its line is named where the traces know it.
    """
    if not len(traces.time):
        return SpanError(message, hint=hint)
    far = int(np.abs(traces.time - int(np.median(traces.time))).argmax())
    time = int(traces.time[far])
    has_date = traces.clock == "unix" and EARLIEST <= time < LATEST
    when = TimeAxis(1, time, 1 if has_date else None, traces.tz).label(1)
    message = f"{message}: user {traces.users[traces.user[far]]} at {when} is farthest off"
    for end in traces.ends:
        if end.time == time:
            return end.error(message, hint)
    return SpanError(message, hint=hint)


def _places(
    traces: Traces, kept: npt.NDArray[np.int64] | None, cell_size: CellSize
) -> npt.NDArray[np.int64]:
    """Region or grid cell of the fixes ``kept``; None: of all.

    Raises
    ------
    InputError
        The traces hold neither regions nor coordinates.
    """
    if traces.region is not None:
        return traces.region if kept is None else traces.region[kept]
    if traces.lat is None or traces.lon is None:
        raise InputError("the traces have neither regions nor coordinates")
    grid, size = grid_of(traces, cell_size), len(traces.user if kept is None else kept)
    cells = np.empty(size, np.int64)
    for begin, block in _blocks(size, kept):
        cells[begin : begin + BLOCK] = grid.cell(traces.lat[block], traces.lon[block])
    if traces.shapes is None:
        return cells
    whole = slice(None) if kept is None else kept
    return traces.shapes.place_of(traces.lat[whole], traces.lon[whole], cells)


def _blocks(
    size: int, kept: npt.NDArray[np.int64] | None
) -> Iterator[tuple[int, slice | npt.NDArray[np.int64]]]:
    """The fixes ``kept``, some at a time: of how many before, and which.

    With ten million points, fresh memory costs more than the arithmetic.
    """
    for begin in range(0, size, BLOCK):
        block = slice(begin, begin + BLOCK)
        yield begin, block if kept is None else kept[block]


def _plane_note(
    traces: Traces, kept: npt.NDArray[np.int64] | None, cell_size: CellSize
) -> tuple[str, ...]:
    """That the fixes ``kept`` reach too far for the cells that they are put in."""
    lat = traces.lat
    named = traces.shapes is not None and not traces.shapes.elsewhere
    if lat is None or traces.region is not None or named:
        return ()
    blocks = _blocks(len(lat if kept is None else kept), kept)
    return plane_note(grid_of(traces, cell_size), (lat[block] for _, block in blocks))


def grid_of(traces: Traces, cell_size: CellSize = 100.0) -> CellGrid:
    """The grid in whose cells users with coordinates meet.

    Parameters
    ----------
    cell_size
        Side of a cell, metres, or H3 cells, as for :func:`positions`.

    Raises
    ------
    InputError
        The traces have no coordinates, or there are no such cells.
    """
    if traces.lat is None or traces.lon is None:
        raise InputError("the traces have neither regions nor coordinates")
    center = traces.center
    if center is None:
        empty = not len(traces.lat)
        center = (0.0, 0.0) if empty else (float(traces.lat.mean()), float(traces.lon.mean()))
    return grid_at(center, cell_size)


def superseded_note(fixes: int, kept: int) -> tuple[str, ...]:
    """A note with the number of fixes that do not count; empty if all do."""
    if fixes == kept:
        return ()
    return (f"{fixes - kept} fixes do not count, because a later one in the same step does",)
