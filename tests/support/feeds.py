"""GBFS snapshots made by hand, and a random fleet that obeys the rules of links."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

START = 1_750_000_000


def bike(name: str, lat: float = 52.5, lon: float = 13.4, **more: Any) -> dict[str, Any]:
    """A vehicle of GBFS 2.3."""
    return {"bike_id": name, "lat": lat, "lon": lon, "is_reserved": 0, "is_disabled": 0} | more


def free_bike_status(time: int, *bikes: dict[str, Any]) -> dict[str, Any]:
    """A snapshot of GBFS 2.3, ``time`` seconds after ``START``."""
    return {"last_updated": START + time, "ttl": 60, "version": "2.3", "data": {"bikes": [*bikes]}}


def vehicle_status(time: int, *bikes: dict[str, Any]) -> dict[str, Any]:
    """The same snapshot in GBFS 3.0."""
    vehicles = [
        {"vehicle_id" if key == "bike_id" else key: value for key, value in one.items()}
        for one in bikes
    ]
    said = dt.datetime.fromtimestamp(START + time, dt.UTC).isoformat()
    return {"last_updated": said, "ttl": 60, "version": "3.0", "data": {"vehicles": vehicles}}


def write_lines(path: Path, *snapshots: dict[str, Any]) -> Path:
    """Write snapshots as JSON lines."""
    path.write_text("".join(json.dumps(one) + "\n" for one in snapshots), encoding="utf-8")
    return path


def write_folder(folder: Path, *documents: dict[str, Any]) -> Path:
    """Write documents as files of a folder, the last one first by name."""
    folder.mkdir()
    for number, one in enumerate(documents):
        name = f"{len(documents) - number:03}.json"
        (folder / name).write_text(json.dumps(one), encoding="utf-8")
    return folder


def random_fleet(seed: int, *, vehicles: int = 4, steps: int = 12) -> list[dict[str, Any]]:
    """Snapshots of vehicles that ride at most 25 km/h, at most 2 h, and are never recharged.

    Each vehicle has its name as ``truth``, a type, and a token in its URIs that survives.
    """
    random = np.random.default_rng(seed)
    times = np.cumsum(random.integers(30, 400, steps)) - 30
    until = int(times[-1])
    shown: list[list[dict[str, Any]]] = [[] for _ in times]
    for vehicle in range(vehicles):
        at, place, battery = int(random.integers(-300, 60)), random.normal(0, 500, 2), 1.0
        kind, number = str(random.integers(2)), 0
        while at <= until:
            stay = int(random.exponential(500))
            number += 1
            for step in np.flatnonzero((times >= at) & (times < at + stay)).tolist():
                jitter = random.uniform(-10, 10, 2)
                shown[step].append(_shown(vehicle, number, place + jitter, battery, kind))
            ride = int(random.integers(1, 900))
            speed, turn = random.uniform(0, 25 / 3.6), random.uniform(0, 2 * np.pi)
            place = place + speed * ride * np.array([np.cos(turn), np.sin(turn)])
            battery = max(0.0, battery - random.uniform(0, 0.1))
            at += stay + ride
    return [free_bike_status(int(time), *one) for time, one in zip(times, shown, strict=True)]


def _shown(
    vehicle: int, number: int, place: Sequence[float], battery: float, kind: str
) -> dict[str, Any]:
    """A vehicle in a snapshot, ``place`` metres from the equator and Greenwich."""
    return bike(
        f"{vehicle}-{number}",
        float(place[0]) / 111_195,
        float(place[1]) / 111_195,
        vehicle_type_id=kind,
        current_fuel_percent=round(battery, 3),
        current_range_meters=round(40_000 * battery),
        rental_uris={"web": f"https://app.example/open?v=SN{vehicle:04}"},
        truth=str(vehicle),
    )
