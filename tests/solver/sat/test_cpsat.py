"""Engine ``cpsat``: what is too large for it stays open, and is said."""

from __future__ import annotations

import numpy as np

from mixsafe.model.course import Course
from mixsafe.solver.sat import cpsat
from mixsafe.solver.state.answers import Answers
from tests.support.cores import core_of
from tests.support.strategies import problem

MEET_TWICE = problem(
    3, 4, [(1, [0, 1, 2]), (3, [0, 1, 2])], [(user, t) for user in range(3) for t in (0, 4)]
)
"""Three wires of three tokens between the zones, and one token on each other wire."""


def decided(max_variables: int) -> Answers:
    core = core_of(MEET_TWICE)
    wires = np.arange(core.network.n_wires)
    answers = Answers(core, wires, np.full(len(wires), 3, np.int32))
    cpsat.decide(answers, Course.begin(), max_variables=max_variables)
    return answers


def test_what_is_too_large_stays_open_and_is_said() -> None:
    answers = decided(14)
    assert answers.n_open == 3
    assert answers.notes == ["too large for CP-SAT: 15 variables, more than 14"]


def test_what_just_fits_is_decided() -> None:
    answers = decided(15)
    assert answers.n_open == 0
    assert answers.lower.tolist() == [1, 3, 1, 1, 3, 1, 1, 3, 1]
    assert not answers.notes


def test_nothing_is_said_where_nothing_is_open() -> None:
    core = core_of(MEET_TWICE)
    answers = Answers(core, np.array([0]), np.array([1], np.int32))
    cpsat.decide(answers, Course.begin(), max_variables=0)
    assert not answers.notes
