"""Any source: recognized by its content, or refused in one line that says why."""

import gzip
import io
import json
import tarfile

import pyarrow as pa
import pytest
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.formats import FORMATS
from mixsafe.io.sources import load, recognize
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.question.mix_zones import MixZones
from tests.support.geopackages import layer_of_points
from tests.support.recordings import gpx, kml_track, tcx, vector_file

CONTEST = "user_id,time_id,reg_id\n1,41,7\n2,41,7\n"
TABLE = "user_id,time,lat,lon\na,2008-05-17T10:00:04Z,37.75,-122.39\n"
ZONES = "time_id,zone_id,user_id\n1,0,1\n1,0,2\n"
PROBLEM = {"users": 2, "horizon": 3, "zones": [[1, [0, 1]]]}
CAB = "37.75134 -122.39488 0 1213084687\n"


FIX = {"user_id": "a", "time": 1211025605, "lat": 1.5, "lon": 2.5}
E7 = {"latitudeE7": 15000000, "longitudeE7": 25000000, "timestamp": "2024-03-01T08:15:30Z"}
TRIP = {
    "device_id": "a",
    "start_time": 1211025605,
    "start_location": {"lat": 1.5, "lng": 2.5},
    "end_time": 1211025665,
}
VEHICLE = {
    "vehicle": {"id": "a"},
    "position": {"latitude": 1.5, "longitude": 2.5},
    "timestamp": "1211025605",
}
FEATURES = {
    "type": "FeatureCollection",
    "features": [
        {
            "type": "Feature",
            "properties": {"user_id": "a", "time": 1211025605},
            "geometry": {"type": "Point", "coordinates": [1.0, 2.0]},
        }
    ],
}


