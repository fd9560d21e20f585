"""The fleet of cabs, and fleets of any number of them."""

from __future__ import annotations

import sys
import tracemalloc

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.io.sources import load
from mixsafe.io.traces.table import table_stream, write_table
from mixsafe.model.mobility.traces import Traces
from mixsafe.network.compression import compress
from mixsafe.network.wires import WireNetwork
from mixsafe.synthesize.scenarios.cabs import ORIGIN, City, cabs, cities_for, fleets
from mixsafe.verify.parts import components

DEGREE = np.pi / 180 * EARTH_RADIUS
"""Metres in a degree of latitude."""


def metres(traces: Traces) -> np.ndarray:
    """(2, n_cabs, n_steps) metres north and east of the city's corner."""
    assert traces.lat is not None
    assert traces.lon is not None
    north = (traces.lat - ORIGIN[0]) * DEGREE
    east = (traces.lon - ORIGIN[1]) * DEGREE * np.cos(np.deg2rad(ORIGIN[0]))
    return np.stack([north, east]).reshape(2, len(traces.users), -1)


def test_the_same_seed_makes_the_same_fleet_and_another_seed_another_one() -> None:
    one, same, other = (cabs(5, steps=50, random=np.random.default_rng(s)) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.lat, same.lat)
    assert np.any(one.lat != other.lat)


def test_fixes_are_sorted_by_cab_and_time_one_per_step() -> None:
    traces = cabs(7, steps=30, step_seconds=20, random=np.random.default_rng(0))
    np.testing.assert_array_equal(traces.user, np.repeat(np.arange(7), 30))
    assert np.all(np.diff(traces.time.reshape(7, 30), axis=1) == 20)
    assert traces.clock == "unix"


def test_cabs_stay_on_streets_and_within_the_speed_limit() -> None:
    city = City(noise=0.0)
    track = metres(cabs(20, steps=200, city=city, random=np.random.default_rng(0)))
    off_street = np.abs(track / city.block - np.rint(track / city.block)) * city.block
    assert np.all(off_street.min(axis=0) < 2)  # five decimals are about a metre
    assert track.min() > -2
    assert track.max() < city.blocks * city.block + 2
    driven = np.abs(np.diff(track, axis=2)).sum(axis=0)
    assert driven.max() <= city.speed * 60 + 4


def test_cabs_queue_at_the_airport() -> None:
    city = City(noise=0.0)
    track = metres(cabs(50, steps=300, city=city, random=np.random.default_rng(0)))
    there = np.all(np.abs(track - city.blocks * city.block) < 2, axis=0)
    assert there.sum(axis=0).max() >= 3


def test_ten_times_the_cabs_take_ten_times_the_memory_and_no_more_calls() -> None:
    """Nothing is done for each pair of cabs, and nothing step by step for each cab."""

    def needs(n_cabs: int) -> tuple[int, int]:
        calls = 0

        def count(*_: object) -> None:
            nonlocal calls
            calls += 1

        tracemalloc.start()
        sys.setprofile(count)
        try:
            cabs(n_cabs, steps=24, random=np.random.default_rng(0))
        finally:
            sys.setprofile(None)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return peak, calls

    needs(1000)
    few, many = needs(2_000), needs(20_000)
    assert many[0] < 20 * few[0]
    assert many[1] < 2 * few[1]


@pytest.mark.parametrize("wrong", [{"n_cabs": 1}, {"steps": 0}, {"step_seconds": 0}])
def test_a_fleet_that_is_too_small_is_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError, match="too few"):
        cabs(**{"n_cabs": 5, **wrong}, random=np.random.default_rng(0))


def test_a_small_fleet_is_that_of_one_city() -> None:
    (made,) = fleets(12, steps=20, seed=4)
    same = cabs(12, steps=20, random=np.random.default_rng(4))
    np.testing.assert_array_equal(made.lat, same.lat)
    np.testing.assert_array_equal(made.time, same.time)
    assert made.users.tolist() == same.users.tolist()


def test_blocks_hold_all_cabs_once_and_no_more_fixes_than_they_may() -> None:
    blocks = list(fleets(23, steps=10, cities=3, seed=1, block_fixes=100))
    assert [len(block.users) for block in blocks] == [10, 10, 3]
    names = [name for block in blocks for name in block.users]
    assert names == [f"cab{number:02d}" for number in range(1, 24)]
    again = list(fleets(23, steps=10, cities=3, seed=1, block_fixes=100))
    for one, two in zip(blocks, again, strict=True):
        np.testing.assert_array_equal(one.lon, two.lon)


def test_nobody_meets_a_cab_of_another_city(tmp_path) -> None:
    path = tmp_path / "cabs.parquet"
    with table_stream(path) as add:
        for some in fleets(60, steps=30, cities=4, seed=2):
            add(some)
    presolved = pose(load(path))
    core, _ = compress(presolved, WireNetwork.of(presolved.zones))
    label = components(core.network, core.pins)
    city = np.arange(60) * 4 // 60
    for number in np.unique(label):
        assert len(set(city[label == number])) == 1


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_written_in_parts_is_the_table(tmp_path, ending: str) -> None:
    whole, parts = tmp_path / f"whole.{ending}", tmp_path / f"parts.{ending}"
    (made,) = fleets(9, steps=5, seed=3)
    write_table(whole, made)
    with table_stream(parts) as add:
        add(made)
    one, two = load(whole), load(parts)
    np.testing.assert_array_equal(one.lat, two.lat)
    assert one.users.tolist() == two.users.tolist()
    if ending == "csv":
        assert whole.read_bytes() == parts.read_bytes()


def test_cities_follow_the_number_of_cabs() -> None:
    assert [cities_for(count) for count in (2, 1000, 1001, 1_000_000)] == [1, 1, 5, 4000]
    with pytest.raises(InputError, match="cannot be spread"):
        fleets(5, cities=6)
