"""Rows with whole lines of fixes are read as the table with a row per fix that says the same."""

import csv
import io
import json
import sqlite3
import struct
from contextlib import closing
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.extract.large.extraction import WantedZones
from mixsafe.extract.pose import pose
from mixsafe.from_files.large_sources import extract
from mixsafe.io.columns.reading import Reading
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.io.sources import load, pieces_of
from mixsafe.io.traces.in_pieces import FIX_BYTES, memory_of
from mixsafe.io.traces.place_sightings import read_place_sightings
from mixsafe.machinery.spill import SpillRoom
from mixsafe.model.mobility.time_axis import TimeAxis
from tests.support.geopackages import layer_of_points

BEGIN = datetime(2024, 3, 1, 8, 10, 30, tzinfo=UTC)
ANA = [(13.39, 52.5, 0), (13.4, 52.5, 60), (13.41, 52.5, 120)]
BEN = [(13.41, 52.5, 0), (13.4, 52.5, 60), (13.39, 52.5, 120)]
CROSSING = {"ana": ANA, "ben": BEN}


def unix(late):
    return int(BEGIN.timestamp()) + late


def text(late, offset="+00"):
    return f"{BEGIN + timedelta(seconds=late):%Y-%m-%d %H:%M:%S}{offset}"


def iso(late):
    return text(late, "Z").replace(" ", "T")


def wkt(kind, positions, srid=""):
    return f"{srid}LINESTRING {kind} ({', '.join(' '.join(map(str, one)) for one in positions)})"


def instants(line):
    return [f"POINT({x} {y})@{text(late)}" for x, y, late in line]


