"""Recordings of phones and watches: users, fixes, zones and verdict of each, from the file on."""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe.io.columns.reading import Reading
from mixsafe.io.formats import FORMATS
from mixsafe.io.sources import load
from mixsafe.model.mobility.traces import Traces
from mixsafe_cli.app import app
from tests.support.recordings import GPX, LAT, LON, gpx, kml_track, tcx

T = [f"2024-05-01T08:0{minute}:00Z" for minute in range(4)]
TOKYO = [f"2024-05-01T17:0{minute}:00+09:00" for minute in range(4)]
NOTE = "users are the names of files"
META = "<metadata><name>Morning Run</name><time>2024-05-01T07:59:59Z</time></metadata>\n"


def point(place: int, time: str, more: str = "") -> str:
    """A track point as apps write it."""
    at = f'lat="{LAT + place / 1000:.7f}" lon="{LON}"'
    return f"<trkpt {at}><ele>12.3</ele><time>{time}</time>{more}</trkpt>"


def segments(*parts: str, before: str = "", root: str = GPX) -> str:
    """A track of several segments."""
    inner = "".join(f"<trkseg>{part}</trkseg>" for part in parts)
    return f"{root}{before}<trk><name>Track</name>{inner}</trk></gpx>"


OSMAND = segments(
    "".join(
        point(place, time, "<hdop>3.8</hdop><extensions><speed>1.2</speed></extensions>")
        for place, time in enumerate(T)
    ),
    before=META + '<wpt lat="48.1" lon="11.5"><time>2024-05-01T09:00:00Z</time></wpt>',
    root="<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n"
    '<gpx version="1.1" creator="OsmAnd 4.7" xmlns="http://www.topografix.com/GPX/1/1"'
    ' xmlns:osmand="https://osmand.net">\n',
)
STRAVA = "\ufeff" + segments(
    "\r\n".join(point(place, time) for place, time in enumerate(T)), before=META
)
GARMIN = segments(
    "".join(
        point(
            place,
            time.replace("Z", ".000Z"),
            "<extensions><ns3:TrackPointExtension><ns3:atemp>21.0</ns3:atemp><ns3:hr>88</ns3:hr>"
            "<ns3:time>1999-01-01T00:00:00Z</ns3:time></ns3:TrackPointExtension></extensions>",
        )
        for place, time in enumerate(T)
    ),
    root='<?xml version="1.0" encoding="UTF-8"?>\n<!-- a watch --><gpx creator="Garmin Connect"'
    ' version="1.1" xmlns="http://www.topografix.com/GPX/1/1"'
    ' xmlns:ns3="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">\n',
)
SEGMENTS = segments(
    "".join(point(place, T[place]) for place in (0, 1)),
    "",
    "".join(point(place, T[place]) for place in (2, 3)),
)
EMPTY = segments(
    "".join(point(place, time) for place, time in enumerate(T))
    + f"<trkpt><time>{T[0]}</time></trkpt>"
)
OLD = (  # GPX 1.0 without a namespace, in Latin-1
    '<?xml version="1.0" encoding="ISO-8859-1"?><gpx version="1.0"><trk><name>Stra\xdfe</name>'
    + "<trkseg>"
    + "".join(point(place, time) for place, time in enumerate(T))
    + "</trkseg></trk></gpx>"
)
WAYPOINTS = (
    GPX
    + "".join(
        f'<wpt lat="{LAT + place / 1000:.3f}" lon="{LON}"><time>{time}</time>'
        f"<name>P{place}</name></wpt>"
        for place, time in enumerate(T)
    )
    + "</gpx>"
)
ROUTE = (
    GPX
    + "<rte><name>Tour</name>"
    + "".join(
        f'<rtept lat="{LAT + place / 1000:.3f}" lon="{LON}"><time>{time}</time></rtept>'
        for place, time in enumerate(T)
    )
    + "</rte></gpx>"
)
STAMPS = (
    '<kml xmlns="http://www.opengis.net/kml/2.2"><Document><Folder>'
    + "".join(
        f"<Placemark><name>ana</name><TimeStamp><when>{time}</when></TimeStamp><Point><coordinates>"
        f" {LON},{LAT + place / 1000:.3f},0 </coordinates></Point></Placemark>"
        for place, time in enumerate(T)
    )
    + "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>"
    + "</Folder></Document></kml>"
)
DATA = (
    '<kml xmlns="http://www.opengis.net/kml/2.2"><Document>'
    + "".join(
        f'<Placemark><ExtendedData><SchemaData><SimpleData name="user_id">{user}</SimpleData>'
        f'<SimpleData name="time">{time}</SimpleData><SimpleData name="name">x</SimpleData>'
        f"</SchemaData></ExtendedData><Point><coordinates>{LON},{LAT + place / 1000:.3f}"
        "</coordinates></Point></Placemark>"
        for user in ("ana", "ben")
        for place, time in enumerate(T)
    )
    + "</Document></kml>"
)
ZONED = ("--tz", "Asia/Tokyo")


