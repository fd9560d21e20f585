"""Trips and telemetry of MDS, 1.x and 2.x."""

import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from tests.support.exports import ANA, BEN, CROSSING, check, fixes_of, shuffled, written


def route(fixes):
    features = [
        {
            "type": "Feature",
            "properties": {"timestamp": time * 1000},
            "geometry": {"type": "Point", "coordinates": [lon, lat]},
        }
        for time, lat, lon in fixes
    ]
    return {"type": "FeatureCollection", "features": features}


def trip(user, fixes, **more):
    return {
        "provider_id": "p",
        "device_id": user,
        "trip_id": f"{user}-1",
        "start_time": fixes[0][0] * 1000,
        "end_time": fixes[-1][0] * 1000,
        **more,
    }


def gps(fix):
    return {"lat": fix[1], "lng": fix[2], "speed": 3.5, "heading": 5}


def ends(user, fixes):
    """A trip of MDS 2, without a route."""
    return trip(user, fixes, start_location=gps(fixes[0]), end_location=gps(fixes[-1]))


ROUTES = [trip(user, fixes, route=route(fixes)) for user, fixes in CROSSING.items()]
SHORT = [ends(user, pair) for user, fixes in CROSSING.items() for pair in (fixes[:2], fixes[1:])]


def telemetry(key):
    return [
        {"provider_id": "p", "device_id": user, "timestamp": fix[0] * 1000, key: gps(fix)}
        for user, fixes in CROSSING.items()
        for fix in fixes
    ]


KINDS = {
    "trips of 1.x": {"version": "1.2.0", "data": {"trips": ROUTES}},
    "the route first": {"data": {"trips": [dict(reversed(one.items())) for one in ROUTES]}},
    "any order": shuffled({"version": "1.2.0", "data": {"trips": ROUTES}}, 3),
    "trips of 2.x": {"version": "2.0.0", "trips": SHORT},
    "telemetry of 2.x": {"version": "2.0.0", "telemetry": telemetry("location")},
    "telemetry of an agency": {"telemetry": telemetry("gps")},
    "pages": [{"version": "1.2.0", "data": {"trips": [one]}} for one in ROUTES],
    "pages in lines": "\n".join(json.dumps({"data": {"trips": [one]}}) for one in ROUTES),
}


@pytest.mark.parametrize("name", KINDS)
def test_devices_are_where_the_provider_says(name, tmp_path):
    """Right: users, fixes, zones, verdict."""
    path = written(tmp_path / "mds.json", KINDS[name])
    assert recognize(path) == "mds"
    found = load(path)
    check(found, tmp_path)
    note = "trips of MDS without a route, of which begin and end are read: 4"
    assert (note in found.notes) == (name == "trips of 2.x")
    assert "times are read as Unix milliseconds" in found.notes


def test_a_trip_may_be_the_user(tmp_path):
    """Riders are not named: a device is many people's, and a trip is one person's."""
    path = written(tmp_path / "mds.json", KINDS["trips of 1.x"])
    assert load(path, column={"user_id": "trip_id"}).users.tolist() == ["ana-1", "ben-1"]


def test_a_long_route_before_all_else_is_recognized(tmp_path):
    """Keys that name the provider may come after the first bytes."""
    long = {"route": route(ANA * 400), **trip("ana", ANA)}
    path = written(tmp_path / "mds.json", {"data": {"trips": [long]}})
    assert recognize(path) == "mds"
    assert fixes_of(load(path)) == [("ana", *fix) for fix in ANA]


def with_point(**feature):
    found = route(ANA)
    found["features"][0] |= feature
    return {"data": {"trips": [trip("ana", ANA, route=found)]}}


BAD = {
    "no time": (with_point(properties={}), "row 1: the value is missing"),
    "a line": (
        with_point(geometry={"type": "LineString", "coordinates": [[1, 2], [3, 4]]}),
        "row 1: there are several types: '\\[1, 2\\]' is a list",
    ),
    "a text": (
        with_point(geometry={"type": "Point", "coordinates": "x"}),
        "row 1: there are several types: 'x' is a text",
    ),
    "seconds": (with_point(properties={"timestamp": ANA[0][0]}), "write all times in one unit"),
    "far north": (
        with_point(geometry={"type": "Point", "coordinates": [13, 95.3]}),
        "row 1: latitude 95.3",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_position_is_named_and_can_be_skipped(name, tmp_path):
    """The others are read."""
    content, says = BAD[name]
    path = written(tmp_path / "mds.json", content)
    with pytest.raises(InputError, match=says):
        load(path)
    found = load(path, skip_bad=True, most_bad=1)
    assert fixes_of(found) == [("ana", *fix) for fix in ANA[1:]]


def test_a_trip_without_places_has_no_position(tmp_path):
    """It is counted, as rows of tables are."""
    content = {"data": {"trips": [trip("ana", ANA), trip("ben", BEN, route=route(BEN))]}}
    found = load(written(tmp_path / "mds.json", content))
    assert found.users.tolist() == ["ana", "ben"]
    assert [(one.reason, one.count) for one in found.premises.skipped] == [("no position", 2)]


REFUSED = {
    "no trips": ({"version": "1.2.0", "data": {"trips": []}}, "without trips and telemetry"),
    "states": (
        {"data": {"status_changes": [{"provider_id": "p"}]}},
        "without trips and telemetry; give one of /trips or of /telemetry",
    ),
    "no list": ({"data": {"trips": {"route": 5}}}, "column 'trips': this is no list"),
    "no route": (
        {"data": {"trips": [trip("ana", ANA, route={"features": 5})]}},
        "column 'features': this is no list: 5",
    ),
    "torn": ('{"data": {"trips": [{"provider_id": "p"', "not JSON"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_neither_trips_nor_telemetry_is_refused(name, tmp_path):
    """One line with the file, and the key or the way out."""
    content, says = REFUSED[name]
    with pytest.raises(InputError, match=says) as caught:
        load(written(tmp_path / "mds.json", content))
    assert "mds.json" in str(caught.value)
