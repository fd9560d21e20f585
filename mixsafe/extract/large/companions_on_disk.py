"""Users who are always together, of positions on disk: found, and merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.extract.companions import PersonPairs, Track, always_together, is_looked_at, leading
from mixsafe.extract.large.last_fixes import LastFixes
from mixsafe.geometry.grid import CellGrid
from mixsafe.spill.disk_columns import DiskColumn
from mixsafe.spill.spill_room import SpillRoom

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
    asked = (
        'SELECT "user", step, arg_min(place, device) AS place FROM devices GROUP BY "user", step'
        ' ORDER BY "user", step'
    )
    kinds = (np.int32, np.int32, np.int64)
    made = {
        name: scratch.column(f"person_{name}", kind)
        for name, kind in zip(names, kinds, strict=True)
    }
    for batch in base.sql(asked).to_arrow_reader(scratch.piece):
        for name in names:
            made[name].append(batch.column(name).to_numpy(zero_copy_only=False))
    base.unregister("devices")
    for name in names:
        positions[name].forget()
    return made
