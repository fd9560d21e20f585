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

TRIP: Mapping[str, tuple[str, ...]] = {
    "start_time": (
        "start_time", "starttime", "started_at", "start_date", "start_datetime",
        "trip_start_time", "trip_start_timestamp", "departure_time",
    ),
    "start_lat": (
        "start_lat", "start_latitude", "start_station_latitude", "start_station_lat",
        "start_centroid_latitude", "from_lat", "from_latitude",
    ),
    "start_lon": (
        "start_lon", "start_lng", "start_long", "start_longitude", "start_station_longitude",
        "start_station_lon", "start_station_lng", "start_centroid_longitude", "from_lon",
        "from_lng", "from_longitude",
    ),
    "end_time": (
        "end_time", "endtime", "stoptime", "stop_time", "ended_at", "end_date", "end_datetime",
        "trip_end_time", "trip_end_timestamp", "return_time", "arrival_time",
    ),
    "end_lat": (
        "end_lat", "end_latitude", "end_station_latitude", "end_station_lat",
        "end_centroid_latitude", "to_lat", "to_latitude",
    ),
    "end_lon": (
        "end_lon", "end_lng", "end_long", "end_longitude", "end_station_longitude",
        "end_station_lon", "end_station_lng", "end_centroid_longitude", "to_lon", "to_lng",
        "to_longitude",
    ),
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
    named = ((meaning, next((one for one in names if one in columns), None))
             for meaning, names in known.items())  # fmt: skip
    return {meaning: columns[one] for meaning, one in named if one is not None}
