"""Tables in memory: whatever library made them, they are read as their file would be."""

import importlib
import io
import warnings
from types import SimpleNamespace

import pandas as pd
import pyarrow as pa
import pytest

from mixsafe.errors import InputError
from mixsafe.io.objects.frames import frame_of
from mixsafe.io.sources import load
from mixsafe.synthesize.samples import sample

COLUMNS = {
    "user_id": ["b", "a", "a", "b"],
    "time": [1211025604, 1211025604, 1211025664, 1211025664],
    "lat": [37.75, 37.76, 37.77, 37.75],
    "lon": [-122.5, -122.4, -122.3, -122.5],
}


def library(name):
    """A library that is not needed otherwise."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip(name, reason=f"{name} is not installed")


def table():
    return pd.DataFrame(COLUMNS)


def points(crs=4326):
    geopandas = library("geopandas")
    whole = table()
    where = geopandas.points_from_xy(whole.pop("lon"), whole.pop("lat"), crs=4326)
    return geopandas.GeoDataFrame(whole, geometry=where).to_crs(crs)


def moments(frame, name="time"):
    """The table with moments for Unix seconds, in a column of this name."""
    made = frame.rename(columns={"time": name})
    return made.assign(**{name: pd.to_datetime(made[name], unit="s", utc=True)})


class WithTrajectories:
    """As movingpandas has them: tables by time, one for each trajectory."""

    def __init__(self, frame, named):
        self.trajectories = [
            SimpleNamespace(id=f"{user}-1", obj_id=user if named else None, df=part.set_index("t"))
            for user, part in moments(frame, "t").groupby("user_id")
        ]


def moving(named):
    """The same from movingpandas itself, which warns of what it could do besides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = moments(points(), "t").assign(trip=lambda one: one.user_id + "-1")
        user = {"obj_id_col": "user_id"} if named else {}
        return library("movingpandas").TrajectoryCollection(made, "trip", t="t", **user)


GIVEN = {
    "pandas": table,
    "pandas with times": lambda: moments(table()),
    "pandas, by user and time": lambda: table().set_index(["user_id", "time"]),
    "pandas, by moments without a name": lambda: (
        moments(table(), "t").set_index("t").rename_axis(None)
    ),
    "pandas with categories": lambda: table().astype({"user_id": "category"}),
    "scikit-mobility": lambda: moments(table(), "datetime").rename(
        columns={"user_id": "uid", "lon": "lng"}
    ),
    "PyArrow": lambda: pa.table(COLUMNS),
    "a batch": lambda: pa.record_batch(COLUMNS),
    "a stream": lambda: pa.table(COLUMNS).to_reader(),
    "columns": lambda: COLUMNS,
    "Polars": lambda: library("polars").DataFrame(COLUMNS),
    "Polars with times": lambda: library("polars").from_pandas(moments(table())),
    "DuckDB": lambda: importlib.import_module("duckdb").from_arrow(pa.table(COLUMNS)),
    "GeoPandas": points,
    "GeoPandas in metres": lambda: points(32610),
    "GeoArrow": lambda: points().to_arrow(),
    "GeoArrow in metres": lambda: points(32610).to_arrow(geometry_encoding="geoarrow"),
    "GeoArrow in pairs": lambda: points().to_arrow(geometry_encoding="geoarrow", interleaved=True),
    "trackintel": lambda: moments(points(), "tracked_at").rename_geometry("geom"),
    "as movingpandas": lambda: WithTrajectories(points(), named=True),
    "movingpandas": lambda: moving(named=True),
    "an open file": lambda: io.BytesIO(table().to_csv(index=False).encode()),
    "an open text": lambda: io.StringIO(table().to_csv(index=False)),
}


@pytest.mark.parametrize("name", GIVEN)
def test_whatever_holds_the_fixes_they_are_the_same(name):
    found = load(GIVEN[name]())
    assert found.users.tolist() == ["a", "b"]
    assert (found.user.tolist(), found.clock) == ([0, 0, 1, 1], "unix")
    assert found.time.tolist() == [1211025604, 1211025664] * 2
    assert found.lat.tolist() == pytest.approx([37.76, 37.77, 37.75, 37.75])
    assert found.lon.tolist() == pytest.approx([-122.4, -122.3, -122.5, -122.5])


