"""Tables of fixes: the dialects of peers, times with and without zones, places on earth."""

import datetime as dt
import itertools
import json
import struct
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.columns.fixes import traces_of
from mixsafe.io.columns.instants import NAIVE as NAIVE_NOTE
from mixsafe.io.columns.reading import Reading, RowRules
from mixsafe.io.traces.in_pieces import ReadPieces
from mixsafe.io.traces.table import table_fixes, write_table

NAIVE = NAIVE_NOTE.format("UTC")
NOON = 1211025604  # 2008-05-17T12:00:04Z
OURS = "user_id,time,lat,lon\n"


def read(tmp_path, content, **how):
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return traces_of(table_fixes(path, Reading(**how)))


def read_columns(tmp_path, columns, metadata=None, **how):
    path = tmp_path / "table.parquet"
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), path)
    return traces_of(table_fixes(path, Reading(**how)))


def point(x, y, order="<"):
    return struct.pack(f"{order}BIdd", 1 if order == "<" else 0, 1, x, y)


DIALECTS = {
    "mixsafe": "user_id,time,lat,lon\na,2008-05-17T12:00:04Z,37.75,-122.5\n",
    "mixsafe, Unix seconds": f"user_id,time,lat,lon\na,{NOON},37.75,-122.5\n",
    "mixsafe, fractions of seconds": f"user_id,time,lat,lon\na,{NOON}.75,37.75,-122.5\n",
    "scikit-mobility": "uid,tid,lat,lng,datetime\na,1,37.75,-122.5,2008-05-17 12:00:04\n",
    "privkit": "uid,tid,lat,lon,datetime\na,1,37.75,-122.5,2008-05-17 12:00:04\n",
    "trackintel": "user_id,tracked_at,geometry\na,2008-05-17 05:00:04-07:00,POINT (-122.5 37.75)\n",
    "MDL": f"user_id,trajectory_id,timestamp,lon,lat\na,1,{NOON},-122.5,37.75\n",
    "ships, USA": "mmsi,base_date_time,longitude,latitude\na,2008-05-17 12:00:04,-122.5,37.75\n",
    "ships, Denmark": "# Timestamp,MMSI,Latitude,Longitude\n17/05/2008 12:00:04,a,37.75,-122.5\n",
    "Movebank": "timestamp,location-long,location-lat,individual-local-identifier,tag-id\n"
    "2008-05-17 12:00:04.000,-122.5,37.75,a,T1\n",
    "columns that nobody needs": f"x,time,lat,y,lon,user_id\n,{NOON},37.75,?,-122.5,a\n",
}


@pytest.mark.parametrize("name", DIALECTS)
def test_the_dialects_of_peers_are_read_as_they_are(name, tmp_path):
    traces = read(tmp_path, DIALECTS[name])
    assert (traces.users.tolist(), traces.time.tolist()) == (["a"], [NOON])
    assert (traces.lat.tolist(), traces.lon.tolist()) == ([37.75], [-122.5])
    tz = "-07:00" if "-07:00" in DIALECTS[name] else "UTC"
    assert (traces.clock, traces.tz, traces.center) == ("unix", tz, (37.75, -122.5))


TIMES = {
    "2008-05-17T12:00:04Z": False,
    "2008-05-17T21:00:04+09:00": False,
    "2008-05-17 12:00:04.999": True,
    "2008-05-17T12:00:04": True,
    "20080517T120004": True,
    f"{NOON}": False,
    f"{NOON}.999": False,
    "1.211025604e9": False,
}


@pytest.mark.parametrize("text", TIMES)
def test_a_moment_is_rounded_down_to_its_second_and_naive_means_utc(text, tmp_path):
    traces = read(tmp_path, OURS + f"a,{text},1,1\n")
    assert traces.time.tolist() == [NOON]
    assert traces.notes == ((NAIVE,) if TIMES[text] else ())


