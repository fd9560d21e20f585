"""Points in every spelling are the same points; elevations and measures say nothing."""

import contextlib
import decimal
import sqlite3
import struct

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.io.columns.points import points
from mixsafe.io.files.checked_table import CheckedTable
from mixsafe.io.objects.frames import arrow_column
from mixsafe.io.sources import load
from tests.support.geopackages import layer_of_points

DIMENSIONS = {"": 0, "Z": 1, "M": 1, "ZM": 2}


def wkb(x, y, kind="", order="<", srid=None, postgis=False):
    code = 1 + 1000 * list(DIMENSIONS).index(kind)
    if postgis or srid is not None:
        code = 1 | (0x80000000 if "Z" in kind else 0) | (0x40000000 if "M" in kind else 0)
    head = struct.pack("B", order == "<")
    if srid is not None:
        head += struct.pack(f"{order}II", code | 0x20000000, srid)
    else:
        head += struct.pack(f"{order}I", code)
    rest = [7.5, float("nan")][: DIMENSIONS[kind]]
    return head + struct.pack(f"{order}{2 + len(rest)}d", x, y, *rest)


def wkt(x, y, kind="", srid=None, tagged=True):
    rest = "".join(f" {number}" for number in ("31.25", "nan")[: DIMENSIONS[kind]])
    tag = f" {kind}" if tagged else ""
    return ("" if srid is None else f"SRID={srid};") + f"POINT{tag} ({x!r} {y!r}{rest})"


def read(cells, kind=None, crs=None):
    table = CheckedTable("t", ("geom",), {"geom": pa.chunked_array([pa.array(cells, kind)])}, None)
    return points(table, "geom", crs)


DEGREES = st.floats(-90, 90, allow_nan=False)
SPELLING = st.tuples(
    st.sampled_from(list(DIMENSIONS)), st.sampled_from([None, 4326]), st.booleans(), st.booleans()
)
WRITTEN = st.lists(st.tuples(DEGREES, DEGREES, SPELLING), min_size=1, max_size=8)


def as_bytes(x, y, spelling):
    kind, srid, flag, other = spelling
    return wkb(x, y, kind, "<" if other else ">", srid, flag)


def as_text(x, y, spelling):
    kind, srid, flag, other = spelling
    if flag:
        found = as_bytes(x, y, spelling).hex()
        return f"\\x{found}" if other else found.upper()
    return wkt(x, y, kind, srid, other or kind == "M")


@given(WRITTEN)
def test_points_with_elevation_measure_or_srid_are_the_points_without(written):
    """Mixed in one column, and of either byte order."""
    x, y = (np.array([row[axis] for row in written]) for axis in (0, 1))
    for spell in (as_bytes, as_text):
        lat, lon = read([spell(*row) for row in written])
        assert (lat.tolist(), lon.tolist()) == (y.tolist(), x.tolist())


@given(WRITTEN, st.integers(0, 7), st.randoms())
def test_bytes_cut_or_too_long_are_no_point(written, place, random):
    cells = [as_bytes(*row) for row in written]
    place %= len(cells)
    cells[place] = random.choice([cells[place][:-1], cells[place] + b"\0", cells[place][:-8]])
    for some, kind in ((cells, pa.binary()), ([one.hex() for one in cells], pa.string())):
        with pytest.raises(InputError, match=rf"row {place + 1}: .* is not a point"):
            read(some, kind)


WRONG = {
    "a 2-d point said to have z": "POINT Z (1 2)",
    "a measure too many": "POINT M (1 2 3 4)",
    "a line": "LINESTRING Z (1 2 3, 4 5 6)",
    "two dots": "POINT (1.2.3 4)",
    "five numbers": "POINT (1 2 3 4 5)",
    "no number": "POINT Z (1 b 3)",
}


@pytest.mark.parametrize("name", WRONG)
def test_texts_that_do_not_say_one_point_are_refused(name):
    with pytest.raises(InputError, match=r"row 2: .* is not a point"):
        read(["POINT (1 2)", WRONG[name]])


