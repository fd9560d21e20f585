"""What follows from assumptions contradicts no assignment, and can all be taken back."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.network.core import Core
from mixsafe.solver.local.beginnings import assume_places
from mixsafe.solver.local.generator import beginning
from mixsafe.solver.propagate.assumptions import assume_off
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.domains import Domains, take_back
from tests.support.cores import core_of, gathered, listed, pinned_cores, spread
from tests.support.oracles import agrees, assignments, knowledge_of, zones_of
from tests.support.strategies import problem, problems

FAR = (5, 63, 64, 127, 128)  # rows in several words of a set


def solutions(core, zones, knowledge, pins=()):
    """Tokens on all wires, of each assignment that agrees with what is known."""
    network = core.network
    return [
        [assignment[t][row] for row, t in zip(network.row.tolist(), network.start, strict=True)]
        for assignment in assignments(network.n_rows, network.horizon, zones)
        if agrees(assignment, knowledge, pins, distinct=len(core.apart) > 0)
    ]


def off_others(core, wire, kept):
    """(words,) all tokens but some."""
    return ~tokens.set_of(np.array(kept, np.int64), core.words)


def assert_counted(core, domains):
    """How many tokens are on wires, and on how many rows tokens are, where that is counted."""
    left, rows = listed(domains.possible), np.arange(core.network.n_rows)
    assert np.array_equal(domains.size, tokens.count(domains.possible))
    for step in np.flatnonzero(domains.is_counted).tolist():
        here = core.network.wire_at(rows, np.full(len(rows), step))
        counts = [sum(token in left[w] for w in here.tolist()) for token in range(len(here))]
        assert domains.places[step].tolist() == counts


def assert_complete(core, before, left):
    """Nothing more follows in zones, over links, and from who has a wire to herself."""
    network, rows = core.network, np.arange(core.network.n_rows)
    for begin, end in zip(network.zone_ptr[:-1], network.zone_ptr[1:], strict=True):
        come = network.before[begin:end].tolist()
        assert set().union(*(left[w] for w in come)) == set().union(*(left[w + 1] for w in come))
    assert all(left[one] == left[other] for one, other in core.link_wires.tolist())
    for step in range(network.horizon + 1):
        here = network.wire_at(rows, np.full(len(rows), step)).tolist()
        for wire in here:
            if len(left[wire]) == 1 < len(before[wire]):
                assert all(not left[wire] & left[other] for other in here if other != wire)


def assert_follows(core, true, draw):
    """Whatever is assumed on a wire: what is struck off, no assignment that agrees with it shows.

    When it is taken back, the next assumption leads to the same as if it were the first one.
    """
    possible = reachable(core)
    domains, net = Domains.of(core, possible), core.network.wires
    for _ in range(2):
        wire = draw(st.integers(0, core.network.n_wires - 1))
        kept = draw(st.lists(st.integers(0, core.network.n_rows - 1), min_size=1, unique=True))
        agree = [one for one in true if one[wire] in kept]
        fresh = Domains.of(core, possible)
        goes = assume_off(wire, off_others(core, wire, kept), domains, net)
        assert assume_off(wire, off_others(core, wire, kept), fresh, net) == goes
        if goes:
            left = listed(domains.possible)
            assert all(token in left[w] for one in agree for w, token in enumerate(one))
            assert left == listed(fresh.possible)
            assert_complete(core, listed(possible), left)
            assert_counted(core, domains)
        else:
            assert not agree
        take_back(0, domains, net)
        assert np.array_equal(domains.possible, possible)
        assert_counted(core, domains)


@given(asked=problems(), data=st.data())
@settings(max_examples=40)
def test_what_is_taken_back_to_a_mark_leaves_what_was_assumed_before(asked, data):
    core = core_of(asked)
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    any_wire = st.integers(0, core.network.n_wires - 1)
    first, second = data.draw(any_wire), data.draw(any_wire)
    own = core.network.row
    assert assume_off(first, off_others(core, first, [own[first]]), domains, net)
    before, mark = domains.possible.copy(), domains.n_excluded
    assert assume_off(second, off_others(core, second, [own[second]]), domains, net)
    assert domains.n_excluded - mark == np.bitwise_count(before ^ domains.possible).sum()
    take_back(mark, domains, net)
    assert domains.n_excluded == mark
    assert np.array_equal(domains.possible, before)
    assert_counted(core, domains)


@given(asked=problems(), data=st.data())
@settings(max_examples=60)
def test_nothing_follows_that_some_assignment_contradicts(asked, data):
    core = core_of(asked)
    assert_follows(core, solutions(core, zones_of(asked), knowledge_of(asked)), data.draw)


@given(asked=pinned_cores(), data=st.data())
@settings(max_examples=40)
def test_nothing_follows_that_some_assignment_contradicts_where_tokens_are_pinned(asked, data):
    core, zones, pins = asked
    assert_follows(core, solutions(core, zones, [], pins), data.draw)


@given(asked=problems(), data=st.data(), seed=st.integers(0, 99))
@settings(max_examples=40)
def test_guesses_fail_only_where_no_assignment_is_left(asked, data, seed):
    """Who is not on a row that was refuted is on another one, so a failure is a proof."""
    core = core_of(asked)
    true = solutions(core, zones_of(asked), knowledge_of(asked))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    one = data.draw(st.sampled_from(true))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    assert assume_off(wire, off_others(core, wire, [one[wire]]), domains, net)
    if assume_places(1, beginning(seed), domains, net):
        assert domains.size.min() > 0


@given(
    asked=problems(max_assignments=60), rows=st.permutations((5, 63, 64, 127, 128)), data=st.data()
)
@settings(max_examples=15)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows, data):
    rows = sorted(rows[: asked.zones.n_users])
    core, crowded = core_of(asked), core_of(spread(asked, rows, 130))
    few, many = (Domains.of(one, reachable(one)) for one in (core, crowded))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    kept = data.draw(st.lists(st.integers(0, core.network.n_rows - 1), min_size=1, unique=True))
    row = core.network.row[wire]
    there = int(crowded.network.first[rows[row]] + wire - core.network.first[row])
    goes = assume_off(wire, off_others(core, wire, kept), few, core.network.wires)
    among = off_others(crowded, there, [rows[token] for token in kept])
    assert assume_off(there, among, many, crowded.network.wires) == goes
    if goes:
        assert gathered(crowded, many.possible, rows) == listed(few.possible)


def crossing():
    """Users 0 and 1 meet, then 0 and 2, then 0 and 1: who leaves 0's row has one way home."""
    return problem(
        3, 4, [(1, [0, 1]), (2, [0, 2]), (3, [0, 1])], [(u, t) for u in range(3) for t in (0, 4)]
    )


