"""Vehicle positions of GTFS Realtime, as Protocol Buffers write them in JSON."""

import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from tests.support.exports import ANA, BEGIN, CROSSING, check, fixes_of, shuffled, written


def entity(user, fix, **more):
    time, lat, lon = fix
    return {
        "id": f"{user}-{time}",
        "vehicle": {
            "trip": {"trip_id": "t"},
            "position": {"latitude": lat, "longitude": lon, "bearing": 90},
            "timestamp": str(time),
            "vehicle": {"id": user, "label": "17"},
        },
        **more,
    }


def feed(entities, time=BEGIN, version="gtfs_realtime_version"):
    return {"header": {version: "2.0", "timestamp": str(time)}, "entity": entities}


SNAPSHOTS = [
    feed([entity(user, fixes[step]) for user, fixes in CROSSING.items()]) for step in range(3)
]
EVERY = [one for snapshot in SNAPSHOTS for one in snapshot["entity"]]


def with_numbers(value):
    """Times as numbers, as other converters write them."""
    text = json.dumps(value)
    return json.loads(text, object_pairs_hook=lambda pairs: {
        key: int(one) if key == "timestamp" else one for key, one in pairs
    })  # fmt: skip


KINDS = {
    "one snapshot": feed(EVERY),
    "camel case": feed(EVERY, version="gtfsRealtimeVersion"),
    "a list of snapshots": SNAPSHOTS,
    "a snapshot per line": "\n".join(map(json.dumps, SNAPSHOTS)),
    "numbers": with_numbers(feed(EVERY)),
    "header last": dict(reversed(feed(EVERY).items())),
    "any order": shuffled(feed(EVERY), 5),
    "other entities first": feed(
        [{"id": "a", "alert": {}}, {"id": "t", "trip_update": {}}, *EVERY]
    ),
}


@pytest.mark.parametrize("name", KINDS)
def test_vehicles_are_where_the_feed_says(name, tmp_path):
    """Right: users, fixes, zones, verdict."""
    path = written(tmp_path / "vehicle_positions.json", KINDS[name])
    assert recognize(path) == "gtfs-realtime"
    found = load(path)
    check(found, tmp_path)
    left = "entities of GTFS Realtime left out (trip updates, alerts, deleted vehicles): 2"
    assert (left in found.notes) == (name == "other entities first")


def test_snapshots_in_files_are_one_source(tmp_path):
    """Also as a folder; a vehicle that did not move says the same fix again."""
    for number, snapshot in enumerate([*SNAPSHOTS, SNAPSHOTS[-1]]):
        written(tmp_path / "feeds" / f"{number}.json", snapshot)
    check(load(tmp_path / "feeds"), tmp_path)
    check(load(sorted((tmp_path / "feeds").iterdir())), tmp_path)


def test_a_vehicle_without_a_time_has_that_of_the_feed(tmp_path):
    """A note counts them."""
    bare = [feed([entity(user, fixes[step]) for user, fixes in CROSSING.items()], ANA[step][0])
            for step in range(3)]  # fmt: skip
    for snapshot in bare:
        for one in snapshot["entity"]:
            del one["vehicle"]["timestamp"]
    found = load(written(tmp_path / "feeds.json", bare))
    check(found, tmp_path)
    assert "vehicles without a time of their own get that of the feed: 6" in found.notes


def changed(**vehicle):
    bad = entity("cy", ANA[0])
    bad["vehicle"] |= vehicle
    return feed([entity("ana", ANA[0]), entity("ana", ANA[1]), bad])


BAD = {
    "no identifier": (changed(vehicle={"label": "17"}), "row 3: the value is missing"),
    "a time that is none": (changed(timestamp="soon"), "row 3: 'soon' is not a timestamp"),
    "a place that is none": (
        changed(position={"latitude": "north", "longitude": 13}),
        "row 3: there are several types: 'north' is a text",
    ),
    "no object": (changed(vehicle=5), "row 3: the value is missing"),
    "out of range": (changed(position={"latitude": 95.3, "longitude": 3}), "latitude 95.3"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_vehicle_is_named_and_can_be_skipped(name, tmp_path):
    """The other vehicles are read."""
    content, says = BAD[name]
    path = written(tmp_path / "feed.json", content)
    with pytest.raises(InputError, match=says) as caught:
        load(path)
    assert "--skip-bad" in str(caught.value)
    found = load(path, skip_bad=True, most_bad=1)
    assert fixes_of(found) == [("ana", *fix) for fix in ANA[:2]]


def test_deleted_vehicles_are_left_out_and_those_without_a_position_are_counted(tmp_path):
    """As rows of tables."""
    lost = entity("ben", ANA[0])
    del lost["vehicle"]["position"]
    gone = entity("cy", ANA[0], is_deleted=True)
    found = load(written(tmp_path / "f.json", feed([entity("ana", ANA[0]), lost, gone])))
    assert found.users.tolist() == ["ana", "ben"]
    assert [(one.reason, one.count) for one in found.premises.skipped] == [("no position", 1)]


REFUSED = {
    "empty": (feed([]), "none of 0 entities is a vehicle"),
    "trip updates": (feed([{"id": "t", "trip_update": {}}]), "give the feed of vehicle positions"),
    "no list": (feed(5), "column 'entity': this is no list: 5"),
    "torn": (json.dumps(feed(EVERY))[:-9], "not JSON"),
    "a torn line": ("\n".join([json.dumps(SNAPSHOTS[0]), '{"header']), "line 2: this is not JSON"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_vehicles_is_refused(name, tmp_path):
    """One line with the file and the way out."""
    content, says = REFUSED[name]
    with pytest.raises(InputError, match=says) as caught:
        load(written(tmp_path / "feed.json", content))
    assert "feed.json" in str(caught.value)
