"""Recorded tracks in XML: GPX of phones and watches, KML of Google Earth, TCX of Garmin.

Times and coordinates are taken as they are written, and read by the rules of all tables.

=======  ==========================================================  ============================
format   fixes                                                       name
=======  ==========================================================  ============================
GPX      track points; without any, waypoints and points of routes   of the track or route
KML      ``Track`` (its ``when`` and ``coord``), and ``Point`` with  of the placemark, whose
         a ``TimeStamp`` or a time in its ``ExtendedData``           data are columns, too
TCX      ``Trackpoint``                                              ``Id`` of the activity
=======  ==========================================================  ============================
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse

import pyarrow as pa
from pyarrow import compute

from mixsafe.errors import InputError
from mixsafe.io.columns.dialects import NAMES, TRACK_NAME
from mixsafe.io.files.content import TABLE, opened, size_of, text_of
from mixsafe.io.files.csv_records import MISSING
from mixsafe.io.objects.frames import Frame, arrow_frame
from mixsafe.machinery.memory import check_fits
from mixsafe.model.numerals import DECIMAL

_ROOT = re.compile(
    rb"(?>\s+|<\?.*?\?>|<!--.*?-->)*<(?:\w+:)?(gpx|kml|TrainingCenterDatabase)\b", re.DOTALL
)
"""Begin of such a file: no declarations, with which XML includes other files."""

_TIMES_PER_BYTE = 6
"""Memory that a file takes while it is read, times its size."""

_NONE: Mapping[str, str | None] = {}


@dataclass
class _Rows:
    """Points, one after another, as texts."""

    lat: list[str | None] = field(default_factory=list)
    lon: list[str | None] = field(default_factory=list)
    time: list[str | None] = field(default_factory=list)
    name: list[str | None] = field(default_factory=list)
    more: list[Mapping[str, str | None]] = field(default_factory=list)

    def add(self, lat: str | None, lon: str | None, time: str | None) -> None:
        """Add a point."""
        self.lat.append(lat)
        self.lon.append(lon)
        self.time.append(None if time is None else time.strip())

    def call(self, name: str | None, more: Mapping[str, str | None] = _NONE) -> None:
        """Give the points that have no track yet this one, and what else is said of it."""
        points = len(self.lat) - len(self.name)
        self.name += [None if name is None else name.strip()] * points
        self.more += [more] * points


def root_of(head: bytes) -> str | None:
    """Name of the first element of such a file, by its first bytes; None: it is another file."""
    found = _ROOT.match(text_of(head)[1])
    return None if found is None else found[1].decode()


def tracks_frame(path: Path) -> Frame:
    """Read the points of a file as a table: ``lat``, ``lon``, ``time`` and ``name``.

    Raises
    ------
    InputError
        The file is damaged, has no points, or its points have no times.
    """
    with opened(path) as file:
        root = root_of(file.read(1 << 16))
    if root is None:
        raise InputError("this is no GPX, KML or TCX", file=path)
    rows, notes = _READERS[root](path)
    rows.call(None)
    if not any(rows.time):
        hint = f"export what was recorded, not a route or a map; or {TABLE}"
        raise InputError("this is XML without a point that has a time", file=path, hint=hint)
    label = os.fspath(path)
    own = {
        "lat": _numbers(rows.lat, label, "lat"),
        "lon": _numbers(rows.lon, label, "lon"),
        "time": pa.array(rows.time, pa.string()),
        TRACK_NAME: pa.array(rows.name, pa.string()),
    }
    further = dict.fromkeys(name for one in rows.more for name in one)
    table = pa.table(
        {name: pa.array([one.get(name) for one in rows.more], pa.string()) for name in further}
        | own
    )
    return replace(arrow_frame(table, label), notes=notes)


def _numbers(texts: list[str | None], label: str, name: str) -> pa.Array:
    """Coordinates as numbers; null where there is none.

    Raises
    ------
    InputError
        Names the first point with something else.
    """
    found = compute.utf8_trim_whitespace(pa.array(texts, pa.string()))
    found = compute.if_else(compute.is_in(found, pa.array(MISSING)), None, found)
    right = compute.match_substring_regex(found, f"^{DECIMAL}$").fill_null(True)
    if not compute.all(right).as_py():
        row = compute.index(right, False).as_py()
        message = f"point {row + 1}: '{str(texts[row])[:40]}' is not a number"
        raise InputError(message, file=label, column=name)
    return found.cast(pa.float64())


def _elements(path: Path, *wanted: str) -> Iterator[tuple[str, Element]]:
    """Yield each element of these names when it ends, with its name without a namespace.

    Raises
    ------
    InputError
        The file is no XML from a line on, or in no encoding that is known.
    """
    check_fits(path, _TIMES_PER_BYTE * size_of(path))
    try:
        with opened(path) as file:
            for _, one in iterparse(file):
                name = _name(one)
                if name in wanted:
                    yield name, one
    except ParseError as error:
        message, line = str(error).partition(":")[0], error.position[0]
        raise InputError(f"the XML is damaged: {message}", file=path, line=line) from None
    except (ValueError, LookupError) as error:
        raise InputError(f"the XML is damaged: {error}", file=path) from None


def _name(one: Element) -> str:
    """Name of an element, without its namespace."""
    return _local(one.tag)


@cache
def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _text(one: Element, *names: str) -> str | None:
    """Text of the first child, of the first child of it, and so on, of these names."""
    found: Element | None = one
    for name in names:
        children: Iterable[Element] = () if found is None else found
        found = next((child for child in children if _name(child) == name), None)
    return None if found is None else found.text or ""


def _gpx(path: Path) -> tuple[_Rows, tuple[str, ...]]:
    """Points of tracks; without any, all others."""
    tracks, others = _Rows(), _Rows()
    for tag, one in _elements(path, "trkpt", "trk", "rtept", "rte", "wpt"):
        rows = tracks if tag in ("trkpt", "trk") else others
        if tag in ("trkpt", "rtept", "wpt"):
            rows.add(one.get("lat"), one.get("lon"), _text(one, "time"))
            one.clear()
        if tag in ("trk", "rte", "wpt"):
            rows.call(None if tag == "wpt" else _text(one, "name"))
            one.clear()
    if not tracks.lat or not others.lat:
        return (tracks if tracks.lat else others), ()
    return tracks, (f"waypoints and points of routes are not read ({len(others.lat):,})",)


def _tcx(path: Path) -> tuple[_Rows, tuple[str, ...]]:
    """Points of activities."""
    rows = _Rows()
    for tag, one in _elements(path, "Trackpoint", "Activity", "Course"):
        if tag == "Trackpoint":
            lat, lon = (
                _text(one, "Position", f"{axis}Degrees") for axis in ("Latitude", "Longitude")
            )
            rows.add(lat, lon, _text(one, "Time"))
            one.clear()
        else:
            rows.call(_text(one, "Id" if tag == "Activity" else "Name"))
    return rows, ()


def _kml(path: Path) -> tuple[_Rows, tuple[str, ...]]:
    """Points of tracks, and points with times."""
    rows, left = _Rows(), 0
    for _, one in _elements(path, "Placemark"):
        before = len(rows.lat)
        for track in one.iter():
            if _name(track) == "Track":
                _add_track(rows, track, path)
        more = _data(one)
        when, place = _text(one, "TimeStamp", "when"), _text(one, "Point", "coordinates")
        when = next((more[name] for name in more if name in NAMES["time"]), None) or when
        if when is not None and place is not None:
            _add(rows, place.split(","), when)
        left += before == len(rows.lat)
        rows.call(_text(one, "name"), more)
        one.clear()
    note = f"placemarks without a Track or a Point with a time are not read ({left:,})"
    return rows, (note,) if left else ()


def _data(placemark: Element) -> dict[str, str | None]:
    """What a placemark says in its ``ExtendedData``, by name."""
    found = {}
    for part in (child for child in placemark if _name(child) == "ExtendedData"):
        for one in part.iter():
            if _name(one) in ("Data", "SimpleData"):
                value = one.text if _name(one) == "SimpleData" else _text(one, "value")
                found[str(one.get("name"))] = value
    return found


def _add_track(rows: _Rows, track: Element, path: Path) -> None:
    """Add the points of a track, whose times come before its positions, or between them.

    Raises
    ------
    InputError
        There are not as many times as positions.
    """
    times, places = (
        [child.text or "" for child in track if _name(child) == name] for name in ("when", "coord")
    )
    if len(times) != len(places):
        message = f"a track has {len(times):,} times for {len(places):,} positions"
        raise InputError(message, file=path, hint="give each position of a line its time")
    for when, place in zip(times, places, strict=True):
        _add(rows, place.split(), when)


def _add(rows: _Rows, place: list[str], when: str) -> None:
    """Add a point of longitude, latitude, and perhaps an elevation."""
    rows.add(place[1] if len(place) > 1 else None, place[0] if len(place) > 1 else None, when)


_READERS: dict[str, Callable[[Path], tuple[_Rows, tuple[str, ...]]]] = {
    "gpx": _gpx,
    "kml": _kml,
    "TrainingCenterDatabase": _tcx,
}
