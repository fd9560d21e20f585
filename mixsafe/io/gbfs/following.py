"""Identifiers followed from snapshot to snapshot: tracklets, without keeping all records."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.io.gbfs.parsing import Place
from mixsafe.io.gbfs.record_order import RecordOrder
from mixsafe.io.gbfs.records import MOVED, Bools, Records, metres
from mixsafe.io.gbfs.snapshots import Snapshot, System, snapshots
from mixsafe.io.gbfs.unused import Unused
from mixsafe.io.gbfs.vehicles import Record, VehicleReader
from mixsafe.io.gbfs.wanted import Wanted
from mixsafe.model.mobility.time_zone import check_tz, offset_name


@dataclass
class _Followed:
    """Identifiers so far, by number: snapshots and records of their begins and ends."""

    reader: VehicleReader
    number: dict[str, int] = field(default_factory=dict)
    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    begins: list[Record] = field(default_factory=list)
    ends: list[Record] = field(default_factory=list)
    missed: list[int] = field(default_factory=list)
    jumps: list[tuple[int, Record, Record]] = field(default_factory=list)
    truth: dict[str, str] = field(default_factory=dict)
    current: dict[str, dict[str, Any]] = field(default_factory=dict)
    times: list[int] = field(default_factory=list)
    places: list[Place] = field(default_factory=list)
    n_records: int = 0
    order: RecordOrder = field(default_factory=RecordOrder)

    def step(self, snapshot: Snapshot) -> None:
        """Go on to the next snapshot."""
        at, place, truth = len(self.times), snapshot.place, self.reader.wanted.truth
        now = self.reader.by_identifier(snapshot)
        if self.reader.wanted.rules.skip_bad:
            now = self.reader.readable(now, self.current, place)
        self.n_records += len(snapshot.vehicles)
        self.leave(now)
        for name in sorted(now.keys() - self.current.keys()):
            record = self.reader.record(now[name], name, place)
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
        names = list(now)
        if names != list(self.current):
            self.order.step(names, self.current.keys(), snapshot.time)
        self.current = now
        self.times.append(snapshot.time)
        self.places.append(place)

    def leave(self, now: Mapping[str, Any]) -> None:
        """Note the last records of identifiers that are gone."""
        at = len(self.times) - 1
        for name in self.current.keys() - now.keys():
            known = self.number[name]
            record = self.reader.record(self.current[name], name, self.places[at])
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
    path: str | os.PathLike[str], wanted: Wanted, unused: Unused
) -> tuple[Records, tuple[str, ...], str | None] | None:
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
    The records, notes, and the time zone of the feed, None if it says none; or None: there is no
    snapshot.

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
    records = _records(followed, system) if followed.number else None
    unused.check(followed.n_records - unused.n_bad, path)
    if records is None or not len(records.ids):
        raise InputError("no snapshot has a vehicle", file=path)
    return records, *_zone(system)


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
    sides = followed.begins, followed.ends
    more = tuple({name: None for side in sides for one in side for name in one.more})
    begins, ends = (_columns(side, system, more) for side in sides)
    begins["availabilities"], ends["availabilities"] = system.slots.columns(followed.number)
    ids = np.array(list(followed.number), np.str_)
    truth = [followed.truth[name] for name in followed.number] if followed.truth else None
    records = Records(
        ids=ids,
        times=np.array(followed.times, np.int64),
        first=np.array(followed.first, np.int64),
        last=np.array(followed.last, np.int64),
        begins=begins,
        ends=ends,
        missed=np.array(followed.missed, np.int64),
        moved=_moved(followed),
        truth=None if truth is None else np.array(truth, np.str_),
        arrivals=tuple(followed.order.arrivals),
    )
    wrong = _are_silent(followed, records) | _are_swapped(followed, records)
    return records.taken(~wrong) if wrong.any() else records


def _moved(followed: _Followed) -> npt.NDArray[np.bool_]:
    """(n,) whether the position of an identifier moves while it stays, or until it returns."""
    number, before, after = zip(*followed.jumps, strict=True)
    one, other = (np.array([(at.lat, at.lon) for at in side]).T for side in (before, after))
    moved = np.zeros(len(followed.first), bool)
    moved[np.array(number)[metres(*one, *other) > MOVED]] = True
    return moved


def _columns(
    records: list[Record], system: System, more: tuple[str, ...]
) -> dict[str, npt.NDArray[Any]]:
    """Columns of records; vehicles without a position are at their stations, if these are known."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, column in zip(Record._fields[:-2], zip(*records, strict=True), strict=False):
        text = name in ("type", "station", "uris")
        found[name] = np.array(column, object if text else np.float64)
    for name in (one for one in more if one not in found):
        found[name] = np.array([*(record.more.get(name) for record in records), None], object)[:-1]
    for row in np.flatnonzero(np.isnan(found["lat"])).tolist():
        found["lat"][row], found["lon"][row] = system.stations.get(
            found["station"][row], (nan, nan)
        )
    return found


def _are_silent(followed: _Followed, records: Records) -> Bools:
    """(n,) identifiers that never say where they are, neither by a position nor by a station.

    Raises
    ------
    InputError
        Names the first one, unless such records are skipped.
    """
    pairs = zip(followed.begins, followed.ends, strict=True)
    wrong = np.array([one.silent and other.silent for one, other in pairs], bool)
    for row in np.flatnonzero(wrong).tolist():
        message = f"vehicle '{records.ids[row]}' has neither a position nor a station"
        place = followed.places[followed.first[row]]
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
    sides = (records.begins, followed.first), (records.ends, followed.last)
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
