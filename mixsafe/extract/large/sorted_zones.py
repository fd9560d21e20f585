"""From positions on disk to mix zones: sorted by step and found step by step, or in parallel.

In parallel over time, as meetings are within one step: positions are laid on heaps, one for each
stretch of time, and each heap is sorted in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.extract.large.fix_store import batches
from mixsafe.extract.zones import PositionColumns, groups
from mixsafe.machinery.spill import DiskColumn, SpillRoom, in_turn
from mixsafe.model.course import Found

if TYPE_CHECKING:
    import duckdb


_MOST_HEAPS = 128  # each has three files, which are open together
_LARGEST_HEAP = 2  # pieces
_BINS = 1 << 12  # stretches of equal length of which heaps are made up

Heap = dict[str, DiskColumn]


def zones_by_time(
    positions: dict[str, DiskColumn], steps: int, min_users: int, scratch: SpillRoom
) -> Iterator[Found] | None:
    """All groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    positions
        ``user``, ``step`` and ``place`` of each position, at most one per user and step, in order
        of the users.
    steps
        The last step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.
    scratch
        Where heaps lie, and how large they may be.

    Returns
    -------
    iterator
        As of :func:`mixsafe.extract.zones.zones_apart`. None: so many people are there at one
        time, or so many positions in all, that a heap would take too much memory.
    """
    size = max(scratch.piece, -(-len(positions["step"]) // _MOST_HEAPS))
    width = steps // _BINS + 1
    counts = np.zeros(steps // width + 1, np.int64)
    for step in positions["step"].blocks(scratch.piece):
        counts += np.bincount(step // width, minlength=len(counts))
    begins = np.cumsum(counts) - counts
    heap_of = np.unique(begins // size, return_inverse=True)[1]
    if np.bincount(heap_of, counts).max() > _LARGEST_HEAP * scratch.piece:
        return None
    heaps = _laid_out(positions, heap_of, width, scratch)
    return in_turn(partial(_zones_of, min_users), heaps, scratch.threads)


def _laid_out(
    positions: dict[str, DiskColumn], heap_of: npt.NDArray[np.int64], width: int, scratch: SpillRoom
) -> list[Heap]:
    """The heaps; ``heap_of``: (n_bins,) that of each stretch of ``width`` steps."""
    n_heaps, names = int(heap_of.max()) + 1, ("user", "step", "place")
    heaps = [
        {name: scratch.column(f"{name}_{number}", positions[name].dtype) for name in names}
        for number in range(n_heaps)
    ]
    number = heap_of.astype(np.uint8)
    for columns in zip(*(positions[name].blocks(scratch.piece) for name in names), strict=True):
        heap = number[columns[1] // width]
        order = np.argsort(heap, kind="stable")
        ends = np.cumsum(np.bincount(heap, minlength=n_heaps))[:-1]
        for name, column in zip(names, columns, strict=True):
            for filled, part in zip(heaps, np.split(column[order], ends), strict=True):
                filled[name].append(part)
    return heaps


def _zones_of(min_users: int, heap: Heap) -> Found:
    """The zones of a heap, which is removed."""
    columns = [heap[name].part(0, len(heap[name])) for name in ("user", "step", "place")]
    for column in heap.values():
        column.forget()
    return groups(PositionColumns(*columns), min_users)


Array = npt.NDArray[Any]

_SCHEMA = pa.schema([("user", pa.int32()), ("step", pa.int32()), ("place", pa.int64())])


class ZoneColumns(NamedTuple):
    """Mix zones as arrays on disk: as in :class:`mixsafe.model.question.mix_zones.MixZones`."""

    time: npt.NDArray[np.int32]
    ptr: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]


def sorted_zones(
    base: duckdb.DuckDBPyConnection,
    positions: dict[str, DiskColumn],
    min_users: int,
    scratch: SpillRoom,
) -> ZoneColumns:
    """All groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    base
        A database, for sorting.
    positions
        ``user``, ``step`` and ``place`` of each position, at most one per user and step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.
    scratch
        Where the arrays lie.

    Returns
    -------
    ZoneColumns
        By step, then by place; members ascending.
    """
    reader = pa.RecordBatchReader.from_batches(_SCHEMA, _rows(positions, scratch.piece))
    base.register("positions", reader)
    query = 'SELECT "user" AS "row", step, place FROM positions ORDER BY step, "user"'
    sorted_rows = batches(base, query, scratch.piece, len(positions["user"]))
    zones = gathered((groups(part, min_users) for part in _whole_steps(sorted_rows)), scratch)
    base.unregister("positions")
    return zones


def _whole_steps(sorted_rows: Iterable[dict[str, Array]]) -> Iterator[PositionColumns]:
    """The same positions, all of a step together: as many as there are users, at most."""
    rest = PositionColumns(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64))
    for batch in sorted_rows:
        known = PositionColumns(
            np.concatenate([rest.row, batch["row"]]),
            np.concatenate([rest.step, batch["step"]]),
            np.concatenate([rest.place, batch["place"]]),
        )
        cut = np.searchsorted(known.step, known.step[-1:]).sum()  # the last step may go on
        yield known.only(slice(cut))
        rest = known.only(slice(cut, None))
    yield rest


def gathered(found: Iterable[Found], scratch: SpillRoom) -> ZoneColumns:
    """Zones that an executor found, as arrays on disk.

    Parameters
    ----------
    found
        Zones of some steps each, of :func:`mixsafe.extract.zones.zones_apart`.
    scratch
        Where the arrays lie.
    """
    names = (("time", np.int32), ("size", np.int64), ("row", np.int32), ("place", np.int64))
    columns = {name: scratch.column(f"zone_{name}", kind) for name, kind in names}
    columns["size"].append(np.zeros(1, np.int64))
    n_members = 0
    for part in found:
        part["size"] = n_members + np.cumsum(part["size"].astype(np.int64))
        n_members += len(part["row"])
        for name, column in columns.items():
            column.append(part[name])
    return ZoneColumns(*(columns[name].array() for name, _ in names))


def _rows(positions: dict[str, DiskColumn], size: int) -> Iterator[pa.RecordBatch]:
    """Positions as the database takes them."""
    parts = (positions[name].blocks(size) for name in _SCHEMA.names)
    for columns in zip(*parts, strict=True):
        yield pa.record_batch([pa.array(column) for column in columns], schema=_SCHEMA)
