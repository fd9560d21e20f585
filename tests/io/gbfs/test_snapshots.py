"""Snapshots of GBFS in all their forms give the tracklets that they show."""

import gzip
import json
import math
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.io.gbfs.parsing import Parser, Place
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Feed
from tests.support.feeds import (
    START,
    bike,
    free_bike_status,
    vehicle_status,
    write_folder,
    write_lines,
)

RIDE = (
    (bike("a", current_fuel_percent=0.8, last_reported=START - 5), bike("x", 52.6)),
    (bike("a", 52.50001, current_fuel_percent=0.7, is_reserved=True), bike("x", 52.6)),
    (bike("x", 52.6, is_disabled=True),),
    (bike("x", 52.6), bike("b", 52.51, current_fuel_percent=0.6)),
)
"""Vehicle a is ridden away between 60 and 120 s and returns as b between 120 and 180 s."""


def check_ride(feed: Feed) -> None:
    """The tracklets are those of ``RIDE``."""
    tracklets = feed.tracklets
    assert tracklets.ids.tolist() == ["a", "x", "b"]
    assert (tracklets.ends.earliest - START).tolist() == [60, 180, 180]
    assert (tracklets.ends.latest - START).tolist()[0] == 120
    assert (tracklets.begins.earliest - START).tolist()[2] == 120
    assert (tracklets.begins.latest - START).tolist() == [0, 0, 180]
    assert tracklets.begins.cut.tolist() == [True, True, False]
    assert tracklets.ends.cut.tolist() == [False, True, True]
    assert tracklets.horizon == (START, START + 180)
    # ends have the last record, beginnings the first one
    assert tracklets.ends.lat[0] == pytest.approx(52.50001)
    assert tracklets.ends.fields["battery"][0] == 0.7
    assert tracklets.begins.fields["battery"][[0, 2]].tolist() == [0.8, 0.6]
    assert tracklets.begins.fields["last_reported"][0] == START - 5
    assert feed.snapshots == 4


@pytest.mark.parametrize("form", [free_bike_status, vehicle_status])
def test_a_ride_in_both_forms(tmp_path, form):
    snapshots = [form(60 * step, *vehicles) for step, vehicles in enumerate(RIDE)]
    check_ride(read_feed(write_folder(tmp_path / "folder", *snapshots)))
    check_ride(read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots)))


def test_archives_and_packed_lines(tmp_path):
    snapshots = [free_bike_status(60 * step, *vehicles) for step, vehicles in enumerate(RIDE)]
    folder = write_folder(tmp_path / "folder", *snapshots)
    with tarfile.open(tmp_path / "feed.tar.gz", "w:gz") as archive:
        archive.add(folder, "folder")
    with zipfile.ZipFile(tmp_path / "feed.zip", "w") as archive:
        for one in folder.iterdir():
            archive.write(one, one.name)
    lines = write_lines(tmp_path / "feed.jsonl", *snapshots)
    packed = tmp_path / "packed.jsonl.gz"
    packed.write_bytes(gzip.compress(lines.read_bytes()))
    for path in (tmp_path / "feed.tar.gz", tmp_path / "feed.zip", packed):
        check_ride(read_feed(path))


def test_other_files_of_a_feed_are_skipped_by_content(tmp_path):
    others = (
        {"last_updated": START, "data": {"en": {"feeds": [{"name": "bikes", "url": "u"}]}}},
        {"last_updated": START, "data": {"system_id": "s", "timezone": "Europe/Berlin"}},
        {"last_updated": START + 9, "data": {"system_id": "s", "timezone": "Europe/Berlin"}},
        {"last_updated": START, "data": {"vehicle_types": [{"vehicle_type_id": "1"}]}},
        {"type": "FeatureCollection", "features": []},
    )
    snapshots = [free_bike_status(60 * step, *vehicles) for step, vehicles in enumerate(RIDE)]
    folder = write_folder(tmp_path / "folder", *others, *snapshots)
    (folder / "README.txt").write_text("collected by hand")
    check_ride(read_feed(folder))


def test_the_same_snapshot_twice_is_one(tmp_path):
    snapshots = [free_bike_status(60 * step, *vehicles) for step, vehicles in enumerate(RIDE)]
    check_ride(read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots[:2], *snapshots[1:])))


