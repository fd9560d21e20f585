"""Records in JSON: lists and lines, with the types that they have."""

import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from tests.support.exports import ANA, BEGIN, ROWS, check, fixes_of, iso, shuffled, written

PLAIN = [dict(zip(("user_id", "time", "lat", "lon"), row, strict=True)) for row in ROWS]


def named(make):
    return [make(*row) for row in ROWS]


def traccar(user, time, lat, lon):
    return {
        "id": 1,
        "deviceId": user,
        "deviceTime": iso(time + 1),
        "fixTime": iso(time).replace("Z", ".000+00:00"),
        "serverTime": iso(time + 2),
        "valid": True,
        "latitude": lat,
        "longitude": lon,
        "attributes": {"motion": False, "batteryLevel": 4.5},
        "network": None,
    }


KINDS = {
    "a list": PLAIN,
    "lines": "\n".join(map(json.dumps, PLAIN)),
    "lines with blank ones": "\r\n\r\n".join(map(json.dumps, PLAIN)) + "\r\n",
    "any order of keys": [shuffled(one, seed) for seed, one in enumerate(PLAIN)],
    "a list in an object": {"count": 6, "next": None, "results": PLAIN},
    "Traccar": named(traccar),
    "objects in objects": named(
        lambda user, time, lat, lon: {
            "user": {"id": user},
            "ts": time,
            "location": {"lat": lat, "lon": lon},
        }
    ),
    "a browser's": named(
        lambda user, time, lat, lon: {
            "userId": user,
            "timestamp": time * 1000,
            "coords": {"accuracy": 5, "latitude": lat, "longitude": lon},
        }
    ),
    "points of GeoJSON": named(
        lambda user, time, lat, lon: {
            "uid": user,
            "time": iso(time),
            "location": {"type": "Point", "coordinates": [lon, lat]},
        }
    ),
    "all texts": [{key: str(one) for key, one in row.items()} for row in PLAIN],
    "missing keys are null": [*PLAIN, {"user_id": "ana", "time": BEGIN}],
}


@pytest.mark.parametrize("name", KINDS)
def test_records_are_rows(name, tmp_path):
    """Right: users, fixes, zones, verdict; keys are columns, also of objects in objects."""
    path = written(tmp_path / "records.json", KINDS[name])
    assert recognize(path) == "records"
    check(load(path), tmp_path)


def test_a_single_line_is_one_record(tmp_path):
    """A log that has just begun."""
    assert fixes_of(load(written(tmp_path / "r.ndjson", PLAIN[0]))) == [ROWS[0]]


def test_own_names_can_be_said(tmp_path):
    """As of tables; keys in objects are called with their dots."""
    rows = [
        {"wer": user, "wann": time, "wo": {"a": lat, "b": lon}} for user, time, lat, lon in ROWS
    ]
    path = written(tmp_path / "r.json", rows)
    with pytest.raises(InputError, match=r"the columns are wer, wann, wo\.a, wo\.b"):
        load(path)
    names = {"user_id": "wer", "time": "wann", "lat": "wo.a", "lon": "wo.b"}
    check(load(path, column=names), tmp_path)


def test_names_have_the_types_of_json(tmp_path):
    """A text keeps its zeros, a number all of its digits."""
    rows = [PLAIN[0] | {"user_id": one} for one in ("0150", "151")]
    assert load(written(tmp_path / "t.json", rows)).users.tolist() == ["0150", "151"]
    large = [2**53 + 1, 2**53 + 2, 2**63 - 1]
    rows = [PLAIN[0] | {"user_id": one} for one in large]
    found = load(written(tmp_path / "n.json", rows)).users.tolist()
    assert found == [str(one) for one in large]


def test_a_folder_of_records_is_one_source(tmp_path):
    """What is no record beside them is named in a note, and a pattern says who is who."""
    for user in ("ana", "ben"):
        rows = [one | {"user_id": None} for one in PLAIN if one["user_id"] == user]
        for one in rows:
            del one["user_id"]
        written(tmp_path / "all" / f"{user}.ndjson", "\n".join(map(json.dumps, rows)))
    check(load(tmp_path / "all", files="{user_id}.ndjson"), tmp_path)


