"""Chains: who may be of one vehicle at a later time."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.tracklets.histories import decide
from mixsafe.tracklets.problems import chain_at
from tests.support.link_oracle import listed, problem_of, random_links, times_of

NEVER, AT_ONCE = Deadline(None), Deadline(0)


def answers(problem, deadline):
    """Chains of every tracklet at every time, without a contradiction."""
    bounds = decide(problem)
    if bounds.contradiction is not None:
        return []
    return [
        chain_at(problem, bounds, i, time, deadline)
        for i in range(len(problem))
        for time in times_of(problem, i)
    ]


def listing(chains, *, possible):
    found = set()
    for one in chains:
        there = one.possible if possible else one.proven
        none = one.may_be_none_possible if possible else one.may_be_none
        found |= {(one.tracklet, one.time, j) for j in there.tolist()}
        found |= {(one.tracklet, one.time, -1)} if none else set()
    return found


@given(st.integers(0, 2**32 - 1))
def test_who_is_on_a_chain_is_in_some_history(seed):
    problem = random_links(np.random.default_rng(seed))
    chains = answers(problem, NEVER)
    assert all(one.decided for one in chains)
    assert listing(chains, possible=False) == listed(problem).chain


@given(st.integers(0, 2**32 - 1))
def test_bounds_hold_without_time_to_search(seed):
    problem = random_links(np.random.default_rng(seed))
    chains = answers(problem, AT_ONCE)
    truth = listed(problem).chain
    assert listing(chains, possible=False) <= truth <= listing(chains, possible=True)


def test_what_links_reach_need_not_be_on_a_chain():
    # x 0 -> v 1 -> w 2 -> y 3; s 4 must continue, as v or w: then w or v cannot both be x's.
    alive = [(0, 0), (2, 3), (5, 6), (8, 12), (0, 1)]
    links = [(0, 1), (1, 2), (2, 3), (4, 1), (4, 2)]
    problem = problem_of(alive, links, [0, 4])
    found = chain_at(problem, decide(problem), 0, 9, NEVER)
    assert (found.proven.tolist(), found.may_be_none) == ([], True)
