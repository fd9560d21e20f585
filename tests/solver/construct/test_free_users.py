"""Free carriers: what those of whom nothing more is known can bring and take."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Links
from mixsafe.network.core import Core
from mixsafe.solver.construct.free_users import _MAX_LEAVES, carried, free_wires
from mixsafe.solver.construct.swaps import swapped
from tests.support.cores import (
    FAR_APART,
    MANY,
    at_wires,
    core_of,
    gathered,
    listed,
    pinned_cores,
    spread,
    truth_of,
    within,
)
from tests.support.oracles import domains
from tests.support.single_token_paths import after, on_a_way, world_of
from tests.support.strategies import problem, problems

ROUND_TRIP = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])], [(0, 0), (0, 4)])
"""User 0 meets 1, 1 meets 2, 2 meets 0: her token can come home over two who are free."""


def brought(core):
    """Candidates on all wires; the empty sets where no row is free."""
    wires = np.arange(core.network.n_wires)
    found = carried(core, wires)
    return [set() for _ in wires] if found is None else listed(found)


def by_definition(core):
    """Tokens that single ways over free rows bring, and those who take the place of who is away."""
    network, own = core.network, Core(core.network, core.own_pins(), Links.none())
    world = world_of(own)
    last = [
        max((t for c, t, rows in world.pins if v in (c, *rows)), default=-1)
        for v in range(world.n_rows)
    ]
    free = [
        start > last[row] for row, start in zip(network.row.tolist(), network.start, strict=True)
    ]
    everybody = set(range(world.n_rows))
    allowed = [everybody if is_free else {int(network.row[w])} for w, is_free in enumerate(free)]
    reached = on_a_way(own, allowed)
    found = [set(one) for one in reached]

    def wire(row, step):
        return int(network.wire_at(row, step))

    for user in everybody:
        seen = sorted({t for c, t, _ in world.pins if c == user})
        for begin, end in itertools.pairwise(seen):
            for left, met in (
                (t, met) for t, met in world.zones if begin < t < end and user in met
            ):
                stay = [v for v in met if free[wire(v, left)]]
                guests = {c for v in stay for c in reached[wire(v, left - 1)] if last[c] < left}
                away = {user}
                for step in range(left, end):
                    away = set().union(*(after(world, place, step) for place in away)) - {user}
                    away = {v for v in away if free[wire(v, step)]}
                    away = {v for v in away if user in reached[wire(v, step)]}
                    found[wire(user, step)] |= guests if away else set()
    return found if any(free) else [set() for _ in free]


@given(asked=problems(max_zones=8))
@settings(max_examples=60)
def test_carriers_bring_whom_free_rows_alone_can_bring_and_nobody_else(asked):
    core = core_of(asked)
    assert brought(core) == by_definition(core)


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_carriers_keep_to_the_rows_that_pins_allow_and_leave_out_nobody(asked):
    core, _, _ = asked
    assert brought(core) == by_definition(core)


@given(asked=problems(max_zones=8), drawn=st.data())
@settings(max_examples=25)
def test_for_rows_that_are_not_asked_about_only_the_ways_over_free_rows_are_followed(asked, drawn):
    core = core_of(asked)
    wires = drawn.draw(st.lists(st.integers(0, core.network.n_wires - 1), max_size=2))
    found, every = carried(core, np.array(wires, np.int64)), brought(core)
    rows = set(core.network.row[wires].tolist())
    if found is not None:
        assert within(listed(found), every)
        for row, some, all_of_them in zip(core.network.row, listed(found), every, strict=True):
            assert some == all_of_them or row not in rows


@given(asked=problems())
@settings(max_examples=60)
def test_what_carriers_bring_is_a_candidate(asked):
    assert within(brought(core_of(asked)), truth_of(asked))


@given(asked=pinned_cores())
@settings(max_examples=25)
def test_what_carriers_bring_is_a_candidate_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(brought(core), at_wires(core.network, truth))


def test_a_token_goes_round_over_free_rows_where_no_swap_would_bring_it_back():
    core = core_of(ROUND_TRIP)
    away = core.network.wire_at([0, 1, 2], [1, 1, 2])
    found = brought(core)
    assert found[away[0]] == {0, 1}
    assert all(0 in found[wire] for wire in away[1:])
    assert listed(swapped(core))[away[0]] == {0}
    assert found == by_definition(core)
    assert found[core.network.wire_at([0], [3])[0]] == {0}


def test_who_had_to_be_home_before_she_left_again_leaves_her_first_guest_behind():
    """Token 0 cannot stay with 1 after 2; whoever took its place then is gone when it is with 2."""
    zones = [(1, [0, 1]), (2, [0, 1]), (3, [0, 2]), (4, [2, 3]), (5, [0, 4]), (6, [0, 2, 3])]
    asked = problem(5, 7, zones, [(0, 0), (0, 7)])
    core = core_of(asked)
    found = brought(core)
    at = core.network.wire_at(np.zeros(3, int), [1, 3, 5])
    assert [found[wire] for wire in at] == [{0, 1}, {0, 2}, {0, 2}]
    assert found == by_definition(core)
    assert within(found, truth_of(asked))


def test_who_is_seen_two_steps_later_can_be_away_in_the_step_between():
    core = core_of(problem(2, 4, [(2, [0, 1]), (3, [0, 1])], [(0, 0), (0, 1), (0, 3)]))
    away = core.network.wire_at([0], [2])[0]
    assert brought(core)[away] == by_definition(core)[away] == {0, 1}


def test_who_was_seen_just_before_is_a_guest_already():
    known = [(0, 0), (0, 4), (1, 0), (1, 1)]
    core = core_of(problem(2, 4, [(2, [0, 1]), (3, [0, 1])], known))
    away = core.network.wire_at([0], [2])[0]
    assert brought(core)[away] == by_definition(core)[away] == {0, 1}


def test_it_does_not_matter_how_late_somebody_else_is_seen():
    zones = [(1, [1, 2]), (2, [1, 2])]
    core = core_of(problem(3, 5, zones, [(0, 4), (0, 5), (1, 0), (1, 3)]))
    away = core.network.wire_at([1], [1])[0]
    assert brought(core)[away] == by_definition(core)[away] == {1, 2}


def test_hundreds_who_must_come_home_are_followed_like_one():
    n_users = 600
    zones = [(t, [user, user + 1]) for user in range(0, n_users, 2) for t in (1, 3)]
    known = [(user, t) for user in range(0, n_users, 2) for t in (0, 4)]
    core = core_of(problem(n_users, 4, zones, known))
    found = brought(core)
    away = core.network.wire_at(np.arange(n_users), np.full(n_users, 1))
    assert [found[wire] for wire in away] == [{u, u ^ 1} for u in range(n_users)]


def test_rows_are_free_after_the_last_thing_known_of_their_token():
    core = core_of(problem(2, 5, [(2, [0, 1]), (4, [0, 1])], [(0, 0), (0, 3)]))
    network = core.network
    _, last_known, free = free_wires(core)
    assert last_known.tolist() == [3, -1]
    assert free.tolist() == (network.start > np.where(network.row == 0, 3, -1)).tolist()


def test_who_is_seen_in_that_very_step_is_nobodys_guest():
    """Token 1 comes home from row 2 at step 2, where row 0 is left: it cannot stay there."""
    zones = [(1, [1, 2]), (2, [0, 1, 2]), (3, [0, 2])]
    asked = problem(3, 4, zones, [(0, 0), (0, 4), (1, 0), (1, 2)])
    core = core_of(asked)
    left = core.network.wire_at([0], [2])[0]
    assert brought(core)[left] == truth_of(asked)[left] == {0, 2}


def test_where_everybody_is_known_to_the_end_nobody_carries():
    known = [(user, t) for user in range(3) for t in (0, 4)]
    core = core_of(problem(3, 4, [(1, [0, 1, 2]), (3, [0, 1, 2])], known))
    assert carried(core, np.arange(core.network.n_wires)) is None


def test_a_row_left_more_often_than_is_followed_up_gets_no_wrong_guests():
    zones = [(t, [0, 1]) for t in range(1, 90)]
    core = core_of(problem(3, 90, zones, [(0, 0), (0, 90)]))
    found = brought(core)
    away = core.network.wire_at(np.zeros(88, int), np.arange(1, 89))
    assert all(found[wire] <= {0, 1} for wire in away)
    assert found[away[0]] == {0, 1}


def test_each_leave_that_is_followed_up_has_a_bit_of_its_own():
    assert np.iinfo(np.uint64).bits >= _MAX_LEAVES


@given(asked=problems(), rows=st.permutations(FAR_APART))
@settings(max_examples=25)
def test_a_crowd_that_meets_nobody_changes_nothing(asked, rows):
    core = core_of(asked)
    few = carried(core, np.arange(core.network.n_wires))
    rows = sorted(rows[: asked.zones.n_users])
    crowded = core_of(spread(asked, rows, MANY))
    many = carried(crowded, np.arange(crowded.network.n_wires))
    if few is not None:
        assert gathered(crowded, many, rows) == listed(few)
