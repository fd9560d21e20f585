"""Mix zones at places with names: polygons, or points with a radius."""

import json

import numpy as np
import pytest

import mixsafe
from mixsafe.documents.atlas import Atlas
from mixsafe.errors import InputError
from mixsafe.extract.positions import positions
from mixsafe.io.sources import load

shapely = pytest.importorskip("shapely", reason="shapely is not installed")

STATION = {"type": "Polygon", "coordinates": [[[10, 50], [10.01, 50], [10.01, 50.01], [10, 50]]]}
STOP = {"type": "Point", "coordinates": [10.5, 50.5]}


def feature(shape, **told):
    return {"type": "Feature", "properties": told, "geometry": shape}


def written(path, *features):
    path.write_text(json.dumps({"type": "FeatureCollection", "features": list(features)}))
    return path


@pytest.fixture
def stations(tmp_path):
    """A triangle, and a circle of 500 m around a stop."""
    one, two = feature(STATION, name="Central"), feature(STOP, Name="Stop 5", radius=500)
    return written(tmp_path / "stations.geojson", one, two)


ROWS = {
    "user_id": ["a", "b", "a", "b", "a", "b"],
    "time": [1211025600 + second for second in (0, 0, 3600, 3600, 7200, 7200)],
    # both in the triangle, 900 m apart; both near the stop; together where there is no place
    "lat": [50.001, 50.008, 50.503, 50.498, 51.0, 51.0],
    "lon": [10.002, 10.009, 10.5, 10.503, 11.0, 11.0],
}


def test_people_mix_at_places_and_nowhere_else(stations):
    traces = load(ROWS, places=stations)
    where = positions(traces)
    assert where.place.tolist() == [-1, -2, -1, -2]
    assert where.notes[-1] == "2 of 6 positions are in none of the places"
    answer = mixsafe.verify(traces, k=2)
    assert [len(zone) for zone in np.split(answer.problem.zones.members, [2])] == [2, 2]
    page = answer.report()
    assert "Central" in page
    assert "Stop 5" in page


def test_whoever_is_at_no_place_is_published_all_the_same_and_can_be_followed(stations):
    """She is no person without data; whoever is none of these has no row at all."""
    away = {
        "user_id": ["c", "c"],
        "time": [1211025600, 1211032800],
        "lat": [51.0, 51.0],
        "lon": [11.0, 11.0],
    }
    traces = load({name: ROWS[name] + away[name] for name in ROWS}, places=stations)
    answer = mixsafe.verify(traces, k=2)
    zones = answer.problem.zones
    assert zones.users[zones.alone].tolist() == ["c"]
    assert zones.absent.tolist() == []
    assert answer.verdict.value == "unsafe"
    assert "never has 2 candidate pseudonyms (c)" in answer.headline.sentence


def test_so_is_a_track_that_is_at_no_place(stations):
    from mixsafe.release.evidence import Published

    where = positions(load(ROWS, places=stations))
    named = Published.of_positions(where.only(where.row == 1), named_only=True)
    assert named.zones.absent.tolist() == []
    assert named.zones.alone.tolist() == [0, 1]


def test_or_in_cells_elsewhere_too(stations):
    from mixsafe.io.sources import at_places

    both = at_places(load(ROWS), stations, elsewhere=True)
    assert len(mixsafe.pose(both).zones) == 3
    atlas = Atlas.of(both)
    assert atlas.name(-2) == "Stop 5"
    assert atlas.name(int(positions(both).place.max())).startswith("51.0")


def test_of_places_that_overlap_the_first_counts_and_borders_belong_to_them(tmp_path):
    box = {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]}
    path = written(tmp_path / "p.geojson", feature(box), feature(box, name="other"))
    shapes = load(ROWS, places=path).shapes
    assert shapes.names == ("place 1", "other")
    points = np.array([0.5, 1.0, 2.0]), np.array([0.5, 0.0, 0.5])
    assert shapes.number_of(*points).tolist() == [0, 0, -1]


def test_a_circle_has_the_area_of_its_radius(stations):
    outline = load(ROWS, places=stations).shapes.outlines[1]
    metres = np.radians(1) * 6_371_008.8
    area = outline.area * metres**2 * np.cos(np.radians(50.5))
    assert area == pytest.approx(np.pi * 500**2, rel=1e-3)


