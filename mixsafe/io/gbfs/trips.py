"""Trips, with their begins and ends: of tables with a row per trip, and of MDS in JSON.

MDS is the Mobility Data Specification, as providers answer. Its trips of version 2 have
``start_location`` and ``end_location``; those before have a ``route``, a GeoJSON collection of
points with times.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, date_beside, plain_name
from mixsafe.io.columns.reading import REASON
from mixsafe.io.files.csv_records import Kind, listed
from mixsafe.io.files.json_values import objects, part
from mixsafe.io.gbfs.parsing import Place, parsed
from mixsafe.io.gbfs.records import Bools, Ints, Records
from mixsafe.io.gbfs.row_records import (
    FIELDS,
    TRIP,
    TRIP_IDS,
    VEHICLE_IDS,
    found_in,
    records_of,
    refuse_twice,
)
from mixsafe.io.gbfs.rows import FeedRows
from mixsafe.io.gbfs.snapshots import documents
from mixsafe.io.gbfs.wanted import WantedFeed
from mixsafe.model.mobility.instant import zone_of

LOST = "lost vehicle"
"""Why trips of a day or more are skipped that end nowhere: a key of ``skipped``."""

_OWN_NAME = (
    "each trip has an identifier of its own; name a column of vehicles, which several trips may"
    " share, with --column id=NAME"
)

_DAY = 86_400
_SIDES = ("start", "end")

_TURNS = (
    "America/New_York", "Europe/London", "Europe/Berlin", "Europe/Helsinki", "Australia/Sydney",
    "Pacific/Auckland", "America/Santiago",
)  # fmt: skip
"""A zone of each rule by which clocks are set back."""


@dataclass(frozen=True)
class TripColumns:
    """Columns of a table of trips.

    Parameters
    ----------
    identifier
        Of trips, or of vehicles; None: each row is a trip of its own.
    of_vehicles
        Whether several trips may have one identifier.
    trip
        Column of each meaning of ``TRIP``.
    fields
        Columns of the fields at the begin, and at the end.
    dates
        Columns of dates, which are needed where times are those of the day; by columns of times.
    """

    identifier: str | None
    of_vehicles: bool
    trip: dict[str, str]
    fields: tuple[dict[str, str], dict[str, str]]
    dates: dict[str, str | None]

    def kinds(self, wanted: WantedFeed) -> dict[str, Kind]:
        """The columns that are needed."""
        further = (*self.fields[0].values(), *self.fields[1].values(), *self.dates.values())
        kinds: dict[str, Kind] = {one: "optional" for one in further if one is not None}
        for meaning, name in self.trip.items():
            kinds[name] = "optional" if meaning.endswith("time") else "coordinate"
        for name in filter(None, (self.identifier, wanted.truth)):
            kinds[name] = "name"
        return kinds

    def side(self, side: str) -> Layout:
        """The columns of a side as those of fixes."""
        trip, user = self.trip, self.identifier or ""
        time, lat, lon = (trip[f"{side}_{one}"] for one in ("time", "lat", "lon"))
        return Layout(user, time, numbered=False, lat=lat, lon=lon, date=self.dates[time])


def trip_columns(
    file: str | os.PathLike[str], header: tuple[str, ...], wanted: WantedFeed
) -> TripColumns | None:
    """The columns of a table of trips; None: it is no table of trips.

    Raises
    ------
    InputError
        Some of its columns are missing.
    """
    given = {one: wanted.columns[one] for one in wanted.columns if one in TRIP}
    trip = found_in(header, TRIP) | given
    plain = {plain_name(name): name for name in header if name != wanted.truth}
    records = {"lat", "lon", "time", "latitude", "longitude", "geometry"} & plain.keys()
    if not trip or (not given and len(trip) < len(TRIP) and len(records) > 1):
        return None
    for name in TRIP:
        if name not in trip:
            raise InputError(
                "the column does not exist",
                file=file,
                column=name,
                hint=f"trips have the columns {listed(list(TRIP))}: name it with --column"
                f" {name}=NAME (columns= in Python)",
            )
    named = wanted.columns.get("user_id") or wanted.columns.get("id")
    vehicle = next((plain[one] for one in VEHICLE_IDS if one in plain), None)
    identifier = named or vehicle or found_in(header, {"id": TRIP_IDS}).get("id")
    sides = []
    for side in _SIDES:
        known = {
            name: (*(f"{side}_{one}" for one in names), *names) for name, names in FIELDS.items()
        }
        found = found_in(header, known)
        sides.append(found | {name: name for name in wanted.also if name not in found})
    of_vehicles = identifier is not None and plain_name(identifier) not in TRIP_IDS
    dates = {trip[f"{side}_time"]: _date_of(header, side, trip) for side in _SIDES}
    return TripColumns(identifier, of_vehicles, trip, (sides[0], sides[1]), dates)


def _date_of(header: tuple[str, ...], side: str, trip: Mapping[str, str]) -> str | None:
    """The column of dates beside the times of a side: one of its own, or one of both."""
    names = f"{side}_date", f"{side}date", f"trip_{side}_date"
    own = found_in(header, {"date": names}).get("date")
    time = trip[f"{side}_time"]
    return own if own is not None and own != time else date_beside(header, time)


def trips_of(rows: FeedRows, columns: TripColumns) -> Records:
    """Read a table with a row per trip.

    Parameters
    ----------
    rows
        Columns with the kinds of ``columns.kinds``.

    Raises
    ------
    InputError
        A cell is wrong; names its line.
    """
    wanted, names = rows.wanted, _names(rows, columns)
    places = [rows.placed(columns.side(side)) for side in _SIDES]
    nowhere = _ends_nowhere(rows, columns, places[1][0])
    zone, (start, end, are_local) = wanted.tz, _times(rows, columns, wanted.tz, nowhere)
    notes: tuple[str, ...] = ()
    backwards = rows.kept & (end < start)
    if backwards.any() and are_local:
        turn = _zone_of_turn(start[backwards], end[backwards]) if zone is None else zone
        if zone is None and turn is not None:
            notes = (
                f"a trip ends before it starts ({rows.where(backwards)[0]}), as where"
                f" clocks are set back in {turn}: times are read by its rule; name your zone with"
                " --tz",
            )
            rows.notes.clear()
            start, end, _ = _times(rows, columns, turn, nowhere)
            backwards = rows.kept & (end < start)
        if turn is not None:
            end[backwards] = _second_reading(end[backwards], turn)
        zone = turn
    rows.table.check(
        end < start,
        columns.trip["end_time"],
        lambda row: f"the trip ends {start[row] - end[row]} s before it starts",
        "if clocks were set back, name the zone with --tz"
        if len(set(columns.dates.values())) > 1 or None in columns.dates.values()
        else "give the date of the end, too, in a column end_date",
    )
    timeless = ~rows.filled(columns.trip["end_time"])
    lost = nowhere & rows.kept & (timeless | (end - start >= _DAY))
    rows.leave_out(LOST, lost, names)
    sides = [
        (time, rows.fields(fields) | {"lat": lat, "lon": lon})
        for time, fields, (lat, lon) in zip((start, end), columns.fields, places, strict=True)
    ]
    if columns.identifier is not None and not columns.of_vehicles:
        refuse_twice(rows, columns.identifier, names, hint=_OWN_NAME)
    found = records_of(rows, names, *sides, several_trips=columns.of_vehicles)
    unplaced = np.isnan(places[0][0]) | np.isnan(places[1][0])
    rows.name(REASON, unplaced & rows.kept, names)
    notes = (*found.notes, *notes, _meaning(columns))
    return replace(found, notes=notes, tz=zone or rows.zone)


def _names(rows: FeedRows, columns: TripColumns) -> npt.NDArray[np.str_]:
    """(n_rows,) identifiers."""
    if columns.identifier is not None:
        return rows.names(columns.identifier)
    return np.array([f"trip {number}" for number in range(1, len(rows) + 1)], np.str_)


def _times(
    rows: FeedRows, columns: TripColumns, zone: str | None, timeless: Bools
) -> tuple[Ints, Ints, bool]:
    """(n_rows,) Unix seconds of the begins and of the ends, some of which need not be said.

    Also returns whether those of the ends are times of clocks, without an offset.
    """
    start, _, _ = rows.times(columns.trip["start_time"], zone)
    end, said, are_local = rows.times(columns.trip["end_time"], zone, ~timeless)
    return start, np.where(said, end, start), are_local


def _ends_nowhere(rows: FeedRows, columns: TripColumns, lat: npt.NDArray[np.float64]) -> Bools:
    """(n_rows,) trips that end nowhere: with no position, and at no station."""
    nowhere: Bools = np.isnan(lat)
    station = columns.fields[1].get("station")
    if station is not None and nowhere.any():
        nowhere = nowhere & ~rows.filled(station)
    return nowhere


def _zone_of_turn(start: Ints, end: Ints) -> str | None:
    """A zone in which clocks were set back in each of these trips; None: there is none.

    Parameters
    ----------
    start, end
        (n,) seconds of clocks since 1970.
    """
    for name in _TURNS:
        zone = ZoneInfo(name)
        moments = [
            [dt.datetime.fromtimestamp(one, dt.UTC).replace(tzinfo=zone) for one in side.tolist()]
            for side in (start, end)
        ]
        if all(
            one.timestamp() <= other.replace(fold=1).timestamp()
            and other.timestamp() < other.replace(fold=1).timestamp()
            for one, other in zip(*moments, strict=True)
        ):
            return name
    return None


def _second_reading(seconds: Ints, zone: str) -> Ints:
    """(n,) Unix seconds of the second of two equal times of clocks; the same where it is one."""
    distinct, row = np.unique(seconds, return_inverse=True)
    found = [
        dt.datetime.fromtimestamp(one, zone_of(zone)).replace(fold=1).timestamp()
        for one in distinct.tolist()
    ]
    again: Ints = np.array(found, np.int64)[row]
    return again


def _meaning(columns: TripColumns) -> str:
    """What the identifiers are, and so what a link says."""
    if columns.of_vehicles:
        return (
            f"identifiers are those of column '{columns.identifier}': all trips with one are taken"
            " as one vehicle's"
        )
    which = "" if columns.identifier is None else f" (column '{columns.identifier}')"
    return (
        f"each trip has an identifier of its own{which}: a link says that two trips may follow each"
        " other on one vehicle"
    )


_KEYS = ("trip_id", "device_id", "vehicle_id", "vehicle_type", "start_time", "end_time")
_PLACES = ("start_lat", "start_lng", "end_lat", "end_lng")

Json = Any
"""Whatever a file says."""


def mds_trips(path: str | os.PathLike[str]) -> pa.Table:
    """The trips of a file, an archive or a folder, a row each.

    Columns have the names of tables of trips; those that no trip has are left out. A trip that
    occurs twice, as in answers that overlap, is one row.

    Raises
    ------
    InputError
        A file cannot be read, values of one key have several types, or there are no trips.
    """
    rows: dict[tuple[Json, ...], None] = {}
    with documents(path) as found:
        for place, text in (one for document in found for one in document.texts()):
            if b'"trips"' in text:
                rows |= dict.fromkeys(_rows(parsed(text, place), place))
    columns = dict(zip((*_KEYS, *_PLACES), zip(*rows, strict=True), strict=False))
    known = {name: column for name, column in columns.items() if set(column) != {None}}
    for name, column in known.items():
        try:
            known[name] = pa.array(column)
        except (pa.ArrowException, OverflowError):
            message = "the values of trips have several types"
            raise InputError(message, file=path, column=name) from None
    if not known:
        raise InputError(
            "no snapshot of vehicles found",
            file=path,
            hint="give files with data.bikes (GBFS 1 and 2), data.vehicles (GBFS 3) or data.trips"
            " (MDS)",
        )
    return pa.table(known)


def _rows(document: Json, place: Place) -> list[tuple[Json, ...]]:
    """A row for each trip of a response, or of a list of these."""
    rows = []
    for page in document if isinstance(document, list) else [document]:
        trips = objects(part(page, "data", "trips"), "trips", place.file, place.line)
        for number, trip in enumerate(trips, 1):
            row = (*(trip.get(key) for key in _KEYS), *_ends(trip, place))
            if not all(one is None or isinstance(one, str | int | float) for one in row):
                raise place.error(f"trip {number} has lists or objects in place of values")
            rows.append(row)
    return rows


def _ends(trip: Json, place: Place) -> tuple[Json, ...]:
    """Latitude and longitude where a trip begins, and where it ends; None where it is not said."""
    route = objects(part(trip, "route", "features"), "features", place.file, place.line)
    points = [one for one in route if part(one, "geometry", "coordinates")]
    points.sort(key=lambda one: _time(one, place))
    # A single point is where the trip began: where it ended is not said.
    sides = (points[:1], points[1:][-1:])
    found: list[Json] = []
    for name, side in zip(("start_location", "end_location"), sides, strict=True):
        found += _position(trip.get(name) or (side[0] if side else None), place)
    return tuple(found)


def _time(point: Json, place: Place) -> float:
    """The time of a point of a route, by which it is sorted; 0 if it has none."""
    time = part(point, "properties", "timestamp")
    if time is not None and not isinstance(time, int | float):
        raise place.error(f"the time of a point of a route is no number: {str(time)[:40]}")
    return time or 0


def _position(found: Json, place: Place) -> tuple[Json, Json]:
    """Latitude and longitude, as they are or of a point of GeoJSON; None: they are not said."""
    point = part(part(found, "geometry") or found, "coordinates")
    if not point:
        return part(found, "lat"), part(found, "lng")
    if not isinstance(point, list) or len(point) < 2:
        raise place.error(f"a place of a trip has not two coordinates: {str(point)[:40]}")
    return point[1], point[0]
