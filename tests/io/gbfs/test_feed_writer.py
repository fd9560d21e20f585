"""Feeds as GBFS: their fields, their versions, and the same bytes for the same seed."""

from __future__ import annotations

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from mixsafe.io.gbfs.feed_writer import VERSIONS, write_feed
from mixsafe.model.tracklets import FleetFeed
from mixsafe.synthesize.sharing.shared_fleet import FleetSettings, shared_fleet

RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def made(seed: int = 3, **changes: Any) -> FleetFeed:
    settings = FleetSettings(**{"vehicles": 30, "days": 1, "poll": 1800, "rides": 8.0, **changes})
    return shared_fleet(settings, seed=seed)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def is_time(value: object, dated: bool) -> bool:
    if dated:
        return isinstance(value, str) and RFC3339.fullmatch(value) is not None
    return isinstance(value, int) and 1_700_000_000 < value < 1_900_000_000


@pytest.mark.parametrize("version", VERSIONS)
def test_every_record_has_the_fields_that_gbfs_asks_for(tmp_path: Path, version: str) -> None:
    form, path = VERSIONS[version], tmp_path / "feed.jsonl"
    write_feed(path, made(), version=version)
    snapshots = lines(path)
    assert len(snapshots) == 48
    for one in snapshots:
        assert set(one) == {"last_updated", "ttl", "version", "data"}
        assert one["version"] == version
        assert is_time(one["last_updated"], form.dated)
        vehicles = one["data"][form.vehicles]
        names = [vehicle[form.identifier] for vehicle in vehicles]
        assert names == sorted(set(names))
        for vehicle in vehicles:
            motor = vehicle["vehicle_type_id"] != "bike"
            asked = {form.identifier, "lat", "lon", "is_reserved", "is_disabled", "rental_uris"}
            asked |= {"vehicle_type_id", "last_reported"}
            asked |= {"current_range_meters", "current_fuel_percent"} if motor else set()
            assert set(vehicle) == asked
            assert isinstance(vehicle["is_reserved"], bool)
            assert isinstance(vehicle["is_disabled"], bool)
            assert -90 <= vehicle["lat"] <= 90
            assert -180 <= vehicle["lon"] <= 180
            assert is_time(vehicle["last_reported"], form.dated)
            assert vehicle["last_reported"] <= one["last_updated"]
            assert vehicle["rental_uris"]["web"].endswith(vehicle[form.identifier])
            if motor:
                assert vehicle["current_range_meters"] >= 0
                assert 0 <= vehicle["current_fuel_percent"] <= 1


@pytest.mark.parametrize("version", VERSIONS)
def test_a_folder_says_what_system_it_is_and_which_types_it_has(
    tmp_path: Path, version: str
) -> None:
    form, folder = VERSIONS[version], tmp_path / "feed"
    write_feed(folder, made(), version=version)
    assert len(list(folder.glob(f"{form.file}_*.json"))) == 48
    system = json.loads((folder / "system_information.json").read_text())["data"]
    assert {"system_id", "name", "timezone"} <= set(system)
    assert {"languages", "opening_hours", "feed_contact_email"} <= set(system) or not form.dated
    types = json.loads((folder / "vehicle_types.json").read_text())["data"]["vehicle_types"]
    for one in types:
        assert {"vehicle_type_id", "form_factor", "propulsion_type"} <= set(one)
        assert ("max_range_meters" in one) == (one["propulsion_type"] != "human")


def test_an_archive_holds_the_files_of_the_folder(tmp_path: Path) -> None:
    write_feed(tmp_path / "feed", made())
    write_feed(tmp_path / "feed.tar.gz", made())
    files = {path.name: path.read_bytes() for path in (tmp_path / "feed").iterdir()}
    with tarfile.open(tmp_path / "feed.tar.gz") as archive:
        packed = {one.name: archive.extractfile(one).read() for one in archive}
    assert packed == files


@pytest.mark.parametrize("name", ["feed.jsonl", "feed.tar.gz"])
def test_the_same_seed_makes_the_same_bytes_and_another_one_others(
    tmp_path: Path, name: str
) -> None:
    for seed in (1, 2):
        for place in ("one", "two"):
            (tmp_path / f"{place}{seed}").mkdir()
            write_feed(tmp_path / f"{place}{seed}" / name, made(seed))
    assert (tmp_path / "one1" / name).read_bytes() == (tmp_path / "two1" / name).read_bytes()
    assert (tmp_path / "one1" / name).read_bytes() != (tmp_path / "one2" / name).read_bytes()


def test_the_truth_is_said_only_when_asked_and_changes_nothing_else(tmp_path: Path) -> None:
    write_feed(tmp_path / "plain.jsonl", made())
    write_feed(tmp_path / "told.jsonl", made(), truth=True)
    told = lines(tmp_path / "told.jsonl")
    vehicles = [vehicle.pop("_vehicle") for one in told for vehicle in one["data"]["bikes"]]
    assert set(vehicles) >= set(range(30))
    assert told == lines(tmp_path / "plain.jsonl")


def test_a_snapshot_shows_what_is_parked_then(tmp_path: Path) -> None:
    feed = made()
    write_feed(tmp_path / "feed.jsonl", feed, truth=True)
    reports = feed.reports
    for number, one in enumerate(lines(tmp_path / "feed.jsonl")):
        at = feed.first + number * feed.poll
        there = (reports.since <= at) & (at < reports.until)
        shown = {vehicle["_vehicle"] for vehicle in one["data"]["bikes"]}
        assert shown == set(reports.vehicle[there].tolist())
        assert len(one["data"]["bikes"]) == there.sum()


def test_ids_that_rotate_each_poll_occur_once_and_a_kept_token_gives_them_away(
    tmp_path: Path,
) -> None:
    write_feed(tmp_path / "feed.jsonl", made(rotate="poll", keep=("uri",)), truth=True)
    vehicles = [
        vehicle for one in lines(tmp_path / "feed.jsonl") for vehicle in one["data"]["bikes"]
    ]
    assert len({vehicle["bike_id"] for vehicle in vehicles}) == len(vehicles)
    tokens = {(vehicle["_vehicle"], vehicle["rental_uris"]["web"]) for vehicle in vehicles}
    assert len(tokens) == len({one for one, _ in tokens}) == len({two for _, two in tokens})
    assert not {vehicle["bike_id"] for vehicle in vehicles} & {uri[-16:] for _, uri in tokens}


def test_nothing_is_left_of_a_feed_whose_writing_stops(tmp_path: Path) -> None:
    def stop(stage: str, done: int, total: int) -> None:
        if done == 10:
            raise KeyboardInterrupt

    for name in ("feed", "feed.jsonl", "feed.tar.gz"):
        with pytest.raises(KeyboardInterrupt):
            write_feed(tmp_path / name, made(), progress=stop)
    assert not [path for path in tmp_path.iterdir() if not path.name.startswith(".")]