def test_a_layer_in_another_reference_system_is_the_same_places(stations, tmp_path):
    geopandas = pytest.importorskip("geopandas", reason="geopandas is not installed")
    pytest.importorskip("pyogrio", reason="pyogrio is not installed")
    whole = geopandas.read_file(stations)[["name", "geometry"]][:1].to_crs(32632)
    whole.to_file(tmp_path / "stations.gpkg", driver="GPKG")
    there = load(ROWS, places=tmp_path / "stations.gpkg").shapes
    assert there.names == ("Central",)
    first = load(ROWS, places=stations).shapes.outlines[0]
    assert there.outlines[0].symmetric_difference(first).area < 1e-9


NAMELESS = {"type": "Feature", "geometry": STATION}
LINE = {"type": "LineString", "coordinates": [[0, 0], [1, 1]]}
BAD = {
    "a point alone": ([feature(STOP)], "row 1: the point has no radius"),
    "a line": ([feature(STATION), feature(LINE)], "row 2: the place is neither"),
    "no geometry": ([feature(None)], "row 1: the place has no geometry"),
    "properties in a list": (
        [feature(STATION), NAMELESS | {"properties": ["name"]}],
        "row 2: the properties are not an object",
    ),
    "a text of properties": ([NAMELESS | {"properties": ""}], "row 1: the properties"),
    "a corner nowhere on the Earth": (
        [feature({"type": "Polygon", "coordinates": [[[7, 50], [8, 50], [8, 1e308], [7, 50]]]})],
        "row 1: the place has a corner beyond latitude 90",
    ),
    "no place": ([], "the file contains no places"),
    "half a polygon": ([feature({"type": "Polygon", "coordinates": [[[0, 0]]]})], "damaged"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_place_is_refused_with_its_row(name, tmp_path):
    features, says = BAD[name]
    path = written(tmp_path / "bad.geojson", *features)
    with pytest.raises(InputError, match=says) as caught:
        load(ROWS, places=path)
    assert caught.value.file == str(path)


def test_a_place_need_not_say_anything_of_itself(tmp_path):
    path = written(tmp_path / "p.geojson", NAMELESS | {"properties": None}, NAMELESS)
    assert load(ROWS, places=path).shapes.names == ("place 1", "place 2")


def test_places_need_coordinates(stations):
    with pytest.raises(InputError, match="places need traces with coordinates"):
        load(mixsafe.sample("town"), places=stations)


def test_the_time_at_sensitive_places_is_counted(tmp_path):
    clinic = written(
        tmp_path / "clinic.geojson",
        feature(STATION, name="Clinic", sensitive="yes"),
        feature(STOP, name="Stop", radius=500, sensitive=0),
    )
    answer = mixsafe.verify(load(ROWS, places=clinic), k=2, adversary="none", distinct_places=1)
    found = answer.summary["places"]
    assert found["named"]
    # of three steps each: in the clinic, at the stop, and in one cell where there is no place
    assert found["sensitive"]["share_of_time"] == round(1 / 3, 6)
    assert found["one_place"]["share_of_time"] == 1.0


def test_named_places_are_counted_unasked_and_unmarked_ones_are_not_called_sensitive(stations):
    found = mixsafe.verify(load(ROWS, places=stations), k=2).summary["places"]
    assert (found["distinct"], found["named"], found["sensitive"]) == (1, True, None)


@pytest.mark.parametrize("value", ["perhaps", 2, [1], 0.5])
def test_marks_that_say_neither_yes_nor_no_are_refused(tmp_path, value):
    path = written(
        tmp_path / "places.geojson",
        feature(STATION, name="Clinic", sensitive="Yes"),
        feature(STATION, name="Shop", sensitive=value),
    )
    with pytest.raises(InputError, match=r"row 2: .* does not say whether the place is sensitive"):
        load(ROWS, places=path)


@pytest.mark.parametrize("value", ["no", "0", False, None, ""])
def test_marks_that_say_no(tmp_path, value):
    path = written(
        tmp_path / "places.geojson",
        feature(STATION, name="Clinic", Sensitive=True),
        feature(STATION, name="Shop", sensitive=value),
        feature(STATION, name="House"),
    )
    assert load(ROWS, places=path).shapes.sensitive.tolist() == [True, False, False]
