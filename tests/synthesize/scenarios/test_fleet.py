"""Fleets of any number of cabs."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.extract.pose import pose
from mixsafe.io.sources import load
from mixsafe.io.traces.table import table_stream, write_table
from mixsafe.network.compression import compress
from mixsafe.network.wires import WireNetwork
from mixsafe.synthesize.scenarios.cabs import cabs
from mixsafe.synthesize.scenarios.fleet import cities_for, fleets
from mixsafe.verify.parts import components


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
