"""Random walks: what they show is true, and does not depend on threads or on resuming."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, SolveLimits
from mixsafe.solver.auto import Publisher
from mixsafe.solver.local import random_walks
from mixsafe.solver.local.solutions import instance_of, near
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.searches import run_steps
from mixsafe.solver.strategy import Strategy
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
from tests.support.journals import Kept
from tests.support.oracles import domains
from tests.support.strategies import problem, problems

AT_ANY_SIZE = Strategy(small=0, random_walk_worth=1e-9)
"""Small questions are worth it here, for as long as anything is found."""


def walked(core, *, journal=None, seconds=None, seed=0, workers=2, k=None, strategy=AT_ANY_SIZE):
    """All questions about all wires of a core, after random walks; None where none can be asked."""
    n_wires = core.network.n_wires
    answers = Answers(
        core,
        np.arange(n_wires),
        np.full(n_wires, k or 1, np.int32),
        exhaustive=k is None,
    )
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    course = Course.begin(SolveLimits(seconds, workers, seed), journal=journal)
    questions = Publisher(answers, strategy)
    run_steps(random_walks.steps(questions, course), questions, course)
    return answers


@given(asked=problems())
@settings(max_examples=25)
def test_what_random_walks_show_is_a_candidate(asked):
    assert within(listed(walked(core_of(asked)).proven), truth_of(asked))


@given(asked=pinned_cores())
@settings(max_examples=25)
def test_what_random_walks_show_is_a_candidate_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(listed(walked(core).proven), at_wires(core.network, truth))


@given(asked=problems(max_users=4))
@settings(max_examples=15)
def test_most_candidates_are_found(asked):
    """Walks at low temperatures make free exchanges only; others pass through violations."""
    core = core_of(known_at_the_start(asked))
    answers = walked(core)
    missing = sum(map(len, truth_of(known_at_the_start(asked)))) - int(
        sum(map(len, listed(answers.proven)))
    )
    assert missing <= 0.5 * core.network.n_wires


def test_tokens_that_come_home_together_only_are_found():
    asked = relay(6)
    answers = walked(core_of(asked), k=3)
    assert Argument.ANNEALING in answers.decided_by
    assert answers.n_open < 0.2 * len(answers.wire)


def test_the_number_of_threads_does_not_show():
    one, two = (walked(core_of(relay(7)), workers=n) for n in (1, 3))
    assert np.array_equal(one.proven, two.proven)
    assert np.array_equal(one.decided_by, two.decided_by)


def test_what_is_recalled_is_what_was_found():
    journal = Kept()
    first = walked(core_of(relay(7)), journal=journal)
    assert journal.entries
    again = walked(core_of(relay(7)), journal=journal)
    assert journal.recalled == len(journal.entries)
    assert np.array_equal(first.proven, again.proven)


def test_nothing_is_kept_of_a_round_that_was_cut_short():
    journal = Kept()
    answers = walked(core_of(relay(6)), journal=journal, seconds=1e-9)
    assert journal.entries == {}
    assert within(listed(answers.proven), truth_of_relay(6))


def test_what_is_small_is_left_to_others():
    answers = walked(core_of(relay(7)), strategy=replace(AT_ANY_SIZE, small=1 << 40))
    assert Argument.ANNEALING not in answers.decided_by


def test_exchanges_are_drawn_between_the_sightings_around_what_is_open():
    """All are seen at 0, 4 and 8; a zone between two sightings is near those wires only."""
    zones = [(t, [0, 1]) for t in (1, 2, 5, 6)]
    asked = problem(2, 8, zones, [(u, t) for u in (0, 1) for t in (0, 4, 8)])
    core = core_of(asked)
    network, instance = core.network, instance_of(core, reachable(core))
    for step, least, most in ((1, {1, 2}, {1, 2}), (5, {5, 6}, {2, 5, 6})):
        wire = network.wire_at(np.array([0]), np.array([step]))
        found = near(wire, network, instance)
        times = network.zone_time[network.leads_to[instance.wire[found]]]
        assert least <= set(times.tolist()) <= most
