"""Identifiers followed from snapshot to snapshot: tracklets, without keeping all records."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.gbfs.parsing import Place
from mixsafe.io.gbfs.records import Bools, RecordOrder, Records
from mixsafe.io.gbfs.snapshots import Snapshot, System, snapshots
from mixsafe.io.gbfs.vehicles import SILENT, TYPES, Record, VehicleReader
from mixsafe.io.gbfs.wanted import Unused, WantedFeed
from mixsafe.model.mobility.instant import check_tz, offset_name


@dataclass
class _Followed:
    """Snapshots so far, and in ``events`` records from which on identifiers are there, or gone."""

    reader: VehicleReader
    events: list[tuple[str, int, Record]] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)
    current: dict[str, dict[str, Any]] = field(default_factory=dict)
    times: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    n_records: int = 0
    order: RecordOrder = field(default_factory=RecordOrder)

    def step(self, snapshot: Snapshot) -> None:
        """Go on to the next snapshot."""
        place, truth = snapshot.place, self.reader.wanted.truth
        now = self.reader.by_identifier(snapshot)
        if self.reader.wanted.rules.skip_bad:
            now = self.reader.readable(now, self.current, place)
        self.n_records += len(snapshot.vehicles)
        self.leave(now)
        self.times.append(snapshot.time)
        self.places.append(place)
        self.note(sorted(now.keys() - self.current.keys()), now)
        if truth is not None:
            self.tell(now, truth, place)
        names = list(now)
        if names != list(self.current):
            self.order.step(names, self.current.keys(), snapshot.time)
        self.current = now

    def leave(self, now: Mapping[str, Any]) -> None:
        """Note the last records of identifiers that are gone."""
        self.note(self.current.keys() - now.keys(), self.current)

    def note(self, names: Iterable[str], vehicles: Mapping[str, dict[str, Any]]) -> None:
        """Note records of the last snapshot."""
        at = len(self.times) - 1
        for name in names:
            record = self.reader.record(vehicles[name], name, self.places[at])
            self.events.append((name, at, record))

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


def follow(path: str | os.PathLike[str], wanted: WantedFeed, unused: Unused) -> Records | None:
    """Follow the identifiers of a GBFS feed.

    Parameters
    ----------
    path
        Folder, archive or file of snapshots.
    wanted
        What is read, and how strictly.
    unused
        Takes what is not used.

    Returns
    -------
    The records; None: there is no snapshot.

    Raises
    ------
    InputError
        There is a single snapshot, or one is wrong; names its file and line.
    """
    system, followed = System(), _Followed(VehicleReader(wanted, unused))
    with _without_collection():
        for snapshot in snapshots(path, system, unused):
            followed.step(snapshot)
        if not followed.times:
            return None
        if len(followed.times) == 1:
            place = followed.places[0]
            raise place.error("a single snapshot: nothing ends in it", hint="give two or more")
        followed.leave({})
    records = _records(followed, system) if followed.events else None
    unused.check(followed.n_records - unused.n_bad, path)
    if records is None or not len(records.ids):
        raise InputError("no snapshot has a vehicle", file=path)
    notes, tz = _zone(system)
    return replace(records, notes=notes, tz=tz)


def _zone(system: System) -> tuple[tuple[str, ...], str | None]:
    """The time zone that a feed says, and a note if there is none of that name."""
    if system.timezone is None:
        # Clocks of several offsets are those of a zone with summer time, which one is not said.
        return (), offset_name(*system.offsets) if len(system.offsets) == 1 else None
    try:
        return (), check_tz(system.timezone)
    except InputError:
        return (f"the feed's time zone '{system.timezone}' is not known; name it with --tz",), None


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
    number: dict[str, int] = {}
    names, at, seen = zip(*followed.events, strict=True)
    row = np.array([number.setdefault(name, len(number)) for name in names])
    fields: dict[str, npt.NDArray[Any]] = {
        key: np.array([one[key] for one in seen]) for key in ("lat", "lon")
    }
    found = Records.of(
        "stay",
        np.array(list(number), np.str_),
        np.array(followed.times, np.int64),
        (row, np.array(at)),
        fields | {"record": np.array(seen, object)},
        np.array([followed.truth[name] for name in names], np.str_) if followed.truth else None,
    )
    sides = found.begins["record"], found.ends["record"]
    keys = tuple(dict.fromkeys(key for side in sides for one in side for key in one))
    begins, ends = (_columns(side, system, keys) for side in sides)
    silent = begins.pop(SILENT) & ends.pop(SILENT)
    begins["availabilities"], ends["availabilities"] = system.slots.columns(number)
    arrivals = tuple(followed.order.arrivals)
    records = replace(found, begins=begins, ends=ends, arrivals=arrivals)
    wrong = _are_silent(followed, records, silent) | _are_swapped(followed, records)
    return records.taken(~wrong) if wrong.any() else records


def _columns(
    records: npt.NDArray[np.object_], system: System, keys: tuple[str, ...]
) -> dict[str, npt.NDArray[Any]]:
    """Columns of records; vehicles without a position are at their stations, if these are known."""
    found: dict[str, npt.NDArray[Any]] = {
        key: np.array([one.get(key) for one in records], TYPES.get(key, object)) for key in keys
    }
    for row in np.flatnonzero(np.isnan(found["lat"])).tolist():
        found["lat"][row], found["lon"][row] = system.stations.get(
            found["station"][row], (nan, nan)
        )
    return found


def _are_silent(followed: _Followed, records: Records, wrong: Bools) -> Bools:
    """(n,) identifiers that never say where they are, neither by a position nor by a station.

    Raises
    ------
    InputError
        Names the first one, unless such records are skipped.
    """
    for row in np.flatnonzero(wrong).tolist():
        message = f"vehicle '{records.ids[row]}' has neither a position nor a station"
        place = followed.places[records.first[row]]
        followed.reader.unused.bad(place.error(message, "lat"))
    return wrong


def _are_swapped(followed: _Followed, records: Records) -> Bools:
    """(n,) identifiers that are among the others if latitude and longitude are swapped.

    Raises
    ------
    InputError
        Names the first one, unless such records are skipped.
    """
    wrong = np.zeros(len(records.ids), bool)
    sides = (records.begins, records.first), (records.ends, records.last)
    lat, lon = (np.concatenate([side[key] for side, _ in sides]) for key in ("lat", "lon"))
    known = np.isfinite(lat)
    if not known.any():
        return wrong
    middle = np.median(lat[known]), np.median(lon[known])
    for side, snapshot in sides:
        lat, lon = side["lat"], side["lon"]
        far = np.maximum(np.abs(lat - middle[0]), np.abs(lon - middle[1])) > 5
        near = np.maximum(np.abs(lon - middle[0]), np.abs(lat - middle[1])) < 1
        for row in np.flatnonzero(far & near & ~wrong).tolist():
            place, where = followed.places[snapshot[row]], f"{lat[row]:g}, {lon[row]:g}"
            message = f"vehicle '{records.ids[row]}' is at {where}, far from all others"
            followed.reader.unused.bad(place.error(message, "lat", "are lat and lon swapped?"))
            wrong[row] = True
    return wrong
