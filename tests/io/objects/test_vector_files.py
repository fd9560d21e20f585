"""Files of geographic programs: users, fixes, zones and verdict; layers, lines, times, damage."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from mixsafe.model.mobility.traces import Traces
from mixsafe.report.provenance import told_input
from mixsafe_cli.app import app
from tests.support.recordings import vector_file

shapely = pytest.importorskip("shapely", reason="Shapely is not installed")
pytest.importorskip("pyogrio", reason="pyogrio is not installed")

T = [f"2024-05-01T08:0{minute}:00Z" for minute in range(4)]
FIXES = [
    (user, time, 139.7, round(35.6 + place / 1000, 3))
    for user in "ab"
    for place, time in enumerate(T)
]
KINDS = {
    "flatgeobuf": ("fixes.fgb", "FlatGeobuf", {}),
    "flatgeobuf without an index": ("fixes.fgb", "FlatGeobuf", {"SPATIAL_INDEX": "NO"}),
    "shapefile": ("fixes.shp", "ESRI Shapefile", {}),
    "geopackage": ("fixes.gpkg", "GPKG", {}),
    "sequence of GeoJSON": ("fixes.geojsonl", "GeoJSONSeq", {}),
    "sequence with separators": ("fixes.geojsons", "GeoJSONSeq", {"RS": "YES"}),
    "geojson": ("fixes.geojson", "GeoJSON", {}),
}


def written(
    folder: Path,
    kind: str,
    fixes: list[tuple[str, str, float, float]] | None = None,
    **more: object,
) -> Path:
    """A file of this kind with the fixes."""
    name, driver, options = KINDS[kind]
    return vector_file(folder / name, fixes or FIXES, driver, **{**options, **more})


def rows(found: object) -> list[tuple[str, int, float, float]]:
    """User, time, latitude and longitude of each fix."""
    assert isinstance(found, Traces)
    assert found.lat is not None
    assert found.lon is not None
    names = [str(found.users[one]) for one in found.user]
    return list(
        zip(names, found.time.tolist(), found.lat.tolist(), found.lon.tolist(), strict=True)
    )


EXPECTED = [
    (user, 1714550400 + 60 * place, round(35.6 + place / 1000, 3), 139.7)
    for user in "ab"
    for place in range(4)
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_read_to_its_verdict(kind: str, tmp_path: Path) -> None:
    """Two people who meet at each of four steps."""
    path = written(tmp_path, kind)
    assert rows(load(path)) == EXPECTED
    ran = CliRunner().invoke(app, ["verify", str(path), "--k", "2", "--json", "-"])
    found = json.loads(ran.stdout)
    assert (found["users"], found["zones"], found["verdict"]) == (2, 4, "weak pass")


@pytest.mark.parametrize("kind", KINDS)
def test_points_may_have_an_elevation(kind: str, tmp_path: Path) -> None:
    """It is no time and no place."""
    path = tmp_path / KINDS[kind][0]
    points = [shapely.Point(lon, lat, 1714550400.0) for _, _, lon, lat in FIXES]
    vector_file(path, FIXES, KINDS[kind][1], points=points, geometry_type="Point Z")
    assert rows(load(path)) == EXPECTED


@pytest.mark.parametrize("kind", ["flatgeobuf", "shapefile", "geopackage"])
def test_the_reference_system_of_a_file_is_used(kind: str, tmp_path: Path) -> None:
    """Metres of UTM are degrees afterwards."""
    pyproj = pytest.importorskip("pyproj", reason="PROJ converts coordinates")
    turn = pyproj.Transformer.from_crs(4326, 32654, always_xy=True).transform
    moved = [(user, time, *turn(lon, lat)) for user, time, lon, lat in FIXES]
    found = rows(load(written(tmp_path, kind, moved, crs="EPSG:32654")))
    assert [one[:2] for one in found] == [one[:2] for one in EXPECTED]
    assert np.allclose([one[2:] for one in found], [one[2:] for one in EXPECTED], atol=1e-7)


INSTANTS = {
    "2024-05-01T00:00:00Z": 1714521600,
    "2024-05-01T09:00:00+09:00": 1714521600,
    "2024-05-01T05:37:00+05:37": 1714521600,
    "2024-05-01T00:00:00.123": 1714521600,
    "2024-05-01 00:00:00": 1714521600,
}


@pytest.mark.parametrize("kind", [one for one in KINDS if one != "shapefile"])
@pytest.mark.parametrize("text", INSTANTS)
def test_a_column_of_moments_keeps_its_zone(kind: str, text: str, tmp_path: Path) -> None:
    """GDAL's own type of moments: a zone is neither dropped nor made the machine's."""
    given = np.array([text[:19].replace(" ", "T")] * 2, "datetime64[ms]")
    zone = "+05:37" if "+05" in text else "+09:00" if "+" in text else "Z" if "Z" in text else ""
    # GDAL's zones have quarters of an hour; a writer of its own may have minutes.
    known = "+05:30" if zone == "+05:37" else zone
    path = tmp_path / KINDS[kind][0]
    zones = {"time": np.array([_code(known)] * 2)} if known else None
    fixes = [("a", given[0], 139.7, 35.6), ("b", given[1], 139.7, 35.6)]
    vector_file(path, fixes, KINDS[kind][1], gdal_tz_offsets=zones)
    if zone != known:
        content = path.read_bytes()
        assert content.count(b"+05:30") == 2
        path.write_bytes(content.replace(b"+05:30", b"+05:37"))
    assert {one[1] for one in rows(load(path))} == {INSTANTS[text]}


def _code(zone: str) -> int:
    """GDAL's number of a zone: 100 is UTC, and one more a quarter of an hour."""
    return 100 if zone == "Z" else 100 + 4 * int(zone[1:3]) + int(zone[4:]) // 15


