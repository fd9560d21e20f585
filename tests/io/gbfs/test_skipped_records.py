"""One bad vehicle, snapshot or value does not cost the feed: it is skipped, counted and named."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import Feed
from tests.support.feeds import START, bike, free_bike_status, random_fleet, write_lines

Snapshots = list[dict[str, Any]]


def is_like(one: Feed, other: Feed) -> bool:
    """Whether two feeds have the same tracklets."""
    sides = (
        (one.tracklets.begins, other.tracklets.begins),
        (one.tracklets.ends, other.tracklets.ends),
    )
    return one.tracklets.ids.tolist() == other.tracklets.ids.tolist() and all(
        np.array_equal(getattr(mine, name), getattr(its, name), equal_nan=name in ("lat", "lon"))
        for mine, its in sides
        for name in ("earliest", "latest", "lat", "lon", "cut")
    )


def with_vehicle(found: Snapshots, vehicle: Any) -> Snapshots:
    found[3]["data"]["bikes"].append(vehicle)
    return found


def twice(found: Snapshots) -> Snapshots:
    return with_vehicle(found, dict(found[3]["data"]["bikes"][0]))


def backwards(found: Snapshots) -> Snapshots:
    again = copy.deepcopy(found[3])
    again["last_updated"] -= 2
    return [*found[:4], again, *found[4:]]


def same_time(found: Snapshots) -> Snapshots:
    other = copy.deepcopy(found[3])
    other["data"]["bikes"] = other["data"]["bikes"][:-1]
    return [*found[:4], other, *found[4:]]


DEFECTS: dict[str, Callable[[Snapshots], Snapshots]] = {
    "occurs twice": twice,
    "has no identifier": lambda found: with_vehicle(found, bike("z") | {"bike_id": None}),
    "vehicle 7 has no identifier": lambda found: with_vehicle(found, 7),
    "neither a position nor a station": lambda found: with_vehicle(found, {"bike_id": "z"}),
    "far from all others": lambda found: with_vehicle(found, bike("z", 0.002, 84.0)),
    "-90 to 90": lambda found: with_vehicle(found, bike("z", 152.5)),
    "north is not a number": lambda found: with_vehicle(found, bike("z", lat="north")),
    "120 is not from 0 to 100": lambda found: with_vehicle(
        found, bike("z", 0.001, 0.001, current_fuel_percent=120)
    ),
    "2 s older": backwards,
    "of the same time": same_time,
}


@pytest.mark.parametrize("what", [one for one in DEFECTS if one != "far from all others"])
def test_a_bad_record_is_refused_by_name_and_skipped_on_request(tmp_path: Path, what: str) -> None:
    snapshots = random_fleet(3, vehicles=7, steps=8)
    clean = read_feed(write_lines(tmp_path / "clean.jsonl", *snapshots))
    what = what.replace("vehicle 7", f"vehicle {len(snapshots[3]['data']['bikes']) + 1}")
    defect = next(make for key, make in DEFECTS.items() if key.split()[-1] == what.split()[-1])
    bad = write_lines(tmp_path / "bad.jsonl", *defect(copy.deepcopy(snapshots)))
    with pytest.raises(InputError, match=rf"bad.jsonl, line \d.*{what}.*--skip-bad") as caught:
        read_feed(bad)
    assert caught.value.line in (4, 5)
    found = read_feed(bad, skip_bad=True)
    assert found.premises.to_dict()["skipped"]["bad row"] == 1
    assert any(f"line {caught.value.line}" in note for note in found.notes)
    assert is_like(found, clean)


def test_a_vehicle_with_latitude_and_longitude_swapped_is_skipped(tmp_path: Path) -> None:
    parked = [bike(name, 52.5 + number / 1000) for number, name in enumerate("abc")]
    snapshots = [free_bike_status(60 * step, *parked) for step in range(3)]
    clean = read_feed(write_lines(tmp_path / "clean.jsonl", *snapshots))
    for step in (0, 2):  # where it begins, and where it ends
        places = [(52.5, 13.4)] * 3
        places[step] = (13.4, 52.5)
        bad = [
            free_bike_status(60 * number, *parked, bike("z", *place))
            for number, place in enumerate(places)
        ]
        path = write_lines(tmp_path / f"bad{step}.jsonl", *bad)
        with pytest.raises(InputError, match=f"line {step + 1}.*'z' is at 13.4.*swapped"):
            read_feed(path)
        assert is_like(read_feed(path, skip_bad=True), clean)


def test_a_line_that_is_cut_off_is_skipped(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "feed.jsonl", *random_fleet(3, vehicles=4, steps=6))
    with path.open("a") as file:
        file.write('{"last_updated": 1750009999, "data": {"bikes": [{"bike_id": "a", "la\n')
    with pytest.raises(InputError, match=r"line 7: this is not JSON.*--skip-bad"):
        read_feed(path)
    assert read_feed(path, skip_bad=True).premises.to_dict() == {"skipped": {"bad row": 1}}


def test_many_bad_records_are_refused_even_so(tmp_path: Path) -> None:
    wrong = [bike("b"), bike("a", current_fuel_percent=120)]
    path = write_lines(
        tmp_path / "feed.jsonl", *(free_bike_status(60 * step, *wrong) for step in range(20))
    )
    with pytest.raises(InputError, match=r"more than 1%.*--most-bad"):
        read_feed(path, skip_bad=True)
    found = read_feed(path, skip_bad=True, most_bad="60%")
    assert found.tracklets.ids.tolist() == ["b"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("last_reported", START * 10**10),
        ("last_reported", ""),
        ("last_reported", -1),
        ("last_reported", "noon"),
        ("current_fuel_percent", -1),
        ("current_range_meters", -1),
        ("current_range_meters", ""),
    ],
)
def test_values_that_are_unknown_or_not_compared_cost_nothing(
    tmp_path: Path, key: str, value: object
) -> None:
    parked = [bike(name, 52.5 + number / 1000) for number, name in enumerate("abc")]
    snapshots = [free_bike_status(60 * step, *parked[: 3 - step]) for step in range(3)]
    clean = read_feed(write_lines(tmp_path / "clean.jsonl", *snapshots))
    for one in parked:
        one[key] = value
    found = read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots))
    assert is_like(found, clean)
    assert found.premises == clean.premises
    assert any(f"values of {key} are unknown, such as" in note for note in found.notes)


def test_a_wrong_value_is_refused_only_where_it_is_compared(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "feed.jsonl",
        free_bike_status(0, bike("a", current_fuel_percent=120), bike("b")),
        free_bike_status(60, bike("b")),
    )
    assert len(read_feed(path, fields=("type",)).tracklets) == 2
    with pytest.raises(InputError, match=r"line 1.*'a': 120.*leave the field battery out"):
        read_feed(path)
    reported = write_lines(
        tmp_path / "reported.jsonl",
        free_bike_status(0, bike("a", last_reported="noon"), bike("b")),
        free_bike_status(60, bike("b")),
    )
    with pytest.raises(InputError, match=r"line 1, column 'last_reported': vehicle 'a': 'noon'"):
        read_feed(reported, fields=("last_reported",))


LOST = [
    lambda one: one | {"lat": 0, "lon": 0},
    lambda one: one | {"lat": None, "lon": None},
    lambda one: one | {"lat": 91, "lon": 181},
    lambda one: one | {"lat": -999, "lon": -999},
    lambda one: one | {"lat": "", "lon": ""},
    lambda one: one | {"lat": float("nan"), "lon": float("nan")},
]


@pytest.mark.parametrize("seed", range(len(LOST)))
def test_each_way_to_have_no_position_equals_the_key_left_out(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    lost, left_out = (
        random_fleet(seed, vehicles=6, steps=12),
        random_fleet(seed, vehicles=6, steps=12),
    )
    for one, other in zip(lost, left_out, strict=True):
        for number, vehicle in enumerate(other["data"]["bikes"]):
            if random.random() < 0.4:
                del vehicle["lat"], vehicle["lon"]
                vehicle["station_id"] = one["data"]["bikes"][number]["station_id"] = "A"
                one["data"]["bikes"][number] = LOST[seed](one["data"]["bikes"][number])
    found = read_feed(write_lines(tmp_path / "lost.jsonl", *lost))
    other = read_feed(write_lines(tmp_path / "left_out.jsonl", *left_out))
    assert is_like(found, other)
    n = int((~found.tracklets.begins.placed | ~found.tracklets.ends.placed).sum())
    assert found.premises.to_dict() == {"skipped": {"no position": n}} == other.premises.to_dict()
    assert any("without a position" in note for note in found.notes)


def test_null_island_is_kept_on_request(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "feed.jsonl",
        free_bike_status(0, bike("a", 0, 0), bike("b")),
        free_bike_status(60, bike("b")),
    )
    assert np.isnan(read_feed(path).tracklets.ends.lat[0])
    found = read_feed(path, keep_null_island=True)
    assert found.tracklets.ends.lat[0] == 0
    assert not found.premises.skipped


def test_the_zone_of_a_feed_is_that_of_its_system(tmp_path: Path) -> None:
    system = {"data": {"system_id": "x", "timezone": "Europe/Oslo"}, "last_updated": START}
    snapshots = [free_bike_status(60 * step, bike("a"), bike("b")) for step in range(2)]
    path = write_lines(tmp_path / "feed.jsonl", system, *snapshots)
    assert read_feed(path).tz == "Europe/Oslo"
    assert read_feed(path, tz="Asia/Tokyo").tz == "Asia/Tokyo"
    system["data"]["timezone"] = "Mars/Olympus"
    found = read_feed(write_lines(tmp_path / "other.jsonl", system, *snapshots))
    assert found.tz == "UTC"
    assert any("Mars/Olympus" in note for note in found.notes)


def test_without_a_system_the_zone_is_the_offset_of_all_snapshots(tmp_path: Path) -> None:
    said = ("2024-05-17T10:00:00+02:00", "2024-05-17T10:10:00+02:00", "2024-05-17T08:20:00Z")
    for times, zone in ((said[:2], "+02:00"), (said, "UTC")):
        snapshots = [free_bike_status(0, bike("a"), bike("b")) | {"last_updated": t} for t in times]
        assert read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots)).tz == zone


def test_times_of_snapshots_in_milliseconds_are_what_they_are(tmp_path: Path) -> None:
    snapshots = random_fleet(5, vehicles=5, steps=8)
    clean = read_feed(write_lines(tmp_path / "clean.jsonl", *snapshots))
    for one in snapshots:
        one["last_updated"] *= 1000
    assert is_like(read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots)), clean)
