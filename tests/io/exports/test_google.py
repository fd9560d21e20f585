"""What Google exports of a person's locations, in all its generations."""

import gzip
import json

import pytest

from mixsafe.errors import InputError
from mixsafe.io.sources import load, recognize
from tests.support.exports import (
    ANA,
    BEGIN,
    ROWS,
    check,
    fixes_of,
    iso,
    personal,
    shuffled,
    written,
)

PATTERN = r"--files '\{user_id\}/Takeout/Records\.json'"
GUESSES = "begin and end of visits and activities, which are guesses of Google, are read as fixes"


def e7(degrees):
    return round(degrees * 10**7)


def records(fixes, **more):
    return {
        "locations": [
            {"latitudeE7": e7(lat), "longitudeE7": e7(lon), "timestamp": iso(time), **more}
            for time, lat, lon in fixes
        ]
    }


def former_records(fixes):
    located = records(fixes, accuracy=20, activity=[{"timestampMs": "5", "activity": []}])
    for one, (time, *_) in zip(located["locations"], fixes, strict=True):
        del one["timestamp"]
        one["timestampMs"] = str(time * 1000)
    return {"somePointsTruncated": False, **located}


def raw_path(fixes, key, value):
    points = [
        {"latE7": e7(lat), "lngE7": e7(lon), "accuracyMeters": 9, key: value(time)}
        for time, lat, lon in fixes
    ]
    waypoints = {"waypoints": [{"latE7": 1, "lngE7": 2}], "roadSegment": [{"duration": "5s"}]}
    return {"simplifiedRawPath": {"points": points}, "waypointPath": waypoints}


def place(fix):
    return {"latitudeE7": e7(fix[1]), "longitudeE7": e7(fix[2]), "placeId": "x"}


def semantic(fixes):
    """An activity with a path, and visits before and after it."""
    first, *between, last = fixes
    stamps = {"startTimestamp": iso(first[0]), "endTimestamp": iso(last[0])}
    segment = {
        "duration": stamps,
        "startLocation": place(first),
        "endLocation": place(last),
        **raw_path(between, "timestamp", iso),
    }
    visits = [
        {"location": place(fix), "duration": dict.fromkeys(stamps, iso(fix[0]))}
        for fix in (first, last)
    ]
    objects = [{"placeVisit": visits[0]}, {"activitySegment": segment}, {"placeVisit": visits[1]}]
    return {"timelineObjects": objects}


def former_semantic(fixes):
    stamps = {"startTimestampMs": f"{fixes[0][0]}000", "endTimestampMs": f"{fixes[-1][0]}000"}
    path = raw_path(fixes, "timestampMs", lambda time: f"{time}000")
    outer = {"location": place(fixes[0]), "duration": dict.fromkeys(stamps, f"{fixes[0][0]}000")}
    inner = {"location": place(fixes[-1]), "duration": dict.fromkeys(stamps, f"{fixes[-1][0]}000")}
    visit = {**outer, "childVisits": [inner], "otherCandidateLocations": [place(fixes[1])]}
    return {"timelineObjects": [{"activitySegment": {"duration": {}, **path} | {
        "duration": stamps, "startLocation": place(fixes[0]), "endLocation": place(fixes[-1]),
    }}, {"placeVisit": visit}]}  # fmt: skip


def edits(fixes):
    signals = [
        {
            "position": {
                "point": {"latE7": e7(lat), "lngE7": e7(lon)},
                "accuracyMm": 13000,
                "timestamp": iso(time),
            }
        }
        for time, lat, lon in fixes
    ]
    aggregates = {"placeAggregateInfo": [{"point": {"latE7": 1, "lngE7": 2}}]}
    return {
        "timelineEdits": [
            {"deviceId": "0", "placeAggregates": aggregates},
            *({"deviceId": "0", "rawSignal": {"signal": one}} for one in signals),
            {"deviceId": "0", "rawSignal": {"signal": {"wifiScan": {}}}},
        ]
    }


