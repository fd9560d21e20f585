"""Files as people have them: packed, in several parts, in GeoJSON and GeoPackage, loosely named."""

import gzip
import json
import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest

from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.pose import pose
from mixsafe.from_files.large_sources import extract
from mixsafe.io.files import content
from mixsafe.io.sources import load, recognize
from mixsafe.machinery.spill import SpillRoom
from tests.support.geopackages import layer_of_points

NOON = 1211025600
ROWS = [
    ("b", NOON, 37.75, -122.5),
    ("a", NOON, 37.76, -122.4),
    ("b", NOON + 60, 37.75, -122.4),
]
LINES = "".join(f"{','.join(map(str, row))}\n" for row in ROWS)
PLAIN = f"user_id,time,lat,lon\n{LINES}"


def zstandard(text):
    return pa.compress(text.encode(), codec="zstd", asbytes=True)


def features(**more):
    listed = [
        {
            "type": "Feature",
            "properties": {
                "taxi_id": user,
                "timestamp": f"2008-05-17T12:0{(time - NOON) // 60}:00Z",
            },
            "geometry": {"type": "Point", "coordinates": [lon, lat, 5.0]},
        }
        for user, time, lat, lon in ROWS
    ]
    return {"type": "FeatureCollection", **more, "features": listed}


def geopackage(path, crs=4326):
    """A layer as QGIS writes it."""
    geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed")
    pytest.importorskip("pyogrio", reason="pyogrio is not installed")
    user, time, lat, lon = zip(*ROWS, strict=True)
    points = geopandas.points_from_xy(lon, lat, crs=4326)
    made = geopandas.GeoDataFrame({"cab": user, "unix_time": time}, geometry=points).to_crs(crs)
    made.to_file(path, driver="GPKG", layer="fixes")


FILES = {
    "plain.csv": PLAIN,
    "packed.csv.gz": gzip.compress(PLAIN.encode()),
    "packed twice over.csv.gz": gzip.compress(PLAIN[:30].encode())
    + gzip.compress(PLAIN[30:].encode()),
    "packed.csv.zst": zstandard(PLAIN),
    "blanks.csv": f"user_id, time, lat, lon\n{LINES.replace(',', ', ')}",
    "taxi.csv": f"taxi_id,timestamp,latitude,longitude\n{LINES}",
    "capitals.csv": f"User ID,Date-Time,LAT,Lng\n{LINES}",
    "more.csv": "region,"
    + PLAIN.replace("\n", "\nx,").removesuffix("x,").replace("user_id,time", "user_id,time", 1),
    "points.geojson": json.dumps(features()),
    "points.json.gz": gzip.compress(json.dumps(features(), indent=1).encode()),
}


def written(path, content):
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fixes(found):
    rows = zip(found.users[found.user], found.time, found.lat, found.lon, strict=True)
    return [(str(user), int(time), float(lat), float(lon)) for user, time, lat, lon in rows]


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_as_it_is(name, tmp_path):
    assert fixes(load(written(tmp_path / name, FILES[name]))) == sorted(ROWS)


@pytest.mark.parametrize("name", [name for name in FILES if "json" not in name])
def test_the_reader_of_large_files_agrees(name, tmp_path):
    path = written(tmp_path / name, FILES[name])
    with closing(SpillRoom(1 << 28, tmp_path)) as room:
        large = extract(path, WantedZones(cell_size=20_000.0), room)
        assert large.users.tolist() == ["a", "b"]
        small = pose(load(path), cell_size=20_000.0).zones
        assert large.zones.members.tolist() == small.members.tolist()


def test_a_folder_of_packed_files_and_a_list_are_one_source(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    head, *rest = PLAIN.splitlines(keepends=True)
    one = written(folder / "1.csv.gz", gzip.compress((head + rest[0]).encode()))
    two = written(folder / "2.csv.zst", zstandard(head + "".join(rest[1:])))
    assert fixes(load(folder)) == fixes(load([one, two])) == sorted(ROWS)
    shapes = written(tmp_path / "points.geojson", json.dumps(features()))
    assert fixes(load([one, two, shapes])) == sorted(ROWS)


@pytest.mark.parametrize("crs", [4326, 32610])
def test_a_geopackage_is_read_in_whatever_reference_system(crs, tmp_path):
    geopackage(tmp_path / "fixes.gpkg", crs)
    found = load(tmp_path / "fixes.gpkg")
    assert recognize(tmp_path / "fixes.gpkg") == "geopackage"
    assert fixes(found) == [
        (user, time, pytest.approx(lat), pytest.approx(lon))
        for user, time, lat, lon in sorted(ROWS)
    ]


def test_geojson_may_state_an_older_reference_system(tmp_path):
    pytest.importorskip("pyproj", reason="PROJ converts coordinates")
    crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}
    path = written(tmp_path / "old.geojson", json.dumps(features(crs=crs)))
    assert abs(load(path).lat).max() < 0.001