def test_who_has_one_place_left_is_there_and_nobody_else_is():
    core = core_of(crossing())
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    wire = int(core.network.wire_at(np.array([0]), np.array([1]))[0])
    other = int(core.network.wire_at(np.array([1]), np.array([1]))[0])
    assert assume_off(wire, tokens.set_of(np.array([0]), 1), domains, net)
    assert tokens.members(domains.possible[wire]).tolist() == [1]
    assert tokens.members(domains.possible[other]).tolist() == [0]


@pytest.mark.parametrize("seed", range(12))
def test_all_that_follows_does_where_many_meet_again_and_again(seed):
    random = np.random.default_rng(seed)
    zones = [(t, random.choice(6, int(random.integers(2, 4)), replace=False)) for t in range(1, 13)]
    everybody = [(user, t) for user in range(6) for t in (0, 13)]
    core = core_of(problem(6, 13, [(t, some.tolist()) for t, some in zones], everybody))
    possible = reachable(core)
    domains, net = Domains.of(core, possible), core.network.wires
    before = listed(possible)
    for wire, own in enumerate(core.network.row.tolist()):
        for token in before[wire]:
            if assume_off(wire, off_others(core, wire, [token]), domains, net):
                assert_complete(core, before, listed(domains.possible))
                assert_counted(core, domains)
            else:
                assert token != own
            changed = np.flatnonzero((domains.possible != possible).any(axis=1))
            steps = [range(net.start[w], core.network.end[w] + 1) for w in changed.tolist()]
            assert all(domains.is_counted[step] for span in steps for step in span)
            take_back(0, domains, net)
    assert_counted(core, domains)


@pytest.mark.parametrize("end", [0, 1])
def test_who_is_not_at_one_end_of_a_link_is_not_at_the_other(end):
    """Rows 0 and 1 are seen twice each, on wires 1 and 3 of their own."""
    zones = [(t, [0, 1, 2]) for t in (1, 2, 3, 4)]
    core = core_of(problem(3, 5, zones, [(0, 1), (0, 3), (1, 1), (1, 3)]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    for row, off in ((0, [2]), (0, [1, 2]), (1, [2]), (1, [0, 2])):
        wires = core.network.wire_at([row, row], [1, 3])
        assert wires.tolist() in core.link_wires.tolist()
        assert assume_off(int(wires[end]), tokens.set_of(np.array(off), 1), domains, net)
        assert not any(tokens.are_in(domains.possible, wires, one).any() for one in off)
        take_back(0, domains, net)
        assert all(tokens.are_in(domains.possible, wires, one).all() for one in off)


@pytest.mark.parametrize("rows", list(permutations(range(3))))
def test_who_has_one_wire_left_after_a_step_has_it_alone(rows):
    """The first one has been on the first two rows only."""
    one, two, three = rows
    core = core_of(problem(3, 3, [(1, sorted([two, three])), (2, sorted([one, two]))]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    last = core.network.wire_at(rows, [3, 3, 3]).tolist()
    assert assume_off(last[0], tokens.set_of(np.array([one]), 1), domains, net)
    left = [listed(domains.possible)[wire] for wire in last]
    assert left == [{two, three}, {one}, {two, three}]


def test_what_cannot_be_is_refuted():
    core = core_of(problem(2, 2, [(1, [0, 1])], [(u, t) for u in (0, 1) for t in (0, 2)]))
    domains, net = Domains.of(core, reachable(core)), core.network.wires
    for wire in range(core.network.n_wires):
        own = int(core.network.row[wire])
        assert not assume_off(wire, tokens.set_of(np.array([own]), 1), domains, net)
        take_back(0, domains, net)


@given(asked=problems(), data=st.data())
@settings(max_examples=20)
def test_when_there_is_no_room_left_nothing_more_follows_and_nothing_wrong(asked, data):
    core: Core = core_of(asked)
    true = solutions(core, zones_of(asked), knowledge_of(asked))
    domains = Domains.of(core, reachable(core), most_excluded=3)
    one = data.draw(st.sampled_from(true))
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    assert assume_off(wire, off_others(core, wire, [one[wire]]), domains, core.network.wires)
    assert all(token in left for token, left in zip(one, listed(domains.possible), strict=True))
