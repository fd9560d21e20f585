"""Trips of the Mobility Data Specification (MDS), in JSON as providers answer.

Trips of version 2 have ``start_location`` and ``end_location``; those before have a ``route``, a
GeoJSON collection of points with times.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.json_values import objects, part
from mixsafe.io.gbfs.parsing import Place, parsed
from mixsafe.io.gbfs.snapshots import documents

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