def android(fixes):
    span = {"startTime": iso(fixes[0][0]), "endTime": iso(fixes[-1][0])}
    path = [{"point": f"{lat}°, {lon}°", "time": iso(time)} for time, lat, lon in fixes[:2]]
    signals = [
        {"position": {"LatLng": f"{lat}°, {lon}°", "timestamp": iso(time), "source": "WIFI"}}
        for time, lat, lon in fixes[2:]
    ]
    return {
        "semanticSegments": [span | {"timelinePath": path}, span | {"timelineMemory": {}}],
        "rawSignals": [*signals, {"wifiScan": {}}, {"activityRecord": {}}],
        "userLocationProfile": {"frequentPlaces": [{"placeLocation": "1°, 2°"}]},
    }


def android_visits(fixes):
    texts = [f"{lat}°, {lon}°" for _, lat, lon in fixes]
    span = {"startTime": iso(fixes[0][0]), "endTime": iso(fixes[2][0])}
    activity = {"start": {"latLng": texts[0]}, "end": {"latLng": texts[2]}, "distanceMeters": 5.5}
    candidate = {"placeId": "x", "placeLocation": {"latLng": texts[1]}}
    stay = dict.fromkeys(span, iso(fixes[1][0]))
    return {
        "semanticSegments": [
            span | {"activity": activity},
            stay | {"visit": {"hierarchyLevel": 0, "topCandidate": candidate}},
        ]
    }


def phone(fixes):
    """An iPhone's: a list, texts for numbers, minutes after the begin of a path."""
    begin = fixes[0][0] - 600
    path = [
        {"point": f"geo:{lat},{lon}", "durationMinutesOffsetFromStartTime": f"{(t - begin) // 60}"}
        for t, lat, lon in fixes[:2]
    ]
    _, lat, lon = fixes[2]
    stay = dict.fromkeys(("startTime", "endTime"), iso(fixes[2][0]))
    candidate = {"placeID": "x", "semanticType": "Home", "placeLocation": f"geo:{lat},{lon}"}
    return [
        {"endTime": iso(fixes[2][0]), "startTime": iso(begin), "timelinePath": path},
        stay | {"visit": {"hierarchyLevel": "0", "topCandidate": candidate}},
        stay | {"activity": {"start": f"geo:{lat},{lon}", "end": f"geo:{lat},{lon}"}},
        stay | {"timelineMemory": {"distanceFromOriginKms": "3"}},
    ]


KINDS = {
    "records": records,
    "records before 2022": former_records,
    "a month": semantic,
    "a month before 2022": former_semantic,
    "edits": edits,
    "of Android": android,
    "visits and activities of Android": android_visits,
    "of an iPhone": phone,
}


