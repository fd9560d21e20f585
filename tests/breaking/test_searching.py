"""The search for breaking numbers: bounds of large problems, and an end in time.

Upper bounds by paths of single tokens: what they name breaks, and nothing of it is needless.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.breaking import plan
from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.conflicts import KnownUsers, TokenPaths, listed
from mixsafe.breaking.searching import BreakingSearch, FromAbove
from mixsafe.breaking.targets import Allowed, WantedTargets, targets
from mixsafe.model.course import Deadline, SolveLimits
from mixsafe.network.wires import WireNetwork
from tests.support.breaking_questions import drawn
from tests.support.budgets import budgets
from tests.support.random_problems import random_problem
from tests.support.strategies import problem


def test_when_the_time_is_up_no_target_is_looked_at_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked_at(*_: object) -> None:
        raise AssertionError("the time is up")

    monkeypatch.setattr(BreakingSearch, "pursuit", looked_at)
    question = problem(3, 3, [(1, [0, 1]), (2, [1, 2])])
    found = breaking(question, k=2, limits=SolveLimits(seconds=1e-9))
    assert {tuple(one[:3]) for one in found.numbers} == {(0, None, "undecided")}


def test_numbers_of_single_stretches_of_large_problems_are_those_of_brute_force() -> None:
    random, exact, all_of_them = np.random.default_rng(77), 0, 0
    for _ in range(6):
        question = drawn(random, max_users=4, max_horizon=4, max_assignments=60)
        one = replace(question, target="each", sightings="anybody", away=None)
        with budgets(plan, small=0):  # walks are tried first, as in large problems
            numbers = one.answer().numbers
        told = zip(numbers, one.expected(), one.breaks(), strict=True)
        for number, least, breaks in told:
            most = one.at_most + 1 if least is None else least
            assert number.lower <= most
            assert number.upper is None or breaks(number.sightings)
            exact += number.lower == most
            all_of_them += 1
    assert exact == all_of_them > 20


def test_bounds_of_single_stretches_are_narrowed_before_one_is_pursued_to_the_end() -> None:
    sizes = {"max_zones": 9, "max_horizon": 7, "max_assignments": 2000}
    asked = replace(random_problem(np.random.default_rng(12), **sizes), requirements=None)

    def apart(turns: int) -> int:
        with budgets(plan, small=0, rounds=0, turns=turns, patience=0):
            found = breaking(asked, k=2, target="each", sightings="anybody").numbers
        return max(one.upper - one.lower for one in found if one.upper is not None)

    assert apart(turns=8) <= 1
    assert apart(turns=0) > 1


@pytest.mark.parametrize("at_most", [0, 9])
def test_sets_break_by_brute_force_and_need_all_that_they_have(at_most: int) -> None:
    random, found = np.random.default_rng(at_most), 0
    for _ in range(40):
        question = drawn(random, max_users=5, max_horizon=5, max_assignments=100)
        one = replace(question, target="each", sightings="anybody", away=0)
        network = WireNetwork.of(one.problem.zones)
        wanted = targets(one.problem.zones, network, WantedTargets(one.k), one.problem.requirements)
        known = KnownUsers.of(one.problem.knowledge, network)
        for target, breaks in zip(wanted, one.breaks(), strict=True):
            if target.k.min() < 2:
                continue
            choices = Allowed("anybody", None, 0).for_target(target, network)
            paths = TokenPaths(network, known, target, choices)
            everything = (1 << len(choices.row)) - 1
            chosen = FromAbove(paths, everything).breaking(at_most, Deadline(None))
            hurried = FromAbove(paths, everything).breaking(at_most, Deadline(1e-9))
            assert hurried is None or (chosen is not None and paths.witness(hurried) is None)
            if chosen is None:
                continue
            told = listed(chosen).tolist()
            assert breaks([(int(choices.row[i]), int(choices.time[i])) for i in told])
            assert all(paths.witness(chosen & ~(1 << i)) is not None for i in told)
            found += len(told) > 0
    assert found > 5
