"""Tables of identifiers, CSV or Parquet: a row per record, or a row per trip."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import layout_of
from mixsafe.io.columns.instants import instants
from mixsafe.io.columns.names import users_and_rows
from mixsafe.io.columns.row_rules import RowFilter, RowRules
from mixsafe.io.files.checked_table import Table
from mixsafe.io.files.csv_records import Kind, listed
from mixsafe.io.files.tables import first_file, header_of, read_parts
from mixsafe.io.gbfs.records import MOVED, Ints, Records, Values, metres
from mixsafe.io.traces.table import fixes_of, kinds_of
from mixsafe.model.mobility.instant import parse_instant

FIELDS: Mapping[str, tuple[str, ...]] = {
    "range": ("range", "current_range_meters"),
    "battery": ("battery", "current_fuel_percent"),
    "type": ("type", "vehicle_type_id"),
    "last_reported": ("last_reported",),
    "station": ("station", "station_id"),
    "uris": ("uri", "rental_uri", "rental_uris"),
    "disabled": ("disabled", "is_disabled"),
}
"""Names of the columns of each field."""

IDENTIFIERS = ("id", "trip_id", "vehicle_id", "bike_id", "device_id")
"""Names of the column of identifiers."""

TRIP = ("start_time", "start_lat", "start_lon", "end_time", "end_lat", "end_lon")
"""Columns of a trip; fields are ``start_range``, ``end_range`` and so on, or one for both."""

_LEAST_PER_TIME = 1.5
"""Records per time from which times are those of snapshots."""


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows of one or several files.

    Parameters
    ----------
    tables
        The files, or parts of them.
    similar
        As for :func:`mixsafe.io.columns.names.users_and_rows`.
    """

    tables: tuple[Table, ...]
    similar: str | None = None

    def error(self, row: int, message: str, column: str, hint: str | None = None) -> InputError:
        """The error about a row."""
        for table in self.tables:
            if row < len(table):
                break
            row -= len(table)
        return table.error(message, row, column, hint)

    def names(self, name: str) -> tuple[npt.NDArray[np.str_], Ints]:
        """Distinct names of a column, and (n_rows,) numbers of those of the rows."""

        def fault(row: int, message: str, hint: str) -> InputError:
            return self.error(row, message, name, hint)

        users, row = users_and_rows(self._column(name), fault, self.similar)
        return users.astype(np.str_), row.astype(np.int64)

    def numbers(self, name: str, least: float, most: float) -> Values:
        """(n_rows,) numbers of a column, not a number where it is empty.

        Raises
        ------
        InputError
            A cell is not a number, or outside its range; names its line.
        """

        def number(cell: Any) -> float:  # noqa: ANN401 -- a cell of any type
            text = str(cell).strip().lower()
            value = float({"true": "1", "false": "0"}.get(text, text))
            if not least <= value <= most:
                raise ValueError(text)
            return value

        what = f"not a number from {least:g} to {most:g}" if most < np.inf else "not a number"
        return self._cells(name, number, np.nan, what).astype(np.float64)

    def moments(self, name: str) -> Values:
        """(n_rows,) Unix seconds of a column, not a number where it is empty.

        Raises
        ------
        InputError
            A cell is not a timestamp; names its line.
        """

        def moment(cell: Any) -> float:  # noqa: ANN401 -- a cell of any type
            return float(parse_instant(str(cell)).second)

        return self._cells(name, moment, np.nan, "not a timestamp").astype(np.float64)

    def texts(self, name: str) -> npt.NDArray[np.object_]:
        """(n_rows,) texts of a column, None where it is empty."""
        return self._cells(name, lambda cell: str(cell).strip(), None, "")

    def _cells(
        self, name: str, parse: Callable[[Any], object], missing: object, wrong: str
    ) -> npt.NDArray[np.object_]:
        """Parse each distinct cell of a column once."""
        column = self._column(name).combine_chunks()
        coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        found: list[object] = []
        for code, cell in enumerate(coded.dictionary.to_pylist()):
            empty = cell is None or (isinstance(cell, str) and not cell.strip())
            try:
                found.append(missing if empty else parse(cell))
            except (ValueError, OverflowError):
                at = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
                row = int(np.argmax(at == code))
                raise self.error(row, f"'{str(cell)[:40]}' is {wrong}", name) from None
        values = np.empty(len(found) + 1, object)
        values[:] = [*found, missing]
        row_values: npt.NDArray[np.object_] = values[
            coded.indices.fill_null(len(found)).to_numpy(zero_copy_only=False)
        ]
        return row_values

    def _column(self, name: str) -> pa.ChunkedArray:
        chunks = [chunk for table in self.tables for chunk in table.columns[name].chunks]
        return pa.chunked_array(chunks).unify_dictionaries()


