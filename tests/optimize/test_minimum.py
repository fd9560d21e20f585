"""A minimum set of zones: enough, and nothing cheaper is."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.model.question.problem import Problem
from mixsafe.optimize import core_search, zone_strategy
from mixsafe.optimize.core_search import CoreSearch
from mixsafe.optimize.minimum import everybody_at, minimum_zones, verified
from mixsafe.optimize.zone_groups import ZoneGroups
from tests.support import oracles
from tests.support.budgets import budgets
from tests.support.strategies import problem, problems


def out_and_back(n_pairs: int) -> Problem:
    """User 0 meets each of the others once before step 50 and once after it; all ends are known."""
    users = range(1, n_pairs + 1)
    zones = [(step, [0, user]) for user in users for step in (user, 100 - user)]
    known = [(user, t) for user in range(n_pairs + 1) for t in (0, 100)]
    return problem(n_pairs + 1, 100, zones, known, [(0, 50, 3)])


@settings(max_examples=60)
@given(problems())
def test_the_cost_is_what_brute_force_says(asked: Problem) -> None:
    for weight in ("count", "members"):
        found = minimum_zones(asked, weight=weight)
        least = oracles.minimum_zones(asked, count_members=weight == "members")
        assert (found.status, found.minimum) == (
            "infeasible" if least is None else "optimal",
            least,
        )


@pytest.mark.parametrize("large", [10**6, 0], ids=["in turn", "beside the bound"])
@pytest.mark.parametrize("few", [0.0, 0.99], ids=["all zones", "zones of cores"])
@pytest.mark.parametrize(
    ("long", "short"), [(20.0, 5.0), (20.0, 0.0), (0.0, 5.0)], ids=["bound", "set", "no set"]
)
@settings(max_examples=15)
@given(asked=problems())
def test_the_cost_is_the_same_whatever_is_searched_first(
    long: float, short: float, few: float, large: int, asked: Problem
) -> None:
    with budgets(zone_strategy, few=few, stuck=0.0, large=large, long=long, short=short):
        found = minimum_zones(asked)
    assert found.minimum == oracles.minimum_zones(asked)


def test_nobody_looks_for_a_set_once_the_minimum_is_proven(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = out_and_back(5)
    deadlines: list[Deadline] = []

    def look(_: Problem, __: object, deadline: Deadline, *___: object) -> npt.NDArray[np.bool_]:
        deadlines.append(deadline)
        while not deadline.passed:
            time.sleep(0.001)
        return np.ones(len(asked.zones), bool)

    monkeypatch.setattr(core_search, "met_in_turn", look)
    groups = ZoneGroups.each(np.ones(len(asked.zones), np.int64))
    with budgets(zone_strategy, large=0):  # at once
        found = CoreSearch(asked, groups, Course.begin()).run()
    assert (found.bound, found.complete) == (4, True)
    assert [deadline.passed for deadline in deadlines] == [True]


@settings(max_examples=100)
@given(problems())
def test_each_zone_of_a_minimum_set_is_needed(asked: Problem) -> None:
    found = minimum_zones(asked)
    if found.status == "infeasible":
        every = oracles.domains_of(asked)
        for number in found.unmet:
            user, t, k = oracles.requirements_of(asked)[number]
            assert len(every[user, t]) < k
        return
    assert oracles.meets_requirements(asked, found.zones)
    for zone in found.zones:
        fewer = [other for other in found.zones if other != zone]
        assert not oracles.meets_requirements(asked, fewer)


@st.composite
def with_crowds(draw: st.DrawFn) -> Problem:
    """Zones of six or seven among zones of two: too many assignments for brute force."""
    n_users, horizon, members = 7, 8, st.permutations(range(7))
    zones = {
        t: sorted(draw(members)[: draw(st.sampled_from([2, 2, 6, 7]))])
        for t in draw(st.sets(st.integers(1, horizon), min_size=2, max_size=6))
    }
    known = draw(st.sets(st.integers(0, n_users - 1)))
    asked = st.tuples(st.integers(0, n_users - 1), st.integers(1, horizon), st.integers(2, 4))
    return problem(
        n_users,
        horizon,
        sorted(zones.items()),
        [(user, t) for user in sorted(known) for t in (0, horizon)],
        draw(st.lists(asked, min_size=1, max_size=2, unique_by=lambda one: one[:2])),
    )


@settings(max_examples=25)
@given(with_crowds())
def test_both_methods_agree_about_crowds(asked: Problem) -> None:
    found, other = minimum_zones(asked), minimum_zones(asked, method="dp")
    assert (found.status, found.minimum) == (other.status, other.minimum)


def test_two_companions_cost_four_meetings_of_two() -> None:
    found = minimum_zones(out_and_back(12))
    assert (found.status, found.minimum, found.gap) == ("optimal", 4, 0)


def test_one_large_meeting_before_and_one_after_do_for_three() -> None:
    base = out_and_back(6)
    zones = [*oracles.zones_of(base), (40, [0, 1, 2]), (60, [0, 1, 2])]
    asked = problem(7, 100, zones, oracles.knowledge_of(base), [(0, 50, 3)])
    assert minimum_zones(asked).minimum == 2
    assert minimum_zones(asked, weight="members").minimum == 6


def test_meetings_that_repeat_do_not_change_what_is_needed() -> None:
    base = out_and_back(4)
    zones = [(3 * t + again, members) for t, members in oracles.zones_of(base) for again in (0, 1)]
    known = [(user, 3 * t) for user, t in oracles.knowledge_of(base)]
    repeated = problem(5, 300, zones, known, [(0, 150, 3)])
    assert minimum_zones(repeated).minimum == minimum_zones(base).minimum


def test_what_needs_nothing_costs_nothing() -> None:
    asked = problem(3, 5, [(2, [0, 1])], requirements=[(0, 3, 1), (2, 5, 1)])
    assert minimum_zones(asked).to_dict() | {"seconds": 0} == {
        "verdict": "safe",
        "name": "test",
        "knowledge": "paper",
        "status": "optimal",
        "minimum": 0,
        "bound": 0,
        "zones": [],
        "seconds": 0,
    }


def test_requirements_that_cannot_be_met_are_named() -> None:
    asked = problem(3, 9, [(2, [0, 1])], requirements=[(0, 3, 2), (2, 5, 2), (1, 1, 2)])
    found = minimum_zones(asked)
    assert (found.status, found.minimum, found.bound) == ("infeasible", None, None)
    assert found.unmet == (1, 2)


def test_zones_are_numbered_as_they_were_written() -> None:
    asked = problem(4, 9, [(2, [0, 1]), (4, [2, 3]), (6, [1, 2])], requirements=[(2, 5, 2)])
    found = minimum_zones(replace(asked, zone_index=(7, 5, 6)))
    assert found.zones == (5,)
    assert found.chosen.members.tolist() == [2, 3]


def test_a_limit_that_is_reached_leaves_a_set_that_is_enough_and_a_bound() -> None:
    asked = out_and_back(5)
    groups = ZoneGroups.each(np.ones(len(asked.zones), np.int64))
    found = CoreSearch(asked, groups, Course.begin(SolveLimits(1e-9))).run()
    assert found.zones is not None
    assert not found.complete
    assert found.bound <= 4 <= len(found.zones)
    limited = minimum_zones(asked, course=Course.begin(SolveLimits(1e-6)))
    assert limited.status in ("feasible", "undecided")


@pytest.mark.parametrize("room", [0, 150])
def test_a_bound_of_some_requirements_is_a_bound_and_said_to_be_theirs(room: int) -> None:
    base = out_and_back(5)
    asked = problem(6, 100, oracles.zones_of(base), (), [(0, 50, 3), (1, 50, 2), (2, 50, 2)])
    least = minimum_zones(asked).minimum
    assert least is not None
    with budgets(zone_strategy, variables=room):
        found = minimum_zones(asked, course=Course.begin(SolveLimits(6000.0)))
    assert found.bound is not None
    assert found.minimum is not None
    assert (found.bound > 0) == (room > 0)
    assert found.bound <= least <= found.minimum
    assert any("of 3 requirements" in note for note in found.notes)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"weight": "size"}, "weight 'size'"),
        ({"method": "luck"}, "'luck' to optimize; use one of auto"),
    ],
)
def test_unknown_words_are_refused(wrong: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=said):
        minimum_zones(out_and_back(3), **wrong)  # type: ignore[arg-type]


def test_without_requirements_nothing_is_searched() -> None:
    with pytest.raises(InputError, match="nothing is asked"):
        minimum_zones(problem(2, 3, [(1, [0, 1])]))


def test_nothing_is_asked_of_users_without_data() -> None:
    whole = problem(4, 5, [(2, [0, 2]), (4, [0, 2])])
    whole = replace(whole, zones=replace(whole.zones, absent=np.array([1, 3])))
    asked = everybody_at(whole, 2, [4])
    assert oracles.requirements_of(asked) == [(0, 4, 2), (2, 4, 2)]
    found = minimum_zones(asked)
    assert found.minimum == 1
    assert found.chosen.absent.tolist() == [1, 3]
    assert check(certify_minimum(found, verified(found))).least is not None


def test_everybody_at_some_steps_is_asked_about() -> None:
    asked = everybody_at(problem(3, 5, [(2, [0, 1])]), 2, [4, 1])
    assert oracles.requirements_of(asked) == [(u, t, 2) for u in range(3) for t in (1, 4)]
    for k, steps in ((1, [1]), (0, [1]), (2, [6]), (2, [])):
        with pytest.raises(InputError):
            everybody_at(asked, k, steps)