@dataclass(frozen=True)
class Case:
    """Files, and what they hold.

    Parameters
    ----------
    files
        Text by name; all are given to the command, in order.
    users
        Names, sorted.
    fixes, zones, verdict
        What ``verify --k 2`` finds, in a step of a minute and cells of 100 m.
    options
        Further words of the command.
    notes
        Parts of notes.
    """

    files: dict[str, str]
    users: list[str]
    fixes: int
    zones: int
    verdict: str
    options: tuple[str, ...] = ()
    notes: tuple[str, ...] = field(default=(NOTE,))


def pair(text: str, ending: str = "gpx", **more: object) -> Case:
    """Two people with the same file: they meet at each of four steps."""
    files = {f"ana.{ending}": text, f"ben.{ending}": text}
    return Case(files, ["ana", "ben"], 8, 4, "weak pass", **more)  # type: ignore[arg-type]


CASES: dict[str, Case] = {
    "OsmAnd": pair(OSMAND, notes=(NOTE, "waypoints and points of routes are not read (1)")),
    "Strava": pair(STRAVA),
    "Garmin with extensions": pair(GARMIN),
    "several segments": pair(SEGMENTS),
    "a point without a position": pair(EMPTY, notes=("2 rows skipped: no position",)),
    "an older version": pair(OLD),
    "offsets": pair(gpx({"": TOKYO})),
    "one person": Case({"ana.gpx": gpx({"run": T})}, ["ana"], 4, 0, "unsafe"),
    "one person in two files": Case(
        {"a1.gpx": gpx({"": T[:2]}), "a2.gpx": gpx({"": T[2:]})}, ["a1", "a2"], 4, 0, "unsafe",
    ),
    "two tracks of one name": Case({"ana.gpx": gpx({"run": T, "": []})}, ["ana"], 4, 0, "unsafe"),
    "tracks of two people": Case(
        {"all.gpx": gpx({"ana": T, "ben": T})}, ["ana", "ben"], 8, 4, "weak pass",
        ("--column", "user_id=name"), (),
    ),
    "tracks of one person": Case(
        {"all.gpx": gpx({"ride": T[:2], "walk": T[2:]})}, ["all"], 4, 0, "unsafe",
        ("--column", "user_id=file"), (),
    ),
    "waypoints": pair(WAYPOINTS),
    "a route with times": pair(ROUTE),
    "a track in KML": pair(kml_track(T), "kml"),
    "a track in KML with offsets": pair(kml_track(TOKYO), "kml"),
    "points in KML": pair(STAMPS, "kml", notes=(NOTE, "a Point with a time are not read (1)")),
    "points in KML that say whose they are": Case(
        {"all.kml": DATA}, ["ana", "ben"], 8, 4, "weak pass", (), (),
    ),
    "GPX and KML": Case(
        {"ana.gpx": gpx({"run": T}), "ben.kml": kml_track(T)}, ["ana", "ben"], 8, 4, "weak pass",
    ),
    "an activity in TCX": pair(tcx(T), "tcx"),
}  # fmt: skip


