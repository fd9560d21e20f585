"""Exports of other programs in JSON, as tables in memory.

Of OwnTracks (https://owntracks.org/booklet/tech/json): .rec, lists, JSON Lines. Of feeds of GTFS
Realtime, as Protocol Buffers write them in JSON. Of MDS, the Mobility Data Specification (1.x and
2.x): a trip of 1.x has a ``route``, a GeoJSON collection of points with times; one of 2.x has only
``start_location`` and ``end_location``, and its way is in ``telemetry``. Of any other program: a
list of objects, or an object per line, each of which is a row.

Of Google (https://locationhistoryformat.com), whose waypoints and places have no times, and are no
fixes:

=========================================  =======================================================
file                                       what it has
=========================================  =======================================================
Records.json, Location History.json        ``locations``: fixes of the devices
2024_MARCH.json and the like               ``timelineObjects``: visits and activities, with paths
Timeline Edits.json                        ``timelineEdits``: ``rawSignal``, fixes of the devices
Timeline.json of Android                   ``semanticSegments``, and ``rawSignals``, fixes
location-history.json of an iPhone         a list of segments
=========================================  =======================================================
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import pyarrow as pa

from mixsafe.errors import InputError
from mixsafe.io.files.json_values import json_text_of, json_values, objects, part, values_of
from mixsafe.io.objects.frames import Frame, column_of
from mixsafe.model.numerals import DECIMAL

Row = Mapping[str, Any]


def rows_frame(
    path: str | os.PathLike[str],
    rows: Sequence[Row],
    said: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    bad: Mapping[int, InputError] | None = None,
) -> Frame:
    """A table of rows.

    Parameters
    ----------
    rows
        What each row has of each key; the columns are all keys.
    said
        Columns known from the format, by meaning.
    notes
        Assumptions made, one sentence each.
    bad
        What is wrong with rows that could not be read, by their index.

    Raises
    ------
    InputError
        There is no row.
    """
    header = tuple(dict.fromkeys(key for row in rows for key in row))
    if bad and not header:
        raise next(iter(bad.values()))
    if not rows or not header:
        raise InputError("the file has no fixes", file=path)
    label = os.fspath(path)

    def column(name: str) -> pa.ChunkedArray:
        return column_of([row.get(name) for row in rows], label, name, "key")

    return Frame(label, header, column, said or {}, None, tuple(notes), bad or {})


def records_frame(path: str | os.PathLike[str]) -> Frame:
    """Read records as a table: its columns are their keys, those of objects in them after a dot.

    An object with only one list of objects is that list.

    Raises
    ------
    InputError
        The file is not JSON, or a record is no object.
    """
    rows: list[dict[str, Any]] = []
    bad: dict[int, InputError] = {}
    for value, line in values_of(json_text_of(path), path, broken=lambda error: error):
        for one in _listed(value) if line is None else [value]:
            if not isinstance(one, dict):
                bad[len(rows)] = one if isinstance(one, InputError) else _no_object(one, path, line)
            rows.append(_flat(one, path, line) if isinstance(one, dict) else {})
    return rows_frame(path, rows, bad=bad)


def _no_object(found: Any, path: str | os.PathLike[str], line: int | None) -> InputError:  # noqa: ANN401 -- of JSON
    """The error about an entry that is no record."""
    return InputError(f"this is no object with keys: {str(found)[:40]}", file=path, line=line)


def _listed(value: Any) -> list[Any]:  # noqa: ANN401 -- of JSON
    """The records of the only value of a file."""
    if isinstance(value, list):
        return value
    lists = [one for one in value.values() if _are_objects(one)] if isinstance(value, dict) else []
    return lists[0] if len(lists) == 1 else [value]


def _are_objects(found: object) -> bool:
    """True for a list of objects that is not empty."""
    return isinstance(found, list) and bool(found) and all(isinstance(one, dict) for one in found)


def _flat(record: dict[str, Any], path: str | os.PathLike[str], line: int | None) -> dict[str, Any]:
    """A record without objects in it: their keys are its own, as ``location.lat``.

    Raises
    ------
    InputError
        Two keys become one.
    """
    while any(isinstance(value, dict) for value in record.values()):
        pairs: list[tuple[str, Any]] = []
        for key, value in record.items():
            value = _point(value)
            inner = value.items() if isinstance(value, dict) else ()
            pairs += [(f"{key}.{name}", one) for name, one in inner]
            pairs += [] if isinstance(value, dict) else [(key, value)]
        record = dict(pairs)
        if len(record) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise InputError("a record has this key twice", file=path, line=line, column=twice)
    return record


def _point(value: Any) -> Any:  # noqa: ANN401 -- of JSON
    """A point of GeoJSON as text; anything else as it is."""
    if not isinstance(value, dict) or value.get("type") != "Point":
        return value
    place = value.get("coordinates")
    if isinstance(place, list) and len(place) > 1:
        return f"POINT ({place[0]} {place[1]})"
    return None


_RECORDED = re.compile(r"^[^\t\n{]*\t[^\t\n{]*\t\s*(?=\{)", re.MULTILINE)
"""What .rec has before the JSON of a line."""


def owntracks_frame(path: str | os.PathLike[str]) -> Frame:
    """Read the locations; whose they are is told by topics, or by tracker ids if these differ.

    Raises
    ------
    InputError
        The file is not JSON, or has no locations.
    """
    text = json_text_of(path)
    text = _RECORDED.sub("", text) if _RECORDED.match(text) else text
    rows: list[dict[str, Any]] = []
    bad: dict[int, InputError] = {}
    others = 0
    for value, _ in values_of(text, path, broken=lambda error: error):
        if isinstance(value, InputError):
            bad[len(rows)] = value
            rows.append({})
            continue
        listed = value if isinstance(value, list) else part(value, "data")
        found = objects(listed if isinstance(listed, list) else [value], "data", path)
        here = [one for one in found if one.get("_type") == "location"]
        others += len(found) - len(here)
        rows += here
    if not rows:
        message = f"this is a recording of OwnTracks, and none of {others:,} messages is a location"
        hint = "decrypt messages first, if they are encrypted"
        raise InputError(message, file=path, hint=hint)
    notes = []
    if others:
        notes.append(f"messages of OwnTracks left out, because they are no locations: {others:,}")
    said = {"time": "tst"}
    whose = _whose(rows)
    if whose is not None:
        said["user_id"] = whose
        notes.append(f"users of OwnTracks are told apart by '{whose}'")
    return rows_frame(path, rows, said, notes, bad)


def _whose(rows: list[dict[str, Any]]) -> str | None:
    """The key that tells users apart; None: nothing does, and they may all be one person's."""
    if any("topic" in row for row in rows):
        return "topic"
    return "tid" if len({str(row["tid"]) for row in rows if "tid" in row}) > 1 else None