def bad(**change):
    return [*PLAIN[:3], PLAIN[3] | change]


BAD = {
    "a text for a number": (bad(lat="north"), "column 'lat': row 4: .*'north' is a text"),
    "no user": (bad(user_id=None), "column 'user_id': row 4: the value is missing"),
    "a number for a text": (bad(user_id=5), "column 'user_id': row 4: .*'5' is a number"),
    "a truth value": (bad(time=True), "column 'time': row 4: .*'True' is a truth value"),
    "a list": (bad(lon=[1]), r"column 'lon': row 4: .*'\[1\]' is a list"),
    "a large number": (bad(lat=10**400), "column 'lat': row 4: .*a too large number"),
    "no object": ([*PLAIN[:3], 5], "row 4: this is no object with keys: 5"),
    "a torn line": (
        "\n".join([*map(json.dumps, PLAIN[:3]), '{"user_i']),
        "line 4: this is not JSON",
    ),
    "two values in a line": (
        "\n".join([*map(json.dumps, PLAIN[:3]), "{},{}"]),
        "line 4: this is not JSON: extra data",
    ),
    "a key twice in a line": (
        "\n".join([*map(json.dumps, PLAIN[:3]), '{"a": 1, "a": 2}']),
        "line 4, column 'a': an object has this key twice",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_named_and_can_be_skipped(name, tmp_path):
    """It is counted; the others are read."""
    content, says = BAD[name]
    path = written(tmp_path / "r.json", content)
    with pytest.raises(InputError, match=says) as caught:
        load(path)
    assert "--skip-bad" in str(caught.value)
    found = load(path, skip_bad=True, most_bad=1)
    assert fixes_of(found) == [("ana", *fix) for fix in ANA]
    assert [(one.reason, one.count) for one in found.premises.skipped] == [("bad row", 1)]


def test_what_is_no_number_is_no_position(tmp_path):
    """Python and others write NaN and Infinity."""
    path = written(tmp_path / "r.json", [*PLAIN, PLAIN[0] | {"lat": float("nan")}])
    found = load(path)
    assert [(one.reason, one.count) for one in found.premises.skipped] == [("no position", 1)]


REFUSED = {
    "a key twice": ('[{"lat": 1, "lat": 2}]', "column 'lat': an object has this key twice"),
    "a key twice by its dot": ('[{"a.b": 1, "a": {"b": 2}}]', "column 'a.b'.* key twice"),
    "large numbers": (
        [PLAIN[0] | {"user_id": 2**64}],
        "numbers of more than 64 bits; write them as texts",
    ),
    "fractions": ([PLAIN[0] | {"user_id": 1.5}], "not names or whole numbers"),
    "truth values": ([PLAIN[0] | {"user_id": True}], "not names or whole numbers"),
    "half a character": ('[{"user_id": "\\ud800", "time": 1}]', "half a character"),
    "two places": (
        [{"user_id": "a", "time": BEGIN, "from": {"lat": 1, "lon": 2}, "to": {"lat": 1, "lon": 2}}],
        "columns from.lat and to.lat both contain lat",
    ),
    "torn": (json.dumps(PLAIN)[:-9], "not JSON"),
    "no keys": ("[{}]", "users|no fixes"),
    "no times": ([{"user_id": "a", "lat": 1, "lon": 2}], "no column of times found"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_table_is_refused(name, tmp_path):
    """One line with the file, and the key at fault."""
    content, says = REFUSED[name]
    with pytest.raises(InputError, match=says) as caught:
        load(written(tmp_path / "r.json", content))
    assert "r.json" in str(caught.value)


PROBLEM = {"users": 2, "horizon": 3, "zones": [[1, [0, 1]]]}


@pytest.mark.parametrize("content", [PROBLEM, [PROBLEM], shuffled(PROBLEM), {"horizon": 3}])
def test_a_problem_is_no_record(content, tmp_path):
    """Also one that lacks a key: it is told which."""
    assert recognize(written(tmp_path / "p.json", content)) == "problem"
