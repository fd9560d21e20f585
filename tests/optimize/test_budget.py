"""The most people within a budget: those a brute force over sets of places protects."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.minimum import within_budget
from tests.support import oracles
from tests.support.strategies import problem, problems


def protected(asked: Problem, zones: list[int]) -> set[int]:
    """Users of whom all requirements hold if exchanges happen in some zones only."""
    known = oracles.knowledge_of(asked)
    there = [oracles.zones_of(asked)[zone] for zone in zones]
    found = oracles.domains(
        asked.zones.n_users, asked.zones.axis.steps, there, known, distinct=asked.knowledge.distinct
    )
    wanted = oracles.requirements_of(asked)
    return {user for user, _, _ in wanted} - {u for u, t, k in wanted if len(found[u, t]) < k}


@settings(max_examples=100)
@given(problems(), st.data())
def test_as_many_are_protected_as_by_the_best_places_that_brute_force_finds(
    asked: Problem, data: st.DataObject
) -> None:
    n = len(asked.zones)
    names = data.draw(st.lists(st.sampled_from("PQRS"), min_size=n, max_size=n))
    places = ZonePlaces.named(names)
    cost = data.draw(st.lists(st.integers(0, 4), min_size=len(places), max_size=len(places)))
    places = ZonePlaces(places.names, places.of, np.array(cost, np.int64))
    limit = data.draw(st.integers(0, 8))
    found = within_budget(asked, limit, places=places)
    best = max(
        len(protected(asked, [z for z, place in enumerate(places.of.tolist()) if some[place]]))
        for some in itertools.product((0, 1), repeat=len(places))
        if sum(itertools.compress(cost, some)) <= limit
    )
    assert found.budget is not None
    assert (found.status, found.budget.protected, found.budget.most) == ("optimal", best, best)
    assert len(protected(asked, list(found.zones))) >= best
    assert found.minimum is not None
    assert found.minimum <= limit
    everybody = len({user for user, _, _ in oracles.requirements_of(asked)})
    assert found.budget.asked == everybody
    assert found.verdict is (Verdict.SAFE if best == everybody else Verdict.UNSAFE)


def test_without_time_nobody_is_said_to_be_protected_and_everybody_might_be() -> None:
    asked = problem(3, 6, [(1, [0, 1]), (3, [0, 2])], [(0, 0)], [(0, 2, 2), (0, 4, 3)])
    found = within_budget(asked, 9, course=Course.begin(SolveLimits(1e-9)))
    assert found.budget is not None
    assert (found.status, found.verdict) == ("feasible", Verdict.UNDECIDED)
    assert (found.budget.protected, found.budget.most, found.zones) == (0, 1, ())


def test_a_budget_below_nothing_is_refused() -> None:
    asked = problem(2, 3, [(1, [0, 1])], [], [(0, 2, 2)])
    with pytest.raises(InputError, match="-1 is negative"):
        within_budget(asked, -1)
