"""Annealing around open wires: it resumes, stops in time, and skips small problems."""

from __future__ import annotations

import numpy as np

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, SolveLimits
from mixsafe.solver.auto import Publisher
from mixsafe.solver.local import annealing
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.searches import run_steps
from mixsafe.solver.strategy import Strategy
from tests.support.cores import core_of, relay
from tests.support.journals import Kept


def searched(journal=None, *, seconds=None, seed=0, moves=1 << 17, small=0):
    """Questions about all wires of a relay, after annealing; whether six tokens can be there."""
    core = core_of(relay(7))
    n_wires = core.network.n_wires
    answers = Answers(core, np.arange(n_wires), np.full(n_wires, 4, np.int32))
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    before = answers.n_open
    course = Course.begin(SolveLimits(seconds, 2, seed), journal=journal)
    questions = Publisher(answers, Strategy(small=small, annealing=(12_000, moves)))
    run_steps(annealing.steps(questions, course), questions, course)
    return answers, before


def test_what_is_recalled_is_what_was_found():
    journal = Kept()
    first, before = searched(journal)
    assert first.n_open < before
    assert Argument.ANNEALING in first.decided_by
    again, _ = searched(journal)
    assert journal.recalled == len(journal.entries)
    assert np.array_equal(first.proven, again.proven)
    assert np.array_equal(first.decided_by, again.decided_by)


def test_nothing_is_kept_of_a_round_that_was_cut_short():
    journal = Kept()
    answers, before = searched(journal, seconds=1e-9)
    assert answers.n_open == before
    assert journal.entries == {}


def test_what_is_small_is_left_to_solvers():
    answers, before = searched(small=100_000)
    assert answers.n_open == before