def test_missing_and_empty_points_stay_missing():
    empty = wkb(float("nan"), float("nan"), "Z")
    lat, lon = read([None, empty, wkb(1, 2)], pa.binary())
    assert np.isnan(lat).tolist() == np.isnan(lon).tolist() == [True, True, False]
    lat, _ = read([None, "SRID=4326;POINT EMPTY", "POINT Z EMPTY", empty.hex(), "POINT Z (1 2 3)"])
    assert np.isnan(lat).tolist() == [True, True, True, True, False]


def test_points_of_another_reference_system_are_refused_with_the_way_out():
    for cells in ([wkb(1, 2, srid=31468)], [wkt(1, 2, srid=31468)]):
        with pytest.raises(InputError, match=r"points are in EPSG:31468.*say --crs EPSG:31468"):
            read(cells)
        with pytest.raises(InputError, match="points are in EPSG:31468, and are read as EPSG:2443"):
            read(cells, crs=2443)
        for crs in (31468, "epsg:31468", {"id": {"authority": "EPSG", "code": 31468}}):
            assert [one.tolist() for one in read(cells, crs=crs)] == [[2.0], [1.0]]
    with pytest.raises(InputError, match="points are in EPSG:4326, and are read as EPSG:2443"):
        read([wkt(1, 2, srid=4326)], crs="EPSG:2443")
    assert [one.tolist() for one in read([wkb(1, 2, srid=0)], crs=2443)] == [[2.0], [1.0]]


def test_points_of_a_geopackage_may_have_an_elevation_and_an_envelope(tmp_path):
    path = layer_of_points(tmp_path / "t.gpkg", [("a", 1709280930, 13.25, 52.25)])
    head = struct.pack("<2sBBi", b"GP", 0, 1 | 2 << 1, 4326) + struct.pack("<6d", *[0] * 6)
    with contextlib.closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE fixes SET geom = ?", (head + wkb(13.25, 52.25, "Z"),))
        base.commit()
    found = load(path)
    assert (found.lat.tolist(), found.lon.tolist()) == ([52.25], [13.25])


def test_interleaved_coordinates_may_have_an_elevation():
    for size in (2, 3, 4):
        cells = pa.array([[1.0, 2.0, 3.0, 4.0][:size]], pa.list_(pa.float64(), size))
        column = arrow_column(pa.table({"g": cells}), "t", "g")
        lat, lon = points(CheckedTable("t", ("g",), {"g": column}, None), "g")
        assert (lat.tolist(), lon.tolist()) == ([2.0], [1.0])


TENTHS = st.integers(-900_000, 900_000)
"""Of a thousandth of a degree."""


@settings(max_examples=25)
@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=1))
def test_decimal_coordinates_are_the_numbers_that_they_say(pairs):
    with decimal.localcontext():
        lat, lon = ([decimal.Decimal(pair[axis]).scaleb(-4) for pair in pairs] for axis in (0, 1))
    rows = range(len(pairs))
    plain = {"user_id": [f"u{row}" for row in rows], "time": [1709280930 + row for row in rows]}
    floats = {"lat": [float(one) for one in lat], "lon": [float(one) for one in lon]}
    told = load(pa.table(plain | floats), keep_null_island=True)
    for kind in (pa.decimal128(9, 4), pa.decimal256(40, 4)):
        exact = {"lat": pa.array(lat, kind), "lon": pa.array(lon, kind)}
        found = load(pa.table(plain | exact), keep_null_island=True)
        assert (found.lat.tolist(), found.lon.tolist()) == (told.lat.tolist(), told.lon.tolist())


def test_decimal_users_times_and_regions_are_whole_numbers():
    """As DuckDB has them after a sum; a fraction is no name."""
    wide = pa.decimal128(38, 0)
    columns = {name: pa.array([1709280930, 1709280990], wide) for name in ("user_id", "time")}
    found = load(pa.table(columns | {"reg_id": pa.array([7, 8], pa.decimal128(5, 2))}))
    assert found.users.tolist() == [1709280930, 1709280990]
    assert (found.time.tolist(), found.region.tolist()) == ([1709280930, 1709280990], [7, 8])
    halves = pa.array([decimal.Decimal("1.5"), decimal.Decimal(2)], pa.decimal128(5, 2))
    for name in ("user_id", "reg_id"):
        with pytest.raises(InputError, match=rf"column '{name}'"):
            load(pa.table(columns | {"reg_id": [7, 8]} | {name: halves}))
