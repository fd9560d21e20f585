"""Minimum sets of zones with a relation: what brute force finds, with certificates."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.model.answer.certificate import cost_of
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import without
from mixsafe.network.subproblem import among_users
from mixsafe.optimize.minimum import minimum_zones, verified
from tests.support.oracles import Pairs, domains_of, pairs_of, requirements_of
from tests.support.relations import moves, related_problems, with_pairs
from tests.support.strategies import problem as problem_of
from tests.support.strategies import requirements_of as asked_for


@st.composite
def questions(draw: st.DrawFn) -> Problem:
    """Requirements that all zones together meet, most of the time."""
    problem = draw(related_problems())
    found = [(user, t, len(some)) for (user, t), some in domains_of(problem).items()]
    several = [one for one in found if one[2] > 1]
    if not several or draw(st.integers(0, 9)) == 0:
        return problem
    chosen = draw(st.lists(st.sampled_from(several), min_size=1, max_size=3))
    asked = [(user, t, draw(st.integers(2, most))) for user, t, most in chosen]
    return replace(problem, requirements=asked_for(*asked))


def least(problem: Problem, cost: list[int]) -> int | None:
    """The cost of a cheapest set of zones that meets all requirements; None: none does."""
    n, needed = len(problem.zones), requirements_of(problem)
    found = None
    for chosen in itertools.product([False, True], repeat=n):
        price = sum(itertools.compress(cost, chosen))
        if found is not None and price >= found:
            continue
        left = without(problem.zones, ~np.array(chosen, bool))
        there = domains_of(replace(problem, zones=left, zone_index=None))
        if all(len(there[user, t]) >= k for user, t, k in needed):
            found = price
    return found


@pytest.mark.parametrize("method", ["auto", "dp", "cpsat"])
@settings(max_examples=40)
@given(problem=questions(), weight=st.sampled_from(["count", "members"]))
def test_the_cost_is_what_brute_force_says(method: str, problem: Problem, weight: str) -> None:
    found = minimum_zones(problem, weight=weight, method=method)
    expected = least(problem, cost_of(problem.zones, weight).tolist())
    status = "infeasible" if expected is None else "optimal"
    assert (found.status, found.minimum) == (status, expected)


@pytest.mark.parametrize("method", ["auto", "dp", "cpsat"])
def test_a_set_of_zones_is_asked_about_with_what_these_zones_allow(method: str) -> None:
    """With all pairs the first zone would do alone."""
    asked = problem_of(4, 3, [(1, [0, 2, 3]), (2, [0, 2, 3])], [], [(2, 2, 3), (0, 1, 2)])
    allowed: list[Pairs | None] = [{(2, 3), (0, 2), (3, 0)}, {(2, 3), (0, 2), (2, 0), (3, 0)}]
    related = replace(asked, zones=with_pairs(asked.zones, allowed))
    assert minimum_zones(asked, method=method).minimum == 1
    assert minimum_zones(related, method=method).minimum == least(related, [1, 1]) == 2


@settings(max_examples=40)
@given(problem=questions())
def test_minima_are_certified(problem: Problem) -> None:
    found = minimum_zones(problem, rest=True)
    checked = check(certify_minimum(found, verified(found)))
    assert checked.least is not None
    if found.status == "optimal":
        assert checked.least.bound == checked.least.cost == found.minimum


@settings(max_examples=60)
@given(problem=related_problems(), data=st.data())
def test_among_some_users_zones_allow_what_they_did(problem: Problem, data: st.DataObject) -> None:
    everybody = range(problem.zones.n_users)
    rows = sorted(data.draw(st.sets(st.sampled_from(everybody), min_size=1)))
    less, kept = among_users(problem, np.array(rows))
    whole = pairs_of(problem.zones)
    for z, pairs in zip(kept.tolist(), pairs_of(less.zones), strict=True):
        before = whole[z]
        inside = None if before is None else {one for one in before if set(one) <= set(rows)}
        assert pairs == inside


@pytest.mark.parametrize("method", ["auto", "dp", "cpsat"])
@settings(max_examples=40)
@given(problem=questions(), weight=st.sampled_from(["count", "members"]))
def test_zones_that_hide_nobody_are_not_chosen(method: str, problem: Problem, weight: str) -> None:
    """So --believable is all that a choice of real zones needs."""
    found = minimum_zones(problem, weight=weight, method=method)
    ways = moves(problem)
    written = problem.zone_index or range(len(ways))
    hides = {
        number for number, pairs in zip(written, ways, strict=True) if any(a != b for a, b in pairs)
    }
    assert set(found.zones) <= hides
