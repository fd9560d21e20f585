"""Walks through solutions: sound, and independent of the number of threads."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.model.question.adversary import Knowledge
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.local.walks import WalkBudget, walk
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.searches import Targets
from mixsafe.solver.state.witness import fault
from tests.support.cores import at_wires, core_of, listed, pinned_cores, truth_of, within
from tests.support.oracles import domains
from tests.support.strategies import problem, problems

ROUND = problem(
    3,
    8,
    [(1, [0, 1]), (2, [1, 2]), (3, [0, 2]), (4, [0, 1]), (5, [1, 2]), (6, [0, 2])],
    [(user, t) for user in range(3) for t in (0, 8)],
)
"""Three who meet in pairs, round and round, and are known at both ends."""


def walked(core, *, size=3, wires=None, seed=0, workers=0):
    """What walks prove when every wire, or each of ``wires``, is to show all its tokens."""
    network = core.network
    wires = np.arange(network.n_wires) if wires is None else np.array(wires, np.int64)
    proven = tokens.identity(network.row, core.words)
    enough = np.full(len(wires), network.n_rows, np.int32)
    targets, budget = Targets(wires, enough, reachable(core)), WalkBudget(size, 3, 4, 10)
    walk(core, targets, proven, budget, Course.begin(SolveLimits(workers=workers)), seed=seed)
    return proven


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@given(asked=problems())
@settings(max_examples=20)
def test_what_a_walk_proves_is_a_candidate(size, asked):
    assert within(listed(walked(core_of(asked), size=size)), truth_of(asked))


@given(asked=pinned_cores(), size=st.integers(2, 4))
@settings(max_examples=25)
def test_what_a_walk_proves_is_a_candidate_where_tokens_are_pinned_to_sets_of_rows(asked, size):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(listed(walked(core, size=size)), at_wires(core.network, truth))


@given(asked=problems(), step=st.integers(0, 6))
@settings(max_examples=40)
def test_what_a_walk_proves_is_a_candidate_where_everybody_is_seen_at_one_step(asked, step):
    """Neighbourhoods end there, because the parts before and after it are independent."""
    step = min(step, asked.zones.axis.steps)
    everybody = Knowledge.of(
        *np.array([(user, t) for user in range(asked.zones.n_users) for t in {0, step}]).T
    )
    asked = replace(asked, knowledge=everybody)
    assert within(listed(walked(core_of(asked), size=4)), truth_of(asked))


def test_a_walk_whose_time_is_up_ends_and_keeps_to_the_truth():
    core = core_of(ROUND)
    proven = tokens.identity(core.network.row, core.words)
    wires = np.arange(core.network.n_wires)
    targets = Targets(wires, np.full(len(wires), 3, np.int32), reachable(core))
    late = Course.begin().until(Deadline(0.0))
    walk(core, targets, proven, WalkBudget(3, 1 << 40, 10, 10), late)
    assert within(listed(proven), truth_of(ROUND))


def test_three_who_meet_in_pairs_show_more_than_swaps():
    core = core_of(ROUND)
    assert listed(walked(core)) == truth_of(ROUND)
    assert not within(truth_of(ROUND), listed(swapped(core)))


def test_only_wires_that_are_asked_about_change():
    core = core_of(ROUND)
    asked = core.network.wire_at([0], [3])
    changed = np.any(walked(core, wires=asked) != walked(core, wires=[]), axis=1)
    assert np.flatnonzero(changed).tolist() == asked.tolist()


@given(asked=problems(), size=st.integers(2, 4), depth=st.integers(1, 20), enough=st.integers(2, 4))
@settings(max_examples=40)
def test_recorded_witnesses_show_everything_that_was_asked(asked, size, depth, enough):
    """Recording does not change what is proven, and each witness shows something new."""
    core = core_of(asked)
    network = core.network
    proven, alone = (tokens.identity(network.row, core.words) for _ in range(2))
    wires, wanted = np.arange(network.n_wires), np.full(network.n_wires, enough, np.int32)
    targets, budget = Targets(wires, wanted, reachable(core)), WalkBudget(size, 3, 4, 10, depth)
    walk(core, targets, alone, budget, Course.begin())
    recorded = walk(core, targets, proven, budget, Course.begin(), writes=True)
    assert np.array_equal(proven, alone)
    shown = tokens.identity(network.row, core.words)
    for number in range(recorded.n):
        moved = slice(recorded.ptr[number], recorded.ptr[number + 1])
        witness = network.row.copy()
        witness[recorded.wire[moved]] = recorded.token[moved]
        assert fault(core, witness) is None
        assert len(recorded.wire[moved]) == np.count_nonzero(witness != network.row) > 0
        tokens.put(shown, wires, witness)
    assert not np.any(shown & ~proven)
    assert np.all(tokens.count(shown) >= np.minimum(tokens.count(proven), enough))


@given(asked=problems())
@settings(max_examples=10)
def test_the_number_of_threads_does_not_show(asked):
    core = core_of(asked)
    assert np.array_equal(walked(core, workers=1), walked(core, workers=3))