def parts(line):
    """A line as two, the second of them possibly empty."""
    return line[: len(line) // 2 + 1], line[len(line) // 2 + 1 :]


def hexadecimal(line):
    """As COPY writes it: points are WKB with a SRID."""
    points = (struct.pack("<BIIdd", 1, 0x20000001, 4326, x, y).hex().upper() for x, y, _ in line)
    each = (f"{one}@{text(late)}" for one, (*_, late) in zip(points, line, strict=True))
    return f"[{', '.join(each)})"


def sequence_set(line):
    return "{" + ", ".join(f"[{', '.join(instants(one))})" for one in parts(line) if one) + "}"


def wkt_parts(line):
    each = (
        "(" + ", ".join(f"{x} {y} {unix(t)}" for x, y, t in one) + ")" for one in parts(line) if one
    )
    return f"SRID=4326;MULTILINESTRINGM({','.join(each)})"


TEXTS = {
    "sequence": lambda line: f"[{', '.join(instants(line))}]",
    "sequence without blanks": lambda line: f"({','.join(instants(line))})",
    "stepwise": lambda line: f"Interp=Step;[{', '.join(instants(line))}]",
    "of a reference system": lambda line: f"SRID=4326;[{', '.join(instants(line))})",
    "points as WKB": hexadecimal,
    "set of instants": lambda line: "{" + ", ".join(instants(line)) + "}",
    "set of sequences": sequence_set,
    "with an elevation": lambda line: (
        "[" + ", ".join(f"Point Z ({x} {y} 3.5)@{text(late)}" for x, y, late in line) + "]"
    ),
    "measures": lambda line: wkt("M", [(x, y, unix(t)) for x, y, t in line]),
    "measures and elevations": lambda line: wkt(
        "ZM", [(x, y, -3.5, float(unix(t))) for x, y, t in line], "SRID=4326;"
    ),
    "four unnamed numbers": lambda line: wkt("", [(x, y, 0, unix(t)) for x, y, t in line]),
    "several parts": wkt_parts,
    "list of three": lambda line: json.dumps([[x, y, unix(t)] for x, y, t in line]),
    "list of four": lambda line: json.dumps([[x, y, 30.5, unix(t)] for x, y, t in line]),
    "list with texts of times": lambda line: json.dumps([[x, y, iso(t)] for x, y, t in line]),
    "list with elevations and texts": lambda line: json.dumps(
        [[x, y, 30, text(t)] for x, y, t in line]
    ),
    "milliseconds": lambda line: json.dumps([[x, y, 0, unix(t) * 1000] for x, y, t in line]),
    "GeoJSON in a cell": lambda line: json.dumps(
        {"type": "LineString", "coordinates": [[x, y, 0, unix(t)] for x, y, t in line]}
    ),
}
"""Lines in the cells of a text."""


def rows_of(lines):
    return [(user, unix(t), y, x) for user, line in lines for x, y, t in line]


def table(header, rows):
    out = io.StringIO()
    csv.writer(out).writerows([header, *rows])
    return out.getvalue()


def fixes(found):
    rows = zip(found.users[found.user], found.time, found.lat, found.lon, strict=True)
    return [(str(user), int(time), float(lat), float(lon)) for user, time, lat, lon in rows]


def feature(line, properties, kind="LineString"):
    return {
        "type": "Feature",
        "properties": properties,
        "geometry": {"type": kind, "coordinates": line},
    }


def collection(features):
    return json.dumps({"type": "FeatureCollection", "features": features})


def geojson(lines, spell):
    return collection([spell(user, line) for user, line in lines])


def in_parts(user, line, times):
    some = [one for one in parts(line) if one]
    return feature(
        [[[x, y] for x, y, _ in one] for one in some],
        {"user_id": user, **times([[iso(t) for *_, t in one] for one in some])},
        "MultiLineString",
    )


FEATURES = {
    "coordTimes": lambda user, line: feature(
        [[x, y, 30] for x, y, _ in line],
        {"name": user, "time": iso(line[0][2]), "coordTimes": [iso(t) for *_, t in line]},
    ),
    "some elevations": lambda user, line: feature(
        [[x, y, 30][: 2 + place % 2] for place, (x, y, _) in enumerate(line)],
        {"user": user, "times": [iso(t) for *_, t in line]},
    ),
    "coordinateProperties": lambda user, line: feature(
        [[x, y] for x, y, _ in line],
        {
            "name": "a walk",
            "user": user,
            "coordinateProperties": {
                "heart": [60] * len(line),
                "times": [text(t, "Z") for *_, t in line],
            },
        },
    ),
    "timestamps": lambda user, line: feature(
        [[x, y] for x, y, _ in line],
        {"user_id": user, "timestamps": [unix(t) * 1000 for *_, t in line]},
    ),
    "moving features": lambda user, line: feature(
        [[x, y] for x, y, _ in line],
        {"user_id": user, "datetimes": [iso(t) for *_, t in line]},
    ),
    "kepler": lambda user, line: feature(
        [[x, y, 0, unix(t)] for x, y, t in line], {"user_id": user}
    ),
    "time as the third": lambda user, line: feature(
        [[x, y, unix(t)] for x, y, t in line], {"user_id": user}
    ),
    "parts": lambda user, line: in_parts(user, line, lambda times: {"coordTimes": times}),
    "newer parts": lambda user, line: in_parts(
        user, line, lambda times: {"coordinateProperties": {"times": times}}
    ),
}


def arrow_lists(lines):
    return pa.table(
        {
            "user_id": [user for user, _ in lines],
            "path": [[[x, y] for x, y, _ in line] for _, line in lines],
            "time": pa.array(
                [[BEGIN + timedelta(seconds=t) for *_, t in line] for _, line in lines],
                pa.list_(pa.timestamp("us", "UTC")),
            ),
        }
    )


def arrow_structs(lines):
    return pa.table(
        {
            "user_id": [user for user, _ in lines],
            "path": [
                [{"x": x, "y": y, "m": float(unix(t))} for x, y, t in line] for _, line in lines
            ],
        }
    )


def arrow_fours(lines):
    kind = pa.list_(pa.list_(pa.float64(), 4))
    paths = [[[x, y, 1.0, unix(t)] for x, y, t in line] for _, line in lines]
    return pa.table({"user_id": [user for user, _ in lines], "path": pa.array(paths, kind)})


def polars_lists(lines):
    polars = pytest.importorskip("polars", reason="polars is not installed")
    times = [[iso(t) for *_, t in line] for _, line in lines]
    given = arrow_lists(lines).drop_columns("time").append_column("times", pa.array(times))
    return polars.from_arrow(given)


def pandas_tuples(lines):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    paths = [[(x, y, unix(t)) for x, y, t in line] for _, line in lines]
    return pandas.DataFrame({"user_id": [user for user, _ in lines], "path": paths})


FRAMES = {"of polars": polars_lists, "of pandas": pandas_tuples}
TABLES = {"lists": arrow_lists, "structs": arrow_structs, "four numbers": arrow_fours}

COORDINATE = st.integers(-8_000_000, 8_000_000).map(lambda one: one / 100_000)
LINE = st.lists(st.tuples(COORDINATE, COORDINATE, st.integers(0, 10**6)), min_size=1, max_size=5)
LINES = st.lists(st.tuples(st.sampled_from(["a", "b", "c"]), LINE), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("lines")


def as_points(folder, lines):
    path = folder / "points.csv"
    path.write_text(table(["user_id", "time", "lat", "lon"], rows_of(lines)))
    return load(path)


def written(folder, name, content):
    path = folder / name
    path.write_text(content)
    return path


@given(lines=LINES, name=st.sampled_from([*TEXTS, *FEATURES, *TABLES, *FRAMES]))
def test_lines_in_any_spelling_are_the_table_of_their_points(lines, name, folder):
    """Also in their order, merged repetitions, positions that are none, and skipped jumps."""
    try:
        right = as_points(folder, lines)
    except InputError:  # no row has a position
        return
    if name in TEXTS:
        content = table(["user_id", "path"], [(user, TEXTS[name](line)) for user, line in lines])
        found = load(written(folder, "lines.csv", content))
    elif name in FEATURES:
        found = load(written(folder, "lines.geojson", geojson(lines, FEATURES[name])))
    elif name in FRAMES:
        found = load(FRAMES[name](lines))
    else:
        given = TABLES[name](lines)
        parquet.write_table(given, folder / "lines.parquet")
        found = load(folder / "lines.parquet")
        assert fixes(load(given)) == fixes(found)
    assert fixes(found) == fixes(right)
    assert found.users.tolist() == right.users.tolist()
    assert found.premises.to_dict() == right.premises.to_dict()


EVERY = {
    **{name: ("lines.csv", TEXTS[name]) for name in TEXTS},
    **{name: ("lines.geojson", FEATURES[name]) for name in FEATURES},
}


@pytest.mark.parametrize("name", EVERY)
def test_two_people_who_cross_meet_once(name, folder):
    file, spell = EVERY[name]
    if file.endswith("csv"):
        content = table(["mmsi", "trip"], [(user, spell(line)) for user, line in CROSSING.items()])
    else:
        content = geojson(CROSSING.items(), spell)
    found = load(written(folder, file, content))
    zones = pose(found, cell_size=100.0).zones
    assert len(zones.time) == 1
    assert found.tz == "UTC"
    assert fixes(found) == sorted(rows_of(CROSSING.items()))


def test_a_name_is_the_user_only_where_there_is_no_other(folder):
    path = written(folder, "name.geojson", geojson(CROSSING.items(), FEATURES["coordTimes"]))
    assert "users are the names of lines, in column 'name'" in load(path).notes
    path = written(folder, "u.geojson", geojson(CROSSING.items(), FEATURES["coordinateProperties"]))
    assert load(path).users.tolist() == ["ana", "ben"]


def test_the_advice_for_a_user_of_another_name_works(folder):
    path = written(
        folder,
        "kepler.geojson",
        collection([feature([[x, y, 0, unix(t)] for x, y, t in ANA], {"vendor": "ana"})]),
    )
    with pytest.raises(InputError, match=r"no column of users.*--column user_id=vendor"):
        load(path)
    assert load(path, column={"user_id": "vendor"}).users.tolist() == ["ana"]


PORTO = ["TRIP_ID", "TAXI_ID", "TIMESTAMP", "MISSING_DATA", "POLYLINE"]


def porto(lines):
    return table(
        PORTO,
        [
            (row, user, start, False, json.dumps(line))
            for row, (user, start, line) in enumerate(lines)
        ],
    )


def test_porto_has_a_fix_every_15_seconds_from_the_start_of_the_trip_on(folder):
    lines = [(7, 1372636858, [[-8.5, 41.25], [-8.75, 41.5]]), (8, 1372636858, [[-8.5, 41.25]])]
    found = load(written(folder, "porto.csv", porto(lines)))
    assert fixes(found) == [
        ("7", 1372636858, 41.25, -8.5),
        ("7", 1372636873, 41.5, -8.75),
        ("8", 1372636858, 41.25, -8.5),
    ]
    assert any("a fix every 15 s from 'TIMESTAMP' on" in note for note in found.notes)
    given = pa.table(
        {
            "TAXI_ID": [7, 8],
            "TIMESTAMP": [one[1] for one in lines],
            "POLYLINE": [a[2] for a in lines],
        }
    )
    assert fixes(load(given)) == fixes(found)


def test_only_the_columns_of_porto_have_a_fix_every_15_seconds(folder):
    text = porto([(7, 1372636858, [[-8.5, 41.25], [-8.75, 41.5]])])
    for name in ("POLYLINE", "TIMESTAMP"):
        path = written(folder, "other.csv", text.replace(name, "timestamp"))
        with pytest.raises(InputError, match="line"):
            load(path)


def test_a_line_without_a_position_is_a_row_without_one(folder):
    lines = [(7, 1372636858, []), (8, 1372636858, [[-8.5, 41.25]]), (9, 1372636858, [])]
    found = load(written(folder, "porto.csv", porto(lines)))
    assert "2 rows skipped: no position (line 2 (7), line 4 (9))" in found.notes
    assert (found.users.tolist(), fixes(found)) == ([7, 8, 9], [("8", 1372636858, 41.25, -8.5)])


@pytest.mark.parametrize("name", TEXTS)
def test_a_cell_may_be_empty_in_any_spelling(name, folder):
    line = TEXTS[name](BEN)
    none = "LINESTRING EMPTY" if "LINESTRING" in line else "[]" if line[:2] == "[[" else "NULL"
    cells = [("a", none), ("b", line), ("c", ""), ("d", "NA"), ("b", line)]
    found = load(written(folder, "empty.csv", table(["user_id", "path"], cells)))
    assert found.premises.to_dict() == {"skipped": {"no position": 3}}
    assert found.users.tolist() == ["a", "b", "c", "d"]
    assert fixes(found) == sorted(rows_of([("b", BEN)]))


def test_positions_that_are_none_are_counted_each_and_named_by_their_line(folder):
    lines = [("a", [(13.0, 52.0, 0), (0, 0, 10), (181.0, 91.0, 20)]), ("b", [(0, 0, 0), *ANA])]
    content = table(["user_id", "trip"], [(user, TEXTS["sequence"](one)) for user, one in lines])
    found = load(written(folder, "none.csv", content))
    assert "3 rows skipped: no position (line 2 (a), line 3 (b), …)" in found.notes
    path = written(folder, "none.geojson", geojson(lines, FEATURES["kepler"]))
    assert "3 rows skipped: no position (row 1 (a), row 2 (b), …)" in load(path).notes


def test_a_column_of_times_beside_lines_with_times_is_not_used(folder):
    rows = [(user, "2020-01-01", TEXTS["sequence"](line)) for user, line in CROSSING.items()]
    found = load(written(folder, "both.csv", table(["user_id", "timestamp", "trip"], rows)))
    assert fixes(found) == sorted(rows_of(CROSSING.items()))
    assert any("column 'timestamp' is not used" in note for note in found.notes)


def test_a_line_beside_points_says_nothing(folder):
    rows = [("a", unix(0), 52.5, 13.4, TEXTS["sequence"](BEN))]
    found = load(
        written(folder, "route.csv", table(["user_id", "time", "lat", "lon", "route"], rows))
    )
    assert fixes(found) == [("a", unix(0), 52.5, 13.4)]


@pytest.mark.parametrize("spell", [json.dumps, "{{{}}}".format, "[ {} ]".format])
def test_lines_of_texts_may_have_their_times_in_a_list_beside_them(spell, folder):
    lists = [[iso(t) for *_, t in line] for line in CROSSING.values()]
    texts = [
        spell(one if spell is json.dumps else ", ".join(map('"{}"'.format, one))) for one in lists
    ]
    paths = [wkt("Z", [(x, y, 3) for x, y, _ in line]) for line in CROSSING.values()]
    rows = zip(CROSSING, texts, paths, strict=True)
    path = written(folder, "list.csv", table(["user_id", "coordTimes", "geometry"], rows))
    assert fixes(load(path)) == sorted(rows_of(CROSSING.items()))


def test_a_geopackage_may_have_lines(folder):
    path = layer_of_points(folder / "lines.gpkg", [])
    with closing(sqlite3.connect(path)) as base:
        base.execute("ALTER TABLE fixes DROP COLUMN time")
        for user, line in CROSSING.items():
            numbers = [number for x, y, t in line for number in (x, y, 30.5, unix(t))]
            shape = struct.pack(f"<BII{len(numbers)}d", 1, 3002, len(line), *numbers)
            head = struct.pack("<2sBBi", b"GP", 0, 1, 4326)
            base.execute("INSERT INTO fixes VALUES (?, ?)", (user, head + shape))
        base.commit()
    assert fixes(load(path)) == sorted(rows_of(CROSSING.items()))


def test_lines_of_well_known_binary_are_those_of_text(folder):
    shapely = pytest.importorskip("shapely", reason="shapely is not installed")
    geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed")
    more = [(13.4, 52.51, 180), (13.4, 52.52, 240)]
    lines = [("ana", [*ANA, *more]), ("ben", [*BEN, *more])]
    right = sorted(rows_of(lines))
    for name in ("measures", "measures and elevations", "several parts"):
        plain = [TEXTS[name](line).removeprefix("SRID=4326;") for _, line in lines]
        shapes = shapely.from_wkt(plain)
        given = geopandas.GeoDataFrame({"user_id": ["ana", "ben"]}, geometry=list(shapes), crs=4326)
        given.to_parquet(folder / "lines.parquet")
        assert fixes(load(given)) == fixes(load(folder / "lines.parquet")) == right
        for order in (0, 1):
            how = {"hex": True, "byte_order": order, "include_srid": True, "flavor": "extended"}
            cells = shapely.to_wkb(shapely.set_srid(shapes, 4326), **how)
            rows = list(zip(["ana", "ben"], cells, strict=True))
            assert (
                fixes(load(written(folder, "hex.csv", table(["user_id", "trip"], rows)))) == right
            )


def test_days_are_of_the_offset_that_all_times_have(folder):
    trip = f"[POINT(13.4 52.5)@{text(0, '+05:30')}, POINT(13.4 52.6)@{text(60, '+05:30')}]"
    found = load(written(folder, "offset.csv", table(["user_id", "trip"], [("a", trip)])))
    assert (found.tz, int(found.time[0])) == ("+05:30", unix(0) - 19800)
    trip = trip.replace("+05:30", "")
    path = written(folder, "naive.csv", table(["user_id", "trip"], [("a", trip)]))
    assert int(load(path, tz="Asia/Tokyo").time[0]) == unix(0) - 32400


def test_a_reference_system_of_a_line_must_be_that_of_the_data(folder):
    trip = f"SRID=31468;[POINT(4468500 5333000)@{text(0)}]"
    path = written(folder, "srid.csv", table(["user_id", "trip"], [("a", trip)]))
    with pytest.raises(InputError, match=r"EPSG:31468.*--crs EPSG:31468"):
        load(path)


REFUSED = {
    "no times": ("LINESTRING (13 52, 14 53)", "without times.*user_id,time,lat,lon"),
    "elevations": ("[[13, 52, 30], [14, 53, 31]]", "without times.*user_id,time,lat,lon"),
    "seconds since the start": ("[[13, 52, 0], [14, 53, 15]]", "without times"),
    "days": (
        "LINESTRING M (13 52 39539.33, 14 53 39539.34)",
        "line 2, column 'trip': .*days since",
    ),
    "no such time": (
        "[POINT(13 52)@2024-03-01 08:15:30+00, POINT(13 52)@2024-13-01 08:15:30+00]",
        "line 2, column 'trip': '2024-13-01 08:15:30",
    ),
    "out of range": (
        f"[POINT(13 95.3)@{text(0)}, POINT(13 52)@{text(1)}]",
        "line 2, column 'trip': latitude 95.3 is not within",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_wrong_with_a_line_is_said_with_line_and_column(name, folder):
    cell, says = REFUSED[name]
    path = written(folder, "bad.csv", table(["user_id", "trip"], [("a", cell)]))
    with pytest.raises(InputError, match=says):
        load(path)


BROKEN = {
    "list with texts of times": '[[13, 52, "2024-03-01 08:15:30Z"], [14, 53]]',
    "measures": "LINESTRING M (13 52 1709280930, 14 53",
    "several parts": "POINT (13 52)",
    "list of four": "[[13, 52, 0, 1709280930], [14, 53, 0]]",
    "sequence": "[POINT(13 52)@2024-03-01 08:15:30+00, POINT(13)@2024-03-01 08:16:30+00]",
    "set of instants": "{POINT(13 52) 2024-03-01 08:15:30+00}",
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_line_is_one_bad_row_which_can_be_skipped(name, folder):
    rows = [("ana", TEXTS[name](ANA)), ("ben", TEXTS[name](BEN)), ("bad", BROKEN[name])]
    path = written(folder, "broken.csv", table(["user_id", "trip"], rows))
    with pytest.raises(InputError, match=r"line 4, column 'trip': .*no line.*--skip-bad"):
        load(path)
    found = load(path, skip_bad=True, most_bad="15%")
    assert found.premises.to_dict() == {"skipped": {"bad row": 1}}
    assert "line 4: trip: " in found.notes[0]
    assert fixes(found) == sorted(rows_of(CROSSING.items()))
    assert found.users.tolist() == ["ana", "bad", "ben"]


def test_one_bad_fix_of_a_line_can_be_skipped(folder):
    bad = TEXTS["sequence"]([*ANA, (13, 95.3, 180)]).replace("08:10:30", "08:1x:30")
    rows = [("ana", bad), ("ben", TEXTS["sequence"](BEN))]
    path = written(folder, "fix.csv", table(["user_id", "trip"], rows))
    found = load(path, skip_bad=True, most_bad=2)
    assert found.premises.to_dict() == {"skipped": {"bad row": 2}}
    assert fixes(found) == sorted([*rows_of([("ana", ANA[1:])]), *rows_of([("ben", BEN)])])


FAULTY = {
    "fewer times": (
        feature([[13, 52], [14, 53]], {"user": "a", "coordTimes": [iso(0)]}),
        "column 'coordTimes': row 2: 1 times for 2 positions",
    ),
    "fewer in a part": (
        feature(
            [[[13, 52], [14, 53]], [[14, 53]]],
            {"user": "a", "coordTimes": [[iso(0)], [iso(1), iso(2)]]},
            "MultiLineString",
        ),
        "row 2: 1 times for 2 positions",
    ),
    "no times": (feature([[13, 52], [14, 53]], {"user": "a"}), "row 2: 0 times for 2 positions"),
    "a missing time": (
        feature([[13, 52], [14, 53]], {"user": "a", "coordTimes": [iso(0), None]}),
        "row 2: a position of the line has no time",
    ),
    "no numbers": (
        feature([[13, "x"]], {"user": "a", "coordTimes": [iso(0)]}),
        "column 'geometry': row 2: these are no positions",
    ),
    "a number alone": (
        feature([[13]], {"user": "a", "coordTimes": [iso(0)]}),
        "column 'geometry': row 2: ",
    ),
    "a polygon": (
        feature([[[13, 52], [13, 53], [14, 53], [13, 52]]], {"user": "a"}, "Polygon"),
        "row 2: the geometry is no line: Polygon",
    ),
    "a point": (
        feature([13, 52], {"user": "a", "time": iso(0)}, "Point"),
        "row 1: the geometry is not a point: LineString; write a feature per fix",
    ),
}


@pytest.mark.parametrize("name", FAULTY)
def test_what_is_wrong_with_a_feature_is_said_with_its_row(name, folder):
    bad, says = FAULTY[name]
    good = feature([[13, 52]], {"user": "a", "coordTimes": [iso(0)]})
    with pytest.raises(InputError, match=says) as caught:
        load(written(folder, "bad.geojson", collection([good, bad])))
    assert "--column" not in str(caught.value)


def test_lines_without_any_times_in_geojson_are_refused(folder):
    path = written(folder, "route.geojson", collection([feature([[13, 52, 5]], {"user": "a"})]))
    with pytest.raises(InputError, match=r"row 1: the line has no times; .*user_id,time,lat,lon"):
        load(path)


def test_points_and_lines_in_a_file_each_are_one_source(folder):
    lines = written(folder, "l.geojson", geojson([("ana", ANA)], FEATURES["kepler"]))
    points = [feature([x, y], {"user_id": "ben", "time": unix(t)}, "Point") for x, y, t in BEN]
    found = load([lines, written(folder, "p.geojson", collection(points))])
    assert fixes(found) == sorted(rows_of(CROSSING.items()))


@pytest.mark.parametrize("read", [read_feed, lambda path: read_place_sightings(path, TimeAxis(9))])
def test_readers_of_single_positions_say_what_to_do_with_lines(read, folder):
    """Feeds and sightings: a hint at ``--column`` would not help."""
    rows = [(user, TEXTS["sequence"](line)) for user, line in CROSSING.items()]
    path = written(folder, "feed.csv", table(["user_id", "trip"], rows))
    with pytest.raises(
        InputError, match=r"column 'trip': .* whole line .*a row per position"
    ) as told:
        read(path)
    assert "--column" not in str(told.value)


def many(folder, n, size):
    """A file of trips, and its fixes as a table of points."""
    rng = np.random.default_rng(n)
    lines = [
        (
            f"u{row % 50}",
            [(*rng.integers(0, 9, 2) / 100 + 13, row * 60 + 9 * t) for t in range(size)],
        )
        for row in range(n)
    ]
    rows = [(user, TEXTS["list of four"](line)) for user, line in lines]
    path = written(folder, "many.csv", table(["user_id", "trip"], rows))
    return path, written(
        folder, "same.csv", table(["user_id", "time", "lat", "lon"], rows_of(lines))
    )


def test_files_larger_than_memory_are_read_in_batches_of_fixes(folder):
    path, same = many(folder, 900, 40)
    sizes = [len(part.time) for part in pieces_of([path], Reading(), 4000)]
    assert (sum(sizes), len(sizes) > 4, max(sizes) < 12_000) == (36_000, True, True)
    assert memory_of(path) > 0.8 * 36_000 * FIX_BYTES
    with closing(SpillRoom(1 << 28, folder)) as room:
        zones = extract(path, WantedZones(cell_size=500.0), room).zones
    right = pose(load(same), cell_size=500.0).zones
    assert zones.members.tolist() == right.members.tolist()


def test_a_batch_may_have_no_line_at_all(folder):
    """It is then judged by the columns of the file; broken cells are not missing ones."""
    empty = "".join(f"2,1372636858,{cell}\n" for cell in ("[]", "", "NA") * 10)
    content = f'TAXI_ID,TIMESTAMP,POLYLINE\n1,1372636858,"[[13,52]]"\n{empty}'
    parts = list(pieces_of([written(folder, "batches.csv", content)], Reading(), 5))
    assert (len(parts) > 3, sum(len(part.time) for part in parts)) == (True, 1)
    assert sum(one.count for part in parts for one in part.premises.skipped) == 30
    trips = f"user,trip\na,POINT(13 52)@{text(0)}\n" + "b,\n" * 30 + "c,oops\n" * 5
    with pytest.raises(InputError, match="line 33, column 'trip': 'oops' is no line"):
        list(pieces_of([written(folder, "batches.csv", trips)], Reading(), 5))


def test_a_row_may_be_longer_than_a_megabyte(folder):
    """Lines of a ship's month: PyArrow reads blocks of 1 MB, Python's csv fields of 128 kB."""
    line = [(13.0 + t / 1e6, 52.5, t) for t in range(30_000)]
    rows = [("a", TEXTS["sequence"](line)), ("b", TEXTS["sequence"]([*line, (13, 95.3, 7)]))]
    path = written(folder, "long.csv", table(["mmsi", "trip"], rows))
    with pytest.raises(InputError, match=r"line 3, column 'trip': latitude 95.3"):
        load(path)
    found = load(path, skip_bad=True)
    assert len(found.time) == 60_000