_GTFS_SAID = {"user_id": "vehicle.id", "time": "timestamp"}


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
                rows.append(_gtfs(vehicle, made))
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
    return rows_frame(path, rows, _GTFS_SAID, notes)


def _gtfs(vehicle: Any, made: Any) -> Row:  # noqa: ANN401 -- of JSON
    """A position, with the time of its feed if it has none."""
    time = part(vehicle, "timestamp")
    return {
        "vehicle.id": part(vehicle, "vehicle", "id"),
        "vehicle.label": part(vehicle, "vehicle", "label"),
        "timestamp": made if time is None else time,
        "latitude": part(vehicle, "position", "latitude"),
        "longitude": part(vehicle, "position", "longitude"),
    }


_MDS_SAID = {"user_id": "device_id"}


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
                    _mds(trip, part(one, "properties"), part(one, "geometry")) for one in route
                ]
                rows += [] if route else _ends(trip)
            rows += [_mds(one, one) for one in objects(part(data, "telemetry"), "telemetry", path)]
    if not rows:
        message = "this is a response of MDS without trips and telemetry"
        raise InputError(message, file=path, hint="give one of /trips or of /telemetry")
    notes = []
    if without:
        notes.append(f"trips of MDS without a route, of which begin and end are read: {without:,}")
    return rows_frame(path, rows, _MDS_SAID, notes)


def _ends(trip: dict[str, Any]) -> list[Row]:
    """Begin and end of a trip."""
    return [
        _mds(trip, {"timestamp": trip.get(f"{end}_time"), "location": trip.get(f"{end}_location")})
        for end in ("start", "end")
    ]


def _mds(whose: dict[str, Any], found: Any, geometry: Any = None) -> Row:  # noqa: ANN401 -- of JSON
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


_GOOGLE_KEYS = frozenset({
    "locations", "timelineObjects", "timelineEdits", "semanticSegments", "rawSignals",
    "latitudeE7", "longitudeE7", "latE7", "lngE7", "latLng", "LatLng", "point", "deviceTag",
    "timestamp", "timestampMs", "time", "durationMinutesOffsetFromStartTime",
    "startTime", "endTime", "timelinePath", "visit", "topCandidate", "placeLocation",
    "activity", "start", "end", "rawSignal", "signal", "position",
    "activitySegment", "placeVisit", "childVisits", "location", "startLocation", "endLocation",
    "duration", "startTimestamp", "startTimestampMs", "endTimestamp", "endTimestampMs",
    "simplifiedRawPath", "points",
})  # fmt: skip
"""Keys that are read; the others are most of a file."""

_E7, _LARGE = 10**7, 10**18
_LAT_LNG = re.compile(rf"\s*(?:geo:)?\s*({DECIMAL})\s*°?\s*,\s*({DECIMAL})\s*°?\s*(?:[,;].*)?")
"""``52.25°, 13.25°`` and ``geo:52.25,13.25``."""

_Found = Iterator[tuple[Any, Any]]
"""Times and places, whatever they are written as."""


def google_frame(path: str | os.PathLike[str]) -> Frame:
    """Read the fixes of a person: those of devices and of paths, and both ends of visits.

    Raises
    ------
    InputError
        The file is not JSON, has no fixes, or has something else where lists are expected.
    """
    reader = _Reader(path)
    rows = [
        _google(*one) for value, _ in json_values(path, _GOOGLE_KEYS) for one in reader.found(value)
    ]
    return rows_frame(path, rows, notes=reader.notes())


