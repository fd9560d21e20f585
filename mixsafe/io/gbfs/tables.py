"""Tables of identifiers, CSV or Parquet: a row per record, or a row per trip."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, layout_of
from mixsafe.io.columns.no_position import REASON
from mixsafe.io.files.csv_records import Kind
from mixsafe.io.files.tables import first_file, header_of, read_parts, table_in_memory
from mixsafe.io.gbfs.column_names import FIELDS, IDENTIFIERS, found_in
from mixsafe.io.gbfs.records import MOVED, Ints, Records, metres
from mixsafe.io.gbfs.rows import Rows
from mixsafe.io.gbfs.trips import trip_columns, trips_of
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.wanted import Wanted
from mixsafe.io.lines.finding import refuse_lines
from mixsafe.io.traces.table import kinds_of, positions

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
    trips = trip_columns(first_file(path, wanted.form), header, wanted)

    def read(kinds: Mapping[str, Kind], dates: Mapping[str, str | None]) -> Rows:
        tables = read_parts(path, kinds, None, wanted.rules.skip_bad, wanted.form)
        return Rows.of(tables, wanted, unused, dates)

    if trips is not None:
        return trips_of(read(trips.kinds(wanted), trips.dates), trips, path)
    layout = _layout(path, header, wanted)
    fields = found_in(header, FIELDS)
    fields |= {name: name for name in wanted.also if name not in fields}
    kinds = {**dict.fromkeys(fields.values(), "optional"), **kinds_of(layout)}
    if wanted.truth is not None:
        kinds[wanted.truth] = "name"
    return _of_records(read(kinds, {layout.time: layout.date}), layout, fields, path)


def read_trips_in_memory(
    path: str | os.PathLike[str], data: pa.Table, wanted: Wanted, unused: Unused
) -> tuple[Records, tuple[str, ...], str | None]:
    """Read trips of MDS (:func:`mixsafe.io.gbfs.mds.mds_trips`); returns what tables of trips do.

    A device is a vehicle, unless another column is named.

    Raises
    ------
    InputError
        A column is missing, or a cell wrong; names its row.
    """
    header, label = tuple(data.column_names), os.fspath(path)
    if "device_id" in header and wanted.truth != "device_id":
        wanted = replace(wanted, columns={"id": "device_id", **wanted.columns})
    trips = trip_columns(path, header, wanted)
    if trips is None:
        raise InputError("the trips of MDS have neither times nor places", file=path)
    kinds = trips.kinds(wanted)
    table = table_in_memory(label, header, data.select(kinds), kinds, wanted.rules.skip_bad)
    return trips_of(Rows.of([table], wanted, unused, trips.dates), trips, path)


def _of_records(
    rows: Rows, layout: Layout, columns: dict[str, str], path: str | os.PathLike[str]
) -> tuple[Records, tuple[str, ...], str | None]:
    """Read a table with a row per record.

    Parameters
    ----------
    columns
        Column of each field.
    """
    wanted = rows.wanted
    names = rows.names(layout.user)
    time, _ = rows.times(layout.time, wanted.tz)
    lat, lon = rows.placed(partial(positions, layout=layout, crs=None, rules=wanted.rules))
    fields = rows.fields(columns) | {"lat": lat, "lon": lon}
    truth = None if wanted.truth is None else rows.names(wanted.truth)
    _refuse_twice(rows, layout.user, names, time)
    rows.settle(path)
    kept = np.flatnonzero(rows.kept)
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
    if layout.numbered or layout.region is not None:
        message = "the table gives numbers of steps or of regions"
        hint = "give times and coordinates: id,time,lat,lon"
        raise InputError(message, file=first_file(path, wanted.form), line=1, hint=hint)
    return layout


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
