"""Positions of vehicles in feeds of GTFS Realtime, as Protocol Buffers write them in JSON."""

from __future__ import annotations

import os
from typing import Any

from mixsafe.errors import InputError
from mixsafe.io.exports.rows import Row, rows_frame
from mixsafe.io.files.json_values import json_values, objects, part
from mixsafe.io.objects.frames import Frame

_SAID = {"user_id": "vehicle.id", "time": "timestamp"}


def gtfs_realtime_frame(path: str | os.PathLike[str]) -> Frame:
    """Read the positions of vehicles of a snapshot, or of one per line or entry of a list.

    Raises
    ------
    InputError
        The file is not JSON, or has no positions of vehicles.
    """
    rows: list[Row] = []
    others = undated = 0
    for value, _ in json_values(path):
        for feed in value if isinstance(value, list) else [value]:
            made = part(feed, "header", "timestamp")
            for entity in objects(part(feed, "entity"), "entity", path):
                vehicle = entity.get("vehicle")
                if vehicle is None or entity.get("is_deleted", entity.get("isDeleted")):
                    others += 1
                    continue
                rows.append(_row(vehicle, made))
                undated += part(vehicle, "timestamp") is None
    if not rows:
        message = f"this is a feed of GTFS Realtime, and none of {others:,} entities is a vehicle"
        hint = "give the feed of vehicle positions, not that of trip updates or alerts"
        raise InputError(message, file=path, hint=hint)
    notes = []
    if others:
        what = "trip updates, alerts, deleted vehicles"
        notes.append(f"entities of GTFS Realtime left out ({what}): {others:,}")
    if undated:
        notes.append(f"vehicles without a time of their own get that of the feed: {undated:,}")
    return rows_frame(path, rows, _SAID, notes)


def _row(vehicle: Any, made: Any) -> Row:  # noqa: ANN401 -- of JSON
    """A position, with the time of its feed if it has none."""
    time = part(vehicle, "timestamp")
    return {
        "vehicle.id": part(vehicle, "vehicle", "id"),
        "vehicle.label": part(vehicle, "vehicle", "label"),
        "timestamp": made if time is None else time,
        "latitude": part(vehicle, "position", "latitude"),
        "longitude": part(vehicle, "position", "longitude"),
    }
