"""More commands with the files that they read: places, packed files, what commands wrote."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa

from mixsafe_cli.app import app
from tests.support.feeds import random_fleet
from tests.support.fuzz_cases import (
    ASKED,
    CALM,
    COORDINATES,
    FEW,
    LINES,
    ONE,
    OUT,
    PLACES,
    RUN,
    SEEN,
    SMALL,
    ZONES,
    Case,
    contest_traces,
)
from tests.support.fuzz_people_cases import trips_of_mds
from tests.support.geopackages import layer_of_points
from tests.support.recordings import gpx, kml_track

ASK = ("--k", "2", *CALM, *OUT)
SHORT = ("--time-limit", "0.3", "--workers", "1")
CORNERS = [[-122.40, 37.74], [-122.38, 37.74], [-122.38, 37.752], [-122.40, 37.752]]
STATIONS = [
    ({"name": "the station"}, {"type": "Polygon", "coordinates": [[*CORNERS, CORNERS[0]]]}),
    ({"name": "the stand", "radius": 300}, {"type": "Point", "coordinates": [-122.39, 37.76]}),
]
CHANCES = b"user_id,chance\n1,0.5\n2,1\n"
POI = b"lat,lon,category\n35.65,139.7,food/ramen\n35.7,139.75,shop\n"
SEEN_AT = b"user_id,time,lat,lon\nann,1211018404,37.75,-122.39\nbob,1211018464,37.76,-122.39\n"


VEHICLES = (
    b"id,time,lat,lon,range,battery\na,1750000000,52.5,13.4,9000,0.5\na,1750000600,52.5,13.4,9000,0.5"
    b"\nb,1750001200,52.51,13.4,8000,0.4\nb,1750004000,52.51,13.4,8000,0.4\n"
)
TRIPS = (
    b"id,start_time,start_lat,start_lon,end_time,end_lat,end_lon\n"
    b"a,1750000000,52.5,13.4,1750000600,52.51,13.4\nb,1750001200,52.51,13.4,1750002000,52.5,13.4\n"
)


def _features(features: list[tuple[dict[str, object], dict[str, object]]]) -> bytes:
    """A collection of GeoJSON."""
    made = [{"type": "Feature", "properties": one, "geometry": shape} for one, shape in features]
    return json.dumps({"type": "FeatureCollection", "features": made}).encode()


def _points() -> bytes:
    """Fixes as points of GeoJSON."""
    rows = [line.split(",") for line in COORDINATES.decode().split()[1:]]
    return _features([
        ({"user_id": user, "time": int(time)},
         {"type": "Point", "coordinates": [float(lon), float(lat)]})
        for user, time, lat, lon in rows
    ])  # fmt: skip


MINUTES = [f"2008-05-17T10:0{minute}:00Z" for minute in range(6)]


def _geopackage(folder: Path) -> bytes:
    """Fixes as points of a GeoPackage."""
    rows = (line.split(",") for line in COORDINATES.decode().split()[1:])
    fixes = ((user, int(time), float(lon), float(lat)) for user, time, lat, lon in rows)
    return layer_of_points(folder / "fixes.gpkg", fixes).read_bytes()


def geographic_cases(folder: Path) -> list[Case]:
    """Points, places, cells and maps; packed files and several; standard input.

    Parameters
    ----------
    folder
        Where files may be written.
    """
    fixes = {"c.csv": COORDINATES, "places.geojson": _features(STATIONS)}
    zipped = pa.compress(COORDINATES, "zstd", asbytes=True)
    at_places = ("c.csv", "--places", "places.geojson")
    verify = ("verify", *at_places, *ASK, "--map", "out.geojson")
    return [
        Case(("verify", "p.geojson", *ASK), {"p.geojson": _points()}, ("p.geojson",)),
        Case(("verify", "f.gpkg", *ASK), {"f.gpkg": _geopackage(folder)}, ("f.gpkg",)),
        Case(("verify", "a.gpx", "b.kml", *ASK), {"a.gpx": gpx({"run": MINUTES}).encode(),
             "b.kml": kml_track(MINUTES).encode()}, ("a.gpx", "b.kml")),
        Case(("verify", "c.csv.gz", *ASK), {"c.csv.gz": gzip.compress(COORDINATES)}, ("c.csv.gz",)),
        Case(("verify", "c.csv.zst", *ASK), {"c.csv.zst": zipped}, ("c.csv.zst",)),
        Case(("verify", "t.csv", "u.csv", *ASK), {"t.csv": SMALL, "u.csv": SMALL}, ("u.csv",)),
        Case(("verify", "-", *ASK), {"t.csv": SMALL}, ("t.csv",)),
        Case(verify, fixes, ("c.csv",)),
        Case((*verify, "--cell-size", "50"), fixes, ("places.geojson",)),
        Case(("verify", "c.csv", "--cells", "h3:9", *ASK, "--map", "out.parquet"), fixes,
             ("c.csv",)),
        Case(("zones", *at_places, *OUT, "--map", "out.geojson"), fixes, ("places.geojson",)),
        Case(("zones", "c.csv", "--cells", "h3:8", *OUT, "--map", "out.parquet"), fixes,
             ("c.csv",)),
        Case(("optimize", *at_places, "--k", "2", "--at", "2008-05-17T10:00:04Z", *SHORT, *OUT),
             fixes, ("places.geojson",)),
        Case(("audit", "c.csv", "--knowledge", "seen.csv", "--k", "2", *CALM, *OUT),
             {**fixes, "seen.csv": SEEN_AT}, ("c.csv", "seen.csv")),
    ]  # fmt: skip


def asking_cases() -> list[Case]:
    """Commands that weigh, break, compare and optimize; contests and synthesis."""
    two, three = {"t.csv": SMALL, "seen.csv": SEEN}, {"t.csv": SMALL, "asked.csv": ASKED}
    org, ref = contest_traces(), contest_traces(first=41)
    named = {"org.csv": org, "ref.csv": ref}
    return [
        Case(("weigh", "p.json", *SHORT, *OUT), {"p.json": ONE}, ("p.json",)),
        Case(("weigh", "t.csv", "--exchange", "q.csv", *SHORT, *OUT),
             {"t.csv": SMALL, "q.csv": CHANCES}, ("q.csv", "t.csv")),
        Case(("weigh", "zones.csv", "--adversary", "seen.csv", *SHORT, *OUT),
             {"zones.csv": ZONES, "seen.csv": b"user_id,time_id\n1,1\n2,3\n"},
             ("seen.csv", "zones.csv")),
        Case(("breaking", "t.csv", "--k", "2", "--at-most", "2", *SHORT, *OUT), two, ("t.csv",)),
        Case(("breaking", "t.csv", "--k", "2", "--at-most", "2", "--sightings", "seen.csv",
              *SHORT, *OUT), two, ("seen.csv",)),
        Case(("breaking", "t.csv", "--requirements", "asked.csv", "--at-most", "2", *SHORT, *OUT),
             three, ("asked.csv",)),
        Case(("breaking", "org.csv", "--k", "2", "--draws", "2", "--reference", "ref.csv", *SHORT,
              "--json", "out.json"), named, ("ref.csv", "org.csv")),
        Case(("compare", "p.json", "--engines", "dp,auto", *SHORT, *OUT), {"p.json": ONE},
             ("p.json",)),
        Case(("compare", "p.jsonl", "--engines", "dp", *SHORT, *OUT), {"p.jsonl": LINES},
             ("p.jsonl",)),
        Case(("compare", "t.csv", "--k", "2", "--adversary", "seen.csv", "--engines", "dp", *SHORT,
              *OUT), two, ("t.csv", "seen.csv")),
        Case(("optimize", "t.csv", "--requirements", "asked.csv", *SHORT, *OUT), three,
             ("asked.csv", "t.csv")),
        Case(("optimize", "p.jsonl", *SHORT, "--json", "out.json"), {"p.jsonl": LINES},
             ("p.jsonl",)),
        Case(("verify", "t.csv", "--resume", "run", *ASK),
             {"t.csv": SMALL, "run/checkpoint": b'{"format": "mixsafe checkpoint 3"}\n'},
             ("run/checkpoint",)),
        Case(("optimize", "t.csv", "--config", "c.toml", *SHORT, *OUT),
             {"t.csv": SMALL, "c.toml": b'k = 2\nat = "3"\nweight = "members"\nquiet = true\n'},
             ("c.toml",)),
        Case(("contest", "run", "org.csv", "ref.csv", "-o", "out_r", "--attacks", "I1,T1",
              "--anonymisers", "A1,A4-1-1", "--workers", "1"), named, ("org.csv", "ref.csv")),
        Case(("contest", "utility", "org.csv", "ref.csv", "--poi", "poi.csv", "--category", "food",
              "--json", "out.json"), {**named, "poi.csv": POI}, ("poi.csv", "org.csv")),
        Case(("synthesize", "uniform", "--users", "3", "--days", "1", "-o", "out.csv", "--config",
              "c.toml"), {"c.toml": b"seed = 3\nsteps-per-day = 5\n"}, ("c.toml",)),
        Case(("synthesize", "sgd", "org.csv", "--days", "1", "-o", "out.csv"), named, ("org.csv",)),
        Case(("synthesize", "ppmtf", "org.csv", "-o", "out.csv", *FEW), named, ("org.csv",)),
    ]  # fmt: skip


def _zipped(files: dict[str, bytes]) -> bytes:
    """A zip archive of files."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _tarred(files: dict[str, bytes]) -> bytes:
    """A packed tar archive of files."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return gzip.compress(buffer.getvalue(), mtime=0)


def feed_cases() -> list[Case]:
    """Feeds of shared vehicles in all forms, and problems of tracklets and links."""
    snapshots = random_fleet(1, vehicles=4, steps=8)
    lines = "".join(json.dumps(one) + "\n" for one in snapshots).encode()
    folder = {f"feed/{n}.json": json.dumps(one).encode() for n, one in enumerate(snapshots)}
    problem = {"name": "p", "tracklets": 3, "alive": [[0, 1], [0, 2], [4, 5]],
               "links": [[0, 2], [1, 2]], "continue": [0], "same": [[0, 2]]}  # fmt: skip
    depots = {"feed.jsonl": lines, "places.geojson": _features(STATIONS)}
    ask = ("--k", "2")
    return [
        Case(("links", "feed.jsonl", *ask, "--truth", "truth", "--fields", "type,uri", *OUT),
             {"feed.jsonl": lines}, ("feed.jsonl",)),
        Case(("links", "feed", *ask, "--remedies", *OUT), folder, ("feed/3.json",)),
        Case(("links", "feed.jsonl", *ask, "--closed", "--depots", "places.geojson", *OUT), depots,
             ("places.geojson",)),
        *(Case(("links", name, *ask, *OUT), {name: packed}, (name,))
          for name, packed in (("feed.zip", _zipped(folder)), ("feed.tar.gz", _tarred(folder)),
                               ("feed.jsonl.gz", gzip.compress(lines, mtime=0)))),
        Case(("links", "t.csv", *ask, *OUT), {"t.csv": VEHICLES}, ("t.csv",)),
        Case(("links", "trips.csv", *ask, *OUT), {"trips.csv": TRIPS}, ("trips.csv",)),
        Case(("links", "mds.json", *ask, *OUT), {"mds.json": trips_of_mds()}, ("mds.json",)),
        Case(("links", "p.json", *ask, "--exhaustive", "--json", "out.json"),
             {"p.json": json.dumps(problem).encode()}, ("p.json",)),
    ]  # fmt: skip


def result_cases(folder: Path) -> list[Case]:
    """Commands that read what commands wrote.

    Parameters
    ----------
    folder
        Where they may write.
    """
    files = {"t.csv": SMALL, "p.json": ONE, "c.csv": COORDINATES, "seen.csv": SEEN,
             "org.csv": contest_traces(), "ref.csv": contest_traces(first=41),
             "at.csv": PLACES + b"".join(contest_traces().splitlines(True)[1:60:7]),
             "places.geojson": _features(STATIONS)}  # fmt: skip
    for name, content in files.items():
        (folder / name).write_bytes(content)
    made = (
        ("pseudonymize", "org.csv", "--method", "shuffle", "-o", "pub.csv", "--table", "pt.csv"),
        ("contest", "attack", "T1", "ref.csv", "pub.csv", "-o", "et.csv"),
        ("verify", "t.csv", "--k", "2", *CALM, "--json", "v.json", "--certificates", "proofs"),
        ("verify", "c.csv", "--places", "places.geojson", "--k", "2", *CALM, "--json", "map.json"),
        ("audit", "pub.csv", "--knowledge", "at.csv", "--k", "2", *CALM, "--json", "a.json",
         "--certificates", "audited"),
        ("audit", "pub.csv", "--assume", "1", "--draws", "2", "--reference", "ref.csv", *CALM,
         "--json", "assumed.json"),
        ("optimize", "p.json", "--json", "m.json", "--certificates", "minimum"),
        ("weigh", "t.csv", *SHORT, "--json", "w.json"),
        ("breaking", "t.csv", "--k", "2", "--at-most", "2", *SHORT, "--json", "b.json"),
        ("breaking", "org.csv", "--k", "2", "--draws", "2", *SHORT, "--json", "curves.json"),
        ("compare", "p.json", "--engines", "dp", *SHORT, "--json", "compared.json"),
        ("check", "proofs", "--json", "checked.json"),
        ("contest", "run", "org.csv", "ref.csv", "-o", "results", "--attacks", "I1,T1",
         "--anonymisers", "A1", "--workers", "1"),
        ("contest", "tournament", "-o", "held", "--users", "3", "--days", "1", "--workers", "1"),
    )  # fmt: skip
    with contextlib.chdir(folder):
        for words in made:
            done = RUN.invoke(app, [*words, "--quiet"])
            if done.exit_code not in (0, 1, 3, 4):
                raise ValueError(f"{words}: {done.stderr}")
    kept = {str(one.relative_to(folder)): one.read_bytes()
            for one in folder.rglob("*") if one.is_file()}  # fmt: skip

    def of(*parts: str) -> tuple[str, ...]:
        return tuple(sorted(one for one in kept if one.startswith(parts)))

    def only(*parts: str) -> dict[str, bytes]:
        return {one: kept[one] for one in of(*parts)}

    reported = ("v", "map", "a", "assumed", "m", "w", "b", "curves", "compared", "checked")
    return [
        *(
            Case(("report", f"{one}.json", "-o", "out.html"), only(f"{one}.json"), (f"{one}.json",))
            for one in reported
        ),
        Case(("report", "v.json", "w.json", "b.json", "checked.json", "--for", "officer", "-o",
              "out.html"), only("v.json", "w.json", "b.json", "checked.json"),
             ("v.json", "w.json", "b.json", "checked.json")),
        Case(("report", "results", "-o", "out.html"), only("results/"), of("results/run.json")),
        Case(("report", "held", "-o", "out.html"), only("held/"), of("held/tournament.json")),
        Case(("contest", "tournament", "check", "held", "--workers", "1"), only("held/"),
             of("held/secret/judge.json", "held/public/", "held/attacks.csv",
                "held/tournament.json")),
        Case(("weigh", "v.json", *SHORT, *OUT), only("v.json", "t.csv"), ("v.json", "t.csv")),
        Case(("weigh", "pub.csv", "--audit", "at.csv", *SHORT, *OUT), only("pub.csv", "at.csv"),
             ("at.csv", "pub.csv")),
        Case(("audit", "pub.csv", "--assume", "1", "--draws", "2", "--reference", "ref.csv", *CALM,
              "--json", "out.json"), only("pub.csv", "ref.csv"), ("ref.csv", "pub.csv")),
        Case(("check", "proofs", "--source", "t.csv", "--k", "2", "--json", "out.json"),
             only("proofs/", "t.csv"), ("t.csv",)),
        Case(("check", "audited", "--source", "pub.csv", "--knowledge", "at.csv", "--json",
              "out.json"), only("audited/", "pub.csv", "at.csv"),
             (*of("audited/"), "at.csv", "pub.csv")),
        Case(("check", "minimum", "--export", "out_x", "--json", "out.json"), only("minimum/"),
             of("minimum/")),
        Case(("contest", "score", "trace", "org.csv", "et.csv"), only("org.csv", "et.csv"),
             ("et.csv", "org.csv")),
        Case(("contest", "attack", "POST", "ref.csv", "pub.csv", "-o", "out.csv"),
             only("ref.csv", "pub.csv"), ("ref.csv", "pub.csv")),
        Case(("contest", "attack", "T3", "ref.csv", "pub.csv", "-o", "out.csv"),
             only("ref.csv", "pub.csv"), ("pub.csv",)),
    ]  # fmt: skip
