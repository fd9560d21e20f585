"""Witnesses: whole assignments are accepted exactly when they are possible assignments."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Knowledge
from mixsafe.solver.state.witness import complete, fault
from tests.support.cores import core_of
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
