"""Sessions: questions that end, stay open, or are given up; and what a solver learned."""

from __future__ import annotations

import itertools
import math
from contextlib import closing

import numpy as np
import pytest

from mixsafe.model.course import Deadline
from mixsafe.solver.sat.session import Session, SolverName

FOREVER = Deadline(math.inf)

SOLVERS: list[SolverName] = ["cadical153", "glucose4"]


def more_pigeons_than(holes: int, session: Session) -> None:
    """Write that one pigeon more than there are holes sits alone: a refutation takes long."""
    sits = session.new((holes + 1) * holes).reshape(holes + 1, holes)
    session.add(sits.tolist())
    for one, other in itertools.combinations(-sits, 2):
        session.add(np.stack([one, other], axis=1).tolist())


def test_a_question_that_is_given_up_stays_open_and_is_answered_later() -> None:
    with closing(Session("glucose4")) as session:
        more_pigeons_than(8, session)
        assert session.solve([], Deadline(0.01)) is None
        assert session.is_asked
        with pytest.raises(ValueError, match="while a question is open"):
            session.add([[1]])
        assert session.solve([], FOREVER) is False
        assert not session.is_asked


def test_a_question_that_rests_is_asked_anew() -> None:
    with closing(Session("glucose4")) as session:
        more_pigeons_than(8, session)
        assert session.solve([], Deadline(0.01)) is None
        session.pause()
        answers = [session.solve([], FOREVER) for _ in range(2)]
        assert answers[-1] is False
        assert not session.is_asked


def test_a_question_that_is_given_up_after_some_conflicts_does_not_stay_open() -> None:
    with closing(Session("glucose4")) as session:
        more_pigeons_than(9, session)
        assert session.solve([], FOREVER, 1) is None
        assert not session.is_asked


@pytest.mark.parametrize("solver", SOLVERS)
def test_answers_have_a_model_or_a_core_and_clauses_can_be_added(solver: SolverName) -> None:
    with closing(Session(solver)) as session:
        one, other, free = session.new(3).tolist()
        session.add([[one, other]])
        session.start_from([-free])
        assert session.solve([-one], FOREVER)
        assert session.true().tolist() == [False, False, True, False]
        session.add([[-other]])
        assert session.solve([free, -one], FOREVER) is False
        assert session.core() == [-one]
        assert session.solve([free], FOREVER)


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_question_ends_after_some_conflicts_or_when_the_time_is_up(solver: SolverName) -> None:
    with closing(Session(solver)) as session:
        more_pigeons_than(9, session)
        assert session.solve([], FOREVER, 0) is None
        assert session.solve([], FOREVER, 10) is None
        assert session.solve([], Deadline(0.0)) is None
        assert not session.is_asked


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_was_learned_ends_in_a_contradiction(solver: SolverName) -> None:
    with closing(Session(solver, logged=True)) as session:
        more_pigeons_than(4, session)
        assert session.solve([], FOREVER) is False
        assert session.learned()[-1] == 0
