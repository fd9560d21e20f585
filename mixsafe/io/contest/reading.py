"""The files of PWS Cup 2019, read strictly: traces, releases, ID tables, answers, regions."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.contest.strict_columns import CELL, DECIMAL, NUMBER, Columns, read_columns
from mixsafe.model.mobility.regions import Regions
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.id_table import IdTable

Path = str | os.PathLike[str]

TRACES = {"user_id": NUMBER, "time_id": NUMBER, "reg_id": NUMBER}
ANONYMIZED = {"reg_id": CELL}
PUBLIC = {"pse_id": NUMBER, "time_id": NUMBER, "reg_id": CELL}
ID_TABLE = {"pse_id": NUMBER, "user_id": NUMBER}
DYNAMIC_ID_TABLE = {"pse_id": NUMBER, "time_id": NUMBER, "user_id": NUMBER}
INFERRED_IDS = {"user_id": NUMBER}
INFERRED_TRACES = {"reg_id": NUMBER}
REGIONS = {
    "reg_id": NUMBER,
    "y_id": NUMBER,
    "x_id": NUMBER,
    "y(center)": DECIMAL,
    "x(center)": DECIMAL,
    "hospital": NUMBER,
}


def read_traces(path: Path, n_regions: int) -> TraceMatrix:
    """Read reference or original traces: ``user_id,time_id,reg_id``, by user and time, complete.

    Raises
    ------
    InputError
        Names the first line with an unknown region, or that is missing, surplus or out of order.
    """
    columns = read_columns(path, TRACES, kind="reference or original traces")
    shape, first_time = _check_grid(columns, "user_id")
    region = columns.numbers("reg_id")
    columns.check_range("reg_id", region, 1, n_regions, "region")
    return TraceMatrix((region - 1).reshape(shape).astype(np.int32), first_time)


def read_anonymized(path: Path, original: TraceMatrix, n_regions: int) -> Cells:
    """Read released cells: one column ``reg_id``, in the row order of the original traces.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, or has an unknown region.
    """
    columns = read_columns(path, ANONYMIZED, kind="anonymized traces")
    columns.check_rows(original.region.size, "one row for each row of the original traces")
    return _cells(columns, original.region.shape, n_regions, original.first_time)


def read_public(path: Path, n_regions: int) -> Cells:
    """Read a release: ``pse_id,time_id,reg_id``; pseudonyms of n users are n + 1 to 2n.

    Raises
    ------
    InputError
        Names the first line with an unknown region, or that is missing, surplus or out of order.
    """
    columns = read_columns(path, PUBLIC, kind="public traces")
    shape, first_time = _check_grid(columns, "pse_id")
    return _cells(columns, shape, n_regions, first_time)


def read_id_table(path: Path) -> IdTable:
    """Read an ID table: ``pse_id,user_id``, or by time ``pse_id,time_id,user_id``.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, out of order, or has an unknown user or a
        user with a second pseudonym.
    """
    columns = read_columns(path, ID_TABLE, DYNAMIC_ID_TABLE, kind="pseudonyms and users")
    shape, first_time = _check_grid(columns, "pse_id")
    user = columns.numbers("user_id")
    columns.check_range("user_id", user, 1, shape[0], "user")
    _check_bijection(columns, user.reshape(shape))
    return IdTable((user - 1).reshape(shape).astype(np.int32), first_time)


def read_inferred_ids(path: Path, table: IdTable) -> npt.NDArray[np.int32]:
    """Read an attacker's users: one column ``user_id``, a row per pseudonym, in their order.

    An attacker who models exchanges answers by time, ``pse_id,time_id,user_id``, whether or not
    there were any. If ``table`` is by time, a column ``user_id`` alone may also be by time.

    Returns
    -------
    (n,) or (n, n_steps) users from 0.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, out of order, or has an unknown user.
    """
    columns = read_columns(path, INFERRED_IDS, DYNAMIC_ID_TABLE, kind="inferred users")
    n_users, n_steps = table.user.shape
    by_time = n_steps > 1 and len(columns) == n_users * n_steps
    shape: tuple[int, ...] = (n_users, n_steps) if by_time else (n_users,)
    if "time_id" in columns.names:
        shape = _check_times(columns, table)
    elif not by_time:
        columns.check_rows(n_users, "one row for each pseudonym")
    user = columns.numbers("user_id")
    columns.check_range("user_id", user, 1, n_users, "user")
    return (user - 1).astype(np.int32).reshape(shape)


def _check_times(columns: Columns, table: IdTable) -> tuple[int, int]:
    """Shape of answers by time; their pseudonyms and times must be those of the table."""
    n_users, n_steps = table.user.shape
    (rows, steps), first_time = _check_grid(columns, "pse_id")
    if rows != n_users or (n_steps > 1 and (steps, first_time) != (n_steps, table.first_time)):
        asked = f" and {n_steps} times from {table.first_time} on" if n_steps > 1 else ""
        raise columns.error(
            f"answers for {rows} pseudonyms and {steps} times from {first_time} on do not fit an"
            f" ID table of {n_users} pseudonyms{asked}",
            0,
        )
    return rows, steps


def read_inferred_traces(
    path: Path, original: TraceMatrix, n_regions: int
) -> npt.NDArray[np.int32]:
    """Read an attacker's regions: one column ``reg_id``, in the row order of the original traces.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, or has an unknown region.
    """
    columns = read_columns(path, INFERRED_TRACES, kind="inferred traces")
    columns.check_rows(original.region.size, "one row for each row of the original traces")
    region = columns.numbers("reg_id")
    columns.check_range("reg_id", region, 1, n_regions, "region")
    return (region - 1).reshape(original.region.shape).astype(np.int32)


def read_regions(path: Path) -> Regions:
    """Read a contest's ``info_region.csv``: a full grid with centres and hospitals.

    Raises
    ------
    InputError
        Names the first line that is not the next region of a grid.
    """
    columns = read_columns(path, REGIONS, kind="regions")
    row, column = columns.numbers("y_id"), columns.numbers("x_id")
    n_columns = int(column.max())
    expected = np.arange(len(columns))
    wrong = (row != expected // n_columns + 1) | (column != expected % n_columns + 1)
    wrong |= columns.numbers("reg_id") != expected + 1
    if wrong.any():
        raise columns.error(
            "this is not the next region",
            int(wrong.argmax()),
            hint="regions are numbered from the south-west, west to east first",
        )
    columns.check_rows(int(row[-1]) * n_columns, "the last row of regions is not full")
    hospital = columns.numbers("hospital")
    columns.check_range("hospital", hospital, 0, 1, "mark")
    lat = np.array(columns.texts("y(center)")).astype(np.float64)[::n_columns]
    lon = np.array(columns.texts("x(center)")).astype(np.float64)[:n_columns]
    south, height = _edges(lat, columns)
    west, width = _edges(lon, columns)
    return Regions(len(lat), n_columns, south, west, height, width, hospital == 1)


def _edges(centres: npt.NDArray[np.float64], columns: Columns) -> tuple[float, float]:
    """First edge and extent of a row or column of equally spaced regions.

    Raises
    ------
    InputError
        There is one centre only, or centres are not equally spaced.
    """
    if len(centres) < 2:
        raise InputError("a grid needs at least two rows and two columns", file=columns.file)
    # The organizers' centres contain rounding errors: 139.68187500000002.
    extent = round(float(centres[-1] - centres[0]) / (len(centres) - 1), 12)
    if not np.allclose(np.diff(centres), extent, rtol=1e-6, atol=0) or extent <= 0:
        raise InputError("the regions' centres are not equally spaced", file=columns.file)
    return round(float(centres[0]) - extent / 2, 12), extent


def _cells(columns: Columns, shape: tuple[int, int], n_regions: int, first_time: int) -> Cells:
    """Parse the cells of column ``reg_id``, each distinct text once."""
    import pyarrow as pa

    coded = pa.array(columns.texts("reg_id"), pa.binary()).dictionary_encode()
    first_row = np.unique(coded.indices.to_numpy(), return_index=True)[1]
    content = np.empty(len(coded.dictionary), np.int32)
    sets: list[list[int]] = []
    for number, text in enumerate(coded.dictionary.to_pylist()):
        members = [] if text == b"*" else [int(region) - 1 for region in text.split(b" ")]
        _check_members(columns, members, int(first_row[number]), n_regions)
        if len(members) > 1:
            sets.append(members)
        content[number] = (
            n_regions if not members else members[0] if len(members) == 1 else n_regions + len(sets)
        )
    ptr = np.concatenate([[0], np.cumsum([len(members) for members in sets])]).astype(np.int64)
    member = np.array([region for members in sets for region in members], np.int32)
    code = content[coded.indices.to_numpy()].reshape(shape)
    return Cells(code, n_regions, ptr, member, first_time)


def _check_members(columns: Columns, members: list[int], row: int, n_regions: int) -> None:
    """Refuse unknown regions, and a region that occurs twice in a set."""
    for region in members:
        if not 0 <= region < n_regions:
            raise columns.error(f"region {region + 1} is outside 1 to {n_regions}", row, "reg_id")
    if len(set(members)) < len(members):
        raise columns.error("the cell repeats a region", row, "reg_id", "write each region once")


def _check_grid(columns: Columns, name: str) -> tuple[tuple[int, int], int]:
    """Shape and first time of a complete file sorted by ``name`` and time.

    Users are numbered 1 to n, their pseudonyms n + 1 to 2n. A file without times has one step.

    Raises
    ------
    InputError
        Names the first line that deviates from the pattern of the majority.
    """
    ids = columns.numbers(name)
    dated = "time_id" in columns.names
    times = columns.numbers("time_id") if dated else np.ones_like(ids)
    n_steps = _most_common(np.unique(ids, return_counts=True)[1]) if dated else 1
    n_rows = -(-len(columns) // n_steps)
    order = np.arange(len(columns))
    expected = order // n_steps + (1 if name == "user_id" else n_rows + 1)
    expected_time = times[0] + order % n_steps
    wrong = np.flatnonzero((ids != expected) | (times != expected_time))
    what = "user" if name == "user_id" else "pseudonym"
    if len(wrong):
        row = int(wrong[0])
        at = [f" at time {time[row]}" if dated else "" for time in (times, expected_time)]
        raise columns.error(
            f"expected {what} {expected[row]}{at[1]}, found {what} {ids[row]}{at[0]}",
            row,
            hint="a line is missing, surplus or out of order",
        )
    columns.check_rows(n_rows * n_steps, f"the last {what} needs {n_steps} times, like the others")
    columns.check_range("time_id", times, 1, int(times.max()), "time")
    return (n_rows, n_steps), int(times[0])


def _most_common(counts: npt.NDArray[np.int64]) -> int:
    """The most frequent count; of ties the largest."""
    occurrences = np.bincount(counts)
    return int(np.flatnonzero(occurrences == occurrences.max())[-1])


def _check_bijection(columns: Columns, user: npt.NDArray[np.int64]) -> None:
    """Refuse a user with two pseudonyms at one time.

    Raises
    ------
    InputError
        Names the second line of the first such user.
    """
    order = np.argsort(user, axis=0, kind="stable")
    ordered = np.take_along_axis(user, order, axis=0)
    again = np.zeros(user.shape, bool)
    np.put_along_axis(again, order[1:], ordered[1:] == ordered[:-1], axis=0)
    if again.any():
        row = int(again.reshape(-1).argmax())
        raise columns.error(
            f"user {user.reshape(-1)[row]} already has another pseudonym",
            row,
            "user_id",
            "give each user one pseudonym at each time",
        )
