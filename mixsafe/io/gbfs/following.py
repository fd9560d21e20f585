"""Identifiers followed from snapshot to snapshot: tracklets, without keeping all records."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import isfinite, nan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.gbfs.parsing import Place
from mixsafe.io.gbfs.records import MOVED, Records, metres
from mixsafe.io.gbfs.snapshots import Snapshot, System, moment, snapshots


class _Record(NamedTuple):
    """What a tracklet needs of a vehicle in one snapshot."""

    lat: float
    lon: float
    range: float
    battery: float
    last_reported: float
    type: str | None
    station: str | None
    uris: str | None
    disabled: float
    also: tuple[str | None, ...]


@dataclass
class _Followed:
    """Identifiers so far, by number: snapshots and records of their begins and ends."""

    also: tuple[str, ...]
    number: dict[str, int] = field(default_factory=dict)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    begins: list[_Record] = field(default_factory=list)
    ends: list[_Record] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)
    jumps: list[tuple[int, _Record, _Record]] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)
    current: dict[str, dict[str, Any]] = field(default_factory=dict)
    times: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)

    def step(self, snapshot: Snapshot, truth: str | None) -> None:
        """Go on to the next snapshot."""
        now = _by_identifier(snapshot)
        at, place = len(self.times), snapshot.place
        self.leave(now)
        for name in sorted(now.keys() - self.current.keys()):
            record = _record(now[name], name, place, self.also)
            known = self.number.get(name)
            if known is None:
                self.number[name] = len(self.first)
                self.first.append(at)
                self.begins.append(record)
                self.last.append(at)
                self.ends.append(record)
                self.missed.append(0)
            else:
                self.missed[known] = max(self.missed[known], at - self.last[known] - 1)
                self.jumps.append((known, self.ends[known], record))
        if truth is not None:
            self.tell(now, truth, place)
        self.current = now
        self.times.append(snapshot.time)
        self.places.append(place)

    def leave(self, now: Mapping[str, Any]) -> None:
        """Note the last records of identifiers that are gone."""
        at = len(self.times) - 1
        for name in self.current.keys() - now.keys():
            known = self.number[name]
            record = _record(self.current[name], name, self.places[at], self.also)
            self.jumps.append((known, self.begins[known], record))
            self.last[known], self.ends[known] = at, record

    def tell(self, now: Mapping[str, dict[str, Any]], truth: str, place: Place) -> None:
        """Note the true vehicles."""
        for name, vehicle in now.items():
            told = vehicle.get(truth)
            if told is None:
                hint = "name a key that each vehicle has"
                raise place.error(f"vehicle '{name}' does not say which it is", truth, hint)
            if self.truth.setdefault(name, str(told)) != str(told):
                message = f"identifier '{name}' is of vehicle {told} here, before of "
                raise place.error(message + self.truth[name], truth)


def follow(
    path: str | os.PathLike[str], truth: str | None = None, also: tuple[str, ...] = ()
) -> tuple[Records, tuple[str, ...]]:
    """Follow the identifiers of a GBFS feed; also returns notes.

    Parameters
    ----------
    path
        Folder, archive or file of snapshots.
    truth
        Key of each vehicle that says which it is.
    also
        Further keys, whose values are compared as texts.

    Raises
    ------
    InputError
        There are no two snapshots, or one is wrong; names its file and line.
    """
    system, followed = System(), _Followed(also)
    with _without_collection():
        for snapshot in snapshots(path, system):
            followed.step(snapshot, truth)
        if not followed.times:
            raise InputError(
                "no snapshot of vehicles found",
                file=path,
                hint="give files with data.bikes (GBFS 1 and 2) or data.vehicles (GBFS 3)",
            )
        if len(followed.times) == 1:
            place = followed.places[0]
            raise place.error("a single snapshot: nothing ends in it", hint="give two or more")
        if not followed.number:
            raise InputError("no snapshot has a vehicle", file=path)
        followed.leave({})
    return _records(followed, system), ()


def _by_identifier(snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """The vehicles of a snapshot by their identifiers.

    Raises
    ------
    InputError
        A vehicle has no identifier, or one that another one has.
    """
    key, vehicles = snapshot.key, snapshot.vehicles
    try:
        found = {vehicle[key]: vehicle for vehicle in vehicles}
        whole = len(found) == len(vehicles) and set(map(type, found)) <= {str}
    except (KeyError, TypeError):
        whole = False
    return found if whole else _explained(snapshot)


def _explained(snapshot: Snapshot) -> dict[str, dict[str, Any]]:
    """As :func:`_by_identifier`, of vehicles that something may be wrong with."""
    found: dict[str, dict[str, Any]] = {}
    for number, vehicle in enumerate(snapshot.vehicles, 1):
        name = vehicle.get(snapshot.key) if isinstance(vehicle, dict) else None
        if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
            raise snapshot.place.error(f"vehicle {number} has no identifier", snapshot.key)
        if str(name) in found:
            message = f"identifier '{name}' occurs twice in the snapshot"
            raise snapshot.place.error(message, snapshot.key)
        found[str(name)] = vehicle
    return found


def _record(
    vehicle: Mapping[str, Any], name: str, place: Place, also: tuple[str, ...] = ()
) -> _Record:
    """The values of a vehicle that a tracklet needs.

    Raises
    ------
    InputError
        A value is not a number, or outside its range.
    """
    lat, lon = _position(vehicle, name, place)
    reported = vehicle.get("last_reported")
    uris = vehicle.get("rental_uris")
    return _Record(
        lat=lat,
        lon=lon,
        range=_number(vehicle, "current_range_meters", name, place),
        battery=_number(vehicle, "current_fuel_percent", name, place, 100),
        last_reported=nan if reported is None else moment(reported, place, "last_reported"),
        type=_text(vehicle.get("vehicle_type_id")),
        station=_text(vehicle.get("station_id")),
        uris="\n".join(map(str, uris.values())) if isinstance(uris, dict) else None,
        disabled=float(bool(vehicle.get("is_disabled"))),
        also=tuple(_text(vehicle.get(key)) for key in also),
    )


def _position(vehicle: Mapping[str, Any], name: str, place: Place) -> tuple[float, float]:
    """Latitude and longitude; not numbers at a station, or at 0, 0, where trackers without fix are.

    Raises
    ------
    InputError
        It is neither there nor on the earth.
    """
    if vehicle.get("lat") is None and vehicle.get("lon") is None:
        if vehicle.get("station_id") is None:
            raise place.error(f"vehicle '{name}' has neither a position nor a station", "lat")
        return nan, nan
    lat = _number(vehicle, "lat", name, place, 90, -90)
    lon = _number(vehicle, "lon", name, place, 180, -180)
    return (nan, nan) if lat == lon == 0 else (lat, lon)


def _number(
    vehicle: Mapping[str, Any],
    column: str,
    name: str,
    place: Place,
    most: float = 1e9,
    least: float = 0.0,
) -> float:
    """A number of a vehicle; not a number if the key is missing.

    Raises
    ------
    InputError
        It is something else, or outside its range.
    """
    given = vehicle.get(column)
    if given is None and column not in ("lat", "lon"):
        return nan
    try:
        value = nan if isinstance(given, bool) else float(given)  # type: ignore[arg-type] # checked
    except (TypeError, ValueError):
        value = nan
    if isfinite(value) and least <= value <= most:
        return value
    if not isfinite(value):
        raise place.error(f"vehicle '{name}': {str(given)[:40]} is not a number", column)
    hint = "are lat and lon swapped?" if column == "lat" and abs(value) <= 180 else None
    raise place.error(f"vehicle '{name}': {given} is not from {least:g} to {most:g}", column, hint)


def _text(value: object) -> str | None:
    return None if value is None else str(value)


@contextmanager
def _without_collection() -> Iterator[None]:
    """No cyclic garbage collection in the block: parsed JSON has no cycles, only many objects."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _records(followed: _Followed, system: System) -> Records:
    """The columns of what was followed."""
    where = [followed.places[at] for at in followed.first]
    begins, ends = (
        _columns(side, system, followed.also) for side in (followed.begins, followed.ends)
    )
    ids = np.array(list(followed.number), np.str_)
    _check_swapped(ids, begins, where)
    truth = [followed.truth[name] for name in followed.number] if followed.truth else None
    return Records(
        ids=ids,
        times=np.array(followed.times, np.int64),
        first=np.array(followed.first, np.int64),
        last=np.array(followed.last, np.int64),
        begins=begins,
        ends=ends,
        missed=np.array(followed.missed, np.int64),
        moved=_moved(followed),
        truth=None if truth is None else np.array(truth, np.str_),
    )