def test_an_identifier_missing_in_a_poll_is_one_tracklet(tmp_path):
    there, elsewhere = bike("a"), bike("x", 52.6)
    feed = read_feed(
        write_lines(
            tmp_path / "feed.jsonl",
            free_bike_status(0, there, elsewhere),
            free_bike_status(60, elsewhere),
            free_bike_status(120, there, elsewhere),
            free_bike_status(180, elsewhere),
            free_bike_status(240, elsewhere),
        )
    )
    assert feed.tracklets.ids.tolist() == ["a", "x"]
    assert feed.tracklets.ends.earliest[0] == START + 120
    assert [one.kind for one in feed.findings] == ["reused"]
    assert feed.findings[0].count == 1


def test_missed_polls_widen_the_intervals(tmp_path):
    snapshots = [free_bike_status(60 * step, *vehicles) for step, vehicles in enumerate(RIDE)]
    path = write_lines(tmp_path / "feed.jsonl", *snapshots, free_bike_status(240, bike("b", 52.51)))
    tracklets = read_feed(path, missed_polls=1).tracklets
    assert tracklets.ends.latest[0] == START + 180
    assert tracklets.begins.earliest[2] == START + 60


def test_vehicles_at_stations_have_the_place_of_the_station_if_it_is_known(tmp_path):
    docked = {"bike_id": "a", "station_id": "s"}
    snapshots = free_bike_status(0, docked, bike("x")), free_bike_status(60, bike("x"))
    unknown = read_feed(write_folder(tmp_path / "unknown", *snapshots))
    assert math.isnan(unknown.tracklets.ends.lat[0])
    assert "without a position" in unknown.notes[0]
    stations = {"data": {"stations": [{"station_id": "s", "lat": 52.0, "lon": 13.0}]}}
    known = read_feed(
        write_folder(tmp_path / "known", {"last_updated": START} | stations, *snapshots)
    )
    assert known.tracklets.ends.lat[0] == 52.0
    assert known.notes == ()


def test_truth_is_a_key_of_each_vehicle(tmp_path):
    feed = read_feed(
        write_lines(
            tmp_path / "feed.jsonl",
            free_bike_status(0, bike("b", plate=7), bike("a", plate="9")),
            free_bike_status(60, bike("c", plate="9")),
        ),
        truth="plate",
    )
    assert feed.tracklets.ids.tolist() == ["a", "b", "c"]
    assert feed.vehicles == ("7", "9")
    assert feed.tracklets.truth is not None
    assert feed.tracklets.truth.tolist() == [1, 0, 1]


def test_a_percentage_is_a_share(tmp_path):
    path = write_lines(
        tmp_path / "feed.jsonl",
        free_bike_status(0, bike("a", current_fuel_percent=80)),
        free_bike_status(60, bike("b", current_fuel_percent=1)),
    )
    feed = read_feed(path)
    assert feed.tracklets.begins.fields["battery"].tolist() == [0.8, 0.01]
    assert "percent" in feed.notes[0]


def findings(tmp_path: Path, *snapshots: dict) -> dict[str, tuple[int, int]]:
    """Kinds of findings, and their numbers."""
    found = read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots)).findings
    for one in found:
        assert f"{one.count:,} of {one.of:,} identifiers" in one.sentence
        assert one.sentence.endswith(".")
    return {one.kind: (one.count, one.of) for one in found}


def test_identifiers_that_do_not_change_are_found(tmp_path):
    assert findings(
        tmp_path,
        free_bike_status(0, bike("a"), bike("x")),
        free_bike_status(60, bike("x")),
        free_bike_status(120, bike("a", 52.51), bike("x")),
    ) == {"kept": (1, 2)}


def test_identifiers_that_always_change_are_found(tmp_path):
    snapshots = [
        free_bike_status(60 * step, bike(f"a{step}"), bike(f"b{step}", 52.6)) for step in range(5)
    ]
    assert findings(tmp_path, *snapshots) == {"each poll": (8, 8)}


def test_tokens_of_uris_that_survive_are_found(tmp_path):
    def with_uri(name: str, token: str, lat: float) -> dict:
        return bike(name, lat, rental_uris={"ios": f"https://app.example/{name}?sn={token}"})

    snapshots = (
        free_bike_status(0, with_uri("aaa", "SN4711", 52.5), with_uri("xxx", "SN0815", 52.6)),
        free_bike_status(60, with_uri("xxx", "SN0815", 52.6)),
        free_bike_status(120, with_uri("bbb", "SN4711", 52.51), with_uri("xxx", "SN0815", 52.6)),
    )
    assert findings(tmp_path, *snapshots) == {"token": (2, 3)}
    uri = read_feed(tmp_path / "feed.jsonl").tracklets.begins.fields["uri"]
    assert uri[0] == uri[2] != uri[1]


