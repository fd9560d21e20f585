"""The files of PWS Cup 2019, read strictly: traces, releases, ID tables, answers, regions.

They are plain CSV: ASCII, a fixed header, no quotes, no spaces. The organizers' programs skip
headers unread and accept other deviations; this reader names the first invalid line. CRLF line ends
and a byte order mark, as Windows programs write them, are removed with an
:class:`mixsafe.errors.InputNote`.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError, InputNote
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.files.content import whole
from mixsafe.io.files.csv_records import LONGEST
from mixsafe.io.files.tables import read_table
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix
from mixsafe.model.release import Cells, IdTable

NUMBER = "0*[0-9]{1,18}"
CELL = rf"\*|{NUMBER}(?: {NUMBER})*"
PLAIN_CELL = CELL.replace(NUMBER, "(?:0|[1-9][0-9]{0,17})")
"""A cell whose numbers are written in the one way that has no leading zeros."""

DECIMAL = r"-?[0-9]+(?:\.[0-9]+)?(?:e-?[0-9]+)?"

_CELL_HINT = (
    "write one id, several ids separated by one space, or *; names of places are read where the"
    " column of pseudonyms is called pseudonym"
)
_EXPECTED = {
    NUMBER: ("a plain number, digits only", None),
    CELL: ("a released cell", _CELL_HINT),
    PLAIN_CELL: ("a released cell", _CELL_HINT),
    DECIMAL: ("a decimal number", None),
}
_TYPES = {NUMBER: pa.int64(), DECIMAL: pa.float64()}

_FAULTS = {
    rb"\r": ("the line contains a carriage return", "end lines with LF or CRLF"),
    rb"[^\x00-\x7f]": ("byte {:#x} is not ASCII", "give a contest file, which is plain ASCII"),
    rb'"': ("the line contains a quote", "write numbers without quotes"),
    rb"(?<=\n)\n": ("the line is empty", None),
}
"""What no line may have, and what is said of it."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

FIRST_LINE = 2
"""Line of the first row; the header is line 1."""


def read_columns(
    path: str | os.PathLike[str], *layouts: Mapping[str, str], kind: str
) -> CheckedTable:
    """Read a file with one of the given headers.

    Parameters
    ----------
    layouts
        Column names in order, with the pattern of their cells.
    kind
        Kind of file expected, for error messages.

    Returns
    -------
    Numbers as int64, decimal numbers as float64, cells as a dictionary of texts.

    Raises
    ------
    InputError
        The file cannot be read, is empty, has another header, contains a carriage return inside a
        line, or a line does not fit the header.

    Warns
    -----
    InputNote
        The file has a byte order mark or CRLF line ends.
    """
    file = os.fspath(path)
    data = whole(file, unpack=True)
    if not data:
        raise InputError("the file is empty", file=file)
    data = _without_windows(data, file)
    for pattern, (message, hint) in _FAULTS.items():
        found = None if pattern == rb"[^\x00-\x7f]" and data.isascii() else re.search(pattern, data)
        if found is not None:
            line = data.count(b"\n", 0, found.start()) + 1
            raise InputError(message.format(*found[0]), file=file, line=line, hint=hint)
    header = data.partition(b"\n")[0].decode("ascii")
    layout = next((one for one in layouts if ",".join(one) == header), None)
    if layout is None:
        wanted = "' or '".join(",".join(one) for one in layouts)
        message = f"the header is '{header[:60]}' instead of '{wanted}'"
        raise InputError(message, file=file, line=1, hint=f"give a file of {kind}")
    return _parsed(read_table(path, dict.fromkeys(layout, "text")), layout)


def _without_windows(data: bytes, file: str) -> bytes:
    """Remove a byte order mark and replace CRLF by LF."""
    marked = data.startswith(_BYTE_ORDER_MARK)
    found = ["a byte order mark"] if marked else []
    if b"\r\n" in data:
        found.append("CRLF line ends")
    if found:
        what = " and ".join(found)
        # The stack level points to the caller of the public reader.
        note = f"{file}: {what} ignored; the file is read as plain ASCII with LF"
        warnings.warn(note, InputNote, stacklevel=4)
    return data.removeprefix(_BYTE_ORDER_MARK).replace(b"\r\n", b"\n")


def _parsed(table: CheckedTable, layout: Mapping[str, str]) -> CheckedTable:
    """The table, its texts as what the patterns say.

    Raises
    ------
    InputError
        Names the first line with a cell that does not fit.
    """
    parsed, wrong = {}, {}
    for name, pattern in layout.items():
        coded = table.columns[name].combine_chunks().dictionary_encode()
        good = compute.match_substring_regex(coded.dictionary, f"^(?:{pattern})$")
        if not compute.all(good).as_py():
            bad = compute.index(good.take(coded.indices), value=False)
            wrong[name] = bad.as_py()
        elif pattern in _TYPES:
            coded = coded.dictionary.cast(_TYPES[pattern]).take(coded.indices)
        parsed[name] = pa.chunked_array([coded])
    if wrong:
        name = min(wrong, key=lambda one: wrong[one])
        text, (expected, hint) = table.columns[name][wrong[name]].as_py(), _EXPECTED[layout[name]]
        message = "two spaces in a row" if "  " in text else f"'{text[:LONGEST]}' is not {expected}"
        raise table.error(message, wrong[name], name, hint)
    return replace(table, columns=parsed)


