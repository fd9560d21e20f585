"""Rounds of annealing: sound, complete, and independent of the number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.solver.local.rounds import Round, Workspaces, anneal_once, no_selection
from mixsafe.solver.local.solutions import instance_of, near
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import assignments, packed
from mixsafe.solver.state.searches import Restarts, Targets
from mixsafe.solver.state.witness import fault
from mixsafe.solver.strategy import DEFAULT
from tests.support.cores import (
    at_wires,
    core_of,
    known_at_the_start,
    listed,
    pinned_cores,
    relay,
    truth_of,
    truth_of_relay,
    within,
)
from tests.support.oracles import domains
from tests.support.strategies import problem, problems


def annealed(
    core,
    *,
    rounds=6,
    moves=3000,
    seed=0,
    workers=0,
    deadline=None,
    anew=True,
    perturbed=False,
):
    """What annealing proves when every wire is to show all its tokens."""
    wires, possible = np.arange(core.network.n_wires), reachable(core)
    proven, selection = tokens.identity(core.network.row, core.words), no_selection()
    instance = instance_of(core, possible)
    workspaces = Workspaces(core, instance)
    targets = Targets(wires, tokens.count(possible), possible)
    drawn_from = near(wires, core.network, instance) if perturbed else None
    often = np.repeat(wires, -(-32 // len(wires)))
    course = Course.begin(SolveLimits(workers=workers)).until(deadline or Deadline(None))
    for number in range(rounds):
        outcome = anneal_once(
            workspaces,
            Round(
                targets,
                Restarts(often, np.full(len(often), -1), anew),
                proven,
                moves,
                selection,
                drawn_from,
            ),
            course,
            seed=seed + number,
        )
        for wire, token in outcome.refuted:  # no candidate of any test below is lost by that
            refuse(possible, proven[wire] | outcome.found[wire], wire, token)
        proven, selection = proven | outcome.found, selection.with_those_of(*outcome.selection)
        if anew:
            assert np.array_equal(shown(core, outcome.witnesses), outcome.found)
        else:
            assert not outcome.witnesses
    return proven


def refuse(possible, shown_there, wire, token):
    """Remove refuted tokens from the possible ones."""
    if token < 0:
        possible[wire] = shown_there
    else:
        tokens.exclude(possible, np.array([wire]), token)


def shown(core, witnesses):
    """Tokens of some witnesses on all wires, none of which violates a rule."""
    found = np.zeros((core.network.n_wires, core.words), np.uint64)
    for assignment in assignments(witnesses, core.network.row):
        assert fault(core, assignment) is None
        tokens.put(found, np.arange(len(assignment)), assignment)
    return found


@given(asked=problems())
@settings(max_examples=25)
def test_what_annealing_shows_is_a_candidate(asked):
    assert within(listed(annealed(core_of(asked), rounds=2, moves=500)), truth_of(asked))


@given(asked=pinned_cores())
@settings(max_examples=25)
def test_what_annealing_shows_is_a_candidate_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(listed(annealed(core, rounds=2, moves=500)), at_wires(core.network, truth))


@given(asked=problems())
@settings(max_examples=60)
def test_every_candidate_is_found_where_each_sighting_is_of_one_row(asked):
    """Solutions with violated sightings connect all those without."""
    asked = known_at_the_start(asked)
    assert listed(annealed(core_of(asked), moves=10_000)) == truth_of(asked)


@given(asked=problems())
@settings(max_examples=12)
def test_restarts_that_go_on_from_the_witness_before_show_all_candidates_and_no_other(asked):
    asked = known_at_the_start(asked)
    found = annealed(core_of(asked), rounds=6, moves=10_000, anew=False)
    assert listed(found) == truth_of(asked)


@given(asked=problems())
@settings(max_examples=12)
def test_restarts_from_perturbed_solutions_show_all_candidates_and_no_other(asked):
    asked = known_at_the_start(asked)
    found = annealed(core_of(asked), rounds=6, moves=10_000, perturbed=True)
    assert listed(found) == truth_of(asked)


@given(asked=pinned_cores())
@settings(max_examples=20)
def test_restarts_from_perturbed_solutions_show_candidates_where_tokens_are_pinned_to_sets_of_rows(
    asked,
):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    found = annealed(core, rounds=2, moves=500, perturbed=True)
    assert within(listed(found), at_wires(core.network, truth))


def test_witnesses_that_move_many_tokens_are_found():
    asked = relay(6)
    found, truth = listed(annealed(core_of(asked), rounds=20, moves=30_000)), truth_of_relay(6)
    assert found == truth
    assert sum(map(len, truth)) > 1.5 * len(truth)


def witnesses_of(core, *, seed=0, workers=0):
    """Witnesses of one round, as differences from the identity."""
    wires, possible = np.arange(core.network.n_wires), reachable(core)
    targets = Targets(wires, tokens.count(possible), possible)
    restarts = Restarts(np.repeat(wires, 2), np.full(2 * len(wires), -1))
    asked = Round(
        targets, restarts, tokens.identity(core.network.row, core.words), 20, no_selection()
    )
    workspaces = Workspaces(core, instance_of(core, possible))
    found = anneal_once(workspaces, asked, Course.begin(SolveLimits(workers=workers)), seed=seed)
    return packed(found.witnesses)["tokens"].tolist()


def test_the_number_of_threads_does_not_show():
    core = core_of(relay(8))
    assert witnesses_of(core, workers=1) == witnesses_of(core, workers=3)
    assert witnesses_of(core) != witnesses_of(core, seed=50)


@pytest.mark.parametrize("workers", [1, 3])
def test_a_chain_that_settles_all_ends_those_after_it(workers):
    everybody = [(user, t) for user in range(2) for t in (0, 4)]
    core = core_of(problem(2, 4, [(1, [0, 1]), (3, [0, 1])], everybody))
    possible, wire = reachable(core), core.network.wire_at(0, 2)
    targets = Targets(np.array([wire]), np.array([2], np.int32), possible)
    restarts = Restarts(np.full(64, wire), np.full(64, -1))
    proven = tokens.identity(core.network.row, core.words)[[wire]]
    asked = Round(targets, restarts, proven, 3000, no_selection())
    workspaces = Workspaces(core, instance_of(core, possible))
    found = anneal_once(workspaces, asked, Course.begin(SolveLimits(workers=workers)), seed=3)
    assert tokens.count(found.found | proven)[0] >= 2
    assert found.selection.witnesses.sum() == 1  # of the first chain: no other one is heard


def test_a_round_whose_time_is_up_ends_and_keeps_to_the_truth():
    core = core_of(relay(6))
    found = annealed(core, rounds=1, moves=1 << 40, deadline=Deadline(0.0))
    assert within(listed(found), truth_of_relay(6))


def test_temperatures_that_bring_more_for_less_are_tried_more_often():
    selection = no_selection()
    assert np.allclose(selection.shares(100), 1 / len(DEFAULT.temperatures))
    cost, gain = np.full(len(DEFAULT.temperatures), 1000.0), np.zeros(len(DEFAULT.temperatures))
    gain[2] = 9
    shares = selection.with_those_of(cost, gain).shares(100)
    assert shares.argmax() == 2
    assert shares.min() > 0
