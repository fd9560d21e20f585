"""Names of the columns of tables of identifiers, and of trips as operators publish them.

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

from mixsafe.io.columns.dialects import plain_name

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

IDENTIFIERS = ("id", "trip_id", "vehicle_id", "bike_id", "device_id")
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
