"""Whatever happened to a file: it is read, or refused with an InputError, and nothing else."""

import gzip
import io
import json
import tarfile

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from mixsafe.errors import InputError
from mixsafe.io.problems.side_tables import read_requirements, read_sightings, read_user_list
from mixsafe.io.sources import load
from mixsafe.model.mobility.time_axis import TimeAxis


def archive():
    buffer, text = io.BytesIO(), b"37.75 -122.4 0 1211018464\n37.76 -122.4 1 1211018404\n"
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        member = tarfile.TarInfo("new_cab.txt")
        member.size = len(text)
        tar.addfile(member, io.BytesIO(text))
    return buffer.getvalue()


def columns(**values):
    buffer = io.BytesIO()
    parquet.write_table(pa.table(values), buffer)
    return buffer.getvalue()


PROBLEM = {
    "users": ["a", "b", "c"],
    "horizon": 4,
    "zones": [[1, ["a", "b"]], [2, ["b", "c"]]],
    "knowledge": [["a", 0], ["a", 4]],
    "requirements": [["a", 2, 2]],
}
SEGMENT = {
    "startTime": "2024-03-01T08:00:00+01:00",
    "endTime": "2024-03-01T08:00:00+01:00",
    "timelinePath": [{"point": "geo:1.5,2.5", "durationMinutesOffsetFromStartTime": "5"}],
    "visit": {"topCandidate": {"placeLocation": {"latLng": "1.5°, 2.5°"}}},
}
VISIT = {
    "location": {"latitudeE7": 15000000, "longitudeE7": 25000000},
    "duration": {"startTimestampMs": "1709280600000", "endTimestampMs": "1709280900000"},
}
POINT = {"geometry": {"coordinates": [2.5, 1.5]}, "properties": {"timestamp": 1709280600000}}
TRIP = {"device_id": "a", "provider_id": "p", "route": {"features": [POINT]}}
MESSAGE = '{"_type":"location","lat":1.5,"lon":2.5,"tst":1709280600}'
BUS = {"vehicle": {"id": "a"}, "position": {"latitude": 1.5, "longitude": 2.5}}
FILES = {
    "contest": b"user_id,time_id,reg_id\n1,41,7\n2,41,7\n1,42,7\n",
    "table": b"user_id,time,lat,lon\na,2008-05-17T10:00:04Z,37.75,-122.39\nb,5,1,2\n",
    "points": b"user_id,tracked_at,geometry\na,5,POINT (-122.39 37.75)\nb,6,POINT (1 2)\n",
    "zones": b"time_id,zone_id,user_id\n1,0,1\n1,0,2\n2,0,1\n2,0,2\n",
    "problem": json.dumps(PROBLEM).encode(),
    "lines": f"{json.dumps(PROBLEM)}\n{json.dumps(PROBLEM)}\n".encode(),
    "records": b'[{"user_id":"a","time":1709280600,"at":{"lat":1.5,"lon":2.5}},{"lat":1}]',
    "google": json.dumps([SEGMENT]).encode(),
    "months": json.dumps({"timelineObjects": [{"placeVisit": VISIT}]}).encode(),
    "owntracks": b"2024-03-01T08:15:30Z\t*   \t%s\n" % MESSAGE.encode() * 2,
    "mds": json.dumps({"data": {"trips": [TRIP]}}).encode(),
    "gtfs-realtime": json.dumps(
        {"header": {"timestamp": "5"}, "entity": [{"vehicle": BUS}]}
    ).encode(),
    "parquet": columns(user_id=["a", "b"], time=[1, 2], lat=[1.0, 2.0], lon=[1.0, 2.0]),
    "cabspotting": archive(),
}

places = st.integers(0, 2**16)
cuts = st.tuples(places, st.integers(0, 30), st.binary(max_size=6))
edits = st.lists(cuts, min_size=1, max_size=3)


def damaged(content, edits):
    """The content with some stretches replaced."""
    for place, length, other in edits:
        begin = place % (len(content) + 1)
        content = content[:begin] + other + content[begin + length :]
    return content


def read_or_refused(read, path):
    error = None
    try:
        read(path)
    except InputError as refusal:
        error = refusal
    assert error is None or (error.file is not None and "\n" not in str(error))


@pytest.mark.parametrize("name", FILES)
@given(edits=edits)
def test_a_damaged_source_is_read_or_refused(tmp_path_factory, name, edits):
    path = tmp_path_factory.getbasetemp() / f"damaged-{name}"
    content = damaged(FILES[name], edits)
    # An archive is damaged inside: its check sum would tell everything else.
    path.write_bytes(gzip.compress(content, 1) if name == "cabspotting" else content)
    read_or_refused(load, path)


@given(content=st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    read_or_refused(load, path)
    read_or_refused(read_user_list, path)


@given(edits=edits)
def test_damaged_sightings_and_requirements_are_read_or_refused(tmp_path_factory, edits):
    path = tmp_path_factory.getbasetemp() / "references"
    users, axis = np.array([1, 2]), TimeAxis(9, 41)
    path.write_bytes(damaged(b"user_id,time_id,k\n1,41,2\n2,49,1\n", edits))
    read_or_refused(lambda file: read_sightings(file, users, axis), path)
    read_or_refused(lambda file: read_requirements(file, users, axis), path)