def _moved(followed: _Followed) -> npt.NDArray[np.bool_]:
    """(n,) whether the position of an identifier moves while it stays, or until it returns."""
    number, before, after = zip(*followed.jumps, strict=True)
    one, other = (np.array([(at.lat, at.lon) for at in side]).T for side in (before, after))
    moved = np.zeros(len(followed.first), bool)
    moved[np.array(number)[metres(*one, *other) > MOVED]] = True
    return moved


def _columns(
    records: list[_Record], system: System, also: tuple[str, ...]
) -> dict[str, npt.NDArray[Any]]:
    """Columns of records; vehicles without a position are at their stations, if these are known."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, column in zip(_Record._fields[:-1], zip(*records, strict=True), strict=False):
        text = name in ("type", "station", "uris")
        found[name] = np.array(column, object if text else np.float64)
    for number, name in enumerate(also):
        found[name] = np.array([record.also[number] for record in records] + [None], object)[:-1]
    for row in np.flatnonzero(np.isnan(found["lat"])).tolist():
        found["lat"][row], found["lon"][row] = system.stations.get(
            found["station"][row], (nan, nan)
        )
    return found


def _check_swapped(
    ids: npt.NDArray[np.str_], begins: Mapping[str, npt.NDArray[Any]], where: list[Place]
) -> None:
    """Refuse single vehicles that are among the others if latitude and longitude are swapped.

    Raises
    ------
    InputError
        Names the first one.
    """
    lat, lon = begins["lat"], begins["lon"]
    known = np.isfinite(lat)
    if not known.any():
        return
    middle = np.median(lat[known]), np.median(lon[known])
    far = np.maximum(np.abs(lat - middle[0]), np.abs(lon - middle[1])) > 5
    near = np.maximum(np.abs(lon - middle[0]), np.abs(lat - middle[1])) < 1
    if np.any(far & near):
        row = int(np.argmax(far & near))
        message = f"vehicle '{ids[row]}' is at {lat[row]:g}, {lon[row]:g}, far from all others"
        raise where[row].error(message, "lat", "are lat and lon swapped?")
