"""Matching (fact 6): what is left of a moment are its perfect matchings."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from tests.support.cores import (
    at_wires,
    core_of,
    gathered,
    listed,
    pinned_cores,
    spread,
    stretched,
    truth_of,
    within,
)
from tests.support.oracles import domains
from tests.support.strategies import problem, problems


@st.composite
def cores_with_sets(draw):
    """A problem, its core, and any tokens on its wires, each wire's own among them."""
    asked = draw(problems())
    core = core_of(asked)
    network = core.network
    one = st.integers(0, 2**network.n_rows - 1)
    any_tokens = draw(st.lists(one, min_size=network.n_wires, max_size=network.n_wires))
    sets = np.array(any_tokens, np.uint64)[:, None] | tokens.identity(network.row, core.words)
    return asked, core, sets


def on_perfect_matchings(allowed):
    """Tokens of each row in some bijection of rows and tokens, by trying all."""
    n_rows = len(allowed)
    found = [set() for _ in range(n_rows)]
    for bijection in itertools.permutations(range(n_rows)):
        if all(bijection[row] in allowed[row] for row in range(n_rows)):
            for row in range(n_rows):
                found[row].add(bijection[row])
    return found


def match_all(core, sets):
    """Match at every step at which anything changes."""
    return match(core, sets, np.arange(core.network.n_wires))


def step_by_step(network, sets):
    """What is left of sets when each step has been matched by trying all."""
    expected = allowed = listed(sets)
    rows = np.arange(network.n_rows)
    for step in range(network.horizon + 1):
        wires = network.wire_at(rows, np.full_like(rows, step)).tolist()
        found = on_perfect_matchings([allowed[wire] for wire in wires])
        here = dict(zip(wires, found, strict=True))
        expected = [kept & here.get(wire, kept) for wire, kept in enumerate(expected)]
    return expected


@given(drawn=cores_with_sets())
@settings(max_examples=60)
def test_a_token_stays_where_a_perfect_matching_of_every_step_has_it(drawn):
    _, core, sets = drawn
    expected = step_by_step(core.network, sets)
    match_all(core, sets)
    assert listed(sets) == expected


@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_over_hundreds_of_steps_that_are_matched_some_at_a_time(seed):
    random = np.random.default_rng(seed)
    zones = [(t, sorted(random.permutation(4)[:2].tolist())) for t in range(1, 250)]
    core = core_of(problem(4, 250, zones))
    network = core.network
    drawn = random.integers(1, 16, (network.n_wires, 1), np.uint64)
    sets = drawn | random.integers(1, 16, drawn.shape, np.uint64)
    sets |= tokens.identity(network.row, core.words)
    expected = step_by_step(network, sets)
    assert expected != listed(sets)
    match_all(core, sets)
    assert listed(sets) == expected


@given(drawn=cores_with_sets(), asked=st.data())
@settings(max_examples=40)
def test_looking_at_some_steps_only_removes_less_but_nothing_else(drawn, asked):
    _, core, sets = drawn
    network = core.network
    wires = asked.draw(st.lists(st.integers(0, network.n_wires - 1), max_size=3))
    some, every, before = sets.copy(), sets.copy(), sets.copy()
    match(core, some, np.array(wires, np.int64))
    match_all(core, every)
    assert within(listed(every), listed(some))
    assert within(listed(some), listed(before))


@given(drawn=cores_with_sets())
@settings(max_examples=25)
def test_it_says_whether_it_removed_anything(drawn):
    _, core, sets = drawn
    before = sets.copy()
    assert match_all(core, sets) == (not np.array_equal(before, sets))


@given(asked=problems())
@settings(max_examples=25)
def test_no_candidate_is_removed(asked):
    core = core_of(asked)
    possible = reachable(core)
    match_all(core, possible)
    assert within(truth_of(asked), listed(possible))


@given(asked=pinned_cores())
@settings(max_examples=25)
def test_no_candidate_is_removed_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    possible = reachable(core)
    match_all(core, possible)
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(at_wires(core.network, truth), listed(possible))


def test_two_rows_that_share_two_tokens_leave_them_to_nobody_else():
    core = core_of(problem(3, 1, []))
    sets = np.array([[0b011], [0b011], [0b111]], np.uint64)
    assert match_all(core, sets)
    assert listed(sets) == [{0, 1}, {0, 1}, {2}]


@given(asked=problems(), rows=st.permutations((5, 63, 64, 127, 128)))
@settings(max_examples=25)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows):
    rows = sorted(rows[: asked.zones.n_users])
    core, crowded = core_of(asked), core_of(spread(asked, rows, 130))
    few, many = reachable(core), reachable(crowded)
    match_all(core, few)
    match_all(crowded, many)
    assert gathered(crowded, many, rows) == listed(few)


@given(drawn=cores_with_sets(), factor=st.sampled_from([13, 40]))
@settings(max_examples=25)
def test_long_times_are_cut_where_it_does_not_matter(drawn, factor):
    """Stretches of time are matched apart; a wire may lie in many of them."""
    asked, core, sets = drawn
    longer = core_of(stretched(asked, factor))
    many = sets.copy()
    match_all(core, sets)
    match_all(longer, many)
    assert np.array_equal(sets, many)
