"""From positions on disk to mix zones: sorted by step and place, and cut where one changes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.extract.large.fix_store import batches
from mixsafe.model.crew import Found
from mixsafe.spill.disk_columns import DiskColumn
from mixsafe.spill.spill_room import SpillRoom

if TYPE_CHECKING:
    import duckdb

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
    made = _Growing(min_users, scratch)
    reader = pa.RecordBatchReader.from_batches(_SCHEMA, _rows(positions, scratch.piece))
    base.register("positions", reader)
    asked = 'SELECT step, place, "user" FROM positions ORDER BY step, place, "user"'
    for batch in batches(base, asked, scratch.piece, len(positions["user"])):
        made.add(batch)
    base.unregister("positions")
    return made.finished()


def gathered(found: Iterable[Found], scratch: SpillRoom) -> ZoneColumns:
    """Zones that a crew found, as arrays on disk.

    Parameters
    ----------
    found
        As :func:`mixsafe.extract.zones_apart.zones_apart` finds them.
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


class _Growing:
    """Zones that are found in sorted positions, batch after batch."""

    def __init__(self, min_users: int, scratch: SpillRoom) -> None:
        self._min_users = min_users
        self._time = scratch.column("zone_time", np.int32)
        self._ptr = scratch.column("zone_ptr", np.int64)
        self._members = scratch.column("zone_members", np.int32)
        self._place = scratch.column("zone_place", np.int64)
        self._ptr.append(np.zeros(1, np.int64))
        self._open: list[dict[str, Array]] = []  # of one step and place, which may go on

    def add(self, batch: dict[str, Array]) -> None:
        """Take the next positions."""
        step, place = batch["step"], batch["place"]
        if not len(step):
            return
        change = np.flatnonzero((step[1:] != step[:-1]) | (place[1:] != place[:-1])) + 1
        if self._open and (
            self._open[0]["step"][0] != step[0] or self._open[0]["place"][0] != place[0]
        ):
            self._close()
        if not len(change):
            self._open.append(batch)
            return
        self._open.append({name: values[: change[0]] for name, values in batch.items()})
        self._close()
        self._write(
            {name: values[change[0] : change[-1]] for name, values in batch.items()}, change
        )
        self._open = [{name: values[change[-1] :].copy() for name, values in batch.items()}]

    def _close(self) -> None:
        """The open group is whole."""
        group = {
            name: np.concatenate([part[name] for part in self._open]) for name in self._open[0]
        }
        self._open = []
        self._write(group, np.array([0, len(group["step"])]))

    def _write(self, batch: dict[str, Array], change: npt.NDArray[np.int64]) -> None:
        """Write the large ones of groups that begin and end at ``change``."""
        size = np.diff(change)
        large = size >= self._min_users
        begin = (change[:-1] - change[0])[large]
        self._members.append(batch["user"][np.repeat(large, size)])
        self._time.append(batch["step"][begin])
        self._place.append(batch["place"][begin])
        before = len(self._members) - int(size[large].sum())
        self._ptr.append(before + np.cumsum(size[large]))

    def finished(self) -> ZoneColumns:
        """All zones."""
        if self._open:
            self._close()
        columns = (self._time, self._ptr, self._members, self._place)
        return ZoneColumns(*(column.array() for column in columns))
