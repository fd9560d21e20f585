"""What survives a change of the identifier is found, and chance is not taken for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from mixsafe.io.gbfs.findings import chance_of
from mixsafe.io.gbfs.reading import read_feed
from mixsafe.model.tracklets import FeedFinding
from tests.support.feeds import START, bike, free_bike_status, write_lines
from tests.support.rotating_fleet import ORDERS, POLL, RotatingVehicle, rotating_fleet

Keys = Callable[[RotatingVehicle], dict[str, Any]]


def findings(tmp_path: Path, *snapshots: dict[str, Any]) -> dict[str, FeedFinding]:
    """Findings by kind."""
    found = read_feed(write_lines(tmp_path / "feed.jsonl", *snapshots)).findings
    for one in found:
        assert f"{one.count:,} of {one.of:,} identifiers" in one.sentence
        assert all(f"'{name}'" in one.sentence for name in one.example)
        assert one.example
        assert one.advice.endswith(".") or one.kind == "reused"
    return {one.kind: one for one in found}


HONEST = [dict(order=one) for one in (*ORDERS, "shuffled") if one != "vehicle"]
HONEST += [dict(order=one, stations=12) for one in ("station", "identifier", "latitude")]
HONEST += [dict(vehicles=4, steps=1500), dict(vehicles=12, steps=40)]
HONEST += [dict(vehicles=60, steps=60, stations=200)]


@pytest.mark.parametrize("how", HONEST, ids=str)
@pytest.mark.parametrize("seed", [1, 2])
def test_honest_rotation_is_no_finding(tmp_path: Path, seed: int, how: dict[str, Any]) -> None:
    """However the list is sorted, wherever vehicles stand, few or many of them."""
    assert findings(tmp_path, *rotating_fleet(seed, **how)) == {}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("most", [3, 100, 20_000])
def test_values_that_are_equal_by_chance_are_no_finding(
    tmp_path: Path, seed: int, most: int
) -> None:
    """A number that is new with each identifier, of few or of many that are possible."""

    def drawn(one: RotatingVehicle) -> dict[str, Any]:
        return {"code": crc32(one.identifier.encode()) % most}

    fleet = rotating_fleet(seed, vehicles=8, steps=1000, keys=drawn)
    assert findings(tmp_path, *fleet) == {}


KEPT: dict[str, Keys] = {
    "field": lambda one: {"plate": f"B-{one.serial}"},
    "token": lambda one: {"rental_uris": {"web": f"https://app.example/open?v=SN{one.serial:05}"}},
    "time stamp": lambda one: {"last_reported": START - 100 * one.serial},
}


@pytest.mark.parametrize("kind", KEPT)
def test_a_value_of_the_vehicle_that_survives_is_found(tmp_path: Path, kind: str) -> None:
    fleet = rotating_fleet(1, vehicles=8, steps=150, keys=KEPT[kind])
    found = findings(tmp_path, *fleet)
    assert list(found) == [kind]
    assert found[kind].count > 0.8 * found[kind].of
    assert "--fields" in found[kind].advice


def test_a_value_of_several_vehicles_at_once_is_no_finding(tmp_path: Path) -> None:
    fleet = rotating_fleet(1, keys=lambda one: {"model": f"M{one.serial % 5}"})
    assert findings(tmp_path, *fleet) == {}


@pytest.mark.parametrize("vehicles", [12, 40])
def test_a_list_in_the_order_of_vehicles_is_found(tmp_path: Path, vehicles: int) -> None:
    fleet = rotating_fleet(1, vehicles=vehicles, steps=150, order="vehicle")
    found = findings(tmp_path, *fleet)
    assert list(found) == ["order"]
    assert found["order"].count > 0.8 * found["order"].of
    assert "would by chance" in found["order"].sentence


def test_two_places_in_a_list_may_be_chance(tmp_path: Path) -> None:
    """Two rides among four vehicles are no evidence, though both come back to their places."""
    names = [["a", "b", "c", "d"], ["a", "c", "d"], ["a", "B", "c", "d"], ["a", "B", "d"]]
    names.append(["a", "B", "C", "d"])
    snapshots = [
        free_bike_status(60 * step, *(bike(name, 52.5 + ord(name) / 1000) for name in line))
        for step, line in enumerate(names)
    ]
    assert findings(tmp_path, *snapshots) == {}


@pytest.mark.parametrize("docked", [False, True])
def test_a_change_without_a_ride_is_found(tmp_path: Path, docked: bool) -> None:
    """Where several vehicles stand at a station, batteries tell which is which."""
    place = {"station_id": "s"} if docked else {}

    def standing(step: int) -> dict[str, Any]:
        one = bike(f"a{step}", 52.5, current_fuel_percent=0.5, **place)
        other = bike(f"b{step}", 52.5 if docked else 52.6, current_fuel_percent=0.7, **place)
        return free_bike_status(POLL * step, one, other)

    found = findings(tmp_path, *(standing(step) for step in range(5)))
    assert list(found) == ["each poll"]
    assert (found["each poll"].count, found["each poll"].of) == (8, 8)


def test_the_probability_of_chance_is_an_upper_bound() -> None:
    """Chernoff's bound is exact where all cases occur, and never below the binomial tail."""
    from math import comb

    assert chance_of(5, 5, 1.0) == pytest.approx(0.2**5)
    assert chance_of(3, 9, 3.0) == 1.0
    assert chance_of(1, 9, 0.0) == 0.0
    for count in range(1, 21):
        tail = sum(comb(20, k) * 0.1**k * 0.9 ** (20 - k) for k in range(count, 21))
        assert tail <= chance_of(count, 20, 2.0) * (1 + 1e-9)