def read_table_of_identifiers(
    path: str | os.PathLike[str],
    truth: str | None = None,
    also: tuple[str, ...] = (),
    similar: str | None = None,
) -> tuple[Records, tuple[str, ...]]:
    """Read a table of records (``id, time, lat, lon``) or of trips (see ``TRIP``), and notes.

    Parameters
    ----------
    truth
        Column of the true vehicles.
    also
        Further columns, whose values are compared as texts.
    similar
        What alike identifiers are, as for :func:`mixsafe.io.columns.names.users_and_rows`.

    Raises
    ------
    InputError
        A column is missing, or a cell wrong; names its line.
    """
    header = header_of(path)
    if set(TRIP) <= set(header):
        return _trips(path, header, truth, also, similar)
    if any(name in header for name in ("start_time", "end_time", "start_lat", "end_lat")):
        missing = next(name for name in TRIP if name not in header)
        raise InputError(
            "the column does not exist",
            file=first_file(path),
            column=missing,
            hint=f"trips have the columns {listed(TRIP)}",
        )
    return _of_records(path, header, truth, also, similar)


def _of_records(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    truth: str | None,
    also: tuple[str, ...],
    similar: str | None,
) -> tuple[Records, tuple[str, ...]]:
    """Read a table with a row per record."""
    identifier = _identifier(header)
    given = None if identifier is None else {"user_id": identifier}
    layout = layout_of(first_file(path), header, given)
    if layout.numbered or layout.region is not None:
        message = "the table gives numbers of steps or of regions"
        hint = "give times and coordinates: id,time,lat,lon"
        raise InputError(message, file=first_file(path), line=1, hint=hint)
    fields = _fields_of(header, FIELDS, also)
    kinds = kinds_of(layout) | _kinds(fields.values(), truth)
    rows = _Rows(tuple(read_parts(path, kinds)), similar)
    rules = RowFilter(RowRules(keep_null_island=True))
    fixes = [fixes_of(table, layout, None, filter=rules) for table in rows.tables]
    if any(one.premises.skipped for one in fixes):
        note = next(note for one in fixes for note in one.premises.notes)
        hint = "remove these rows"
        raise InputError(f"records without a position: {note}", file=first_file(path), hint=hint)
    time = np.concatenate([one.time for one in fixes])
    lat = np.concatenate([one.lat for one in fixes if one.lat is not None])
    lon = np.concatenate([one.lon for one in fixes if one.lon is not None])
    ids, of_row = rows.names(layout.user)
    order = np.lexsort((time, of_row))
    number = of_row[order]
    same = number[1:] == number[:-1]
    again = same & (time[order[1:]] == time[order[:-1]])
    if again.any():
        row = int(order[1:][again].min())
        message = f"identifier '{ids[of_row[row]]}' occurs twice at one time"
        raise rows.error(row, message, layout.user)
    times, at = np.unique(time, return_inverse=True)
    starts = np.flatnonzero(np.concatenate([[True], ~same]))
    stops = np.concatenate([starts[1:], [len(order)]]) - 1
    gaps = np.where(same, np.diff(at[order]) - 1, 0)
    way = metres(lat[order[:-1]], lon[order[:-1]], lat[order[1:]], lon[order[1:]])
    jumps = same & (way > MOVED)
    columns = _columns(rows, fields) | {"lat": lat, "lon": lon}
    notes = tuple(dict.fromkeys(note for one in fixes for note in one.notes))
    snapshots = len(time) >= _LEAST_PER_TIME * len(times)
    found = Records(
        ids=ids,
        times=times,
        first=at[order[starts]],
        last=at[order[stops]],
        begins={name: column[order[starts]] for name, column in columns.items()},
        ends={name: column[order[stops]] for name, column in columns.items()},
        missed=np.maximum.reduceat(np.concatenate([[0], gaps]), starts),
        moved=np.logical_or.reduceat(np.concatenate([[False], jumps]), starts),
        truth=None if truth is None else _one_truth(rows, truth, (order, number, starts), ids),
        snapshots=snapshots,
    )
    if not snapshots:
        notes = (*notes, "records have times of their own: identifiers begin and end with them")
    return found.in_order(), notes