def test_a_layer_is_named_where_there_are_several(tmp_path: Path) -> None:
    """Nothing is chosen for the user."""
    path = written(tmp_path, "geopackage", layer="morning")
    evening = [(user, time.replace("T08", "T20"), lon, lat) for user, time, lon, lat in FIXES]
    written(tmp_path, "geopackage", evening, layer="evening", append=True)
    with pytest.raises(
        InputError, match="exactly one feature layer, not morning, evening"
    ) as asked:
        load(path)
    assert "--layer NAME" in str(asked.value)
    assert rows(load(path, layer="morning")) == EXPECTED
    words = ["verify", str(path), "--k", "2", "--layer", "evening", "--json", "-"]
    ran = CliRunner().invoke(app, words)
    assert json.loads(ran.stdout)["zones"] == 4
    with pytest.raises(InputError, match="must have a layer 'noon', not morning, evening"):
        load(path, layer="noon")


def test_lines_with_times_are_expanded(tmp_path: Path) -> None:
    """The measure of a position is its time."""
    ways = [
        shapely.from_wkt(
            "LINESTRING M ("
            + ", ".join(f"{lon} {lat} {1714550400 + 60 * place}" for place, (lon, lat) in line)
            + ")"
        )
        for line in ([*enumerate((139.7, round(35.6 + place / 1000, 3)) for place in range(4))],)
        * 2
    ]
    path = tmp_path / "lines.gpkg"
    fixes = [("a", "x", 0.0, 0.0), ("b", "x", 0.0, 0.0)]
    vector_file(path, fixes, "GPKG", points=ways, geometry_type="Unknown")
    assert [one[:2] for one in rows(load(path))] == [one[:2] for one in EXPECTED]


def test_users_are_asked_for_where_no_column_names_them(tmp_path: Path) -> None:
    """A layer of a city is no person's own file."""
    path = vector_file(tmp_path / "x.fgb", FIXES, "FlatGeobuf", names=["who", "time"])
    with pytest.raises(InputError, match="no column of users found"):
        load(path)
    assert rows(load(path, column={"user_id": "who"})) == EXPECTED


@pytest.mark.parametrize("name", ["fixes.csv", "fixes.vrt", "fixes", "a?b=|layername=x.fgb"])
def test_a_name_leads_gdal_nowhere(name: str, tmp_path: Path) -> None:
    """The content says what a file is, whatever its name asks GDAL for."""
    path = tmp_path / name
    path.write_bytes(written(tmp_path, "flatgeobuf").read_bytes())
    assert recognize(path) == "vector"
    assert rows(load(path)) == EXPECTED


@pytest.mark.parametrize("name", ["x.fgb", "x.shp", "x.gpkg", "x.gpx", "/vsizip/x.zip/x.fgb"])
def test_what_gdal_would_open_elsewhere_is_not(name: str, tmp_path: Path) -> None:
    """A virtual format is no file of the format that its name says."""
    path = tmp_path / Path(name).name
    path.write_text(
        '<OGRVRTDataSource><OGRVRTLayer name="x"><SrcDataSource>/vsicurl/http://127.0.0.1:9/x.fgb'
        "</SrcDataSource></OGRVRTLayer></OGRVRTDataSource>"
    )
    for given in (path, *([Path(name)] if name.startswith("/") else [])):
        with pytest.raises(InputError):
            load(given)


def test_without_gdal_one_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The extra is named; GPX, GeoPackage and GeoJSON need none."""
    monkeypatch.setitem(sys.modules, "pyogrio", None)
    monkeypatch.setitem(sys.modules, "pyogrio.raw", None)
    path = tmp_path / "x.fgb"
    path.write_bytes(b"fgb\x03fgb\x00" + bytes(100))
    with pytest.raises(InputError, match="need pyogrio") as refused:
        load(path)
    assert refused.value.hint == "pip install pyogrio"


DAMAGE = """
import random, sys
from pathlib import Path
import mixsafe
path, whole = Path(sys.argv[1]), Path(sys.argv[1]).read_bytes()
for seed in range(60):
    chance, content = random.Random(seed), bytearray(whole)
    for _ in range(chance.choice([1, 3, 9])):
        at = chance.randrange(len(content))
        kind = chance.randrange(4)
        if kind == 0:
            content[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            content[at : at + 4] = b"\\xff\\xff\\xff\\xff"
        elif kind == 2:
            del content[at : at + chance.choice([1, 8, 99])]
        else:
            content[at:] = b""
        content = content or bytearray(b"x")
    path.write_bytes(content)
    try:
        mixsafe.load(path)
    except mixsafe.MixsafeError as error:
        assert "\\n" not in str(error) and str(path) in str(error), error
"""


@pytest.mark.parametrize("kind", ["flatgeobuf", "flatgeobuf without an index", "shapefile"])
def test_a_damaged_file_ends_in_one_line(kind: str, tmp_path: Path) -> None:
    """GDAL writes nothing on the terminal, and the process goes on."""
    path = written(tmp_path, kind)
    ran = subprocess.run(
        [sys.executable, "-c", DAMAGE, str(path)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_all_files_of_a_shapefile_are_in_the_provenance(tmp_path: Path) -> None:
    """Names and times are in the file beside the one that is named."""
    path = written(tmp_path, "shapefile")
    before = told_input("source", path)["sha256"]
    table = path.with_suffix(".dbf")
    table.write_bytes(table.read_bytes().replace(b"T08:01", b"T08:11"))
    assert told_input("source", path)["sha256"] != before