def test_texts_of_all_sorts_may_stand_in_one_column(tmp_path):
    texts = [text for text in TIMES if "-" in text or "T" in text]
    lines = "".join(f"a,{text},1,{place}\n" for place, text in enumerate(texts))
    traces = read(tmp_path, OURS + lines, tz="UTC")
    assert set(traces.time.tolist()) == {NOON}
    # By the fraction of a second, and of those that have none by place.
    assert traces.lon.tolist() == [0, 1, 3, 4, 2]
    assert traces.notes[0] == NAIVE


def test_a_time_before_1970_is_rounded_down_too(tmp_path):
    for text in ("1969-12-31T23:59:58.5Z", "1969/12/31 23:59:58.5 UTC"):
        assert read(tmp_path, OURS + f"a,{text},1,1\n").time.tolist() == [-2]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_parquet_timestamps_of_any_unit_mean_the_same(unit, tmp_path):
    moment = dt.datetime(2008, 5, 17, 12, 0, 4, tzinfo=dt.UTC)
    for tz, naive in ((None, True), ("UTC", False), ("Asia/Tokyo", False)):
        time = pa.array([moment.replace(tzinfo=None)], pa.timestamp(unit)).cast(
            pa.timestamp(unit, tz)
        )
        traces = read_columns(tmp_path, {"user_id": [1], "time": time, "lat": [1.0], "lon": [2.0]})
        assert traces.time.tolist() == [NOON]
        assert traces.notes == ((NAIVE,) if naive else ())
        assert traces.tz == (tz or "UTC")


def test_the_zone_of_days_can_be_said(tmp_path):
    assert read(tmp_path, DIALECTS["mixsafe"], tz="Asia/Tokyo").tz == "Asia/Tokyo"


def test_times_that_say_no_zone_are_of_the_zone_that_is_said(tmp_path):
    text = OURS + "a,2008-05-17T21:00:04,1,1\nb,2008-05-17T12:00:04Z,1,1\n"
    traces = read(tmp_path, text, tz="Asia/Tokyo")
    assert traces.time.tolist() == [NOON, NOON]
    assert traces.notes == (NAIVE_NOTE.format("Asia/Tokyo"),)
    time = pa.array([dt.datetime(2008, 5, 17, 21, 0, 4)], pa.timestamp("us"))
    columns = {"user_id": ["a"], "time": time, "lat": [1.0], "lon": [1.0]}
    assert read_columns(tmp_path, columns, tz="Asia/Tokyo").time.tolist() == [NOON]


SKIPS = (
    "times that do not exist in Europe/Berlin (clocks set forward) are read with the offset before"
)
TWICE = "times that occur twice in Europe/Berlin (clocks set back) are read as the first of the two"
ODD = {
    "2021-03-28T01:30:00": ("2021-03-28T00:30:00Z", None),
    "2021-03-28T02:00:00": ("2021-03-28T01:00:00Z", SKIPS),
    "2021-03-28T02:30:00": ("2021-03-28T01:30:00Z", SKIPS),
    "2021-03-28T03:00:00": ("2021-03-28T01:00:00Z", None),
    "2021-10-31T01:59:59": ("2021-10-30T23:59:59Z", None),
    "2021-10-31T02:30:00": ("2021-10-31T00:30:00Z", TWICE),
    "2021-10-31T03:00:00": ("2021-10-31T02:00:00Z", None),
}


@pytest.mark.parametrize("unit", [None, "s", "ns"])
@pytest.mark.parametrize("text", ODD)
def test_times_that_a_clock_skips_or_shows_twice_are_told(text, unit, tmp_path):
    """Texts and timestamps alike; Arrow would have all of a skipped hour in one moment."""
    meant, said = ODD[text]
    if unit is None:
        traces = read(tmp_path, OURS + f"a,{text},1,1\n", tz="Europe/Berlin")
    else:
        time = pa.array([dt.datetime.fromisoformat(text)], pa.timestamp(unit))
        columns = {"user_id": ["a"], "time": time, "lat": [1.0], "lon": [1.0]}
        traces = read_columns(tmp_path, columns, tz="Europe/Berlin")
    assert traces.time.tolist() == [dt.datetime.fromisoformat(meant).timestamp()]
    notes = [NAIVE_NOTE.format("Europe/Berlin"), *([] if said is None else [said])]
    assert [note.partition(";")[0] for note in traces.notes] == notes


