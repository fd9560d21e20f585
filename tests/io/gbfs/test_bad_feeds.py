"""Feeds that cannot be used are refused in one line that names the place and the way out."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from tests.support.feeds import (
    START,
    bike,
    free_bike_status,
    vehicle_status,
    write_folder,
    write_lines,
)

GOOD = free_bike_status(0, bike("a"), bike("x", 52.6))


def refused(path: Path, *parts: str, **how: Any) -> None:
    """The feed is refused, and the message has these parts, in order."""
    with pytest.raises(InputError) as caught:
        read_feed(path, **how)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith(str(path))
    assert re.search(".*".join(map(re.escape, parts)), message), message


@pytest.mark.parametrize(
    ("second", "parts"),
    [
        (
            free_bike_status(60, bike("a"), bike("b"), bike("a")),
            ("line 2, column 'bike_id': identifier 'a' occurs twice",),
        ),
        (free_bike_status(-60, bike("a")), ("line 2", "60 s older", "sort")),
        (free_bike_status(0, bike("b")), ("line 2", "another snapshot than that of line 1")),
        (free_bike_status(60, {"lat": 1, "lon": 2}), ("line 2", "vehicle 1 has no identifier")),
        (free_bike_status(60, {"bike_id": "b"}), ("'b' has neither a position nor a station",)),
        (free_bike_status(60, bike("b", 152.5)), ("column 'lat'", "-90 to 90", "swapped")),
        (free_bike_status(60, bike("b", 13.4, 52.5)), ("'b' is at 13.4, 52.5", "swapped")),
        (free_bike_status(60, bike("b", 52.5, 213)), ("column 'lon'", "-180 to 180")),
        (free_bike_status(60, bike("b", lat="north")), ("'b': north is not a number",)),
        (
            free_bike_status(60, bike("b", current_fuel_percent=120)),
            ("'b': 120 is not from 0 to 100", "leave the field battery out", "--skip-bad"),
        ),
        (
            free_bike_status(60, bike("b", current_range_meters=-2)),
            ("'b': -2 is not from 0 to", "leave the field range out", "--skip-bad"),
        ),
        (
            free_bike_status(60, bike("b")) | {"last_updated": 45_000},
            ("line 2, column 'last_updated'", "days since"),
        ),
        (free_bike_status(60, bike("b")) | {"last_updated": None}, ("the time is missing",)),
        (free_bike_status(60, bike("b")) | {"last_updated": "noon"}, ("'noon' is not a time",)),
    ],
)
def test_a_wrong_second_line(tmp_path, second, parts):
    refused(write_lines(tmp_path / "feed.jsonl", GOOD, second), *parts)


def test_json_that_is_cut_off(tmp_path):
    path = write_lines(tmp_path / "feed.jsonl", GOOD, GOOD)
    path.write_bytes(path.read_bytes()[:-9])
    refused(path, "line 2: this is not JSON")
    folder = write_folder(tmp_path / "folder", GOOD, free_bike_status(60, bike("a")))
    whole = (folder / "001.json").read_text()
    (folder / "001.json").write_text(whole[:-9])
    refused(folder, "001.json, line 1: this is not JSON")


def test_a_time_that_is_cut_off_in_a_folder(tmp_path):
    folder = write_folder(tmp_path / "feed", *(free_bike_status(t) for t in (0, 60)))
    (folder / "001.json").write_text('{"last_updated":ersion": "2.3", "data": {"bikes": []}}')
    refused(folder, "001.json, line 1: this is not JSON")


@pytest.mark.parametrize("text", ["[" * 100_000, '{"data": %s}' % ("9" * 5000)])
def test_json_that_is_beyond_all_bounds(tmp_path, text):
    path = write_lines(tmp_path / "feed.jsonl", GOOD)
    with path.open("a") as file:
        file.write(f'{{"bikes": {text}}}\n')
    refused(path, "line 2: this is no")


def test_two_snapshots_of_one_time_in_a_folder(tmp_path):
    refused(
        write_folder(tmp_path / "folder", GOOD, free_bike_status(0, bike("b"))),
        "another snapshot than that of",
        "001.json",
    )


def test_two_systems(tmp_path):
    systems = [{"last_updated": START, "data": {"system_id": one}} for one in ("here", "there")]
    second = free_bike_status(60, bike("a"))
    refused(
        write_folder(tmp_path / "folder", GOOD, second, *systems),
        "column 'system_id': this is of system",
        "give the snapshots of one system",
    )


def test_a_snapshot_without_time_in_a_folder(tmp_path):
    timeless = {"data": {"bikes": [bike("a")]}}
    refused(write_folder(tmp_path / "folder", GOOD, timeless), "last_updated", "is missing")


def test_nothing_to_follow(tmp_path):
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", "no snapshot of vehicles")
    other = {"last_updated": START, "data": {"stations": []}}
    refused(write_lines(tmp_path / "other.jsonl", other), "no snapshot of vehicles", "data.bikes")
    refused(write_lines(tmp_path / "one.jsonl", GOOD), "line 1: a single snapshot")
    nobody = free_bike_status(0), free_bike_status(60)
    refused(write_lines(tmp_path / "nobody.jsonl", *nobody), "no snapshot has a vehicle")
    refused(tmp_path / "missing.jsonl", "cannot read")


@pytest.mark.parametrize(
    ("plates", "parts"),
    [
        ((1, 1, 1), ("column 'plate': all identifiers are of one vehicle, '1'",)),
        ((1, 2, None), ("line 2, column 'plate': vehicle 'b' does not say which it is",)),
        ((1, 2, 3), ("line 2, column 'plate': identifier 'a' is of vehicle 3 here, before of 1",)),
    ],
)
def test_a_truth_that_is_none(tmp_path, plates, parts):
    second = bike("a" if plates[2] == 3 else "b", plate=plates[2])
    path = write_lines(
        tmp_path / "feed.jsonl",
        free_bike_status(0, bike("a", plate=plates[0]), bike("x", 52.6, plate=plates[1])),
        free_bike_status(60, second),
    )
    refused(path, *parts, truth="plate")


def test_damaged_archives(tmp_path):
    path = tmp_path / "feed.zip"
    path.write_bytes(b"PK\x03\x04 and nothing else")
    refused(path, "damaged")
    cut = tmp_path / "feed.jsonl.gz"
    cut.write_bytes(gzip.compress(json.dumps(GOOD).encode() * 99)[:60])
    refused(cut, "truncated or damaged")


def test_a_wrong_vehicle_of_version_3(tmp_path):
    path = write_lines(
        tmp_path / "feed.jsonl",
        vehicle_status(0, bike("a")),
        vehicle_status(60, bike("b"), bike("b")),
    )
    refused(path, "line 2, column 'vehicle_id': identifier 'b' occurs twice")
