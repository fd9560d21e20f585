"""Registry of source formats: how each is recognized and read, and what it contains.

To add a format, write a reader and a function that recognizes such files, and register both::

    from mixsafe.io.formats import FORMATS, Format

    def read(path, reading):
        from mixsafe.model.mobility.traces import Traces
        ...
        return Traces(…)

    mine = Format("mine", "tracks of my receiver", "traces",
                  lambda sniffed: sniffed.head.startswith(b"MINE"), read)
    with FORMATS.registered(mine):
        ...

In the block every command that takes a SOURCE reads such files, and ``--format mine`` selects the
format. The format registered last is tried first; ``table`` is tried last, and reports what is
wrong with a file of no known format.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from mixsafe.io.files.content import FLATGEOBUF, SHAPEFILE, SQLITE
from mixsafe.io.files.sniffing import Sniffed
from mixsafe.model.choices import Choices

if TYPE_CHECKING:
    from mixsafe.io.columns.fixes import Fixes
    from mixsafe.io.objects.frames import Frame
    from mixsafe.model.mobility.traces import Traces
    from mixsafe.model.question.mix_zones import MixZones
    from mixsafe.model.question.problem import Problem

    Source = Traces | MixZones | list[Problem]


_TIMELINE = {".semanticSegments", ".timelineObjects", ".timelineEdits", ".rawSignals"}
"""Keys of a Timeline of Google, each of which tells that it is one."""
_SEGMENT = {
    "[].timelinePath",
    "[].timelineMemory",
    "[].visit.topCandidate",
    "[].activity.topCandidate",
}
"""Keys of a Timeline of an iPhone, a list without a name."""
_RAW = {".locations[].latitudeE7", ".locations[].longitudeE7", ".locations[].timestampMs"}

_REALTIME = {
    ".header.gtfsrealtimeversion", ".entity[].vehicle", ".entity[].tripupdate", ".entity[].alert",
}  # fmt: skip

_MDS = re.compile(
    r"(?:\[\])?(?:\.data)?\.(?:trips|telemetry|events|status_changes|vehicles)\[\]"
    r"\.(?:provider_id|route\.features|telemetry_id|gps)$|\.data\.(?:trips|telemetry|status_changes)"
)

_OWNTRACKS = re.compile(
    rb'"_type"\s*:\s*"(?:location|transition|waypoints?|lwt|encrypted|card|cmd|steps|status)"'
)

_PROBLEM = {"users", "horizon", "zones", "knowledge", "requirements", "tracklets"}
"""Keys of problems of mixsafe, each of which tells that an object is one."""


def is_google(sniffed: Sniffed) -> bool:
    """True for what Google exports of a person's locations: Records.json and any Timeline.json."""
    keys = sniffed.keys
    return keys == {".locations"} or not keys.isdisjoint(_TIMELINE | _SEGMENT | _RAW)


def is_owntracks(sniffed: Sniffed) -> bool:
    """True for a recording of OwnTracks, .rec or JSON."""
    return bool(sniffed.keys) and _OWNTRACKS.search(sniffed.unpacked) is not None


def is_gtfs_realtime(sniffed: Sniffed) -> bool:
    """True for a feed of GTFS Realtime in JSON, or several of them."""
    plain = {key.replace("_", "").lower().removeprefix("[]") for key in sniffed.keys}
    return not plain.isdisjoint(_REALTIME)


def is_mds(sniffed: Sniffed) -> bool:
    """True for a response of MDS, the Mobility Data Specification."""
    return any(_MDS.match(key) for key in sniffed.keys)


def is_records(sniffed: Sniffed) -> bool:
    """True for JSON of anything but problems."""
    if not sniffed.keys or sniffed.text.lstrip()[:1] not in (b"{", b"["):
        return False
    return not _told(sniffed.keys) & _PROBLEM


def _told(keys: Set[str]) -> set[str]:
    """Names of keys of the outermost objects."""
    return {key.removeprefix("[]").removeprefix(".") for key in keys}


Yields = Literal["traces", "zones", "problems"]
Recognizes = Callable[[Sniffed], bool]


@dataclass(frozen=True)
class Format:
    """A source format; it has either ``read`` or ``pieces``.

    Parameters
    ----------
    name
        Its name for ``--format``.
    about
        Short description.
    yields
        Content: ``traces``, mix ``zones``, or ``problems``, which include the adversary's knowledge
        and the requirements.
    recognizes
        Returns True if a source has this format.
    read
        Reads a source at once, given its path and a :class:`mixsafe.io.columns.reading.Reading`. It
        imports its dependencies when called.
    takes
        Options of the reading that it applies: ``columns``, ``tz``, ``crs``, ``rules``, and of its
        form ``header``, ``files``, ``layer``; others are refused.
    pieces
        Reads traces in batches, for files larger than memory and for several files: as ``read``,
        with the number of rows per batch (None: whole files).
    """

    name: str
    about: str
    yields: Yields
    recognizes: Recognizes
    read: Callable[..., Source] | None = None
    takes: frozenset[str] = frozenset()
    pieces: Callable[..., Iterator[Fixes]] | None = None


def _late(place: str) -> Callable[..., Any]:
    """The function ``module:name`` of a module of ``io`` that is imported when it is called."""
    module, _, name = place.partition(":")

    def call(*given: object, **options: object) -> Any:  # noqa: ANN401 -- of any function
        return getattr(import_module(f"mixsafe.io.{module}"), name)(*given, **options)

    return call