def test_users_whose_names_differ_in_blanks_only_are_one_and_that_is_said(tmp_path):
    (tmp_path / "parts").mkdir()
    note = "names of users merged with other spellings of the same names"
    for names, same in (
        ("a b c", None),
        (" a, b", None),  # as after a comma: nobody else is called so
        ("a, a,b", 1),
        ("a,a , a ,b , b", 3),
        ("a|b, c|a ,d", 1),  # the parts of a table, each a file
        (" a| b|a", 1),
    ):
        for old in (tmp_path / "parts").iterdir():
            old.unlink()
        for number, part in enumerate(names.split("|")):
            named = enumerate(part.split(","), NOON + 10 * number)
            rows = "".join(f"{time},{who},1,1\n" for time, who in named)
            (tmp_path / "parts" / f"{number}.csv").write_text(f"time,user_id,lat,lon\n{rows}")
        expected = () if same is None else (f"{same} {note}",)
        traces = traces_of(table_fixes(tmp_path / "parts"))
        assert traces.notes == expected
        pieces = ReadPieces(table_fixes(tmp_path / "parts", rows=1))
        assert sum(len(piece.time) for piece in pieces) == len(traces.time)
        assert pieces.users()[0].tolist() == traces.users.tolist()
        assert pieces.notes == expected


def test_rows_of_one_second_have_one_order_whatever_that_of_the_file(tmp_path):
    rows = [f"a,{NOON + 5},0,3\n", f"a,{NOON + 4},0,1\n", *[f"a,{NOON + 5},0,2\n"] * 2]
    for shuffled in itertools.permutations(rows):
        traces = read(tmp_path, OURS + "".join(shuffled))
        assert (traces.time - NOON).tolist() == [4, 5, 5]
        assert traces.lon.tolist() == [1, 2, 3]
        assert traces.notes == (
            "1 repeated rows merged",
            "1 fix has the same user and time as another one elsewhere: the northernmost counts, or"
            " the region with the largest number, or the last name",
        )


def test_numbered_steps_and_regions_make_a_table_too(tmp_path):
    traces = read(tmp_path, "user_id,time_id,reg_id,mood\n2,5,0,good\n1,4,3,bad\n")
    assert (traces.clock, traces.lat, traces.center) == ("time_id", None, None)
    assert (traces.time.tolist(), traces.region.tolist()) == ([4, 5], [3, 0])


@given(
    st.lists(st.tuples(st.floats(-180, 180), st.floats(-90, 90), st.sampled_from("<>")), min_size=1)
)
def test_points_as_bytes_in_either_byte_order_come_back_exactly(tmp_path_factory, places):
    columns = {
        "user_id": pa.array(np.arange(len(places))),
        "tracked_at": pa.array(NOON + np.arange(len(places))),
        "geometry": pa.array([point(*place) for place in places], pa.binary()),
    }
    rules = RowRules(keep_null_island=True)
    traces = read_columns(tmp_path_factory.getbasetemp(), columns, rules=rules)
    assert traces.lon.tolist() == [x for x, _, _ in places]
    assert traces.lat.tolist() == [y for _, y, _ in places]


@pytest.mark.parametrize(
    "text", ["POINT(-1.5 2)", "point (-1.5 2.0)", " POINT ( -1.5e0  +2 ) ", "POINT (-15E-1 .2e1)"]
)
def test_points_as_text_are_longitude_before_latitude(text, tmp_path):
    traces = read(tmp_path, f"user_id,tracked_at,geometry\n1,1700000005,{text}\n")
    assert (traces.lon.tolist(), traces.lat.tolist()) == ([-1.5], [2.0])


