"""Chains of all tracklets at one time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.tracklets.feeds import count_at
from mixsafe.tracklets.histories import decide
from tests.support.link_oracle import listed, problem_of, random_links, times_of


@given(st.integers(0, 2**32 - 1))
def test_bounds_hold_for_everyone(seed):
    problem = random_links(np.random.default_rng(seed))
    bounds, truth = decide(problem), listed(problem).chain
    if bounds.contradiction is not None:
        return
    free = not (len(problem.same) or problem.must_continue.any() or problem.must_come.any())
    for time in {time for i in range(len(problem)) for time in times_of(problem, i)}:
        found = count_at(problem, bounds, time, Deadline(None), histories=5)
        for i in range(len(problem)):
            there = {j for one, at, j in truth if (one, at) == (i, time)}
            assert found.asked[i] == bool(there)
            exact = len(there - {-1})
            assert found.lower[i] <= exact <= found.upper[i]
            assert found.may_be_none[i] <= (-1 in there) <= found.may_be_none_possible[i]
            assert not free or found.lower[i] == found.upper[i]


def test_histories_prove_candidates_in_a_closed_fleet():
    # Two vehicles change twice; all must continue and must have come: four are possible at 20.
    alive = [(0, 1)] * 2 + [(5, 6)] * 2 + [(10, 30)] * 2
    links = [(i, j) for i in (0, 1) for j in (2, 3)] + [(i, j) for i in (2, 3) for j in (4, 5)]
    problem = problem_of(alive, links, [0, 1, 2, 3], [2, 3, 4, 5])
    found = count_at(problem, decide(problem), 20, Deadline(None))
    assert found.lower.tolist() == found.upper.tolist() == [2, 2, 2, 2, 0, 0]
    assert not found.may_be_none_possible.any()
