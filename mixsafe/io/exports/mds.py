"""Responses of MDS, the Mobility Data Specification (1.x and 2.x): trips and telemetry.

A trip of 1.x has a ``route``, a GeoJSON collection of points with times; one of 2.x has only
``start_location`` and ``end_location``, and its way is in ``telemetry``.
"""

from __future__ import annotations

import os
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.exports.rows import Row, rows_frame
from mixsafe.io.files.json_values import json_values, objects, part
from mixsafe.io.objects.frames import Frame

_SAID = {"user_id": "device_id"}


def mds_frame(path: str | os.PathLike[str]) -> Frame:
    """Read fixes of devices: of routes, of both ends of trips without a route, of telemetry.

    Raises
    ------
    InputError
        The file is not JSON, or has neither trips nor telemetry.
    """
    rows: list[Row] = []
    without = 0
    for value, _ in json_values(path):
        for page in value if isinstance(value, list) else [value]:
            data = part(page, "data")
            data = data if isinstance(data, dict) else page
            for trip in objects(part(data, "trips"), "trips", path):
                route = objects(part(trip, "route", "features"), "features", path)
                without += not route
                rows += [
                    _row(trip, part(one, "properties"), part(one, "geometry")) for one in route
                ]
                rows += [] if route else _ends(trip)
            rows += [_row(one, one) for one in objects(part(data, "telemetry"), "telemetry", path)]
    if not rows:
        message = "this is a response of MDS without trips and telemetry"
        raise InputError(message, file=path, hint="give one of /trips or of /telemetry")
    notes = []
    if without:
        notes.append(f"trips of MDS without a route, of which begin and end are read: {without:,}")
    return rows_frame(path, rows, _SAID, notes)


def _ends(trip: dict[str, Any]) -> list[Row]:
    """Begin and end of a trip."""
    return [
        _row(trip, {"timestamp": trip.get(f"{end}_time"), "location": trip.get(f"{end}_location")})
        for end in ("start", "end")
    ]


def _row(whose: dict[str, Any], found: Any, geometry: Any = None) -> Row:  # noqa: ANN401 -- of JSON
    """A fix, with its place as GPS data of MDS or as a point of GeoJSON."""
    place = part(found, "location") or part(found, "gps") or geometry
    point = part(place, "geometry", "coordinates") or part(place, "coordinates")
    lat, lng = part(place, "lat"), part(place, "lng")
    if isinstance(point, list) and len(point) > 1:
        lng, lat = point[:2]
    elif point is not None:
        lng = lat = point
    return {
        "device_id": whose.get("device_id"),
        "trip_id": whose.get("trip_id"),
        "timestamp": part(found, "timestamp"),
        "lat": lat,
        "lng": lng,
    }