def test_geoparquets_own_points_are_read(tmp_path):
    kind = pa.struct([("x", pa.float64()), ("y", pa.float64())])
    geometry = pa.array([{"x": -1.5, "y": 2.0}], kind)
    traces = read_columns(tmp_path, {"user_id": [1], "tracked_at": [NOON], "geometry": geometry})
    assert (traces.lon.tolist(), traces.lat.tolist()) == ([-1.5], [2.0])


@pytest.mark.parametrize("code", [4326, "CRS84", 3857])
def test_coordinates_of_another_reference_system_are_converted_or_refused(
    code, tmp_path, monkeypatch
):
    """GeoParquet states its system; where PROJ is missing, only degrees are read."""
    crs = {"id": {"authority": "EPSG", "code": code}}
    geo = json.dumps({"columns": {"geometry": {"encoding": "WKB", "crs": crs}}})
    x, y = (1.0, 2.0) if code != 3857 else (111319.49079327357, 222684.20850554455)
    columns = {"user_id": [1], "tracked_at": [NOON], "geometry": [point(x, y)]}
    if code == 3857:
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "pyproj", None)
            with pytest.raises(InputError, match=r"EPSG:3857.*pip install pyproj"):
                read_columns(tmp_path, columns, {"geo": geo})
        pytest.importorskip("pyproj", reason="PROJ converts coordinates")
    found = read_columns(tmp_path, columns, {"geo": geo})
    assert (found.lat[0], found.lon[0]) == (pytest.approx(2), pytest.approx(1))


ON_PLANE = st.tuples(*[st.floats(-1e5, 1e5)] * 2).filter(lambda at: at[0] != at[1] or at[0] >= 0)
"""Points that are no fill value, as -9999, -9999 is."""


@given(st.lists(ON_PLANE, min_size=2, max_size=5))
def test_a_plane_in_metres_keeps_its_distances(tmp_path_factory, at):
    rows = "".join(f"a,{n},{y!r},{x!r}\n" for n, (x, y) in enumerate(at, NOON))
    found = read(tmp_path_factory.mktemp("plane"), OURS + rows, crs="metres")
    degree = np.radians(1) * EARTH_RADIUS
    x, y = np.array(at).T
    flat = np.hypot(x - x[0], y - y[0])
    # On the sphere: east is shortened by the cosine of the latitude, at most 0.013 % here.
    east = (found.lon - found.lon[0]) * degree * np.cos(np.radians(found.lat))
    round_ = np.hypot(east, (found.lat - found.lat[0]) * degree)
    assert np.allclose(round_, flat, rtol=2e-4, atol=1e-6)


def test_a_plane_in_metres_is_refused_far_from_its_origin(tmp_path):
    text = OURS + "a,1700000005,0,100001\n"
    with pytest.raises(InputError, match="more than 100 km from 0"):
        read(tmp_path, text, crs="metres")


def test_a_reference_system_can_be_said_or_is_refused_by_its_name(tmp_path):
    pytest.importorskip("pyproj", reason="PROJ converts coordinates")
    text = OURS + "a,1700000005,222684.20850554455,111319.49079327357\n"
    found = read(tmp_path, text, crs=3857)
    assert (found.lat[0], found.lon[0]) == (pytest.approx(2), pytest.approx(1))
    with pytest.raises(InputError, match="unknown reference system 'EPSG:1'"):
        read(tmp_path, text, crs=1)
    with pytest.raises(InputError, match="name the reference system"):
        read(tmp_path, text)


@pytest.mark.parametrize("geo", ["{", "[]", '{"columns": {"geometry": 5}}'])
def test_strange_metadata_are_refused_or_say_nothing(geo, tmp_path):
    columns = {"user_id": [1], "tracked_at": [NOON], "geometry": [point(1, 2)]}
    if geo == "{":
        with pytest.raises(InputError, match="metadata"):
            read_columns(tmp_path, columns, {"geo": geo})
    else:
        assert read_columns(tmp_path, columns, {"geo": geo}).lat.tolist() == [2.0]


