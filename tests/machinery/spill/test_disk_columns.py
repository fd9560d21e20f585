"""Columns on disk: what was put in comes out, and sums are those of memory."""

from contextlib import closing

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.machinery.spill import SpillRoom, exact_mean

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
