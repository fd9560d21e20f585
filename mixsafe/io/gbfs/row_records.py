"""Columns of identifiers and of trips by name, and the first and last records in their rows.

=======================  ==================================================================
published by             columns
=======================  ==================================================================
mixsafe                  ``id,start_time,start_lat,start_lon,end_time,end_lat,end_lon``
Citi Bike, Divvy, ...    ``ride_id,started_at,ended_at,start_lat,start_lng,end_lat,end_lng``
Citi Bike until 2021     ``starttime,stoptime,start station latitude,...,bikeid``
Indego, Metro            ``trip_id,start_time,end_time,start_lat,...,bike_id``
Chicago (scooters)       ``Trip ID,Start Time,End Time,Start Centroid Latitude,...``
=======================  ==================================================================

Case is ignored, and blanks, hyphens and underscores are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.io.columns.dialects import plain_name
from mixsafe.io.gbfs.records import Ints, Records
from mixsafe.io.gbfs.rows import FeedRows
from mixsafe.model.tracklets import Times

FIELDS: Mapping[str, tuple[str, ...]] = {
    "range": ("range", "current_range_meters"),
    "battery": ("battery", "current_fuel_percent"),
    "type": ("type", "vehicle_type_id", "rideable_type", "vehicle_type", "bike_type"),
    "last_reported": ("last_reported",),
    "station": ("station", "station_id"),
    "uris": ("uri", "rental_uri", "rental_uris"),
    "disabled": ("disabled", "is_disabled"),
}
"""Names of the columns of each field; those of trips are ``start_range``, ``end_range`` and so on,
or one for both."""

IDENTIFIERS = ("pseudonym", "id", "trip_id", "vehicle_id", "bike_id", "device_id")
"""Names of the column of identifiers in a table of records."""

_LAT = "lat", "latitude", "station_latitude", "station_lat", "centroid_latitude"
_LON = (
    "lon", "lng", "long", "longitude", "station_longitude", "station_lon", "station_lng",
    "centroid_longitude",
)  # fmt: skip


def _places(side: str, other: str) -> dict[str, tuple[str, ...]]:
    """Names of coordinates where trips start, or end; stations may have another word for it."""
    return {
        f"{side}_{one}": tuple(f"{word}_{name}" for word in (side, other) for name in names)
        for one, names in (("lat", _LAT), ("lon", _LON))
    }


TRIP: Mapping[str, tuple[str, ...]] = {
    "start_time": (
        "start_time", "starttime", "started_at", "start_date", "start_datetime",
        "trip_start_time", "trip_start_timestamp", "departure_time",
    ),
    **_places("start", "from"),
    "end_time": (
        "end_time", "endtime", "stoptime", "stop_time", "ended_at", "end_date", "end_datetime",
        "trip_end_time", "trip_end_timestamp", "return_time", "arrival_time",
    ),
    **_places("end", "to"),
}  # fmt: skip
"""Names of each meaning."""

TRIP_IDS = ("id", "trip_id", "ride_id", "rental_id", "journey_id")
"""Columns of identifiers of trips: each trip has its own."""

VEHICLE_IDS = (
    "vehicle_id", "bike_id", "bikeid", "device_id", "scooter_id", "bike_number", "vehicle", "bike",
)  # fmt: skip
"""Columns of identifiers of vehicles, which several trips may have."""


def found_in(header: tuple[str, ...], known: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """The first column of each meaning that the header has."""
    columns: dict[str, str] = {}
    for name in header:
        columns.setdefault(plain_name(name), name)
    named = {meaning: [one for one in names if one in columns] for meaning, names in known.items()}
    return {meaning: columns[names[0]] for meaning, names in named.items() if names}


Names = npt.NDArray[np.str_]

_LEAST_PER_TIME = 1.5
"""Records per time from which times are those of snapshots."""


def refuse_twice(
    rows: FeedRows, column: str, names: Names, time: Times | None = None, hint: str | None = None
) -> None:
    """Refuse identifiers that occur twice, or twice at one time.

    Raises
    ------
    InputError
        Names the line of the second record, unless such rows are skipped.
    """
    kept = np.flatnonzero(rows.kept)
    _, number = np.unique(names[kept], return_inverse=True)
    at: Times = np.zeros(len(kept), np.int64) if time is None else time[kept]
    order = np.lexsort((kept, at, number))
    same = (number[order[1:]] == number[order[:-1]]) & (at[order[1:]] == at[order[:-1]])
    again = np.zeros(len(rows), bool)
    again[kept[order[1:]]] = same
    said = "twice" if time is None else "twice at one time"
    rows.table.check(again, column, lambda row: f"identifier '{names[row]}' occurs {said}", hint)


def leave_out_repeated(
    rows: FeedRows, names: Names, time: Times, fields: Mapping[str, npt.NDArray[Any]]
) -> None:
    """Leave out records that are in an earlier file, too: messages that two antennas heard.

    Parameters
    ----------
    names, time, fields
        (n_rows,) each: identifiers, Unix seconds, and fields by name.
    """
    file = rows.file_of_row
    if not file.any():
        return
    same = [names, time, *(fields[name] for name in ("lat", "lon"))]
    order = np.lexsort((file, *same[::-1]))
    repeated = np.zeros(len(rows), bool)
    equal = file[order[1:]] > file[order[:-1]]
    for column in same:
        equal &= column[order[1:]] == column[order[:-1]]
    repeated[order[1:]] = equal
    rows.leave_out("in an earlier file, too", repeated & rows.kept, names)


def records_of(
    rows: FeedRows,
    names: Names,
    *sides: tuple[Ints, Mapping[str, npt.NDArray[Any]]],
    several_trips: bool = False,
) -> Records:
    """The first and the last records of the identifiers of rows, once all at fault are marked.

    Parameters
    ----------
    names
        (n_rows,) identifiers.
    sides
        (n_rows,) times, and fields: of a row's record, or of the begin and the end of its trip.
    several_trips
        Whether identifiers are those of vehicles, each of which may make several trips.

    Raises
    ------
    InputError
        Too many rows are at fault, or an identifier is of two vehicles.
    """
    truth = rows.wanted.truth
    vehicles = None if truth is None else rows.names(truth)
    rows.settle()
    kept = np.flatnonzero(rows.kept)
    row, of_trips = np.tile(kept, len(sides)), len(sides) > 1
    fields = {
        name: np.concatenate([side[name][kept] for _, side in sides])
        for name in sides[0][1]
        if all(name in side for _, side in sides)
    }
    ids, number = np.unique(names[row], return_inverse=True)
    times, at = np.unique(np.concatenate([time[kept] for time, _ in sides]), return_inverse=True)
    told = None if vehicles is None else vehicles[row]
    found = Records.of("trip" if of_trips else "record", ids, times, (number, at), fields, told)
    if truth is not None and vehicles is not None and found.truth is not None:
        first = found.truth[np.argsort(found.ids)]
        _check_truth(rows, truth, (names, vehicles), (row, first[number]))
    n_sighted = len(np.unique(number * len(times) + at))  # who sends ten times in a second: once
    snapshots = not of_trips and n_sighted >= _LEAST_PER_TIME * len(times)
    return replace(
        found,
        snapshots=snapshots,
        several_trips=several_trips,
        notes=tuple(rows.notes),
        tz=rows.zone,
    )


def _check_truth(
    rows: FeedRows, column: str, said: tuple[Names, Names], first: tuple[Ints, Names]
) -> None:
    """Refuse identifiers of two vehicles.

    Parameters
    ----------
    said
        (n_rows,) identifiers, and vehicles.
    first
        Rows, and the vehicles of which their identifiers are at first.

    Raises
    ------
    InputError
        Names the line of the second.
    """
    (names, vehicles), (row, before) = said, first
    wrong = vehicles[row] != before
    if wrong.any():
        one = int(np.where(wrong, row, len(names)).argmin())
        at = row[one]
        message = f"identifier '{names[at]}' is of vehicle {vehicles[at]} here, before of "
        raise rows.table.error(message + before[one], int(at), column)