def test_names_in_parquet_may_be_texts_numbers_or_categories(tmp_path):
    rest = {"time": [1700000005, 1700000005], "lat": [1.0, 1.0], "lon": [2.0, 2.0]}
    for names, users in (
        (pa.array([7, 3], pa.int32()), [3, 7]),
        (pa.array(["b", "a"], pa.large_string()), ["a", "b"]),
        (pa.array(["9", "10"]).dictionary_encode(), [9, 10]),
    ):
        assert read_columns(tmp_path, {"user_id": names} | rest).users.tolist() == users


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int64()])
def test_names_mean_the_same_in_every_row_group(kind, tmp_path):
    names = ["12", "7", "12", "30", "7", "4"]
    columns = {
        "user_id": pa.array(names).cast(kind),
        "time": [1700000005, 1700000005, 1700000006, 1700000005, 1700000006, 1700000005],
        "lat": [float(name) for name in names],
        "lon": [0.0] * 6,
    }
    parquet.write_table(pa.table(columns), tmp_path / "table.parquet", row_group_size=2)
    traces = traces_of(table_fixes(tmp_path / "table.parquet"))
    assert traces.users.tolist() == [4, 7, 12, 30]
    assert traces.users[traces.user].tolist() == traces.lat.tolist() == [4, 7, 7, 12, 12, 30]


