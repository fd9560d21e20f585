"""Ruling candidates out one by one: nothing that is true goes, and the same goes for everybody."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, SolveLimits
from mixsafe.solver.auto import Publisher
from mixsafe.solver.propagate import probing
from mixsafe.solver.propagate.assumptions import assume_off
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.domains import Domains
from mixsafe.solver.state.search_steps import run_steps
from tests.support.cores import at_wires, core_of, listed, pinned_cores, truth_of, within
from tests.support.journals import Kept
from tests.support.oracles import domains
from tests.support.strategies import problem, problems


def eliminated(core, *, journal=None, seconds=None, workers=2, k=None):
    """All questions about all wires of a core, after candidates were ruled out."""
    n_wires = core.network.n_wires
    answers = Answers(
        core,
        np.arange(n_wires),
        np.full(n_wires, k or 1, np.int32),
        exhaustive=k is None,
    )
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    questions = Publisher(answers)
    course = Course.begin(SolveLimits(seconds, workers), journal=journal)
    run_steps(probing.steps(questions, course), questions, course)
    return answers


def two_who_lock_each_other():
    """Tokens 0 and 1 can both come home only over row 2 at step 2, where one of them fits.

    Each is possible on the other's row as far as it alone is concerned.
    """
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2])]
    return problem(3, 4, zones, [(u, t) for u in (0, 1, 2) for t in (0, 4)])


@given(asked=problems())
@settings(max_examples=60)
def test_no_candidate_is_ruled_out(asked):
    assert within(truth_of(asked), listed(eliminated(core_of(asked)).possible))


@given(asked=pinned_cores())
@settings(max_examples=40)
def test_no_candidate_is_ruled_out_where_tokens_are_pinned_to_sets_of_rows(asked):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    assert within(at_wires(core.network, truth), listed(eliminated(core).possible))


def test_who_could_only_be_there_instead_of_somebody_who_must_be_is_ruled_out():
    asked = two_who_lock_each_other()
    core = core_of(asked)
    assert listed(reachable(core)) != truth_of(asked)
    answers = eliminated(core, k=2)
    assert listed(answers.possible) == truth_of(asked)
    assert Argument.ASSUMPTION in answers.decided_by


@pytest.mark.parametrize("seed", range(8))
def test_of_those_who_meet_again_and_again_all_are_ruled_out_who_contradict_something(seed):
    """Each on its own, and no candidate: on several wires at once there are others to rule out."""
    random = np.random.default_rng(seed)
    pairs = [(t, sorted(random.choice(5, 2, replace=False).tolist())) for t in range(1, 10)]
    asked = problem(5, 10, pairs, [(user, t) for user in range(5) for t in (0, 10)])
    core, net = core_of(asked), core_of(asked).network.wires
    before = reachable(core)
    left = listed(eliminated(core).possible)
    assert within(truth_of(asked), left)
    for wire, here in enumerate(listed(before)):
        for token in here:
            alone = tokens.set_of(np.array([token]), 1)
            if not assume_off(wire, ~alone, Domains.of(core, before), net):
                assert token not in left[wire]


def test_the_number_of_threads_does_not_show():
    core = core_of(two_who_lock_each_other())
    one, three = (eliminated(core, workers=n, k=2) for n in (1, 3))
    assert np.array_equal(one.possible, three.possible)
    assert np.array_equal(one.decided_by, three.decided_by)


def test_what_is_recalled_is_what_was_found():
    journal, core = Kept(), core_of(two_who_lock_each_other())
    first = eliminated(core, journal=journal, k=2)
    assert journal.entries
    again = eliminated(core, journal=journal, k=2)
    assert journal.recalled == len(journal.entries)
    assert np.array_equal(first.possible, again.possible)


def test_without_time_nothing_is_ruled_out_or_kept():
    journal, core = Kept(), core_of(two_who_lock_each_other())
    answers = eliminated(core, journal=journal, seconds=1e-9, k=2)
    assert journal.entries == {}
    assert np.array_equal(answers.possible, reachable(core))