def check_range(table: CheckedTable, name: str, first: int, last: int, what: str) -> None:
    """Refuse numbers of a column outside the range ``first`` to ``last``.

    Raises
    ------
    InputError
        Names the first line.
    """
    found = table.values(name)
    wrong = (found < first) | (found > last)
    table.check(wrong, name, f"{what} {{}} is outside {first} to {last}")


def check_rows(table: CheckedTable, expected: int, hint: str) -> None:
    """Refuse a file with missing or surplus rows.

    Raises
    ------
    InputError
        Names the first line that is missing or surplus.
    """
    if len(table) == expected:
        return
    what = "missing" if len(table) < expected else "surplus"
    raise InputError(
        f"{len(table)} rows instead of {expected}: this line is {what}",
        file=table.file,
        line=min(len(table), expected) + FIRST_LINE,
        hint=hint,
    )


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
    table = read_columns(path, TRACES, kind="reference or original traces")
    shape, first_time = _check_grid(table, "user_id")
    region = table.values("reg_id")
    check_range(table, "reg_id", 1, n_regions, "region")
    return TraceMatrix((region - 1).reshape(shape).astype(np.int32), first_time)


def read_anonymized(path: Path, original: TraceMatrix, n_regions: int) -> Cells:
    """Read released cells: one column ``reg_id``, in the row order of the original traces.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, or has an unknown region.
    """
    table = read_columns(path, ANONYMIZED, kind="anonymized traces")
    check_rows(table, original.region.size, "one row for each row of the original traces")
    return _cells(table, original.region.shape, n_regions, original.first_time)


def read_public(path: Path, n_regions: int, cell: str = CELL) -> Cells:
    """Read a release: ``pse_id,time_id,reg_id``; pseudonyms of n users are n + 1 to 2n.

    Parameters
    ----------
    cell
        Pattern of its cells.

    Raises
    ------
    InputError
        Names the first line with an unknown region, or that is missing, surplus or out of order.
    """
    table = read_columns(path, PUBLIC | {"reg_id": cell}, kind="public traces")
    shape, first_time = _check_grid(table, "pse_id")
    return _cells(table, shape, n_regions, first_time)


def read_id_table(path: Path) -> IdTable:
    """Read an ID table: ``pse_id,user_id``, or by time ``pse_id,time_id,user_id``.

    Raises
    ------
    InputError
        Names the first line that is missing, surplus, out of order, or has an unknown user or a
        user with a second pseudonym.
    """
    table = read_columns(path, ID_TABLE, DYNAMIC_ID_TABLE, kind="pseudonyms and users")
    shape, first_time = _check_grid(table, "pse_id")
    user = table.values("user_id")
    check_range(table, "user_id", 1, shape[0], "user")
    _check_bijection(table, user.reshape(shape))
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
    answers = read_columns(path, INFERRED_IDS, DYNAMIC_ID_TABLE, kind="inferred users")
    n_users, n_steps = table.user.shape
    by_time = n_steps > 1 and len(answers) == n_users * n_steps
    shape: tuple[int, ...] = (n_users, n_steps) if by_time else (n_users,)
    if "time_id" in answers.columns:
        shape = _check_times(answers, table)
    elif not by_time:
        check_rows(answers, n_users, "one row for each pseudonym")
    user = answers.values("user_id")
    check_range(answers, "user_id", 1, n_users, "user")
    return (user - 1).astype(np.int32).reshape(shape)


