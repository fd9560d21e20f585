"""Witnesses as differences: put together, chosen from, and cut down to what is needed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.solver.state.differences import joined, needed_parts
from mixsafe.solver.state.witness import fault
from tests.support.cores import core_of
from tests.support.differences import NONE, ONE, THREE, TWO, differences, listed, moved
from tests.support.oracles import agrees_with, assignments, zones_of
from tests.support.strategies import problem, problems


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


def on_wires(core, assignment):
    network = core.network
    pairs = zip(network.row.tolist(), network.start.tolist(), strict=True)
    return np.array([assignment[t][row] for row, t in pairs], np.int32)


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