def test_uris_with_the_identifier_only_are_no_finding(tmp_path):
    def with_uri(name: str, lat: float) -> dict:
        return bike(name, lat, rental_uris={"ios": f"https://app.example/{name}"})

    assert (
        findings(
            tmp_path,
            free_bike_status(0, with_uri("aaa", 52.5), with_uri("xxx", 52.6)),
            free_bike_status(60, with_uri("bbb", 52.51), with_uri("xxx", 52.6)),
        )
        == {}
    )


def test_time_stamps_that_survive_are_found(tmp_path):
    other = bike("x", 52.6, last_reported=START)
    assert findings(
        tmp_path,
        free_bike_status(0, bike("a", last_reported=START - 77), other),
        free_bike_status(60, other),
        free_bike_status(120, bike("b", 52.51, last_reported=START - 77), other),
    ) == {"time stamp": (1, 1)}


def test_time_stamps_that_survive_several_rides_are_found(tmp_path):
    snapshots = [
        free_bike_status(120 * step, bike(f"a{step}", 52.5 + step / 100, last_reported=START - 77))
        for step in range(4)
    ]
    assert findings(tmp_path, *snapshots) == {"time stamp": (3, 3)}


def test_a_time_stamp_of_all_vehicles_is_no_finding(tmp_path):
    def checked(name: str, lat: float) -> dict:
        return bike(name, lat, last_reported=START - 77)

    assert (
        findings(
            tmp_path,
            free_bike_status(0, checked("a", 52.5), checked("x", 52.6)),
            free_bike_status(60, checked("x", 52.6)),
            free_bike_status(120, checked("b", 52.51), checked("x", 52.6)),
        )
        == {}
    )


def test_a_report_after_the_ride_is_no_finding(tmp_path):
    other = bike("x", 52.6, last_reported=START)
    assert (
        findings(
            tmp_path,
            free_bike_status(0, bike("a", last_reported=START - 77), other),
            free_bike_status(60, other),
            free_bike_status(120, bike("b", 52.51, last_reported=START + 100), other),
        )
        == {}
    )


def test_further_keys_are_compared_on_request(tmp_path):
    path = write_lines(
        tmp_path / "feed.jsonl",
        free_bike_status(0, bike("a", colour="red"), bike("b", 52.6)),
        free_bike_status(60, bike("c", colour="red")),
    )
    colour = read_feed(path, also=("colour",)).tracklets.begins.fields["colour"]
    np.testing.assert_array_equal(colour, [0, np.nan, 0])


def test_lines_longer_than_a_block_are_read(tmp_path):
    many = [bike(f"{number:05}", 52.5 + number / 1e6) for number in range(12_000)]
    path = write_lines(
        tmp_path / "feed.jsonl", free_bike_status(0, *many), free_bike_status(60, *many[1:])
    )
    assert path.stat().st_size > 1 << 20
    assert int(np.count_nonzero(~read_feed(path).tracklets.ends.cut)) == 1


def test_json_is_read_as_written(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    for step, vehicles in enumerate(RIDE):
        text = json.dumps(free_bike_status(60 * step, *vehicles), indent=2)
        (folder / f"{step}.json").write_text(text)
    check_ride(read_feed(folder))


FORMS = st.sampled_from(["plain", "late key", "nested", "indent", "twice named"])


@given(
    forms=st.lists(FORMS, min_size=3, max_size=6),
    lats=st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=4), min_size=6, max_size=6),
)
def test_parsing_in_parts_is_parsing(forms, lats):
    """Whatever the text, and whatever was there before, the parser gives what it says."""
    parser = Parser()
    for form, places in zip(forms, lats, strict=False):
        bikes = [bike(f'{{"bike_id" {number}', lat) for number, lat in enumerate(places)]
        if form == "late key":
            bikes[-1] = dict(reversed(bikes[-1].items()))
        if form == "nested":
            bikes[0]["others"] = [{"bike_id": "n"}, {"bike_id": "m"}]
        said = free_bike_status(0, *bikes)
        if form == "twice named":
            said["data"] = {"bikes": [], "old": {"bikes": bikes}}
        text = json.dumps(said, indent=2 if form == "indent" else None).encode()
        assert parser.document(text, Place("a file")) == said
