"""Levels, shares and bands, against a table with a cell per user and step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.report.view_models import over_time
from mixsafe.report.view_models.decided import Decided
from mixsafe.report.view_models.levels import Levels
from mixsafe.report.view_models.over_time import (
    protection_order,
    shares_over_time,
    time_shares,
    timeline,
)
from tests.support.random_answers import dense, random_answer

seeds = st.integers(0, 10**6)


@given(seeds, st.integers(1, 12), st.integers(0, 1))
def test_a_level_says_the_verdict_and_never_more_candidates_than_are_proven(
    seed: int, k: int, fewer: int
) -> None:
    asked = random_answer(seed, k=k)
    asked = replace(asked, lower=asked.lower - fewer)  # 0 where the time was up at once
    levels = Levels.of(asked)
    safe, undecided = len(levels.names) - 1, len(levels.names) - 2
    assert np.array_equal(levels.code == safe, asked.verdict == SAFE)
    assert np.array_equal(levels.code == undecided, asked.verdict == UNDECIDED)
    for lower, code in zip(asked.lower, levels.code, strict=True):
        if code < undecided:
            ends = [int(word) for word in levels.names[code].split() if word.isdigit()]
            assert ends[0] <= lower <= ends[-1]
    if levels.names[0] == "1 (identified)":
        assert np.all(asked.upper[levels.code == 0] == 1)


@given(seeds)
def test_shares_over_time_are_those_of_every_step(seed: int) -> None:
    asked = random_answer(seed)
    levels = Levels.of(asked)
    shown = shares_over_time(asked, levels)
    level = levels.code[dense(asked)][:, 1:]
    for code, part in enumerate(shown["share"]):
        assert part == pytest.approx((level == code).mean(axis=0), abs=1e-4)


@given(seeds)
def test_the_shares_of_time_leave_out_step_0(seed: int) -> None:
    asked = random_answer(seed)
    verdict = asked.verdict[dense(asked)][:, 1:]
    shares = time_shares(asked)
    for code, word in ((SAFE, "safe"), (UNSAFE, "unsafe"), (UNDECIDED, "undecided")):
        assert shares[word] == pytest.approx((verdict == code).mean(), abs=1e-6)


@given(seeds)
def test_a_small_timeline_shows_every_user_at_every_step(seed: int) -> None:
    asked = random_answer(seed)
    levels = Levels.of(asked)
    order = protection_order(asked, np.zeros(asked.zones.n_users, np.int8))
    shown = timeline(asked, levels, order)
    assert shown["per_band"] == shown["every"] == 1
    assert np.array_equal(shown["level"], levels.code[dense(asked)][order][:, 1:])


@given(seeds)
def test_a_band_shows_its_median_user_and_the_lower_of_two(seed: int) -> None:
    asked = random_answer(seed)
    levels = Levels.of(asked)
    order = protection_order(asked, np.zeros(asked.zones.n_users, np.int8))
    shown = timeline(asked, levels, order, n_bands=1)
    level = np.sort(levels.code[dense(asked)][:, 1:], axis=0)
    assert shown["level"] == [level[(len(level) - 1) // 2].tolist()]


def test_more_steps_than_columns_are_sampled_evenly() -> None:
    asked = random_answer(1)
    axis = TimeAxis(1000)
    asked = replace(asked, zones=replace(asked.zones, axis=axis))
    steps = over_time.moments(asked)
    assert len(steps) == over_time.MOMENTS
    assert set(np.diff(steps)) == {5}
    assert steps[0] >= 1
    assert steps[-1] <= 1000


def slowed(asked: Decided, factor: int) -> Decided:
    """The same answer with ``factor`` steps for each one, step 0 included."""
    zones = asked.zones
    axis = TimeAxis((zones.axis.steps + 1) * factor - 1)
    zones = replace(zones, axis=axis, time=zones.time * np.int32(factor))
    start, end = asked.start * factor, (asked.end + 1) * factor - 1
    return replace(asked, zones=zones, start=start, end=end)


@given(seeds)
def test_a_column_of_many_steps_shows_their_mean(seed: int) -> None:
    asked = slowed(random_answer(seed), 300)
    levels = Levels.of(asked)
    shown = shares_over_time(asked, levels)
    level = levels.code[dense(asked)]
    ends = [*shown["from"][1:], asked.zones.axis.steps + 1]
    assert len(ends) == over_time.MOMENTS
    for code, part in enumerate(shown["share"]):
        there = (level == code).mean(axis=0)
        means = [there[a:b].mean() for a, b in zip(shown["from"], ends, strict=True)]
        assert part == pytest.approx(means, abs=1e-4)


@given(seeds)
def test_endless_time_is_summed_up_without_a_look_at_every_step(seed: int) -> None:
    asked = slowed(random_answer(seed), 100_000_000)
    levels = Levels.of(asked)
    shown = shares_over_time(asked, levels)
    weight = np.bincount(levels.code, asked.weight, minlength=len(levels.names))
    assert np.mean(shown["share"], axis=1) == pytest.approx(weight / weight.sum(), abs=1e-3)
    timeline(asked, levels, protection_order(asked, np.zeros(asked.zones.n_users, np.int8)))


def test_users_who_fail_come_before_those_who_pass_whatever_their_share() -> None:
    asked = random_answer(5)
    verdict = np.full(asked.zones.n_users, SAFE, np.int8)
    verdict[1] = UNSAFE
    assert protection_order(asked, verdict)[0] == 1
