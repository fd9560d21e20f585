"""Published steps are counted as one counts them one by one."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.mobility import published_steps
from mixsafe.model.mobility.published_steps import PublishedSteps

USERS, STEPS = 6, 12

pairs = st.sets(st.tuples(st.integers(0, USERS - 1), st.integers(1, STEPS)))
stretches = st.lists(
    st.tuples(st.integers(0, USERS - 1), st.integers(0, STEPS), st.integers(0, STEPS + 3)),
    max_size=20,
)


def published(found: set[tuple[int, int]]) -> PublishedSteps:
    row, step = np.array(sorted(found), np.int32).reshape(-1, 2).T
    return PublishedSteps.of(row, step, USERS)


@given(found=pairs, asked=stretches, block=st.integers(1, 9))
def test_steps_of_a_stretch_are_counted_whatever_the_order_and_the_blocks(
    found: set[tuple[int, int]], asked: list[tuple[int, int, int]], block: int
) -> None:
    whole, published_steps._BLOCK = published_steps._BLOCK, block
    try:
        row, start, end = np.array(asked, np.int64).reshape(-1, 3).T
        counts = published(found).between(row, start, end)
    finally:
        published_steps._BLOCK = whole
    assert counts.tolist() == [
        sum(first <= step <= last for user, step in found if user == who)
        for who, first, last in asked
    ]


def test_large_numbers_of_steps_do_not_overflow() -> None:
    late = np.array([2**31 - 2, 2**31 - 2], np.int32)
    found = PublishedSteps.of(np.array([0, 1], np.int32), late, 2)
    one, ends = np.array([0, 1, 1]), np.array([2**31 - 2, 2**31 - 2, 2**31 - 3])
    assert found.between(one, np.ones(3, int), ends).tolist() == [1, 1, 0]
