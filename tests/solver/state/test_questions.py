"""What searches are asked: where candidates are missing, and what they are to try."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.auto import Publisher
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.strategy import Strategy
from tests.support.cores import core_of
from tests.support.strategies import problem

WIRES = [1, 3, 5]


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