def _of_frames(
    name: str,
    about: str,
    recognizes: Recognizes,
    frame: str | Callable[..., Frame],
    *takes: str,
    personal: bool = False,
) -> Format:
    """A format whose files are read as tables in memory: one file, or those of a folder.

    Parameters
    ----------
    recognizes
        Returns True if a file has this format; it is not asked about folders.
    frame
        Reads a file, given its path, and ``layer`` as a keyword argument if the format takes it; or
        where that function is, as ``module:name``.
    takes
        Further options than ``columns``, ``tz``, ``crs``, ``rules`` and ``files``.
    personal
        True if a file is one person's own export: her name is that of the file, if no column names
        users (:func:`mixsafe.io.objects.frame_files.owned`).
    """

    def holds(sniffed: Sniffed) -> bool:
        if not sniffed.folder:
            return recognizes(sniffed)
        return any(one.has(recognizes) for one in sniffed.files)

    function = _late(frame) if isinstance(frame, str) else frame
    options = {"name": name, "recognizes": recognizes, "frame": function, "personal": personal}
    pieces = partial(_late("objects.frame_files:frame_fixes"), **options, layered="layer" in takes)
    every = frozenset(("columns", "tz", "crs", "rules", "files", *takes))
    return Format(name, about, "traces", holds, takes=every, pieces=pieces)


def _is_zones(sniffed: Sniffed) -> bool:
    from mixsafe.io.problems.zone_table import COLUMNS

    return not sniffed.folder and set(COLUMNS) <= set(sniffed.header)


def _is_geojson(sniffed: Sniffed) -> bool:
    head = sniffed.unpacked.removeprefix(b"\xef\xbb\xbf").lstrip(b"\x1e \t\r\n")
    if not head.startswith(b"{") or not re.search(b'"Feature(Collection)?"', head):
        return False
    return bool(sniffed.text)  # refuses what only contains collections, such as trips of MDS


def _is_of_root(name: str) -> Recognizes:
    """Recognizes XML by its first element."""
    root_of = _late("objects.xml_tracks:root_of")
    return lambda sniffed: b"<" in sniffed.unpacked[:64] and root_of(sniffed.unpacked) == name


def _begins(*marks: bytes) -> Recognizes:
    """Recognizes files by their first bytes."""
    return lambda sniffed: sniffed.head.startswith(marks)


_TRACKS = "objects.xml_tracks:tracks_frame"

FORMATS: Choices[Format] = Choices(
    "format",
    Format(
        "table",
        "users, times and coordinates in CSV or Parquet",
        "traces",
        _late("traces.table:is_table"),
        takes=frozenset({"columns", "tz", "crs", "rules", "header", "files"}),
        pieces=_late("traces.table:table_fixes"),
    ),
    Format(
        "contest",
        "user_id,time_id,reg_id",
        "traces",
        _late("traces.table:is_contest"),
        takes=frozenset({"rules"}),
        pieces=_late("traces.table:contest_fixes"),
    ),
    Format(
        "humob",
        "uid,d,t,x,y of HuMob",
        "traces",
        _late("traces.published_sets:is_humob"),
        pieces=_late("traces.published_sets:humob_fixes"),
    ),
    Format(
        "zones",
        "mix zones in CSV or Parquet",
        "zones",
        _is_zones,
        lambda path, _: _late("problems.zone_table:read_zones")(path),
    ),
    Format(
        "problem",
        "problems in JSON",
        "problems",
        lambda sniffed: sniffed.text.lstrip()[:1] in (b"{", b"["),
        lambda path, _: _late("problems.problem:read_problems")(path),
    ),
    Format(
        "cabspotting",
        "the archive of cabs, or its folder",
        "traces",
        lambda sniffed: (sniffed.folder and not sniffed.tables) or sniffed.archive,
        _late("traces.published_sets:read_cabspotting"),
        frozenset({"tz", "rules"}),
    ),
    _of_frames(
        "records",
        "records in JSON, a list or one per line",
        is_records,
        "exports:records_frame",
    ),
    _of_frames(
        "geojson",
        "points in GeoJSON, users and times as properties",
        _is_geojson,
        "objects.geojson:features_frame",
    ),
    _of_frames(
        "geopackage",
        "points in a GeoPackage",
        _begins(SQLITE),
        "objects.vector_files:layer_frame",
        "layer",
    ),
    _of_frames(
        "vector",
        "points in FlatGeobuf or a shapefile",
        _begins(FLATGEOBUF, SHAPEFILE),
        "objects.vector_files:vector_frame",
    ),
    _of_frames("gpx", "tracks of a phone or a watch", _is_of_root("gpx"), _TRACKS, personal=True),
    _of_frames("kml", "tracks and points with times", _is_of_root("kml"), _TRACKS, personal=True),
    _of_frames(
        "tcx", "activities of Garmin", _is_of_root("TrainingCenterDatabase"), _TRACKS, personal=True
    ),
    _of_frames("mds", "trips and telemetry of MDS in JSON", is_mds, "exports:mds_frame"),
    _of_frames(
        "gtfs-realtime",
        "vehicle positions of GTFS Realtime in JSON",
        is_gtfs_realtime,
        "exports:gtfs_realtime_frame",
    ),
    _of_frames(
        "owntracks",
        "recordings of OwnTracks, .rec or JSON",
        is_owntracks,
        "exports:owntracks_frame",
        personal=True,
    ),
    _of_frames(
        "google",
        "location history of Google: Records.json, Timeline.json",
        is_google,
        "exports:google_frame",
        personal=True,
    ),
)
"""All formats; the last one is tried first."""