@pytest.mark.parametrize("name", KINDS)
def test_all_generations_say_who_was_where_when(name, tmp_path):
    """Right: users, fixes, zones, verdict; a file is one person's, and a note says so."""
    paths = personal(tmp_path, "json", KINDS[name])
    assert {recognize(path) for path in paths} == {"google"}
    found = load(paths)
    check(found, tmp_path)
    assert "users are the names of files" in found.notes
    assert any(GUESSES in note for note in found.notes) == (
        name not in ("records", "records before 2022", "edits", "of Android")
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", KINDS)
def test_the_order_of_keys_does_not_matter(name, seed, tmp_path):
    """Nor do line breaks and packing: a file is known by what is in it."""
    for user, fixes in {"ana": ANA, "ben": [(t, la, 26.8 - lo) for t, la, lo in ANA]}.items():
        text = json.dumps(shuffled(KINDS[name](fixes), seed), indent=seed)
        (tmp_path / f"{user}.dat.gz").write_bytes(gzip.compress(text.encode()))
    found = load([tmp_path / "ana.dat.gz", tmp_path / "ben.dat.gz"])
    assert len(fixes_of(found)) == len(ROWS)
    assert found.users.tolist() == ["ana", "ben"]


def test_both_ends_of_visits_and_activities_are_counted_in_a_note(tmp_path):
    """They are no fixes of a device, but places in which Google thinks that somebody was."""
    found = load(written(tmp_path / "ana.json", semantic(ANA)))
    assert f"{GUESSES}: 2 and 1" in found.notes


def test_devices_of_one_account_are_one_person(tmp_path):
    """A note says so, because one of them may lie at home; a tag can be said to be the user."""
    both = records(ANA, deviceTag=-5)
    both["locations"][0]["deviceTag"] = 7
    path = written(tmp_path / "ana.json", both)
    assert "fixes of 2 devices are read as one person's" in load(path).notes
    same = written(tmp_path / "ben.json", records(ANA, deviceTag=-5))
    assert not any("devices" in note for note in load(same).notes)


def test_people_are_told_by_the_folders_of_their_exports(tmp_path):
    """Takeout calls all files the same, so their names say nothing."""
    for user in ("ana", "ben"):
        written(tmp_path / user / "Takeout" / "Records.json", records(ANA))
    with pytest.raises(InputError, match=PATTERN):
        load(tmp_path)
    with pytest.raises(InputError, match=PATTERN):
        load([tmp_path / user / "Takeout" / "Records.json" for user in ("ana", "ben")])
    found = load(tmp_path, files="{user_id}/Takeout/Records.json")
    assert found.users.tolist() == ["ana", "ben"]


def test_times_of_several_offsets_ask_for_a_zone(tmp_path):
    """A year of Android has two of them: whose days are meant must be said."""
    segments = android(ANA)
    segments["semanticSegments"][0]["timelinePath"][1]["time"] = "2024-03-01T10:11:00.000+02:00"
    path = written(tmp_path / "ana.json", segments)
    with pytest.raises(InputError, match="--tz Europe/Berlin"):
        load(path)
    assert load(path, tz="Europe/Berlin").time.tolist() == [time for time, *_ in ANA]


def one(**change):
    return {"locations": [{**records(ANA[:1])["locations"][0], **change}, *records(ANA[1:])[
        "locations"]]}  # fmt: skip


BAD = {
    "no time": (one(timestamp=None), "row 1: the value is missing"),
    "a time that is none": (one(timestamp="yesterday"), "'yesterday' is not a timestamp"),
    "a text for a number": (one(latitudeE7="north"), "'north' is a text, most are numbers"),
    "beyond the pole": (one(latitudeE7=953000000), "latitude 95.3"),
    "more than a number holds": (one(longitudeE7=10**400), "row 1: .*a too large number"),
    "a truth value": (one(longitudeE7=True), "'True' is a truth value"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_record_is_named_and_can_be_skipped(name, tmp_path):
    """Its row, and what is wrong; the others are read."""
    content, says = BAD[name]
    path = written(tmp_path / "ana.json", content)
    with pytest.raises(InputError, match=says) as caught:
        load(path)
    assert "row 1" in str(caught.value)
    assert "--skip-bad" in str(caught.value)
    found = load(path, skip_bad=True, most_bad=1)
    assert found.time.tolist() == [time for time, *_ in ANA[1:]]
    assert [one.count for one in found.premises.skipped] == [1]


REFUSED = {
    "a number of 400 digits": (one(latitudeE7=10**400), "a too large number"),
    "no records": ({"locations": []}, "the file has no fixes"),
    "no segments": ({"semanticSegments": []}, "the file has no fixes"),
    "only profiles": ({"rawSignals": [], "userLocationProfile": {}}, "the file has no fixes"),
    "no list": ({"timelineObjects": 5}, "column 'timelineObjects': this is no list: 5"),
    "no object": ({"rawSignals": [5]}, "column 'rawSignals': entry 1 is no object: 5"),
    "no path": ([{"timelinePath": "x"}], "column 'timelinePath': this is no list: x"),
    "a torn file": ('{"locations": [{"latitudeE7": 5', "line 1: this is not JSON"),
    "a key twice": (
        '{"locations": [{"latitudeE7": 5, "latitudeE7": 6}]}',
        "column 'latitudeE7': an object has this key twice",
    ),
    "a begin that is none": (
        [{"startTime": "noon", "timelinePath": [
            {"point": "geo:1,2", "durationMinutesOffsetFromStartTime": "5"}]}],
        "'noon \\+ 5 minutes' is not a timestamp",
    ),
    "a point that is none": (
        [{"timelinePath": [{"point": "home", "time": iso(BEGIN)}]}],
        "'home' is not a number",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_fixes_is_refused_with_its_place(name, tmp_path):
    """One line that names file and key."""
    content, says = REFUSED[name]
    with pytest.raises(InputError, match=says) as caught:
        load(written(tmp_path / "ana.json", content))
    assert "ana.json" in str(caught.value)
