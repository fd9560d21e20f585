"""Neighbourhoods: what the members of one meeting can do, against the definition."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.solver.local.neighbourhoods import _mix, new_scratch, options, reachable_from


@st.composite
def meetings(draw):
    """Working memory for a few tokens, two or more of which meet; and how these may exchange.

    The zone allows all exchanges, or those of some pairs only.
    """
    size = draw(st.integers(2, 5))
    who = draw(st.permutations(range(size)))[: draw(st.integers(2, size))]
    s = new_scratch(size, 0, np.ones(1, np.uint64))
    s.events.met[0] = len(who)
    s.events.who[0, : len(who)] = who
    ways = [dict(zip(who, new, strict=True)) for new in itertools.permutations(who)]
    if draw(st.booleans()):
        pairs = draw(st.sets(st.sampled_from(list(itertools.permutations(who, 2)))))
        ways = [one for one in ways if all(b == a or (a, b) in pairs for b, a in one.items())]
        listed = [tuple(one.get(path, path) for path in range(size)) for one in ways]
        on_path = [tuple(one) for one in s.table.on_path.tolist()]
        s.events.ways[0] = len(ways)
        s.events.way[0, : len(ways)] = [on_path.index(one) for one in listed]
    return s, ways


def numbers(s, order, ways):
    """Orders of tokens that a meeting can make of one: each path takes the token of another."""
    listed = [tuple(one) for one in s.table.on_path.tolist()]
    before = listed[order]
    return {listed.index(tuple(before[way.get(b, b)] for b in range(len(before)))) for way in ways}


@given(met=meetings(), data=st.data())
def test_a_meeting_leads_to_all_orders_that_its_zone_allows_and_to_no_other(met, data):
    s, ways = met
    n = len(s.table.on_path)
    some = data.draw(st.sets(st.integers(0, n - 1)))
    before, after = np.zeros((2, n), np.uint8)
    before[list(some)] = 1
    after[:] = data.draw(st.integers(0, 1))  # whatever was there
    _mix(0, before, after, 0, s.events, s.table)
    assert set(np.flatnonzero(after)) == set().union(*(numbers(s, p, ways) for p in some))
    _mix(1, before, after, 0, s.events, s.table)
    assert set(np.flatnonzero(after)) == {p for p in range(n) if some & numbers(s, p, ways)}


@given(met=meetings(), data=st.data())
def test_what_may_be_drawn_after_a_meeting_leads_to_a_valid_end_and_is_in_order(met, data):
    s, ways = met
    n = len(s.table.on_path)
    order, good = data.draw(st.integers(0, n - 1)), data.draw(st.sets(st.integers(0, n - 1)))
    s.reach.returns[1] = 0
    s.reach.returns[1, list(good)] = 1
    found = options(order, 0, s.events, s.reach, s.table)
    assert s.reach.choice[:found].tolist() == sorted(good & numbers(s, order, ways))


@given(met=meetings(), data=st.data())
def test_what_is_drawn_backward_leads_to_what_comes_after(met, data):
    s, ways = met
    order = data.draw(st.integers(0, len(s.table.on_path) - 1))
    size = reachable_from(1, order, 0, s.events, s.reach, s.table)
    before = s.reach.orbit[:size].tolist()
    assert len(set(before)) == size == len(ways)
    assert all(order in numbers(s, one, ways) for one in before)