def _check_times(answers: CheckedTable, table: IdTable) -> tuple[int, int]:
    """Shape of answers by time; their pseudonyms and times must be those of the table."""
    n_users, n_steps = table.user.shape
    (rows, steps), first_time = _check_grid(answers, "pse_id")
    if rows != n_users or (n_steps > 1 and (steps, first_time) != (n_steps, table.first_time)):
        asked = f" and {n_steps} times from {table.first_time} on" if n_steps > 1 else ""
        raise answers.error(
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
    table = read_columns(path, INFERRED_TRACES, kind="inferred traces")
    check_rows(table, original.region.size, "one row for each row of the original traces")
    region = table.values("reg_id")
    check_range(table, "reg_id", 1, n_regions, "region")
    return (region - 1).reshape(original.region.shape).astype(np.int32)


def read_regions(path: Path) -> Regions:
    """Read a contest's ``info_region.csv``: a full grid with centres and hospitals.

    Raises
    ------
    InputError
        Names the first line that is not the next region of a grid.
    """
    table = read_columns(path, REGIONS, kind="regions")
    row, column = table.values("y_id"), table.values("x_id")
    n_columns = int(column.max())
    expected = np.arange(len(table))
    wrong = (row != expected // n_columns + 1) | (column != expected % n_columns + 1)
    wrong |= table.values("reg_id") != expected + 1
    if wrong.any():
        raise table.error(
            "this is not the next region",
            int(wrong.argmax()),
            hint="regions are numbered from the south-west, west to east first",
        )
    check_rows(table, int(row[-1]) * n_columns, "the last row of regions is not full")
    hospital = table.values("hospital")
    check_range(table, "hospital", 0, 1, "mark")
    lat = table.values("y(center)")[::n_columns]
    lon = table.values("x(center)")[:n_columns]
    south, height = _edges(lat, table)
    west, width = _edges(lon, table)
    return Regions(len(lat), n_columns, south, west, height, width, hospital == 1)


def _edges(centres: npt.NDArray[np.float64], table: CheckedTable) -> tuple[float, float]:
    """First edge and extent of a row or column of equally spaced regions.

    Raises
    ------
    InputError
        There is one centre only, or centres are not equally spaced.
    """
    if len(centres) < 2:
        raise InputError("a grid needs at least two rows and two columns", file=table.file)
    # The organizers' centres contain rounding errors: 139.68187500000002.
    extent = round(float(centres[-1] - centres[0]) / (len(centres) - 1), 12)
    if not np.allclose(np.diff(centres), extent, rtol=1e-6, atol=0) or extent <= 0:
        raise InputError("the regions' centres are not equally spaced", file=table.file)
    return round(float(centres[0]) - extent / 2, 12), extent


def _cells(table: CheckedTable, shape: tuple[int, int], n_regions: int, first_time: int) -> Cells:
    """Parse the cells of column ``reg_id``, each distinct text once."""
    coded = table.columns["reg_id"].combine_chunks()
    first_row = np.unique(coded.indices.to_numpy(), return_index=True)[1]
    content = np.empty(len(coded.dictionary), np.int32)
    sets: list[list[int]] = []
    for number, text in enumerate(coded.dictionary.to_pylist()):
        members = [] if text == "*" else [int(region) - 1 for region in text.split()]
        _check_members(table, members, int(first_row[number]), n_regions)
        if len(members) > 1:
            sets.append(members)
        content[number] = (
            n_regions if not members else members[0] if len(members) == 1 else n_regions + len(sets)
        )
    ptr = np.concatenate([[0], np.cumsum([len(members) for members in sets])]).astype(np.int64)
    member = np.array([region for members in sets for region in members], np.int32)
    code = content[coded.indices.to_numpy()].reshape(shape)
    return Cells(code, n_regions, ptr, member, first_time)


def _check_members(table: CheckedTable, members: list[int], row: int, n_regions: int) -> None:
    """Refuse unknown regions, and a region that occurs twice in a set."""
    for region in members:
        if not 0 <= region < n_regions:
            raise table.error(f"region {region + 1} is outside 1 to {n_regions}", row, "reg_id")
    if len(set(members)) < len(members):
        raise table.error("the cell repeats a region", row, "reg_id", "write each region once")


def _check_grid(table: CheckedTable, name: str) -> tuple[tuple[int, int], int]:
    """Shape and first time of a complete file sorted by ``name`` and time.

    Users are numbered 1 to n, their pseudonyms n + 1 to 2n. A file without times has one step.

    Raises
    ------
    InputError
        Names the first line that deviates from the pattern of the majority.
    """
    ids = table.values(name)
    dated = "time_id" in table.columns
    times = table.values("time_id") if dated else np.ones_like(ids)
    n_steps = _most_common(np.unique(ids, return_counts=True)[1]) if dated else 1
    n_rows = -(-len(table) // n_steps)
    order = np.arange(len(table))
    expected = order // n_steps + (1 if name == "user_id" else n_rows + 1)
    expected_time = times[0] + order % n_steps
    wrong = np.flatnonzero((ids != expected) | (times != expected_time))
    what = "user" if name == "user_id" else "pseudonym"
    if len(wrong):
        row = int(wrong[0])
        at = [f" at time {time[row]}" if dated else "" for time in (times, expected_time)]
        raise table.error(
            f"expected {what} {expected[row]}{at[1]}, found {what} {ids[row]}{at[0]}",
            row,
            hint="a line is missing, surplus or out of order",
        )
    check_rows(table, n_rows * n_steps, f"the last {what} needs {n_steps} times, like the others")
    if dated:
        check_range(table, "time_id", 1, int(times.max()), "time")
    return (n_rows, n_steps), int(times[0])


def _most_common(counts: npt.NDArray[np.int64]) -> int:
    """The most frequent count; of ties the largest."""
    occurrences = np.bincount(counts)
    return int(np.flatnonzero(occurrences == occurrences.max())[-1])


def _check_bijection(table: CheckedTable, user: npt.NDArray[np.int64]) -> None:
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
        raise table.error(
            f"user {user.reshape(-1)[row]} already has another pseudonym",
            row,
            "user_id",
            "give each user one pseudonym at each time",
        )
