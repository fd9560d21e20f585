"""Recordings of OwnTracks: whose they are is told by topics, tracker ids, or the file."""

import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from tests.support.exports import (
    ANA,
    CROSSING,
    check,
    fixes_of,
    iso,
    personal,
    shuffled,
    written,
)


def location(fix, **more):
    time, lat, lon = fix
    return {"_type": "location", "acc": 10, "lat": lat, "lon": lon, "tst": time, "t": "p", **more}


LWT = {"_type": "lwt", "tst": 1709280000}
TRANSITION = {"_type": "transition", "event": "enter", "tst": 1709280001, "lat": 1.5, "lon": 2.5}


def recorded(fixes, **more):
    """A .rec of the recorder."""
    found = [*(location(fix, **more) for fix in fixes), LWT, TRANSITION]
    kinds = {"location": "*", "lwt": "lwt", "transition": "event"}
    return "".join(
        f"{iso(one['tst'])}\t{kinds[one['_type']]:18}\t{json.dumps(one)}\n" for one in found
    )


PERSONAL = {
    "rec": lambda fixes: recorded(fixes, tid="ab"),
    "rec without tracker ids": recorded,
    "answer of the recorder": lambda fixes: {
        "count": 3,
        "data": [location(fix, tid="ab", isotst=iso(fix[0])) for fix in fixes],
    },
    "list": lambda fixes: [location(fix) for fix in fixes],
    "lines": lambda fixes: "\n".join(json.dumps(location(fix, tid="xy")) for fix in fixes),
}


@pytest.mark.parametrize("name", PERSONAL)
def test_a_recording_is_one_persons(name, tmp_path):
    """Tracker ids are two letters, which two people may share: a file is a person."""
    paths = personal(tmp_path, "rec", PERSONAL[name])
    assert {recognize(path) for path in paths} == {"owntracks"}
    found = load(paths)
    check(found, tmp_path)
    assert "users are the names of files" in found.notes
    left = "messages of OwnTracks left out, because they are no locations: 2"
    assert (left in found.notes) == name.startswith("rec")


def every(**keys):
    return [
        location(fix, **{key: value.format(user) for key, value in keys.items()})
        for user, fixes in CROSSING.items()
        for fix in fixes
    ]


TOLD = {
    "topics": (every(topic="{}", tid="ab"), "topic"),
    "tracker ids": (every(tid="{}"), "tid"),
    "tracker ids in lines": ("\n".join(map(json.dumps, every(tid="{}"))), "tid"),
    "another order of keys": (shuffled({"data": every(topic="{}"), "count": 6}), "topic"),
    "an order of the alphabet": (json.loads(json.dumps(every(tid="{}"), sort_keys=True)), "tid"),
}


@pytest.mark.parametrize("name", TOLD)
def test_users_of_one_file_are_told_apart(name, tmp_path):
    """By topics, else by tracker ids if there are several; a note says which."""
    content, key = TOLD[name]
    path = written(tmp_path / "all.json", content)
    assert recognize(path) == "owntracks"
    found = load(path)
    check(found, tmp_path)
    assert f"users of OwnTracks are told apart by '{key}'" in found.notes


def test_what_the_user_says_of_paths_comes_first(tmp_path):
    """The recorder has a folder per user and device, and files per month."""
    for month, fix in zip(("2024-01", "2024-02", "2024-03"), ANA, strict=True):
        written(tmp_path / "ana" / "phone" / f"{month}.rec", recorded([fix], topic=month))
    found = load(tmp_path, files="{user_id}/phone/*.rec")
    assert fixes_of(found) == [("ana", *fix) for fix in ANA]


def test_a_torn_line_is_named_and_can_be_skipped(tmp_path):
    """The recorder may be writing while its file is copied."""
    path = written(tmp_path / "ana.rec", recorded(ANA) + recorded(ANA)[:60])
    with pytest.raises(InputError, match=r"line 6: this is not JSON: .*--skip-bad"):
        load(path)
    found = load(path, skip_bad=True, most_bad=1)
    assert fixes_of(found) == [("ana", *fix) for fix in ANA]


REFUSED = {
    "encrypted": ({"_type": "encrypted", "data": "x"}, "none of 1 messages is a location"),
    "only states": ([LWT, TRANSITION], "none of 2 messages is a location; decrypt"),
    "no time": ([location(ANA[0]) | {"tst": None}], "the value is missing|no row can be used"),
    "a text for a number": (
        [location(ANA[0]), location(ANA[1]) | {"lat": "north"}],
        "row 2: there are several types: 'north' is a text",
    ),
    "some without a topic": (
        [location(ANA[0], topic="a"), location(ANA[1])],
        "column 'topic': row 2: the value is missing",
    ),
    "no object": ([location(ANA[0]), 5], "entry 2 is no object: 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_locations_is_refused(name, tmp_path):
    """One line with the file, and the row or the way out."""
    content, says = REFUSED[name]
    with pytest.raises(InputError, match=says) as caught:
        load(written(tmp_path / "ana.rec", content))
    assert "ana.rec" in str(caught.value)
