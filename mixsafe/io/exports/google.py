"""Locations of a person as Google exports them (https://locationhistoryformat.com).

=========================================  =======================================================
file                                       what it has
=========================================  =======================================================
Records.json, Location History.json        ``locations``: fixes of the devices
2024_MARCH.json and the like               ``timelineObjects``: visits and activities, with paths
Timeline Edits.json                        ``timelineEdits``: ``rawSignal``, fixes of the devices
Timeline.json of Android                   ``semanticSegments``, and ``rawSignals``, fixes
location-history.json of an iPhone         a list of segments
=========================================  =======================================================

Waypoints and places have no times, and are no fixes.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from mixsafe.io.exports.rows import Row, rows_frame
from mixsafe.io.files.json_values import json_values, objects, part
from mixsafe.io.objects.frames import Frame
from mixsafe.model.numerals import DECIMAL

_KEYS = frozenset({
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
_POINT = re.compile(rf"\s*(?:geo:)?\s*({DECIMAL})\s*°?\s*,\s*({DECIMAL})\s*°?\s*(?:[,;].*)?")
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
    rows = [_row(*one) for value, _ in json_values(path, _KEYS) for one in reader.found(value)]
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


def _row(time: Any, place: Any) -> Row:  # noqa: ANN401 -- of JSON
    """A fix; a place that is none stays as it is, and is refused as such."""
    if isinstance(place, dict):
        text = place.get("latLng") or place.get("LatLng")
        if text is None:
            lat = place.get("latitudeE7", place.get("latE7"))
            lon = place.get("longitudeE7", place.get("lngE7"))
            return {"time": time, "lat": _degrees(lat), "lon": _degrees(lon)}
        place = text
    found = _POINT.fullmatch(place) if isinstance(place, str) else None
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