def write(folder: Path, files: dict[str, str]) -> list[str]:
    """Write the files, those that say Latin-1 in it; return their paths."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode("latin-1" if "8859" in text else "utf-8"))
    return [str(folder / name) for name in files]


@pytest.mark.parametrize("name", CASES)
def test_a_recording_is_read_to_its_verdict(name: str, tmp_path: Path) -> None:
    """Users, fixes, mix zones and verdict are those of what was recorded."""
    case = CASES[name]
    paths = write(tmp_path, case.files)
    asked = ["verify", *paths, "--k", "2", "--json", "-", *case.options]
    ran = CliRunner().invoke(app, asked)
    assert ran.exit_code in (0, 1, 4), ran.output
    found = json.loads(ran.stdout)
    assert (found["users"], found["zones"], found["verdict"]) == (
        len(case.users), case.zones, case.verdict,
    )  # fmt: skip
    column = dict([case.options[1].split("=")]) if case.options else None
    traces = load(paths, column=column)
    assert isinstance(traces, Traces)
    assert [str(one) for one in traces.users] == case.users
    assert len(traces.time) == case.fixes
    assert traces.time.min() == 1714550400
    assert traces.lat is not None
    assert abs(traces.lat.min() - LAT) < 1e-9
    for note in case.notes:
        assert any(note in one for one in traces.notes), traces.notes


@pytest.mark.parametrize("command", ["verify", "zones", "audit"])
def test_every_command_reads_a_folder_by_its_pattern(command: str, tmp_path: Path) -> None:
    """What one command reads, all read; packed files, too."""
    write(tmp_path / "d", {"ana/1.gpx": gpx({"": T[:2]}), "ana/2.gpx": gpx({"": T[2:]})})
    (tmp_path / "d" / "ben").mkdir()
    (tmp_path / "d" / "ben" / "1.gpx.gz").write_bytes(gzip.compress(gpx({"": T}).encode()))
    seen = tmp_path / "seen.csv"
    seen.write_text(f"user_id,time,lat,lon\nAna,{T[1]},{LAT + 0.001:.3f},{LON}\n")
    words = [command, str(tmp_path / "d"), "--files", "{user_id}/*.gpx*", "--json", "-"]
    words += [] if command == "zones" else ["--k", "2"]
    words += ["--knowledge", str(seen)] if command == "audit" else []
    ran = CliRunner().invoke(app, words)
    assert ran.exit_code in (0, 1, 4), ran.output
    refused = CliRunner().invoke(app, [one for one in words if "*" not in one and one != "--files"])
    assert refused.exit_code == 2
    assert "--files '{user_id}/*" in refused.output.replace("\n", " ")


INSTANTS = {
    "2024-05-01T00:00:00Z": (1714521600, 0),
    "2024-05-01T09:00:00+09:00": (1714521600, 0),
    "2024-05-01T05:37:00+05:37": (1714521600, 0),
    "2024-04-30T18:30:00-0530": (1714521600, 0),
    "2024-05-01T00:00:00.5Z": (1714521600, 500_000_000),
    "2024-05-01T00:00:00.123456789Z": (1714521600, 123_456_789),
    "2024-05-01T00:00:00": (1714521600, 0),
    " 2024-05-01T00:00:00Z\n": (1714521600, 0),
    "2024-04-30T24:00:00Z": (1714521600, 0),
}


@pytest.mark.parametrize("text", INSTANTS)
@pytest.mark.parametrize("make", [lambda one: gpx({"": [one]}), lambda one: kml_track([one])])
def test_a_time_is_what_is_written(text: str, make: object, tmp_path: Path) -> None:
    """Offsets of any length and fractions of any precision."""
    path = tmp_path / "ana.xml"
    path.write_text(make(text))  # type: ignore[operator]
    found = load(path)
    assert isinstance(found, Traces)
    assert found.time.tolist() == [INSTANTS[text][0]]
    notes = "times without a time zone are read as UTC" in found.notes
    assert notes == (text == "2024-05-01T00:00:00")
    fixes = next(FORMATS["gpx"].pieces(path, Reading(), None))  # type: ignore[misc]
    fraction = 0 if fixes.fraction is None else int(fixes.fraction[0])
    assert fraction == INSTANTS[text][1]


GOOD = point(0, T[0])
REFUSED: dict[str, tuple[str, str]] = {
    "no times": (gpx({"": [None, None]}), "without a point that has a time"),
    "one without a time": (gpx({"": [T[0], None]}), "row 2: the value is missing"),
    "a time that is none": (gpx({"": [T[0], "noon"]}), "row 2: 'noon' is not a timestamp"),
    "a zone by name": (gpx({"": ["2024-05-01T08:00:00 PST"]}), "PST is the name of several zones"),
    "a latitude that is none": (
        segments(GOOD + GOOD.replace(f'lat="{LAT:.7f}"', 'lat="abc"')), "point 2: 'abc' is not",
    ),
    "a decimal comma": (
        segments(GOOD + GOOD.replace(f'lat="{LAT:.7f}"', 'lat="35,6"')), "point 2: '35,6' is not",
    ),
    "a latitude of 95": (
        segments(GOOD + GOOD.replace(f'lat="{LAT:.7f}"', 'lat="95"')), "latitude 95.0 is not",
    ),
    "truncated": (OSMAND[:-40], "the XML is damaged"),
    "mismatched": (OSMAND.replace("</trkseg>", "</trk>"), "line 4: the XML is damaged"),
    "a declaration of entities": (
        OSMAND.replace("<gpx", '<!DOCTYPE gpx [<!ENTITY a SYSTEM "file:///etc/passwd">]><gpx'),
        "this is XML",
    ),
    "an entity": (OSMAND.replace("<speed>1.2", "<speed>&a;"), "undefined entity"),
    "more times than places": (
        kml_track(T).replace(f"<when>{T[0]}</when>", f"<when>{T[0]}</when>" * 2),
        "a track has 5 times for 4 positions",
    ),
    "only a path in KML": (
        "<kml><Placemark><LineString><coordinates>1,2 3,4</coordinates></LineString></Placemark>"
        "</kml>",
        "without a point that has a time",
    ),
    "several tracks": (gpx({"ana": T, "ben": T}), "2 tracks may be one person or several"),
    "no points": (GPX + "</gpx>", "without a point that has a time"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_fix_is_refused(name: str, tmp_path: Path) -> None:
    """No time and no place is made up; a damaged file is never read in part."""
    text, said = REFUSED[name]
    path = tmp_path / "ana.gpx"
    path.write_text(text)
    with pytest.raises(InputError) as refused:
        load(path)
    assert said in str(refused.value)
    assert str(refused.value.file) == str(path)
    assert "\n" not in str(refused.value)


def test_what_a_format_does_not_hold_is_said(tmp_path: Path) -> None:
    """A format that is named by mistake is no fault of the program."""
    path = tmp_path / "t.csv"
    path.write_text("user_id,time,lat,lon\n")
    with pytest.raises(InputError, match="this is no GPX, KML or TCX"):
        load(path, format="gpx")
