"""Requirements drawn at random for the experiment of the CSP paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.compare.experiment import draw_questions, draw_requirements
from mixsafe.errors import InputError
from mixsafe.model.question.problem import Problem
from tests.support import oracles
from tests.support.strategies import problem, problems

MEETINGS = [(2, [0, 1]), (4, [2, 3]), (6, [0, 1]), (8, [2, 3])]
ENDS = [(user, t) for user in range(5) for t in (0, 9)]


@given(presolved=problems(max_zones=5, max_assignments=150), seed=st.integers(0, 99))
@settings(max_examples=30)
def test_whatever_can_be_met_may_be_drawn_and_what_is_drawn_is_well_formed(
    presolved: Problem, seed: int
) -> None:
    drawn = oracles.requirements_of(draw_requirements(presolved, count=3, k=2, seed=seed))
    users = [user for user, _, _ in drawn]
    assert len(set(users)) == len(users) <= 3
    assert all(1 <= t <= presolved.zones.axis.steps and k == 2 for _, t, k in drawn)
    safe = {user for (user, t), d in oracles.domains_of(presolved).items() if t and len(d) >= 2}
    assert len(drawn) >= min(3, len(safe))


def test_nobody_is_drawn_at_times_at_which_she_can_have_no_other_pseudonym() -> None:
    presolved = problem(5, 9, MEETINGS, ENDS)
    for seed in range(20):
        drawn = oracles.requirements_of(draw_requirements(presolved, count=5, k=2, seed=seed))
        assert sorted(user for user, _, _ in drawn) == [0, 1, 2, 3]
        assert all(2 <= t < 6 if user < 2 else 4 <= t < 8 for user, t, _ in drawn)


def test_all_times_that_are_left_are_drawn_sooner_or_later() -> None:
    presolved = problem(5, 9, MEETINGS, ENDS)
    times = set()
    for seed in range(60):
        asked = draw_requirements(presolved, count=5, k=2, seed=seed).requirements
        assert asked is not None
        times |= set(asked.time[asked.row == 0].tolist())
    assert times == {2, 3, 4, 5}


def test_the_same_is_asked_whoever_is_known() -> None:
    presolved = problem(5, 9, MEETINGS, ENDS)
    some = draw_requirements(presolved, count=2, k=2, seed=1)
    everyone = draw_requirements(presolved, count=2, k=2, seed=1, known="everyone")
    assert oracles.requirements_of(some) == oracles.requirements_of(everyone)
    users = {user for user, _, _ in oracles.requirements_of(some)}
    assert {user for user, _ in oracles.knowledge_of(some)} == users
    assert oracles.knowledge_of(everyone) == sorted(ENDS)


def test_a_sample_in_which_nobody_can_be_safe_makes_no_question() -> None:
    def sample(size: int, seed: int) -> Problem:
        known = [(user, time) for user, time in ENDS if user < size] if seed else []
        return problem(size, 9, MEETINGS[:2] if size > 4 else [], known)

    drawn = draw_questions(sample, [4, 5], [0, 1], k=2)
    assert [(len(one.problem.zones.users), one.seed) for one in drawn] == [(5, 0)]


@pytest.mark.parametrize(("count", "k"), [(0, 2), (5, 1)])
def test_what_asks_for_nothing_or_too_much_is_refused(count: int, k: int) -> None:
    with pytest.raises(InputError):
        draw_requirements(problem(5, 9, MEETINGS, ENDS), count=count, k=k, seed=0)


def test_draws_depend_on_the_seed_and_on_nothing_else() -> None:
    presolved = problem(5, 9, MEETINGS, ENDS)
    drawn = [
        oracles.requirements_of(draw_requirements(presolved, count=2, k=2, seed=seed))
        for seed in (*range(8), *range(8))
    ]
    assert drawn[:8] == drawn[8:]
    assert len(np.unique(np.array(drawn[:8]), axis=0)) > 1
