"""Trips of the Mobility Data Specification (MDS), in JSON as providers answer.

Trips of version 2 have ``start_location`` and ``end_location``; those before have a ``route``, a
GeoJSON collection of points with times.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.gbfs.parsing import Place, parsed
from mixsafe.io.gbfs.snapshots import documents

_KEYS = ("trip_id", "device_id", "vehicle_id", "vehicle_type", "start_time", "end_time")
_PLACES = ("start_lat", "start_lng", "end_lat", "end_lng")

Json = Any
"""Whatever a file says."""


def mds_trips(path: str | os.PathLike[str]) -> pa.Table | None:
    """The trips of a file, an archive or a folder, a row each; None: these are no trips of MDS.

    Columns have the names of tables of trips; those that no trip has are left out. A trip that
    occurs twice, as in answers that overlap, is one row.

    Raises
    ------
    InputError
        A file cannot be read, or values of one key have several types.
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
    return pa.table(known) if known else None


def _rows(document: Json, place: Place) -> list[tuple[Json, ...]]:
    """A row for each trip of a response, or of a list of these."""
    rows = []
    for page in document if isinstance(document, list) else [document]:
        for number, trip in enumerate(_at(page, "data", "trips") or (), 1):
            row = (*(_at(trip, key) for key in _KEYS), *_ends(trip))
            if not all(one is None or isinstance(one, str | int | float) for one in row):
                raise place.error(f"trip {number} has lists or objects in place of values")
            rows.append(row)
    return rows


def _ends(trip: Json) -> tuple[Json, ...]:
    """Latitude and longitude where a trip begins, and where it ends; None where it is not said."""
    route = _at(trip, "route", "features") or []
    points = [one for one in route if _at(one, "geometry", "coordinates")]
    points.sort(key=lambda one: _at(one, "properties", "timestamp") or 0)
    # A single point is where the trip began: where it ended is not said.
    sides = (points[:1], points[1:][-1:])
    found: list[Json] = []
    for name, side in zip(("start_location", "end_location"), sides, strict=True):
        said = _at(trip, name) or (side[0] if side else None)
        lon, lat = (_at(_at(said, "geometry") or said, "coordinates") or [None, None])[:2]
        found += (_at(said, "lat"), _at(said, "lng")) if lat is None else (lat, lon)
    return tuple(found)


def _at(value: Json, *keys: str) -> Json:
    """What an object of JSON has at a path of keys; None: nothing."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value
