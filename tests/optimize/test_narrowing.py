"""A search on fewer and fewer zones ends where one on all of them does."""

from __future__ import annotations

import math
from contextlib import closing
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import core_search, zone_strategy
from mixsafe.optimize.core_search import met_in_turn
from mixsafe.optimize.narrowing import Narrowing, minimum
from mixsafe.optimize.reduction import only
from mixsafe.optimize.zone_groups import ZoneGroups
from tests.support import oracles
from tests.support.budgets import budgets
from tests.support.strategies import problem, problems

FOREVER = Deadline(math.inf)


def each_one(asked: Problem) -> ZoneGroups:
    """Each zone by itself, at a cost of 1."""
    return ZoneGroups.each(np.ones(len(asked.zones), np.int64))


def about_companions(asked: Problem) -> Problem | None:
    """The problem with its requirements of k >= 2; None: there are none."""
    wanted = asked.requirements
    if wanted is None or not np.any(wanted.k >= 2):
        return None
    return replace(asked, requirements=wanted.those(wanted.k >= 2))


@settings(max_examples=100)
@given(problems(), st.integers(-1, 3), st.booleans())
def test_what_is_cheaper_than_a_price_is_found_or_there_is_none(
    asked: Problem, more: int, members: bool
) -> None:
    least = oracles.minimum_zones(asked, count_members=members)
    presolved = about_companions(asked)
    if least is None or presolved is None:
        return
    cost = presolved.zones.sizes if members else np.ones(len(presolved.zones), np.int64)
    with budgets(zone_strategy, few=0.99):  # anew whenever fewer are left
        found = minimum(presolved, ZoneGroups.each(cost), least + more, FOREVER)
    assert (found is None) == (more <= 0)
    if found is not None:
        assert int(cost[found].sum()) == least
        assert oracles.meets_requirements(asked, np.flatnonzero(found).tolist())


@settings(max_examples=60)
@given(problems(), st.integers(1, 3))
def test_zones_that_meet_one_requirement_after_the_other_meet_all(
    asked: Problem, nearest: int
) -> None:
    presolved = about_companions(asked)
    if presolved is None or oracles.minimum_zones(asked) is None:
        return
    with budgets(zone_strategy, nearest=nearest):
        found = met_in_turn(presolved, each_one(presolved), FOREVER)
    assert oracles.meets_requirements(asked, np.flatnonzero(found).tolist())


def test_a_requirement_that_takes_too_long_at_first_does_not_cost_all_zones(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    zones = [(1, [0, 1]), (1, [2, 3]), (1, [4, 5])]
    asked = problem(6, 2, zones, [], [(0, 1, 2), (2, 1, 2)])
    met, tried = core_search._met_nearby, list[Problem]()

    def slow_at_first(alone: Problem, *rest: Any) -> Any:
        tried.append(alone)
        return None if len(tried) == 1 else met(alone, *rest)

    monkeypatch.setattr(core_search, "_met_nearby", slow_at_first)
    assert met_in_turn(asked, each_one(asked), FOREVER).tolist() == [True, True, False]
    monkeypatch.setattr(core_search, "_met_nearby", lambda *_: None)
    assert met_in_turn(asked, each_one(asked), FOREVER).all()


@settings(max_examples=100)
@given(problems())
def test_what_costs_less_than_a_kernel_promises_is_made_of_its_zones(asked: Problem) -> None:
    least = oracles.minimum_zones(asked)
    presolved = about_companions(asked)
    if least is None or presolved is None:
        return
    with closing(Narrowing(presolved, each_one(presolved), FOREVER)) as search:
        while True:
            zones, below = search.kernel()
            if least < below:
                assert oracles.meets_requirements(asked, np.flatnonzero(zones).tolist())
            enough = search.step(FOREVER)
            assert enough is not None
            if enough:
                break
    assert search.bound == least


@settings(max_examples=150)
@given(problems(), st.integers(0, 3), st.integers(0, 2), st.booleans(), st.randoms())
def test_what_uses_a_zone_besides_some_is_found_or_there_is_none(
    asked: Problem, more: int, steps: int, again: bool, random: Random
) -> None:
    least = oracles.minimum_zones(asked)
    presolved = about_companions(asked)
    if least is None or presolved is None:
        return
    below = least + more
    some = np.array([random.random() < 0.5 for _ in range(len(presolved.zones))], bool)
    inside = replace(asked, zones=only(asked.zones, np.flatnonzero(some)), zone_index=None)
    there = oracles.minimum_zones(inside)
    if there is not None and there < below:
        return
    found = None
    with (
        budgets(zone_strategy, few=0.99 if again else 0.0),
        closing(Narrowing(presolved, each_one(presolved), FOREVER)) as search,
    ):
        for _ in range(steps):
            if search.step(FOREVER):
                return
        search.look_beyond(some, below)
        while search.bound < below and found is None:
            search.harden(below)
            enough = search.step(FOREVER)
            assert enough is not None
            found = search.zones if enough else None
    assert (found is None) == (least >= below)
    if found is not None:
        assert np.count_nonzero(found) == least
        assert np.any(found & ~some)
        assert oracles.meets_requirements(asked, np.flatnonzero(found).tolist())