BAD = {
    "no user": ("time,lat,lon\n5,1,1\n", 1, "user_id", "no column of users"),
    "no time": ("user_id,lat,lon\n5,1,1\n", 1, "time", "no column of times"),
    "no place": ("user_id,time\n5,1\n", 1, "lat", "no column of places"),
    "no longitude": ("user_id,time,lat\n5,1,1\n", 1, "lon", "no column of places"),
    "two users": ("user_id,uid,time,lat,lon\n1,1,1,1,1\n", 1, None, "user_id and uid"),
    "two times": ("user_id,time,datetime,lat,lon\n1,1,1,1,1\n", 1, None, "time and datetime"),
    "two clocks": ("user_id,time,time_id,lat,lon\n1,1,1,1,1\n", 1, None, "time and time_id"),
    "two places": ("user_id,time,lat,lon,reg_id\n1,1,1,1,1\n", 1, None, "lat and reg_id"),
    "no moment": (OURS + "a,1700000005,1,1\na,noon,1,1\n", 3, "time", "'noon' is not a timestamp"),
    "a time of the day": (OURS + "a,08:30:00,1,1\n", 2, "time", "'08:30:00' is not a timestamp"),
    "an empty time": (OURS + "a,1700000005,1,1\na,,1,1\n", 3, "time", "empty"),
    "an empty time among texts": (
        OURS + "a,2008-05-17T11:00Z,1,1\na,2008-05-17T12:00Z,1,1\na,,1,1\n",
        4,
        "time",
        "'' is not a timestamp",
    ),
    "two units": (
        OURS + "a,1211025604,1,1\na,1211025604000,1,1\n",
        3,
        "time",
        "1211025604000 reads as Unix milliseconds, but 1211025604 before as Unix seconds",
    ),
    "a number among texts": (
        OURS + "a,2008-05-17T12:00Z,1,1\na,1211025604,1,1\n",
        3,
        "time",
        "'1211025604' is a number, and others are texts",
    ),
    "an endless time": (OURS + "a,1700000005,1,1\na,inf,1,1\n", 3, "time", "not a timestamp"),
    "no latitude": (OURS + "a,1700000005,north,0\n", 2, "lat", "'north' is not a number"),
    "a latitude off the earth": (
        OURS + "a,1700000005,1,1\na,1700000005,95,170\n",
        3,
        "lat",
        "latitude 95.0",
    ),
    "a longitude off the earth": (
        OURS + "a,1700000005,1,1\na,1700000005,0,185\n",
        3,
        "lon",
        "longitude 185.0",
    ),
    "time 0": ("user_id,time_id,lat,lon\na,0,1,1\n", 2, "time_id", "time 0 is below 1"),
    "a negative region": (
        "user_id,time,reg_id\na,1700000005,-1\n",
        2,
        "reg_id",
        "region -1 is negative",
    ),
    "two regions at a time": (
        "user_id,time_id,reg_id,x\na,5,2,\na,5,1,\n",
        3,
        None,
        "user a is in region 1 at time 5, and in region 2",
    ),
    "a line": (
        "uid,datetime,geometry\na,1700000005,LINESTRING (0 1)\n",
        2,
        "geometry",
        "not a point",
    ),
    "a point off the earth": (
        "uid,datetime,geometry\na,1700000005,POINT (1 99)\n",
        2,
        "geometry",
        "99",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_fault_is_named_with_its_line_and_column(name, tmp_path):
    content, line, column, says = BAD[name]
    with pytest.raises(InputError, match=says) as caught:
        read(tmp_path, content)
    assert (caught.value.line, caught.value.column) == (line, column)
    assert "\n" not in str(caught.value)


def test_swapped_coordinates_are_suspected(tmp_path):
    with pytest.raises(InputError, match="swapped") as caught:
        read(tmp_path, OURS + "a,1700000005,-122.5,37.75\n")
    assert caught.value.line == 2
    with pytest.raises(InputError) as caught:
        read(tmp_path, OURS + "a,1700000005,-122.5,137.75\n")
    assert "swapped" not in caught.value.hint


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_traces_that_were_written_come_back(ending, tmp_path):
    for content in (
        OURS + "ann,1700000009,1.5,-2.25\nann,1700000012,3,4\nbob,1700000009,0.1,0.2\n",
        "user_id,time_id,reg_id\n4,1,7\n4,3,8\n12,1,7\n",
    ):
        traces = read(tmp_path, content)
        write_table(tmp_path / f"again.{ending}", traces)
        again = traces_of(table_fixes(tmp_path / f"again.{ending}"))
        for name in ("users", "user", "time", "lat", "lon", "region"):
            assert np.array_equal(getattr(again, name), getattr(traces, name))
        assert (again.clock, again.center) == (traces.clock, traces.center)


PARQUET_BAD = {
    "a missing name": ({"user_id": ["a", None]}, "row 2: the value is missing", "user_id"),
    "no name at all": (
        {"user_id": pa.array([None, None], pa.string())},
        "row 1: the value is missing",
        "user_id",
    ),
    "names that are bytes": ({"user_id": [b"a", b"b"]}, "contains binary", "user_id"),
    "a name that is a fraction": ({"user_id": [1.5, 2.5]}, "double", "user_id"),
    "a text for a number": ({"lat": ["1", "north"]}, "string", "lat"),
    "a time that is a flag": ({"time": [True, False]}, "row 1: 'True' is not a timestamp", "time"),
    "a time of the far future": (
        {"time": pa.array([0, 10**12], pa.timestamp("s"))},
        "outside the years 1 to 9999",
        "time",
    ),
    "a text that is no time": ({"time": ["5", "noon"]}, "row 2: 'noon' is not a timestamp", "time"),
}


@pytest.mark.parametrize("name", PARQUET_BAD)
def test_a_fault_in_parquet_is_named_with_its_row_and_column(name, tmp_path):
    changed, says, column = PARQUET_BAD[name]
    good = {
        "user_id": ["a", "b"],
        "time": [1700000005, 1700000006],
        "lat": [1.0, 1.0],
        "lon": [2.0, 2.0],
    }
    with pytest.raises(InputError, match=says) as caught:
        read_columns(tmp_path, good | changed)
    assert (caught.value.line, caught.value.column) == (None, column)


def test_bytes_that_are_no_point_are_named_with_their_row(tmp_path):
    for geometry in ([point(1, 2), b"short"], [point(1, 2), b"\x01\x02" + point(1, 2)[2:]]):
        with pytest.raises(InputError, match="row 2: the geometry is not a point"):
            read_columns(
                tmp_path,
                {"uid": [1, 2], "datetime": [1700000005, 1700000006], "geometry": geometry},
            )