def test_a_usual_name_beside_the_exact_one_says_nothing(tmp_path):
    text = "user_id,user,time,t,lat,lon,x,y\na,1,1211025605,6,1,2,3,4\n"
    found = load(written(tmp_path / "t.csv", text))
    assert fixes(found) == [("a", NOON + 5, 1.0, 2.0)]


PROPERTIES = json.dumps(features()["features"][0]["properties"])
BAD = {
    "line.geojson": (
        json.dumps(features()).replace('"Point"', '"LineString"', 1),
        "row 1: the geometry is not a point: LineString",
    ),
    "cut.geojson": (json.dumps(features())[:-20], "not JSON"),
    "no users.geojson": (json.dumps(features()).replace("taxi_id", "colour"), "no column of users"),
    "mixed.geojson": (
        json.dumps(features()).replace('"taxi_id": "b"', '"taxi_id": [1]', 1),
        "types",
    ),
    "a list.geojson": (json.dumps(features()).replace(PROPERTIES, "[]", 1), "are not an object"),
    "zero.geojson": (json.dumps(features()).replace(PROPERTIES, "0", 1), "row 1: the properties"),
    "cut.csv.zst": (zstandard(PLAIN * 99)[:60], "truncated or damaged"),
    "not.gpkg": (b"SQLite format 3\0" + bytes(200), "cannot be read"),
    "two.csv": (
        "user,driver,time,lat,lon\na,b,1211025601,2,3\n",
        "user and driver both contain user_id",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_wrong_is_said_with_its_file(name, tmp_path):
    content, says = BAD[name]
    path = written(tmp_path / name, content)
    with pytest.raises(InputError, match=says) as caught:
        load(path)
    assert caught.value.file == str(path)


@pytest.mark.parametrize("name", ["zeros.csv.gz", "zeros.csv.zst", "blanks.json.gz"])
def test_what_unpacks_to_more_than_traces_do_is_refused_before_it_is(name, tmp_path, monkeypatch):
    """A terabyte of zeros packs into a gigabyte, which fetches itself in seconds."""
    monkeypatch.setattr(content, "ALWAYS", 1 << 22)
    text = "{" + " " * (1 << 23) if "json" in name else PLAIN + "0" * (1 << 23)
    packed = gzip.compress(text.encode()) if name.endswith("gz") else zstandard(text)
    (tmp_path / name).write_bytes(packed)
    with pytest.raises(InputError, match="it unpacks to more than 50 times its size") as refused:
        load(tmp_path / name)
    assert refused.value.file == str(tmp_path / name)


BAD_PARTS = {
    "without its columns": ("u,t,y,x\n1,2,3,4\n", "line 1, column 'user_id'"),
    "with two users": ("user,driver,time,lat,lon\n", "line 1: columns user and driver"),
    "a release": ("pse_id,time_id,reg_id\n4,1,5\n", "line 1: this is a release"),
    "with no number": (PLAIN.replace("37.75", "x", 1), "line 2, column 'lat'"),
    "binary": ("\0", "this is a binary file"),
    "empty": ("", "the file is empty"),
}


@pytest.mark.parametrize("bad", ["a.csv", "z.csv"])
@pytest.mark.parametrize("name", BAD_PARTS)
def test_the_file_of_a_folder_that_is_wrong_is_named(name, bad, tmp_path):
    content, said = BAD_PARTS[name]
    (tmp_path / "m.csv").write_text(PLAIN)
    (tmp_path / bad).write_text(content)
    with pytest.raises(InputError) as refused:
        load(tmp_path)
    assert refused.value.file == str(tmp_path / bad)
    assert bad == "z.csv" or said in str(refused.value)


def test_a_geopackage_that_is_no_text_inside_is_refused(tmp_path):
    path = layer_of_points(tmp_path / "fixes.gpkg", [("a", 1211025600, 10.0, 50.0)])
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE", b"CREATE \x88ABLE"))
    with pytest.raises(InputError, match="GeoPackage") as caught:
        load(path)
    assert caught.value.file == str(path)


def test_a_geopackage_without_features_is_refused(tmp_path):
    path = tmp_path / "empty.gpkg"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE other (x)")
    with pytest.raises(InputError, match="cannot be read"):
        load(path)
