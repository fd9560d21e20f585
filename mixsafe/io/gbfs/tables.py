"""Tables of identifiers, CSV or Parquet: a row per record, or a row per trip."""

from __future__ import annotations

import os
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, layout_of
from mixsafe.io.columns.no_position import REASON
from mixsafe.io.columns.points import points
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import first_file, header_of
from mixsafe.io.gbfs.column_names import FIELDS, IDENTIFIERS, found_in
from mixsafe.io.gbfs.records import MOVED, Ints, Records, Values, metres
from mixsafe.io.gbfs.rows import Rows
from mixsafe.io.gbfs.trips import read_trips, trip_columns
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.wanted import Wanted
from mixsafe.io.lines.finding import refuse_lines

_LEAST_PER_TIME = 1.5
"""Records per time from which times are those of snapshots."""


def read_table_of_identifiers(
    path: str | os.PathLike[str], wanted: Wanted, unused: Unused
) -> tuple[Records, tuple[str, ...], str | None]:
    """Read a table of records (``id, time, lat, lon``) or of trips.

    Parameters
    ----------
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.

    Returns
    -------
    The records, notes, and the time zone of the table, None if it says none.

    Raises
    ------
    InputError
        A column is missing, or a cell wrong; names its line.
    """
    header = header_of(path, wanted.form)
    trips = trip_columns(path, header, wanted)
    if trips is not None:
        return read_trips(path, trips, wanted, unused)
    return _of_records(path, header, wanted, unused)


def _of_records(
    path: str | os.PathLike[str], header: tuple[str, ...], wanted: Wanted, unused: Unused
) -> tuple[Records, tuple[str, ...], str | None]:
    """Read a table with a row per record."""
    layout = _layout(path, header, wanted)
    columns = found_in(header, FIELDS)
    columns |= {name: name for name in wanted.also if name not in columns}
    rows = Rows.read(path, _kinds(layout, columns, wanted), wanted, unused)
    names = rows.names(layout.user)
    time, _ = rows.times(layout.time, wanted.tz)
    lat, lon = _positions(rows, layout)
    fields = rows.fields(columns) | {"lat": lat, "lon": lon}
    truth = None if wanted.truth is None else rows.names(wanted.truth)
    _refuse_twice(rows, layout.user, names, time)
    kept = np.flatnonzero(rows.kept)
    unused.check(len(kept), path)
    if not len(kept):
        raise InputError("no row can be used", file=path)
    rows.name(REASON, rows.kept & np.isnan(lat), names)
    ids, of_kept = np.unique(names[kept], return_inverse=True)
    times, at = np.unique(time[kept], return_inverse=True)
    sorting = np.lexsort((at, of_kept))
    order, number, at = kept[sorting], of_kept[sorting], at[sorting]
    same = number[1:] == number[:-1]
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    stops = np.concatenate([starts[1:], [len(order)]]) - 1
    gaps = np.where(same, np.diff(at) - 1, 0)
    way = metres(lat[order[:-1]], lon[order[:-1]], lat[order[1:]], lon[order[1:]])
    jumps = same & (way > MOVED)
    snapshots = len(kept) >= _LEAST_PER_TIME * len(times)
    vehicles = None
    if truth is not None and wanted.truth is not None:
        vehicles = _one_truth(rows, wanted.truth, truth, (order, number, starts), ids)
    found = Records(
        ids=ids,
        times=times,
        first=at[starts],
        last=at[stops],
        begins={name: column[order[starts]] for name, column in fields.items()},
        ends={name: column[order[stops]] for name, column in fields.items()},
        missed=np.maximum.reduceat(np.concatenate([[0], gaps]), starts),
        moved=np.logical_or.reduceat(np.concatenate([[False], jumps]), starts),
        truth=vehicles,
        snapshots=snapshots,
    )
    notes = tuple(rows.notes)
    if not snapshots:
        notes = (*notes, "records have times of their own: identifiers begin and end with them")
    return found.in_order(), notes, rows.zone


def _layout(path: str | os.PathLike[str], header: tuple[str, ...], wanted: Wanted) -> Layout:
    """The column of each meaning.

    Raises
    ------
    InputError
        One is missing, or the table is of steps or regions.
    """
    given = {"user_id" if one == "id" else one: name for one, name in wanted.columns.items()}
    identifier = found_in(header, {"id": IDENTIFIERS}).get("id")
    if "user_id" not in given and identifier is not None:
        given["user_id"] = identifier
    lines = partial(refuse_lines, path, header, form=wanted.form)
    layout = layout_of(first_file(path, wanted.form), header, given, lines=lines)
    if layout.numbered or layout.seconds or layout.end or layout.region is not None:
        message = "the table gives numbers of steps or of regions, or stays"
        hint = "give times and coordinates: id,time,lat,lon"
        raise InputError(message, file=first_file(path, wanted.form), line=1, hint=hint)
    return layout


def _kinds(layout: Layout, fields: dict[str, str], wanted: Wanted) -> dict[str, Kind]:
    """The columns that are needed."""
    needed = (layout.time, layout.lat, layout.lon, layout.geometry, *fields.values())
    kinds: dict[str, Kind] = dict.fromkeys([one for one in needed if one is not None], "optional")
    names = (layout.user, wanted.truth)
    return kinds | dict.fromkeys([one for one in names if one is not None], "name")


def _positions(rows: Rows, layout: Layout) -> tuple[Values, Values]:
    """(n_rows,) latitudes and longitudes, not numbers where there is no position."""
    if layout.lat is not None and layout.lon is not None:
        return rows.positions((layout.lat, layout.lon))
    name = str(layout.geometry)
    lat, lon = np.full((2, len(rows)), np.nan)
    begin, filled = 0, rows.filled(name)
    for table in rows.tables:
        part = slice(begin, begin + len(table))
        begin += len(table)
        there = filled[part]
        if there.any():
            lat[part][there], lon[part][there] = points(table.only(there), name)
    return rows.placed((name, name), lat, lon)


def _refuse_twice(rows: Rows, column: str, names: npt.NDArray[np.str_], time: Ints) -> None:
    """Refuse identifiers that occur twice at one time.

    Raises
    ------
    InputError
        Names the line of the second record, unless such rows are skipped.
    """
    kept = np.flatnonzero(rows.kept)
    _, number = np.unique(names[kept], return_inverse=True)
    order = np.lexsort((kept, time[kept], number))
    again = np.zeros(len(rows), bool)
    same = number[order[1:]] == number[order[:-1]]
    again[kept[order[1:]]] = same & (time[kept[order[1:]]] == time[kept[order[:-1]]])
    message = "identifier '{}' occurs twice at one time"
    rows.refuse(again, column, lambda row: message.format(names[row]))


def _one_truth(
    rows: Rows,
    column: str,
    truth: npt.NDArray[np.str_],
    sorted_rows: tuple[Ints, Ints, Ints],
    ids: npt.NDArray[np.str_],
) -> npt.NDArray[np.str_]:
    """The true vehicle of each identifier.

    Raises
    ------
    InputError
        An identifier is of two vehicles; names the line of the second.
    """
    order, number, starts = sorted_rows
    of_first = truth[order[starts]]
    wrong = truth[order] != of_first[number]
    if wrong.any():
        row = int(order[wrong].min())
        one = number[np.flatnonzero(order == row)[0]]
        said = f"identifier '{ids[one]}' is of vehicle {truth[row]} here, before of {of_first[one]}"
        raise rows.error(row, said, column)
    return of_first
