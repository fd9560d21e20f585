"""Neighbourhoods: what the members of one meeting can do, against the definition."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.solver.local.neighbourhoods import _mix, new_scratch, options


@st.composite
def meetings(draw):
    """Working memory for a few tokens, two or more of which meet; these, and what they may do."""
    size = draw(st.integers(2, 5))
    who = draw(st.permutations(range(size)))[: draw(st.integers(2, size))]
    s = new_scratch(size, 0, np.ones(1, np.uint64))
    s.events.met[0] = len(who)
    s.events.who[0, : len(who)] = who
    s.events.complete[0] = draw(st.booleans())
    allowed = draw(st.lists(st.booleans(), min_size=size * size, max_size=size * size))
    s.events.allowed[0] = np.array(allowed).reshape(size, size) | np.eye(size, dtype=bool)
    return s, who


def after_one_meeting(s, order, who):
    """Orders of tokens that the members of a meeting can make of one."""
    free = s.events.complete[0]
    for new in itertools.permutations(who):
        made = list(order)
        for place, other in zip(who, new, strict=True):
            made[place] = order[other]
        if free or all(s.events.allowed[0, b, a] for a, b in zip(who, new, strict=True)):
            yield tuple(made)


def numbers(s, order, who):
    listed = [tuple(one) for one in s.table.on_path.tolist()]
    return {listed.index(made) for made in after_one_meeting(s, listed[order], who)}


@given(met=meetings(), forth=st.booleans(), data=st.data())
def test_a_meeting_leads_to_all_orders_of_its_members_and_to_no_other(met, forth, data):
    s, who = met
    n = len(s.table.on_path)
    some = data.draw(st.sets(st.integers(0, n - 1)))
    before, after = np.zeros((2, n), np.uint8)
    before[list(some)] = 1
    after[:] = data.draw(st.integers(0, 1))  # whatever was there
    _mix(before, after, 0, forth, s.events, s.reach, s.table)
    if forth:
        expected = set().union(*(numbers(s, p, who) for p in some))
    else:
        expected = {p for p in range(n) if numbers(s, p, who) & some}
    assert set(np.flatnonzero(after)) == expected


@given(met=meetings(), data=st.data())
def test_what_may_be_drawn_after_a_meeting_leads_to_a_valid_end_and_is_in_order(met, data):
    s, who = met
    n = len(s.table.on_path)
    order, good = data.draw(st.integers(0, n - 1)), data.draw(st.sets(st.integers(0, n - 1)))
    s.reach.returns[1] = 0
    s.reach.returns[1, list(good)] = 1
    found = options(order, 0, s.events, s.reach, s.table)
    assert s.reach.choice[:found].tolist() == sorted(good & numbers(s, order, who))