@pytest.mark.parametrize("made", [lambda: WithTrajectories(points(), False), lambda: moving(False)])
def test_trajectories_without_an_object_are_users_and_a_note_says_so(made):
    found = load(made())
    assert found.users.tolist() == ["a-1", "b-1"]
    assert "read as a separate user" in found.notes[0]


def test_columns_of_arrow_are_taken_without_a_copy():
    lat = pa.array(COLUMNS["lat"])
    frame = frame_of(pa.table(COLUMNS | {"lat": lat}))
    there = frame.table({"lat": "number"}).columns["lat"]
    assert there.chunk(0).buffers()[1].address == lat.buffers()[1].address


def test_own_names_zones_and_reference_systems_can_be_said():
    said = {"user_id": "who", "lat": "y", "lon": "x"}
    given = table().rename(columns={"user_id": "who", "lat": "y", "lon": "x"})
    assert load(given, column=said, tz="Asia/Tokyo").tz == "Asia/Tokyo"
    library("pyproj")
    metres = pd.DataFrame(COLUMNS | {"lat": [0.0] * 4, "lon": [111319.49079327357] * 4})
    assert load(metres, crs="EPSG:3857").lon.tolist() == pytest.approx([1] * 4)


def test_several_files_are_one_source(tmp_path):
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    table().iloc[:1].to_csv(one, index=False)
    table().iloc[1:].rename(columns={"user_id": "uid"}).to_csv(two, index=False)
    assert load([one, str(two)]).time.tolist() == load(table()).time.tolist()
    with pytest.raises(InputError, match=r"times are timestamps in .*, but not here") as caught:
        load([one, sample("town")])
    assert caught.value.file == str(sample("town"))


BAD = {
    "no source": (5, "cannot read traces from"),
    "nothing": (None, "cannot read traces from"),
    "no files": ([], "empty"),
    "no file": ([3], "a int"),
    "no columns": (pd.DataFrame(), "no columns"),
    "no row": (table().iloc[:0], "no row"),
    "no users": (table().drop(columns="user_id"), "no column of users"),
    "only holes": (table().assign(lat=None), "no row can be used"),
    "several types": (table().assign(user_id=["a", 5, b"c", 1.5]), "several types"),
    "no moment": (table().assign(time="noon"), "row 1: 'noon' is not a timestamp"),
    "a column twice": (pd.DataFrame([[1, 2]], columns=["lat", "lat"]), "two columns"),
    "uneven columns": ({"lat": [1], "lon": [1, 2]}, "not form a table"),
    "no trajectory": (SimpleNamespace(trajectories=[]), "no trajectory"),
    "bytes of something": (io.BytesIO(b"\x89PNG\0"), "binary"),
    "a stream of nothing": (io.BytesIO(b""), "empty"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_used_is_refused_by_its_name(name):
    given, says = BAD[name]
    with pytest.raises(InputError, match=says) as caught:
        load(given)
    assert caught.value.line is None
    assert "/tmp" not in str(caught.value)


def test_lines_are_not_points():
    shapely = library("shapely")
    given = points()
    given.loc[1, "geometry"] = shapely.LineString([(0, 0), (1, 1)])
    with pytest.raises(InputError, match="not points: LineString"):
        load(given)
    given.loc[1, "geometry"] = None
    assert load(given).notes[0].startswith("1 row skipped: no position (row 2 ")


def test_nothing_is_imported_for_a_table_of_arrow():
    """What is optional stays out."""
    import subprocess
    import sys

    code = (
        "import sys, pyarrow as pa, mixsafe;"
        "one = {'user_id': ['a'], 'time': [1211025604], 'lat': [1.0], 'lon': [2.0]};"
        "mixsafe.load(pa.table(one));"
        "print({'polars', 'geopandas', 'shapely', 'pyproj'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
