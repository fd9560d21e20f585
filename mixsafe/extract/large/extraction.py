"""From a source that does not fit into memory to its positions and mix zones, which lie on disk.

Users who are always together are found, and merged, on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.extract.companions import PersonPairs, Track, always_together, is_looked_at, leading
from mixsafe.extract.large.fix_store import FixStore
from mixsafe.extract.large.last_fixes import LastFixes
from mixsafe.extract.large.sorted_zones import ZoneColumns, gathered, sorted_zones, zones_by_time
from mixsafe.extract.positions import axis_of, superseded_note
from mixsafe.extract.select import ChosenPart, choose, notes_of, nothing_in
from mixsafe.extract.zones import Extraction, PositionColumns, zones_apart
from mixsafe.geometry.grid import CellGrid, CellSize, grid_at, plane_note
from mixsafe.geometry.jumps import Fastest, Jumps, check_speed, dropped, namer
from mixsafe.machinery.spill import DiskColumn, SpillRoom, exact_mean
from mixsafe.model.course import Executor
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import FixPieces, Positions, Traces, elsewhere_note
from mixsafe.model.progress import Progress, no_progress
from mixsafe.model.question.mix_zones import MixZones

if TYPE_CHECKING:
    from collections.abc import Iterator

    import duckdb


_SCHEMA = pa.schema(
    [("user", pa.int32()), ("step", pa.int32()), ("place", pa.int64()), ("device", pa.int32())]
)


def companions_on_disk(last: LastFixes, grid: CellGrid | None, scratch: SpillRoom) -> PersonPairs:
    """All pairs of users who are always together.

    Parameters
    ----------
    last
        The fixes that count, sorted by user and step.
    grid
        Cells of coordinates; None: places are regions.
    scratch
        The size of a piece.
    """
    names = ("user", "step", *(("region",) if grid is None else ("lat", "lon")))
    parts = []
    blocks = (last.columns[name].blocks(scratch.piece) for name in names)
    for user, step, *where in zip(*blocks, strict=True):
        chosen = np.flatnonzero(is_looked_at(step, last.chosen))
        parts.append([column[chosen] for column in (user, step, *where)])
    if not parts:
        parts.append([np.zeros(0, np.int32), np.zeros(0, np.int32), *([np.zeros(0)] * 2)])
    row, step, *where = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    if grid is None:
        return always_together(Track(row, step, where[0].astype(np.int64)))
    return always_together(Track(row, step, grid.cell(*where), *where))


def merged_on_disk(
    base: duckdb.DuckDBPyConnection,
    positions: dict[str, DiskColumn],
    person: npt.NDArray[np.int64],
    scratch: SpillRoom,
) -> dict[str, DiskColumn]:
    """Positions of persons: in each step that of the leading one of their users.

    Parameters
    ----------
    base
        A database, for sorting.
    positions
        ``user``, ``step`` and ``place`` of each position; they are removed.
    person
        (n_users,) row of each user's person.
    scratch
        Where the columns lie.
    """
    names = ("user", "step", "place")
    steps = np.zeros(len(person), np.int64)
    for user in positions["user"].blocks(scratch.piece):
        steps += np.bincount(user, minlength=len(person))
    device = leading(steps)

    def parts() -> Iterator[pa.RecordBatch]:
        blocks = (positions[name].blocks(scratch.piece) for name in names)
        for user, step, place in zip(*blocks, strict=True):
            columns = (person[user].astype(np.int32), step, place, device[user])
            yield pa.record_batch([pa.array(column) for column in columns], schema=_SCHEMA)

    base.register("devices", pa.RecordBatchReader.from_batches(_SCHEMA, parts()))
    query = (
        'SELECT "user", step, arg_min(place, device) AS place FROM devices GROUP BY "user", step'
        ' ORDER BY "user", step'
    )
    kinds = (np.int32, np.int32, np.int64)
    made = {
        name: scratch.column(f"person_{name}", kind)
        for name, kind in zip(names, kinds, strict=True)
    }
    for batch in base.sql(query).to_arrow_reader(scratch.piece):
        for name in names:
            made[name].append(batch.column(name).to_numpy(zero_copy_only=False))
    base.unregister("devices")
    for name in names:
        positions[name].forget()
    return made


@dataclass(frozen=True)
class WantedZones:
    """Options of an extraction.

    Parameters
    ----------
    cell_size, time_step, min_users
        Side of a grid cell, metres, or H3 cells; length of a step, seconds; smallest number of
        users that makes a mix zone.
    part
        Arguments of :func:`mixsafe.extract.select.select`; None: all of it.
    executor
        Who finds the zones in positions that are sorted by user; None: this process.
    drop_spikes
        Speed above which spikes are dropped, km/h; None: they are kept and counted.
    keep_together
        Users who are always together are different people.
    """

    cell_size: CellSize = 100.0
    time_step: int = 60
    min_users: int = 2
    part: Mapping[str, Any] | None = None
    executor: Executor | None = None
    drop_spikes: float | None = None
    keep_together: bool = False


def extract_pieces(
    pieces: FixPieces, wanted: WantedZones, scratch: SpillRoom, progress: Progress = no_progress
) -> Extraction:
    """Positions and mix zones, to the last bit those of the same source read into memory.

    Parameters
    ----------
    pieces
        The source.
    wanted
        What of it.
    scratch
        Where it is sorted, and the arrays lie.
    progress
        Called with what is being done.

    Raises
    ------
    InputError
        As reading, :func:`mixsafe.extract.select.select`, ``positions`` and ``mix_zones``; also,
        the disk is full.
    """
    if wanted.min_users < 2:
        raise InputError(f"a mix zone needs at least two users, not {wanted.min_users}")
    with scratch.database() as base:
        store = FixStore(base, pieces, scratch)
        choice, axis = _asked(store, wanted, scratch)
        progress("finding mix zones", 0, 0)
        last, choice, axis = _without_jumps(store, (choice, axis), wanted, scratch)
        traces = store.outline if choice is None else replace(store.outline, window=choice.window)
        store.forget()
        if choice is not None and not last.some_in_period:
            raise nothing_in(store.outline, choice.window)
        traces = _noted(traces, last, wanted)
        grid, plane = None, tuple[str, ...]()
        if last.everywhere:
            center = (exact_mean(last.everywhere["lat"]), exact_mean(last.everywhere["lon"]))
            traces = replace(traces, center=center)
            grid = grid_at(center, wanted.cell_size)
            plane = plane_note(grid, last.columns["lat"].blocks(scratch.piece))
        users = traces.users if choice is None or choice.rows is None else traces.users[choice.rows]
        pairs = companions_on_disk(last, grid, scratch)
        together = pairs.told(users, merged=not wanted.keep_together)
        rows = _positions(last, grid, scratch)
        notes = plane + superseded_note(last.chosen, len(rows["user"]))
        there = last.seen
        if together.merged:
            person, rank = np.unique(pairs.persons(len(users)), return_inverse=True)
            rows = merged_on_disk(base, rows, rank, scratch)
            users, there = users[person], np.bincount(rank, last.seen) > 0
        columns, zone_columns = _sorted(base, rows, wanted, axis.steps, scratch)
    premises = replace(traces.premises, together=together)
    traces = replace(traces, premises=premises, notes=(*traces.notes, *together.notes))
    notes = traces.notes + notes
    names, cells = traces.place_names, grid is not None
    where = Positions(
        users, axis, *columns, notes, premises=premises, place_names=names, cells=cells
    )
    zones = MixZones(
        users, axis, zone_columns.time, zone_columns.ptr, zone_columns.members,
        zone_columns.place, notes,
        np.flatnonzero(~there), premises=premises, place_names=names, cells=cells,
        published=None if where.published.are_all_of(axis.steps) else where.published,
    )  # fmt: skip
    return Extraction(replace(traces, users=users), where, zones, grid)


def _sorted(
    base: duckdb.DuckDBPyConnection,
    rows: dict[str, DiskColumn],
    wanted: WantedZones,
    steps: int,
    scratch: SpillRoom,
) -> tuple[PositionColumns, ZoneColumns]:
    """Positions and mix zones as arrays on disk; the zones are found here, or by the executor."""
    names, least, executor = ("user", "step", "place"), wanted.min_users, wanted.executor
    if executor is None:
        parts = zones_by_time(rows, steps, least, scratch)
        if parts is None:
            zones = sorted_zones(base, rows, least, scratch)
        else:
            zones = gathered(parts, scratch)
        return PositionColumns(*(rows[name].array() for name in names)), zones
    columns = PositionColumns(*(rows[name].array() for name in names))
    return columns, gathered(zones_apart(columns, least, executor), scratch)


def _asked(
    store: FixStore, wanted: WantedZones, scratch: SpillRoom
) -> tuple[ChosenPart | None, TimeAxis]:
    """The selected part, and its time steps.

    Raises
    ------
    InputError
        The part or the steps are invalid. Errors in the data come first, as when reading them into
        memory: sorting finds users in two places at one time.
    """
    traces = store.outline
    try:
        if wanted.part is None:
            return None, axis_of(traces, wanted.time_step)
        choice = choose(traces, **wanted.part)
        return choice, axis_of(replace(traces, window=choice.window), wanted.time_step)
    except InputError:
        LastFixes(store, TimeAxis(1), None, scratch)
        raise


def _without_jumps(
    store: FixStore,
    asked: tuple[ChosenPart | None, TimeAxis],
    wanted: WantedZones,
    scratch: SpillRoom,
) -> tuple[LastFixes, ChosenPart | None, TimeAxis]:
    """The fixes that count, as :func:`mixsafe.geometry.jumps.without_jumps` leaves them.

    They are read twice if some of them have to be dropped.
    """
    choice, axis = asked
    outline, kmh = store.outline, wanted.drop_spikes
    if "lat" not in store.places or outline.clock != "unix":
        check_speed(kmh, "lat" in store.places)
        return LastFixes(store, axis, choice, scratch), choice, axis
    jumps = Jumps(Fastest.of(kmh))
    last = LastFixes(store, axis, choice, scratch, jumps=jumps)
    without = dropped(jumps, kmh, namer(outline))
    if without is None:
        return last, choice, axis
    if not len(without.begin):
        store.found(without)
        return last, choice, axis
    if without.ends is None:
        raise InputError(f"no row can be used: {'; '.join(without.notes)}")
    last.forget()
    store.found(without)
    choice, axis = _asked(store, wanted, scratch)
    return LastFixes(store, axis, choice, scratch, without=without), choice, axis


def _noted(traces: Traces, last: LastFixes, wanted: WantedZones) -> Traces:
    """The traces with the notes that reading and selecting leave."""
    merged = (f"{last.merged} repeated rows merged",) if last.merged else ()
    notes = traces.notes + merged + elsewhere_note(last.elsewhere)
    traces = replace(traces, notes=notes)
    if wanted.part is None:
        return traces
    start, end = wanted.part.get("start"), wanted.part.get("end")
    absent = int(np.count_nonzero(~last.seen))
    notes = notes_of(traces, len(last.seen), absent, start=start, end=end)
    return replace(traces, notes=notes)


def _positions(last: LastFixes, grid: CellGrid | None, scratch: SpillRoom) -> dict[str, DiskColumn]:
    """The columns ``user``, ``step`` and ``place`` of the positions."""
    made = {name: last.columns[name] for name in ("user", "step")}
    if grid is None:
        return made | {"place": last.columns["region"]}
    place = scratch.column("place", np.int64)
    parts = (last.columns[name].blocks(scratch.piece) for name in ("lat", "lon"))
    for lat, lon in zip(*parts, strict=True):
        place.append(grid.cell(lat, lon))
    for name in ("lat", "lon"):
        last.columns[name].forget()
        last.everywhere[name].forget()
    return made | {"place": place}