def _one_truth(
    rows: _Rows, truth: str, sorted_rows: tuple[Ints, Ints, Ints], ids: npt.NDArray[np.str_]
) -> npt.NDArray[np.str_]:
    """The true vehicle of each identifier.

    Raises
    ------
    InputError
        An identifier is of two vehicles; names the line of the second.
    """
    order, number, starts = sorted_rows
    vehicles, told = rows.names(truth)
    of_first = told[order[starts]]
    wrong = told[order] != of_first[number]
    if wrong.any():
        row = int(order[wrong].min())
        one = number[np.flatnonzero(order == row)[0]]
        raise rows.error(
            row,
            f"identifier '{ids[one]}' is of vehicle {vehicles[told[row]]} here, before of"
            f" {vehicles[of_first[one]]}",
            truth,
        )
    return vehicles[of_first]


def _trips(
    path: str | os.PathLike[str],
    header: tuple[str, ...],
    truth: str | None,
    also: tuple[str, ...],
    similar: str | None,
) -> tuple[Records, tuple[str, ...]]:
    """Read a table with a row per trip."""
    identifier = _identifier(header)
    if identifier is None:
        raise InputError(
            "no column of identifiers found",
            file=first_file(path),
            column="id",
            hint=f"the columns are {listed(header)}",
        )
    sides: list[dict[str, str]] = []
    for side in ("start", "end"):
        known = {
            name: (*(f"{side}_{one}" for one in names), *names) for name, names in FIELDS.items()
        }
        sides.append(_fields_of(header, known, also))
    kinds: dict[str, Kind] = {identifier: "name"}
    for name in TRIP:
        kinds[name] = "time" if name.endswith("time") else "number"
    kinds |= _kinds([one for side in sides for one in side.values()], truth)
    rows = _Rows(tuple(read_parts(path, kinds)), similar)
    names, number = rows.names(identifier)
    _, once = np.unique(number, return_index=True)
    ids = names[number]
    if len(once) < len(ids):
        row = int(np.setdiff1d(np.arange(len(ids)), once)[0])
        hint = "each trip has an identifier of its own; for others, give records: id,time,lat,lon"
        raise rows.error(row, f"identifier '{ids[row]}' occurs twice", identifier, hint)
    (start, notes), (end, more) = (_times(rows, f"{side}_time") for side in ("start", "end"))
    if np.any(end < start):
        row = int(np.argmax(end < start))
        raise rows.error(
            row, f"the trip ends {start[row] - end[row]} s before it starts", "end_time"
        )
    times, at = np.unique(np.concatenate([start, end]), return_inverse=True)
    first, last = np.split(at, 2)
    begins, ends = (
        _columns(rows, fields)
        | {name: rows.numbers(f"{side}_{name}", -most, most) for name, most in _DEGREES}
        for side, fields in zip(("start", "end"), sides, strict=True)
    )
    vehicles = None if truth is None else rows.names(truth)
    found = Records(
        ids=ids,
        times=times,
        first=first,
        last=last,
        begins=begins,
        ends=ends,
        missed=np.zeros(len(ids), np.int64),
        moved=np.zeros(len(ids), bool),
        truth=None if vehicles is None else vehicles[0][vehicles[1]],
        snapshots=False,
    )
    return found.in_order(), tuple(dict.fromkeys((*notes, *more)))


_DEGREES = (("lat", 90.0), ("lon", 180.0))


def _times(rows: _Rows, name: str) -> tuple[Ints, tuple[str, ...]]:
    """Unix seconds of a column, and notes."""
    found = [instants(table, name) for table in rows.tables]
    return np.concatenate([one[0] for one in found]), tuple(
        note for one in found for note in one[1]
    )


def _identifier(header: tuple[str, ...]) -> str | None:
    """The column of identifiers."""
    return next((one for one in IDENTIFIERS if one in header), None)


def _fields_of(
    header: tuple[str, ...], known: Mapping[str, tuple[str, ...]], also: tuple[str, ...]
) -> dict[str, str]:
    """The column of each field that the table has."""
    found = {
        name: next(one for one in names if one in header)
        for name, names in known.items()
        if any(one in header for one in names)
    }
    return found | {name: name for name in also if name not in found}


def _kinds(columns: Any, truth: str | None) -> dict[str, Kind]:  # noqa: ANN401 -- iterable
    """Kinds of the columns of fields, and of the truth."""
    kinds: dict[str, Kind] = dict.fromkeys(columns, "optional")
    return kinds if truth is None else kinds | {truth: "name"}


def _columns(rows: _Rows, fields: Mapping[str, str]) -> dict[str, npt.NDArray[Any]]:
    """The fields of all rows."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, column in fields.items():
        if name == "last_reported":
            found[name] = rows.moments(column)
        elif name in _MOST:
            found[name] = rows.numbers(column, 0, _MOST[name])
        else:
            found[name] = rows.texts(column)
    return found


_MOST = {"range": np.inf, "battery": 100.0, "disabled": 1.0}
"""Largest value of each field that is a number."""
