"""Files of other programs are called what they are, with what to do."""

import gzip
import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.files.tables import header_of
from mixsafe.io.sources import load

FEATURE = {
    "type": "Feature",
    "properties": {"user_id": "a", "time": 1709280930},
    "geometry": {"type": "Point", "coordinates": [13.25, 52.25]},
}
COLLECTION = {"type": "FeatureCollection", "features": [FEATURE]}
LINES = "a row has a whole line of fixes without times"
STRANGERS = {
    "walk.gpx": ('<?xml version="1.0"?>\n<gpx><trk></trk></gpx>\n', "this is XML"),
    "wkt.csv": ('who,path\n1,"LINESTRING Z (13 52 1, 14 53 2)"\n', LINES),
}


def refused(path):
    with pytest.raises(InputError) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.parametrize("name", STRANGERS)
def test_a_stranger_is_called_what_it_is_and_a_table_is_asked_for(name, tmp_path):
    content, what = STRANGERS[name]
    plain, packed = tmp_path / name, tmp_path / f"{name}.gz"
    plain.write_text(content)
    packed.write_bytes(gzip.compress(content.encode()))
    for path in (plain, packed):
        told = refused(path)
        assert what in told
        assert "a table user_id,time,lat,lon with a row per fix" in told
        assert "--skip-bad" not in told
        assert "--column" not in told


def test_json_is_no_table_where_only_tables_are_read(tmp_path):
    """Its first line is no header, and it is not said to lack one."""
    path = tmp_path / "seen.json"
    for content in ([FEATURE], {"locations": []}, {}):
        path.write_text(json.dumps(content))
        with pytest.raises(InputError, match="this is JSON, and a table is needed here"):
            header_of(path)


def test_points_and_tables_with_a_route_beside_them_are_no_strangers(tmp_path):
    path = tmp_path / "points.geojson"
    feature = FEATURE | {"properties": FEATURE["properties"] | {"trips": 3, "latitudeE7": 1}}
    path.write_text(json.dumps(COLLECTION | {"features": [feature]}))
    assert load(path).users.tolist() == ["a"]
    path = tmp_path / "route.csv"
    path.write_text('user_id,time,lat,lon,route\na,1709280930,52,13,"LINESTRING (1 2, 3 4)"\n')
    assert load(path).users.tolist() == ["a"]


def test_lines_in_geojson_are_refused_before_columns_are_asked_for(tmp_path):
    path = tmp_path / "lines.geojson"
    line = {"type": "LineString", "coordinates": [[13.25, 52.25, 0, 1709280930], [13.5, 52.25]]}
    lines = FEATURE | {"geometry": line, "properties": {"vendor": "a"}}
    path.write_text(json.dumps(COLLECTION | {"features": [FEATURE, lines]}))
    told = refused(path)
    assert "row 2: the geometry is not a point: LineString; write a feature per fix" in told
    assert "--column" not in told


@pytest.mark.parametrize("mark", [",", "\t", ";", " "])
def test_a_first_line_of_data_is_no_header_however_it_is_separated(mark, tmp_path):
    path = tmp_path / "gowalla.csv"
    row = ["17", "2010-07-24T13:45:06Z", "53.25", "-2.25"]
    path.write_text(mark.join(row) + "\n" + mark.join(row) + "\n")
    told = refused(path)
    assert "line 1: the file has no header" in told
    assert "--columns user_id,time,lat,lon" in told
    assert load(path, columns=("user_id", "time", "lat", "lon")).users.tolist() == [17]


@pytest.mark.parametrize("ending", [".txt", ".plt"])
def test_a_folder_of_texts_is_refused_with_what_to_do(ending, tmp_path):
    (tmp_path / "000" / "Trajectory").mkdir(parents=True)
    (tmp_path / "000" / "Trajectory" / f"1{ending}").write_text("1,2008-02-02 15:36:00,116,39\n")
    told = refused(tmp_path)
    assert "--files '" in told
    assert ("--columns user_id,time,lat,lon" in told) == (ending == ".txt")


BAD = {
    "no points": (
        "user_id,time,geometry",
        "LINESTRING (1 2)",
        "POINT (1 2)",
        "write a row per fix",
    ),
    "no numbers": ("user_id,time,lon,lat", "1,north", "1,2", "'north' is not a number"),
}


@pytest.mark.parametrize("name", BAD)
def test_rows_can_be_skipped_only_where_a_row_would_be_left(name, tmp_path):
    header, bad, good, says = BAD[name]
    path = tmp_path / "t.csv"
    for cells, skippable in (([bad] * 9, False), ([bad, bad, good], True), ([good, bad], True)):
        rows = [f"u{row},{1709280930 + row},{cell}" for row, cell in enumerate(cells)]
        path.write_text("\n".join([header, *rows]) + "\n")
        told = refused(path)
        assert says in told
        assert ("--skip-bad" in told) == skippable