@dataclass
class _Reader:
    """Collects times and places.

    Parameters
    ----------
    path
        The file.
    visits, activities
        How many were read.
    devices
        Marks of devices.
    """

    path: str | os.PathLike[str]
    visits: int = 0
    activities: int = 0
    devices: set[Any] = field(default_factory=set)

    def found(self, value: Any) -> _Found:  # noqa: ANN401 -- of JSON
        """Yield what a file has."""
        if isinstance(value, list):
            value = {"semanticSegments": value}
        for one in self._list(value, "locations"):
            if "deviceTag" in one:
                self.devices.add(str(one["deviceTag"]))
            yield _time(one), one
        for one in self._list(value, "timelineObjects"):
            yield from self._stay(one.get("placeVisit"), "location", "location")
            yield from self._stay(one.get("activitySegment"), "startLocation", "endLocation")
        for one in self._list(value, "semanticSegments"):
            yield from self._segment(one)
        for one in self._list(value, "rawSignals"):
            yield from self._signal(one)
        for one in self._list(value, "timelineEdits"):
            yield from self._signal(part(one, "rawSignal", "signal") or {})

    def _list(self, found: Any, key: str) -> list[dict[str, Any]]:  # noqa: ANN401 -- of JSON
        """Objects that an object lists under a key."""
        return objects(part(found, key), key, self.path)

    def _stay(self, found: Any, start: str, end: str) -> _Found:  # noqa: ANN401 -- of JSON
        """Yield both ends of a visit or an activity, and the fixes between them."""
        if found is None:
            return
        self._count(visit=start == end)
        for key, when in ((start, "start"), (end, "end")):
            time = part(found, "duration", f"{when}Timestamp")
            yield time or part(found, "duration", f"{when}TimestampMs"), part(found, key)
        for one in self._list(part(found, "simplifiedRawPath"), "points"):
            yield _time(one), one
        for one in self._list(found, "childVisits"):
            yield from self._stay(one, start, end)

    def _segment(self, found: dict[str, Any]) -> _Found:
        """Yield both ends of a visit or an activity, or the fixes of a path."""
        begin, finish = found.get("startTime"), found.get("endTime")
        for one in self._list(found, "timelinePath"):
            yield one.get("time") or _later(begin, one), one.get("point")
        if "visit" in found:
            self._count(visit=True)
            place = part(found, "visit", "topCandidate", "placeLocation")
            yield from ((begin, place), (finish, place))
        if "activity" in found:
            self._count(visit=False)
            yield begin, part(found, "activity", "start")
            yield finish, part(found, "activity", "end")

    def _signal(self, found: dict[str, Any]) -> _Found:
        """Yield the fix of a signal; one of Wi-Fi or of movement has none."""
        position = found.get("position")
        if position is not None:
            yield _time(position), part(position, "LatLng") or part(position, "point")

    def _count(self, *, visit: bool) -> None:
        """Count a visit or an activity."""
        self.visits, self.activities = self.visits + visit, self.activities + (not visit)

    def notes(self) -> list[str]:
        """What was assumed."""
        notes = []
        if self.visits or self.activities:
            notes.append(
                "begin and end of visits and activities, which are guesses of Google, are read as"
                f" fixes: {self.visits:,} and {self.activities:,}"
            )
        if len(self.devices) > 1:
            notes.append(f"fixes of {len(self.devices):,} devices are read as one person's")
        return notes


def _google(time: Any, place: Any) -> Row:  # noqa: ANN401 -- of JSON
    """A fix; a place that is none stays as it is, and is refused as such."""
    if isinstance(place, dict):
        text = place.get("latLng") or place.get("LatLng")
        if text is None:
            lat = place.get("latitudeE7", place.get("latE7"))
            lon = place.get("longitudeE7", place.get("lngE7"))
            return {"time": time, "lat": _degrees(lat), "lon": _degrees(lon)}
        place = text
    found = _LAT_LNG.fullmatch(place) if isinstance(place, str) else None
    lat, lon = (place, place) if found is None else map(float, found.groups())
    return {"time": time, "lat": lat, "lon": lon}


def _degrees(value: Any) -> Any:  # noqa: ANN401 -- of JSON
    """Degrees of a number of 10^-7 degrees; anything else as it is."""
    return value / _E7 if type(value) in (int, float) and abs(value) < _LARGE else value


def _time(found: Any) -> Any:  # noqa: ANN401 -- of JSON
    """Time of a fix, by either name."""
    return part(found, "timestamp") or part(found, "timestampMs")


def _later(begin: Any, found: dict[str, Any]) -> Any:  # noqa: ANN401 -- of JSON
    """Time so many minutes after another one; the other one if it is none."""
    minutes = found.get("durationMinutesOffsetFromStartTime")
    if minutes is None:
        return None
    try:
        return (datetime.fromisoformat(begin) + timedelta(minutes=float(minutes))).isoformat()
    except (TypeError, ValueError, OverflowError):
        return f"{begin} + {minutes} minutes"
