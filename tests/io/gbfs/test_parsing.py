"""``vehicle_availability.json``: slots of vehicles are read beside the snapshots, and compared."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mixsafe.errors import InputError
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.tracklets.feeds import links
from mixsafe.tracklets.rules import LinkRules
from tests.support.feeds import START, bike, vehicle_status, write_folder, write_lines
from tests.support.rotating_fleet import rotating_fleet

HOUR = 3600
BOOKED = {"a": [(0, 5), (9, 30), (40, None)], "b": [(0, 7), (8, None)], "c": [(0, None)]}
"""Hours from and until which vehicles are free."""


def said(seconds: int) -> str:
    return dt.datetime.fromtimestamp(START + seconds, dt.UTC).isoformat()


def availability(time: int, **vehicles: list[tuple[int, int | None]]) -> dict[str, Any]:
    """Slots of vehicles, in hours after ``START``."""
    found = [
        {
            "vehicle_id": name,
            "vehicle_type_id": "t",
            "station_id": "s",
            "availabilities": [
                {"from": said(one * HOUR)} | ({} if end is None else {"until": said(end * HOUR)})
                for one, end in slots
            ],
        }
        for name, slots in vehicles.items()
    ]
    data = {"vehicles": found}
    return {"last_updated": said(time), "ttl": 0, "version": "3.1-RC2", "data": data}


def renamed() -> Iterator[dict[str, Any]]:
    """Three vehicles that are booked, ride in turn and come back with capital letters.

    The vehicle ``a`` is away from hour 5 to hour 9, as it is booked; what is past is left out.
    """
    for hour in range(12):
        there = {"a": hour < 5, "A": hour >= 9, "b": hour < 7, "B": hour >= 8, "c": True}
        names = [name for name, here in there.items() if here]
        time = hour * HOUR
        yield vehicle_status(time, *(bike(name, 52.5) for name in names))
        slots = {name: BOOKED[name.lower()] for name in names}
        left = {
            name: [one for one in found if one[1] is None or one[1] > hour]
            for name, found in slots.items()
        }
        yield availability(time, **left)


def test_slots_are_read_beside_the_snapshots_in_a_folder_and_in_lines(tmp_path: Path) -> None:
    documents = list(renamed())
    plain = read_feed(write_lines(tmp_path / "plain.jsonl", *documents[::2]))
    for path in (
        write_lines(tmp_path / "feed.jsonl", *documents),
        write_folder(tmp_path / "feed", *documents),
    ):
        feed = read_feed(path)
        assert feed.snapshots == 12
        assert feed.tracklets.ids.tolist() == plain.tracklets.ids.tolist()
        assert "slots" in feed.tracklets.ends.fields
        assert "slots" not in plain.tracklets.ends.fields


def test_slots_that_survive_are_found(tmp_path: Path) -> None:
    found = read_feed(write_lines(tmp_path / "feed.jsonl", *renamed())).findings
    assert [one.kind for one in found] == ["slots"]
    assert (found[0].count, found[0].of) == (1, 1)  # B is free from now on
    assert found[0].example == ("a", "A")
    assert "--fields slots" in found[0].advice


def test_slots_exclude_other_vehicles_and_never_the_same_one(tmp_path: Path) -> None:
    feed = read_feed(write_lines(tmp_path / "feed.jsonl", *renamed()))
    ids = feed.tracklets.ids.tolist()

    def linked(*fields: str) -> set[tuple[str, str]]:
        rules = LinkRules(fields=fields, max_gap=24 * HOUR)
        problem = links(feed, 2, rules=rules).followed.problem
        return {
            (ids[one], ids[other])
            for one in range(len(problem))
            for other in problem.to[problem.ptr[one] : problem.ptr[one + 1]]
        }

    assert linked() == {("a", "A"), ("a", "B"), ("b", "A"), ("b", "B")}
    assert linked("slots") == {("a", "A"), ("a", "B"), ("b", "B")}  # of B nothing is known


def test_slots_that_are_hidden_or_of_all_vehicles_are_no_finding(tmp_path: Path) -> None:
    fleet = rotating_fleet(1, vehicles=12, steps=200)
    documents = []
    for number, one in enumerate(fleet):
        names = [vehicle["bike_id"] for vehicle in one["data"]["bikes"]]
        documents.append(one)
        days = range(24, 24 * 30, 24)  # the same hours for all: those of the shop
        shared = [(day + 8, day + 20) for day in days]
        documents.append(availability(300 * number, **dict.fromkeys(names, shared)))
    assert read_feed(write_lines(tmp_path / "feed.jsonl", *documents)).findings == ()


def test_slots_equal_by_chance_are_no_finding(tmp_path: Path) -> None:
    """Each identifier has one slot of its own, at a whole hour of the next two days."""
    documents = []
    for number, one in enumerate(rotating_fleet(2, vehicles=12, steps=600)):
        slots = {
            name: [(100 + int(name, 16) % 48, None)]
            for name in (vehicle["bike_id"] for vehicle in one["data"]["bikes"])
        }
        documents += [one, availability(300 * number, **slots)]
    assert read_feed(write_lines(tmp_path / "feed.jsonl", *documents)).findings == ()


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ("noon", r"line 2, column 'availabilities': vehicle 1 has no list of slots"),
        ([{"until": "2026-01-01T00:00:00Z"}], r"line 2, column 'from': the time is missing"),
        ([{"from": "noon"}], r"line 2, column 'from': 'noon' is not a time"),
    ],
)
def test_slots_that_cannot_be_read(tmp_path: Path, slots: object, message: str) -> None:
    """They are refused by their place, and skipped on request."""
    wrong = availability(60, a=[])
    wrong["data"]["vehicles"][0]["availabilities"] = slots
    snapshots = [vehicle_status(time, bike("a"), bike("b", 52.6)) for time in (0, 120)]
    path = write_lines(tmp_path / "feed.jsonl", snapshots[0], wrong, snapshots[1])
    with pytest.raises(InputError, match=message + r".*--skip-bad"):
        read_feed(path)
    found = read_feed(path, skip_bad=True)
    assert found.premises.to_dict()["skipped"] == {"bad row": 1}
