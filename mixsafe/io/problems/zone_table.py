"""Mix zones as a table: ``time_id,zone_id,user_id``, a row per membership."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.io.columns.names import spelling_notes, users_of_table
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.tables import read_table
from mixsafe.io.files.writing import PART_ROWS, write_parts
from mixsafe.io.problems.problem import MOST_STEPS
from mixsafe.io.traces.table import check_time_ids
from mixsafe.machinery.files import secret
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones

COLUMNS = ("time_id", "zone_id", "user_id")


def read_zones(path: str | os.PathLike[str]) -> MixZones:
    """Read mix zones: rows with equal ``time_id`` and ``zone_id`` form a zone.

    Time runs from the time_id of the first zone to that of the last. Users in no zone do not occur
    in the file. Rows may be in any order.

    Returns
    -------
    MixZones
        Zones by time, then by zone_id.

    Raises
    ------
    InputError
        Names the line at fault: a value is missing or has another type, a time is below 1, a user
        is in two zones at one time or twice in one zone, or a zone has only one member.
    """
    table = read_table(path, {"time_id": "integer", "zone_id": "name", "user_id": "name"})
    time = table.values("time_id")
    check_time_ids(table, "time_id", time)
    _check_span(table, time)
    users, row = users_of_table(table, "user_id")
    _, zone = users_of_table(table, "zone_id")
    _check_disjoint(table, time, zone, row)
    order = np.lexsort((row, zone, time))
    time, zone = time[order], zone[order]
    new = np.concatenate([[True], (time[1:] != time[:-1]) | (zone[1:] != zone[:-1])])
    begin = np.flatnonzero(new)
    ptr = np.append(begin, len(order)).astype(np.int64)
    small = np.flatnonzero(np.diff(ptr) < 2)
    if len(small):
        alone = int(order[begin[small]].min())
        raise table.error(
            f"zone {table.columns['zone_id'][alone].as_py()} at time"
            f" {table.columns['time_id'][alone].as_py()} has only one member",
            alone,
            "user_id",
            "a mix zone needs at least two users",
        )
    axis = TimeAxis(int(time[-1] - time[0]) + 1, int(time[0]))
    step = (time[begin] - axis.first + 1).astype(np.int32)
    notes = [f"time runs from {time[0]}, the first zone, to {time[-1]}, the last zone"]
    for name, what in (("user_id", "users"), ("zone_id", "zones")):
        if name in table.written:
            notes += spelling_notes(table.written[name], what)
    return MixZones(users, axis, step, ptr, row[order], notes=tuple(notes))


@secret()
def write_zones(path: str | os.PathLike[str], zones: MixZones) -> None:
    """Write mix zones as CSV or Parquet, by the file's ending, atomically; secret: who met whom.

    zone_id is the number of the zone, from 0 in order of time. If the axis has timestamps, time_id
    is the number of the step, from 1.

    Raises
    ------
    InputError
        Another ending, or the file cannot be written.
    """
    write_parts(path, lambda: _parts(zones))


def _parts(zones: MixZones) -> Iterator[pa.Table]:
    """Yield the rows of the table in batches: zones on disk may be larger than memory."""
    first = 1 if zones.axis.timed else zones.axis.first
    names = pa.array(zones.users, pa.int64() if zones.users.dtype == np.int64 else pa.string())
    for begin in range(0, max(len(zones.members), 1), PART_ROWS):
        end = min(begin + PART_ROWS, len(zones.members))
        low, high = np.searchsorted(zones.ptr, [begin, max(end - 1, begin)], side="right") - 1
        ends = np.clip(zones.ptr[low : high + 2], begin, end)
        zone = np.repeat(np.arange(low, low + len(ends) - 1), np.diff(ends))
        yield pa.table(
            {
                "time_id": pa.array(zones.time[zone].astype(np.int64) + (first - 1)),
                "zone_id": pa.array(zone),
                "user_id": names.take(pa.array(zones.members[begin:end])),
            }
        )


def _check_span(table: CheckedTable, time: npt.NDArray[np.int64]) -> None:
    """Refuse more time steps than can be counted.

    Raises
    ------
    InputError
        Names the line of the time farthest from the middle one, which may be a slip.
    """
    span = int(time.max()) - int(time.min()) + 1
    if span > MOST_STEPS:
        far = int(np.abs(time - int(np.median(time))).argmax())
        message = f"the zones span {span} time steps, more than {MOST_STEPS}: {time[far]} is"
        hint = "number the steps from 1 on without gaps"
        raise table.error(f"{message} farthest off", far, "time_id", hint)


def _check_disjoint(
    table: CheckedTable,
    time: npt.NDArray[np.int64],
    zone: npt.NDArray[np.int32],
    row: npt.NDArray[np.int32],
) -> None:
    """Refuse users in two zones at one time, or twice in one zone.

    Raises
    ------
    InputError
        Names the second line of the first such user.
    """
    order = np.lexsort((row, time))
    again = (time[order[1:]] == time[order[:-1]]) & (row[order[1:]] == row[order[:-1]])
    if not again.any():
        return
    second = int(order[1:][again].min())
    first = int(order[:-1][again][order[1:][again].argmin()])
    user = table.columns["user_id"][second].as_py()
    names = table.columns["zone_id"]
    if zone[first] == zone[second]:
        what = f"twice in zone {names[second].as_py()}"
    else:
        what = f"in zone {names[first].as_py()} and in zone {names[second].as_py()}"
    raise table.error(
        f"user {user} is {what} at time {time[second]}",
        second,
        "user_id",
        "zones at one time must be disjoint",
    )
