"""Targets: users with data, single stretches of their time, and some that are drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.model.question.adversary import Knowledge
from tests.support.breaking_questions import differences, drawn
from tests.support.strategies import problem


def test_who_has_no_data_is_not_asked_about() -> None:
    meeting = problem(3, 2, [(1, [0, 1])])
    zones = replace(meeting.zones, absent=np.array([2]))
    found = breaking(replace(meeting, zones=zones), k=2)
    assert [one.user for one in found.targets] == [0, 1]


def test_a_sighting_on_the_very_stretch_does_not_count_for_it() -> None:
    meeting = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0)])
    found = breaking(meeting, k=2, target="each")
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 1)
    )
    assert middle.status == "never"  # seen at the end, she may still have been away in between


@pytest.mark.parametrize("seed", range(2))
def test_single_stretches_are_those_of_brute_force(seed: int) -> None:
    # Ways of single tokens are an upper bound that needs no engine.
    random = np.random.default_rng(seed + 200)
    for number in range(20):
        question = drawn(random, max_users=4, max_horizon=4, max_assignments=60)
        sightings = ("self", "anybody")[number % 2]
        assert not differences(replace(question, target="each", sightings=sightings, away=None))


def test_who_cannot_be_back_at_once_is_broken_by_sightings_before_and_after() -> None:
    # 0 meets 1, then 2, then 3: nobody whom she meets first is there when she meets the next.
    meeting = problem(4, 6, [(1, [0, 1]), (3, [0, 2]), (5, [0, 3])])
    found = breaking(meeting, k=2, target="each", sightings="self")
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 3)
    )
    assert (middle.lower, middle.upper, middle.sightings) == (2, 2, ((0, 0), (0, 5)))


def test_two_sightings_of_whom_no_token_is_known_do_not_say_which_it_is() -> None:
    # She may have exchanged with 1 for ever, and then be seen with one token twice.
    meeting = problem(4, 6, [(1, [0, 1]), (3, [0, 2]), (5, [0, 3])])
    seen = Knowledge.from_pairs([(0, 1), (0, 5)])
    found = breaking(meeting, k=2, target="each", sightings=seen)
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 3)
    )
    assert middle.status == "never"


def test_drawn_targets_are_some_of_all() -> None:
    question = problem(4, 3, [(1, [0, 1]), (2, [2, 3])])
    found = breaking(question, k=2, drawn=2)
    assert len(found.targets) == 2
    assert len(breaking(question, k=2, drawn=9).targets) == 4
