"""Pieces that threads make ahead: the same ones, in the same order, and few at a time.

Columns on disk: what was put in comes out, and sums are those of memory.
"""

from __future__ import annotations

import time
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.machinery.spill import SpillRoom, ahead, exact_mean, in_turn


def counted(until: int, made: list[int]):
    """Numbers, and an error at the end."""
    for number in range(until):
        made.append(number)
        yield number
    raise ValueError("the end")


def test_pieces_come_in_their_order_and_an_error_where_it_was():
    made: list[int] = []
    pieces = ahead(counted(5, made))
    for number in range(5):
        assert next(pieces) == number
        assert len(made) <= number + 2
    with pytest.raises(ValueError, match="the end"):
        next(pieces)
    assert list(ahead([])) == []


def test_whoever_stops_early_stops_what_is_made():
    made: list[int] = []
    pieces = ahead(counted(5, made))
    assert next(pieces) == 0
    pieces.close()
    assert made == [0, 1]


@pytest.mark.parametrize("workers", [1, 3])
def test_parts_are_done_in_turn_and_no_more_than_there_are_workers_wait(workers):
    under_way: list[int] = []

    def work(part: int) -> int:
        under_way.append(part)
        time.sleep(0.001 * (part % 3))
        return -part

    found = in_turn(work, range(10), workers)
    for part, one in enumerate(found):
        assert one == -part
        assert len(under_way) <= part + 1 + workers
    assert sorted(under_way) == list(range(10))


def test_an_error_ends_it():
    done: list[int] = []

    def work(part: int) -> int:
        if part == 2:
            raise ValueError("part 2")
        done.append(part)
        return part

    with pytest.raises(ValueError, match="part 2"):
        list(in_turn(work, range(100), 2))
    assert len(done) < 6


LIMIT = 400_000_000


@given(
    size=st.integers(1, 5_000),
    block=st.sampled_from([128, 200, 1024]),
    seed=st.integers(0, 2**32 - 1),
    part=st.integers(1, 1_000),
)
def test_the_mean_of_a_column_is_that_of_an_array_to_the_last_bit(size, block, seed, part):
    values = np.random.default_rng(seed).normal(135, 1, size)
    with closing(SpillRoom(LIMIT)) as scratch:
        column = scratch.column("values", np.float64)
        for begin in range(0, size, part):
            column.append(values[begin : begin + part])
        assert exact_mean(column, block) == float(values.mean())
        assert column.array().tobytes() == values.tobytes()


def test_arrays_stay_when_their_folder_is_gone(tmp_path):
    with closing(SpillRoom(LIMIT, tmp_path)) as scratch:
        column = scratch.column("values", np.int32)
        column.append(np.arange(5))
        array, room = column.array(), scratch.array("room", 3, np.int64)
    assert list(tmp_path.iterdir()) == []
    assert (array.tolist(), room.tolist()) == ([0, 1, 2, 3, 4], [0, 0, 0])
