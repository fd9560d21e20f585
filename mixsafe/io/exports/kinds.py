"""Which program wrote a file of JSON, by paths of its keys, in whatever order these are."""

from __future__ import annotations

import re
from collections.abc import Set

from mixsafe.io.files.sniffing import Sniffed

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
