"""Searches: what they are asked, and the loop of their steps.

The loop ends when nothing is open or no time is left, and keeps what it took. Questions are where
candidates are missing, and what searches are to try there.
"""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Deadline
from mixsafe.solver.auto import Publisher
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.searches import Step, add_proven, proven_entry, run_steps
from mixsafe.solver.strategy import Strategy
from tests.support.cores import core_of
from tests.support.differences import ONE, TWO, differences, listed
from tests.support.journals import Kept
from tests.support.strategies import problem

WIRES = [1, 3, 5]


@pytest.fixture
def answers():
    """Whether three users who all meet have two candidates each."""
    core = core_of(problem(3, 2, [(1, [0, 1, 2])]))
    return Answers(core, np.array(WIRES), np.full(3, 2, np.int32))


def settling(answers, wire, done):
    """A step that finds another candidate of a wire, or none where it is None."""

    def work():
        done.append(wire)
        found = np.zeros((0 if wire is None else 1, 1), np.uint64)
        return {"found": found if wire is None else found | tokens.everything(1, 3)}

    def take_in(entry):
        if wire is not None:
            add_proven(answers, np.array([wire]), entry)

    on = None if wire is None else np.array([wire])
    return Step("looking", f"step {wire}", Argument.SUPPORT, on, work, take_in)


def test_steps_are_taken_until_nothing_is_open(answers):
    done = []
    steps = iter([settling(answers, wire, done) for wire in (1, None, 3, 5, 7)])
    run_steps(steps, Publisher(answers), Course.begin())
    assert done == [1, None, 3, 5]
    assert answers.decided_by.tolist() == [Argument.SUPPORT] * 3


def test_a_search_that_has_no_more_steps_leaves_questions_open(answers):
    run_steps(iter([settling(answers, 3, [])]), Publisher(answers), Course.begin())
    assert answers.open_wires().tolist() == [1, 5]


def test_without_time_no_step_is_taken(answers):
    done = []
    run_steps(
        iter([settling(answers, 1, done)]), Publisher(answers), Course.begin().until(Deadline(0.0))
    )
    assert (done, answers.n_open) == ([], 3)


def test_people_are_told_what_is_done_and_how_much_is_settled(answers):
    told = []
    steps = iter([settling(answers, wire, []) for wire in WIRES])
    run_steps(steps, Publisher(answers), Course.begin(None, lambda *words: told.append(words)))
    assert told == [("looking", 0, 3), ("looking", 1, 3), ("looking", 2, 3)]


def test_steps_that_were_kept_are_not_taken_again_and_found_the_same(answers):
    course = Course.begin(journal=Kept())
    run_steps(iter([settling(answers, wire, []) for wire in (1, 3)]), Publisher(answers), course)
    again = Answers(answers.core, answers.wire, answers.k)
    done = []
    steps = [settling(again, wire, done) for wire in WIRES]
    run_steps(iter(steps), Publisher(again), course)
    assert done == [5]
    assert steps[0].found["found"].tolist() == [[0b111]]
    assert again.n_open == 0


def test_what_witnesses_show_is_added_and_they_are_written_down(answers):
    wires = np.array([1, 5])
    entry = proven_entry(np.array([[0b10], [0b101]], np.uint64), differences(ONE, TWO))
    add_proven(answers, wires, entry)
    assert answers.proven[:, 0].tolist() == [1, 0b11, 0b10, 0b10, 0b100, 0b101]
    answers.ledger = Ledger(answers.core)
    add_proven(answers, wires, entry)
    add_proven(answers, wires, proven_entry(np.zeros((2, 1), np.uint64), None))
    assert listed(answers.ledger.recorded) == [ONE, TWO]


def asked(n_users=3, **strategy):
    """Whether wires of users who all meet once have two candidates, or three."""
    core = core_of(problem(n_users, 2, [(1, list(range(n_users)))]))
    answers = Answers(core, np.array(WIRES), np.array([2, 3, 2], np.int32))
    return Publisher(answers, Strategy(**strategy))


def test_targets_are_the_open_wires_with_what_settles_them():
    questions = asked()
    questions.answers.proven[1] |= np.uint64(0b10)
    questions.settle(Argument.SUPPORT, np.array([1]))
    assert (questions.n_asked, questions.n_open) == (3, 2)
    targets = questions.targets()
    assert (targets.wires.tolist(), targets.enough.tolist()) == ([3, 5], [3, 2])
    assert np.array_equal(targets.sought, questions.answers.possible)


@pytest.mark.parametrize(
    ("restarts", "number"),
    [((4, 9), 6), ((6, 9), 6), ((7, 9), 9), ((1, 9), 3), ((4, 2), 4), ((5, 1), 5)],
)
def test_few_wires_are_repeated_and_many_are_sampled(restarts, number):
    questions = asked(restarts=restarts)
    targets = questions.targets()
    drawn_restarts = questions.restarts(targets, seed=3)
    assert len(drawn_restarts.wires) == len(drawn_restarts.tokens) == number
    assert set(drawn_restarts.tokens.tolist()) == {-1}  # whichever is missing
    assert drawn_restarts.anew
    drawn = set(drawn_restarts.wires.tolist())
    assert drawn <= set(WIRES)
    assert len(drawn) == min(3, restarts[1])
    again = questions.restarts(targets, seed=3)
    assert again.wires.tolist() == drawn_restarts.wires.tolist()
    assert len({tuple(questions.restarts(targets, seed).wires.tolist()) for seed in range(9)}) > 1


def test_without_open_wires_there_are_no_restarts():
    questions = asked()
    questions.answers.possible[:] = questions.answers.proven
    questions.settle(Argument.MATCHING)
    assert questions.n_open == 0
    assert len(questions.restarts(questions.targets(), seed=0).wires) == 0


def test_a_problem_is_small_by_the_pairs_that_are_possible():
    assert asked(small=19).is_small  # six wires with three tokens each
    assert not asked(small=18).is_small


def test_the_strategy_says_how_many_walks_there_are():
    assert asked(most_walks=5).most_walks == 5
