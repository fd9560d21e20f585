"""Witnesses: whole assignments are accepted exactly when they are possible assignments.

As differences they are put together, chosen from, and cut down to what is needed. Told as exchanges
they are the same assignments as when rows exchange step by step.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Knowledge
from mixsafe.solver.state.witness import (
    WitnessExchanges,
    complete,
    differences_of,
    fault,
    joined,
    needed_parts,
)
from tests.support.cores import core_of
from tests.support.differences import NONE, ONE, THREE, TWO, differences, listed, moved
from tests.support.oracles import agrees_with, assignments, assignments_of, zones_of
from tests.support.relations import related_problems
from tests.support.strategies import problem, problems


@pytest.fixture
def core():
    """Three users; 0 is seen at both ends, 2 twice in between."""
    zones = [(1, [0, 1]), (3, [0, 1, 2])]
    return core_of(problem(3, 4, zones, [(0, 0), (0, 4), (2, 2), (2, 4)]))


def on_wires(core, assignment):
    """An assignment as an tokens."""
    network = core.network
    pairs = zip(network.row.tolist(), network.start.tolist(), strict=True)
    return np.array([assignment[t][row] for row, t in pairs], np.int32)


def all_assignments(asked):
    """Assignments of all assignments that the zones allow."""
    zones = asked.zones
    for assignment in assignments(zones.n_users, zones.axis.steps, zones_of(asked)):
        yield assignment, on_wires(core_of(asked), assignment)


@given(asked=problems(max_assignments=60))
@settings(max_examples=40)
def test_a_assignment_is_a_witness_exactly_when_it_agrees_with_what_is_known(asked):
    core = core_of(asked)
    for assignment, tokens in all_assignments(asked):
        assert (fault(core, tokens) is None) == agrees_with(asked, assignment)


@given(asked=problems(max_users=3, max_zones=3, max_assignments=40), data=st.data())
@settings(max_examples=60)
def test_what_is_no_assignment_is_no_witness(asked, data):
    core = core_of(asked)
    tokens = core.network.row.copy()
    wire = data.draw(st.integers(0, len(tokens) - 1))
    tokens[wire] = data.draw(st.integers(-1, core.network.n_rows))
    valid = [one.tolist() for assignment, one in all_assignments(asked)
             if agrees_with(asked, assignment)]  # fmt: skip
    assert (fault(core, tokens) is None) == (tokens.tolist() in valid)


@given(asked=problems(max_assignments=60))
@settings(max_examples=30)
def test_nobody_ever_swapping_satisfies_everything(asked):
    core = core_of(asked)
    assert fault(core, core.network.row) is None


@pytest.mark.parametrize(
    ("tokens", "expected"),
    [
        ([1, 1, 1, 1, 1, 1, 2, 2], "a token does not start on its own row"),
        ([0, 0, 0, 1, 0, 1, 2, 2], "a zone does not permute the tokens that come to it"),
        ([0, 0, 1, 1, 1, 0, 2, 2], "a pinned token is elsewhere"),
        ([0, 0, 0, 1, 1, 2, 2, 1], "a link is violated"),
        ([0, 1, 0, 1, 0, 1, 2, 2], None),
    ],
)
def test_it_is_said_what_is_wrong(core, tokens, expected):
    assert fault(core, np.array(tokens, np.int32)) == expected


@given(asked=problems(max_assignments=60), data=st.data())
@settings(max_examples=40)
def test_anonymous_tokens_are_filled_in_around_those_that_are_told_apart(asked, data):
    core = core_of(asked)
    n_rows = core.network.n_rows
    _, whole = data.draw(st.sampled_from(list(all_assignments(asked))))
    tracked = np.array(data.draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
    told = np.where(tracked[whole], whole, -1).astype(np.int32)
    filled = complete(core, told, tracked)
    assert np.array_equal(np.where(tracked[filled], filled, -1), told)
    assert fault(core_of(problem(n_rows, core.network.horizon, zones_of(asked))), filled) is None


def test_anonymous_tokens_stay_at_home_where_they_can():
    core = core_of(problem(4, 2, [(1, [0, 1, 2, 3])]))
    told = np.full(8, -1, np.int32)
    told[core.network.wire_at([0, 1, 0, 1], [0, 0, 1, 1])] = [0, 1, 1, 0]
    filled = complete(core, told, np.array([True, True, False, False]))
    assert filled[core.network.wire_at(range(4), [1] * 4)].tolist() == [1, 0, 2, 3]


def test_a_token_told_to_be_on_two_wires_at_once_leaves_no_witness():
    core = core_of(problem(2, 2, [(1, [0, 1])]))
    filled = complete(core, np.array([0, 0, -1, 0], np.int32), np.array([True, False]))
    assert fault(core, filled) is not None


def test_each_anonymous_token_is_put_once_and_where_it_is():
    # Token 1 goes over row 0 to row 3. Token 0 takes its place at first and is not there later;
    # 2 stays at home, and 3, whose row is taken, has what is left.
    core = core_of(problem(4, 3, [(1, [0, 1]), (2, [0, 2, 3])]))
    at = core.network.wire_at
    told = np.full(core.network.n_wires, -1, np.int32)
    told[at([1, 0, 3], [0, 1, 2])] = 1
    filled = complete(core, told, np.array([False, True, False, False]))
    assert filled[at(range(4), [0] * 4)].tolist() == [0, 1, 2, 3]
    assert filled[at(range(4), [1] * 4)].tolist() == [1, 0, 2, 3]
    assert filled[at(range(4), [2] * 4)].tolist() == [3, 0, 2, 1]


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("stranger", [-4, -1, 0, 2, 3, 4])
def test_a_token_does_not_leave_a_zone_to_which_it_did_not_come(step, stranger):
    core = core_of(problem(4, 4, [(1, [0, 1]), (2, [0, 1]), (3, [0, 1])]))
    tokens = core.network.row.copy()
    assert fault(core, tokens) is None
    tokens[core.network.wire_at([1], [step])] = stranger
    assert fault(core, tokens) == "a zone does not permute the tokens that come to it"


@pytest.mark.parametrize(("zone", "members"), [(0, (0, 1)), (1, (2, 3)), (2, (0, 2))])
@pytest.mark.parametrize("stranger", range(5))
def test_no_zone_is_left_by_who_was_in_another_or_in_none(zone, members, stranger):
    core = core_of(problem(5, 4, [(1, [0, 1]), (2, [2, 3]), (3, [0, 2])]))
    network = core.network
    tokens = network.row.copy()
    left = network.before[network.zone_ptr[zone]] + 1
    tokens[left : network.first[members[0] + 1]] = stranger  # and stays on that row
    if stranger == members[0]:
        assert fault(core, tokens) is None
    else:
        assert fault(core, tokens) == "a zone does not permute the tokens that come to it"


@given(asked=related_problems())
@settings(max_examples=40)
def test_zones_with_a_relation_move_tokens_by_allowed_pairs_only(asked):
    core = core_of(asked)
    allowed = set(assignments_of(asked))
    wanted = [one for one in allowed if agrees_with(asked, one)]
    for number, (assignment, tokens) in enumerate(all_assignments(asked)):
        assert (fault(core, tokens) is None) == (assignment in wanted)
        if assignment not in allowed:
            assert fault(core, tokens) == "a zone moves a token as its relation does not allow"
        if number == 60:
            break


@given(asked=related_problems(), data=st.data())
@settings(max_examples=60)
def test_anonymous_tokens_are_filled_in_by_allowed_pairs(asked, data):
    unseen = replace(asked, knowledge=Knowledge.from_pairs([]))
    core = core_of(unseen)
    n_rows = core.network.n_rows
    assignment = data.draw(st.sampled_from(sorted(assignments_of(unseen))))
    whole = on_wires(core, assignment)
    tracked = np.array(data.draw(st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)))
    told = np.where(tracked[whole], whole, -1).astype(np.int32)
    filled = complete(core, told, tracked)
    assert np.array_equal(np.where(tracked[filled], filled, -1), told)
    assert fault(core, filled) is None


def test_nobody_is_not_the_last_token():
    core = core_of(problem(2, 2, [(1, [0, 1])]))
    assert fault(core, np.array([0, 0, 1, -1], np.int32)) is not None
    assert fault(core, np.array([0, -1, 1, 0], np.int32)) is not None


def test_several_are_joined_one_after_the_other():
    several = [differences(ONE, TWO), differences(), differences(NONE, THREE)]
    assert listed(joined(several)) == [ONE, TWO, NONE, THREE]
    nothing = joined([])
    assert (nothing.n, nothing.ptr.tolist()) == (0, [0])


@pytest.mark.parametrize("chosen", [[0, 0, 0, 0], [1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 1, 1]])
def test_those_that_are_chosen_are_left(chosen):
    some = differences(ONE, TWO, NONE, THREE).among(np.array(chosen, bool))
    of = zip([ONE, TWO, NONE, THREE], chosen, strict=True)
    assert listed(some) == [one for one, is_chosen in of if is_chosen]


RELAYS = {
    "two exchanges at once of who was exchanged before": [(1, [1, 2]), (2, [0, 1]), (2, [2, 3])],
    "two exchanges at once of who is exchanged later": [(1, [0, 1]), (1, [2, 3]), (2, [1, 2])],
    "both": [(1, [1, 2]), (2, [0, 1]), (2, [2, 3]), (3, [1, 2]), (4, [0, 1]), (4, [2, 3])],
    "three in a row": [(1, [0, 1]), (2, [1, 2]), (3, [0, 3]), (4, [1, 2]), (5, [0, 1])],
    "three at a time": [(1, [0, 1, 2]), (2, [2, 3]), (3, [0, 1, 3])],
}


@pytest.mark.parametrize("zones", RELAYS.values(), ids=RELAYS)
@pytest.mark.parametrize("seen", [[], [(u, t) for u in (0, 3) for t in (0, 6)]], ids=["", "seen"])
def test_no_wire_is_moved_without_those_that_must_move_with_it(zones, seen):
    asked = problem(4, 6, zones, seen)
    core = core_of(asked)
    row = core.network.row
    for assignment in assignments(4, 6, zones):
        if agrees_with(asked, assignment):
            whole = on_wires(core, assignment)
            for wire in np.flatnonzero(whole != row):
                part, made = needed_parts(core, whole, np.array([wire])), row.copy()
                made[part.wire] = part.token
                assert fault(core, made) is None
                assert made[wire] == whole[wire]


@settings(max_examples=150)
@given(problems(max_users=5, max_zones=6, max_assignments=200), st.data())
def test_the_part_of_a_witness_that_moves_a_wire_is_one(asked, data):
    core = core_of(asked)
    row, zones = core.network.row, asked.zones
    found = [
        on_wires(core, assignment)
        for assignment in assignments(zones.n_users, zones.axis.steps, zones_of(asked))
        if agrees_with(asked, assignment)
    ]
    whole = data.draw(st.sampled_from(found))
    wires = np.array(data.draw(st.lists(st.integers(0, len(row) - 1), max_size=2)), np.int64)
    part = needed_parts(core, whole, wires)
    assert part.ptr.tolist() == [0, len(part.wire)]
    assert np.all(np.diff(part.wire) > 0)
    made = row.copy()
    made[part.wire] = part.token
    assert fault(core, made) is None
    assert np.array_equal(made[wires], whole[wires])
    assert np.all(made[part.wire] == whole[part.wire])
    assert np.all(made[part.wire] != row[part.wire])


PAIRS = [(1, [0, 1]), (1, [2, 3]), (3, [0, 1]), (3, [2, 3]), (5, [0, 2])]


@pytest.mark.parametrize(("row", "tokens"), [(0, [1, 0]), (1, [1, 0]), (2, [3, 2]), (3, [3, 2])])
def test_of_two_swaps_that_have_nothing_to_do_with_each_other_one_is_needed(row, tokens):
    core = core_of(problem(4, 6, PAIRS))
    both = moved(core, (0, 1, 1), (1, 1, 0), (2, 1, 3), (3, 1, 2))
    wire = core.network.wire_at(np.array([row]), 1)
    assert needed_parts(core, both, wire).token.tolist() == tokens


def test_what_is_far_away_in_time_is_not_needed_although_rows_are_the_same():
    core = core_of(problem(2, 6, [(t, [0, 1]) for t in (1, 2, 4, 5)]))
    twice = moved(core, (0, 1, 1), (1, 1, 0), (0, 4, 1), (1, 4, 0))
    early = needed_parts(core, twice, core.network.wire_at(np.array([0]), 1))
    late = needed_parts(core, twice, core.network.wire_at(np.array([0]), 4))
    assert early.wire.tolist() == core.network.wire_at([0, 1], [1, 1]).tolist()
    assert late.wire.tolist() == core.network.wire_at([0, 1], [4, 4]).tolist()


def test_a_wire_that_is_not_moved_needs_nothing():
    core = core_of(problem(4, 6, PAIRS))
    assert listed(needed_parts(core, core.network.row, np.array([0, 1]))) == [[]]


@pytest.mark.parametrize("step", [1, 4])
def test_both_ends_of_a_link_are_needed_together(step):
    """Row 0 is seen at 1 and at 4 and away at both: nothing between them is moved."""
    zones = [(t, [0, 1]) for t in (1, 2, 4, 5)]
    core = core_of(problem(2, 6, zones, [(0, 1), (0, 4)]))
    twice = moved(core, (0, 1, 1), (1, 1, 0), (0, 4, 1), (1, 4, 0))
    part = needed_parts(core, twice, core.network.wire_at(np.array([1]), step))
    assert part.wire.tolist() == np.flatnonzero(twice != core.network.row).tolist()


def exchanges(*witnesses):
    """From lists of (step, row, other row)."""
    flat = [one for witness in witnesses for one in witness]
    columns = np.array(flat, np.int32).reshape(-1, 3).T
    return WitnessExchanges(
        np.cumsum([0, *map(len, witnesses)]), *map(np.ascontiguousarray, columns)
    )


def replayed(network, witness):
    """Token on each wire, from step to step."""
    held, assignment = list(range(network.n_rows)), []
    for step in range(network.horizon + 1):
        for t, one, other in witness:
            if t == step:
                held[one], held[other] = held[other], held[one]
        assignment.append(list(held))
    return [assignment[t][row] for row, t in zip(network.row.tolist(), network.start, strict=True)]


def whole(network, told, number):
    """Token on each wire, from where a witness differs."""
    on = network.row.copy()
    mine = slice(told.ptr[number], told.ptr[number + 1])
    assert np.all(told.token[mine] != on[told.wire[mine]])  # told are those that are away only
    assert len(set(told.wire[mine].tolist())) == len(told.wire[mine])
    on[told.wire[mine]] = told.token[mine]
    return on.tolist()


@st.composite
def exchanged(draw):
    """A core, and some witnesses: members of its zones exchange in turn, perhaps several times."""
    asked = draw(problems(max_assignments=5000))
    pairs = [
        (t, one, other)
        for t, members in zones_of(asked)
        for one in members
        for other in members
        if one != other
    ]
    some = st.lists(st.sampled_from(pairs), max_size=6) if pairs else st.just([])
    witnesses = draw(st.lists(some, max_size=3))
    return core_of(asked), [sorted(one, key=lambda it: it[0]) for one in witnesses]


@given(drawn=exchanged())
@settings(max_examples=200)
def test_differences_are_where_exchanges_move_somebody(drawn):
    core, witnesses = drawn
    told = differences_of(core, exchanges(*witnesses))
    assert told.n == len(witnesses)
    for number, witness in enumerate(witnesses):
        assert whole(core.network, told, number) == replayed(core.network, witness)


def test_who_is_back_is_back_and_the_next_witness_begins_at_home():
    core = core_of(problem(2, 4, [(1, [0, 1]), (2, [0, 1])]))  # three wires each
    there, stays = [(1, 0, 1), (2, 0, 1)], [(2, 0, 1)]
    told = differences_of(core, exchanges(there, [], stays, there))
    found = [whole(core.network, told, number) for number in range(4)]
    home, away, late = [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 1, 0]
    assert found == [away, home, late, away]


def test_some_witnesses_are_chosen_by_their_numbers():
    made = exchanges([(1, 0, 1)], [], [(2, 1, 2), (3, 0, 1)], [(4, 0, 2)])
    assert made.n == 4
    some = made.at(np.array([2, 0, 1]))
    assert some.ptr.tolist() == [0, 2, 3, 3]
    assert (some.step.tolist(), some.one.tolist(), some.other.tolist()) == (
        [2, 3, 1],
        [1, 0, 0],
        [2, 1, 1],
    )