def archive(path, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def text(path, content):
    path.write_bytes(content.encode())
    return path


def folder(path):
    path.mkdir()
    text(path / "new_abboip.txt", CAB)
    return path


def columns_file(path, *names):
    parquet.write_table(pa.table({name: [1, 2] for name in names} | {"time_id": [1, 1]}), path)
    return path


def zones_file(path):
    columns = {"time_id": [1, 1], "zone_id": [0, 0], "user_id": ["a", "b"]}
    parquet.write_table(pa.table(columns), path)
    return path


def flatgeobuf(path):
    """One fix."""
    pytest.importorskip("pyogrio", reason="pyogrio is not installed")
    return vector_file(path, [("a", "2024-05-01T00:00:00Z", 1.0, 2.0)], "FlatGeobuf")


SOURCES = {
    "contest": lambda path: text(path, CONTEST),
    "humob": lambda path: text(path, "uid,d,t,x,y\n1,0,16,61,81\n"),
    "contest in another column order": lambda path: text(path, "reg_id,user_id,time_id\n7,1,1\n"),
    "table": lambda path: text(path, TABLE),
    "table with more columns": lambda path: text(path, "user_id,time_id,reg_id,x\n1,1,1,1\n"),
    "table in Parquet": lambda path: columns_file(path, "user_id", "lat", "lng"),
    "contest in Parquet": lambda path: columns_file(path, "user_id", "reg_id"),
    "zones": lambda path: text(path, ZONES),
    "zones in Parquet": zones_file,
    "problem": lambda path: text(path, json.dumps(PROBLEM, indent=1)),
    "problem in lines": lambda path: text(path, f"{json.dumps(PROBLEM)}\n" * 2),
    "problem in a list": lambda path: text(path, json.dumps([PROBLEM])),
    "cabspotting": lambda path: archive(path, {"cabs/new_abboip.txt": CAB}),
    "cabspotting folder": folder,
    "geojson": lambda path: text(path, json.dumps(FEATURES)),
    "records": lambda path: text(path, json.dumps([FIX])),
    "records in lines": lambda path: text(path, f"{json.dumps(FIX)}\n" * 2),
    "google": lambda path: text(path, json.dumps({"locations": [E7]})),
    "owntracks": lambda path: text(
        path, json.dumps([{"_type": "location", "tst": 1211025605} | FIX])
    ),
    "mds": lambda path: text(path, json.dumps({"data": {"trips": [TRIP]}})),
    "gtfs-realtime": lambda path: text(path, json.dumps({"entity": [{"vehicle": VEHICLE}]})),
    "geojson in lines": lambda path: text(path, f"{json.dumps(FEATURES['features'][0])}\n" * 2),
    "geopackage": lambda path: layer_of_points(path, [("a", 1211025605, 1.0, 2.0)]),
    "gpx": lambda path: text(path, gpx({"run": ["2024-05-01T00:00:00Z"]})),
    "kml": lambda path: text(path, kml_track(["2024-05-01T00:00:00Z"])),
    "tcx": lambda path: text(path, tcx(["2024-05-01T00:00:00Z"])),
    "vector": flatgeobuf,
}


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_recognized_by_its_content_whatever_its_name(name, tmp_path):
    path = SOURCES[name](tmp_path / "source.dat")
    found = recognize(path)
    assert found == name.split()[0]
    kinds = {"zones": MixZones, "problem": list}
    assert isinstance(load(path), kinds.get(found, Traces))


def test_every_format_can_be_recognized():
    assert {name.split()[0] for name in SOURCES} == set(FORMATS.names())


def test_a_format_that_is_said_is_not_doubted(tmp_path):
    path = text(tmp_path / "orgtraces.csv", CONTEST)
    assert load(path, format="table").region.tolist() == [7, 7]
    with pytest.raises(InputError, match="zone_id"):
        load(path, format="zones")


def test_columns_of_other_names_make_a_table(tmp_path):
    path = text(tmp_path / "t.csv", "who,when,y,x\n5,1211025605,35,139\n")
    found = load(path, column={"user_id": "who", "time": "when", "lat": "y", "lon": "x"})
    assert (found.users.tolist(), found.time.tolist()) == ([5], [1211025605])
    assert (found.lat.tolist(), found.lon.tolist()) == ([35.0], [139.0])


BAD = {
    "an empty file": (b"", "empty", {}),
    "blanks": (b" \n\n", "only white space", {}),
    "a binary file": (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary", {}),
    "a zip archive": (b"PK\x03\x04rest", "zip", {}),
    "UTF-16": ("user_id,time_id\n".encode("utf-16"), "no column of places", {"line": 1}),
    "unknown columns": (
        b"a,b\n1,2\n",
        "no columns of users",
        {"line": 1, "column": "user_id"},
    ),
    "semicolons": (b"user_id;time_id\n1;1\n", "no column of places", {"line": 1}),
    "a release": (b"pse_id,time_id,reg_id\n2001,41,7\n", "release", {"line": 1}),
    "a release of one column": (b"reg_id\n7\n", "release", {"line": 1}),
    "a repeated header": (b"user_id,reg_id,reg_id\n", "two columns", {"column": "reg_id"}),
    "a damaged Parquet file": (b"PAR1 and no more", "damaged", {}),
    "gzip of no source": (
        gzip.compress(b"a,b\n1,2\n"),
        "no columns of users",
        {"line": 1},
    ),
    "gzip that is cut off": (gzip.compress(b"user_id,time_id,reg_id\n" * 99)[:40], "truncated", {}),
    "gzip of nothing": (gzip.compress(b""), "empty", {}),
    "a header that is not UTF-8": (b"caf\xe9 \xc3\xa9,time_id\n", "UTF-8", {"line": 1}),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_source_is_refused_with_its_place(name, tmp_path):
    content, says, place = BAD[name]
    path = tmp_path / "source.dat"
    path.write_bytes(content)
    with pytest.raises(InputError, match=says) as caught:
        load(path)
    error = caught.value
    assert error.file == str(path)
    assert {key: getattr(error, key) for key in place} == place
    assert "\n" not in str(error)


def test_a_release_is_sent_to_the_audit(tmp_path):
    with pytest.raises(InputError) as caught:
        load(text(tmp_path / "pub.csv", "pse_id,time_id,reg_id\n2001,41,*\n"))
    assert "mixsafe audit" in caught.value.hint


def test_what_would_upset_a_terminal_is_shown_in_escapes(tmp_path):
    path = text(tmp_path / "t.csv", "user_id,time_id,reg_id\n1,1,\x1b[31m\x00\n")
    with pytest.raises(InputError) as caught:
        load(path, format="table")
    assert "binary" in str(caught.value)
    path = text(tmp_path / "t.csv", "user_id,time_id,reg_id\n1,\x1b[31m,1\n")
    with pytest.raises(InputError) as caught:
        load(path, format="table")
    assert r"'\x1b[31m' is not a whole number" in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(InputError, match=r"nowhere\.csv: cannot read: no such file"):
        load(tmp_path / "nowhere.csv")


def test_a_folder_without_traces_is_no_source_and_an_empty_one_is_said_to_be(tmp_path):
    with pytest.raises(InputError, match="the folder is empty"):
        load(tmp_path)
    (tmp_path / "README").touch()
    with pytest.raises(InputError, match=r"neither tables \(.csv, .*\) nor files new_\*.txt"):
        load(tmp_path)


def test_a_first_line_without_end_is_no_header(tmp_path):
    """As far as it is looked at it ends within a name, which may be that of another column."""
    names = ",".join(f"column{number}" for number in range(9000))
    with pytest.raises(InputError, match=r"line 1: the header line does not end within 65,536"):
        load(text(tmp_path / "t.csv", f"{names}\n"))


def test_a_message_shows_some_of_many_columns_and_not_all_of_long_names(tmp_path):
    names = ",".join(["x" * 10_000, *(f"column{number}" for number in range(100))])
    with pytest.raises(InputError, match="and 81 more") as refused:
        load(text(tmp_path / "t.csv", f"{names}\n"))
    assert len(str(refused.value)) < 1000


def test_a_device_is_no_source():
    with pytest.raises(InputError, match="device"):
        load("/dev/null")


@pytest.mark.parametrize(
    ("how", "says"),
    [
        ({"format": "excel"}, "unknown format"),
        ({"tz": "Mars/Olympus"}, "unknown time zone"),
        ({"tz": "UTC"}, "numbered"),
        ({"format": "contest", "column": {"user_id": "x"}}, "column names"),
        ({"column": {"driver": "user_id"}}, "'driver'"),
        ({"column": {"user_id": "driver"}}, "the column does not exist"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(how, says, tmp_path):
    with pytest.raises(InputError, match=says):
        load(text(tmp_path / "t.csv", CONTEST), **how)
