"""Tables of trips: a row per trip, with its begin and its end."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import Layout, date_beside, plain_name
from mixsafe.io.columns.reading import REASON
from mixsafe.io.files.csv_records import Kind, listed
from mixsafe.io.gbfs.column_names import FIELDS, TRIP, TRIP_IDS, VEHICLE_IDS, found_in
from mixsafe.io.gbfs.records import Bools, Ints, Records
from mixsafe.io.gbfs.row_records import records_of, refuse_twice
from mixsafe.io.gbfs.rows import FeedRows
from mixsafe.io.gbfs.wanted import WantedFeed
from mixsafe.model.mobility.time_zone import zone_of

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
