"""Mix zones of positions on disk, in parallel over time, as meetings are within one step.

Positions are laid on heaps, one for each stretch of time, and each heap is sorted in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.extract.zones_apart import PositionColumns, groups
from mixsafe.machinery.spill.ahead import in_turn
from mixsafe.machinery.spill.disk_columns import DiskColumn
from mixsafe.machinery.spill.spill_room import SpillRoom
from mixsafe.model.course import Found

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
        As of :func:`mixsafe.extract.zones_apart.zones_apart`. None: so many people are there at one
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
            for one, part in zip(heaps, np.split(column[order], ends), strict=True):
                one[name].append(part)
    return heaps


def _zones_of(min_users: int, heap: Heap) -> Found:
    """The zones of a heap, which is removed."""
    columns = [heap[name].part(0, len(heap[name])) for name in ("user", "step", "place")]
    for column in heap.values():
        column.forget()
    return groups(PositionColumns(*columns), min_users)
