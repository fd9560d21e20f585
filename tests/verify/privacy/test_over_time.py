"""Levels, shares and bands, against a table with a cell per user and step.

Then what is told of the least protected users.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import SAFE, UNDECIDED, UNSAFE
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.verify.privacy import over_time
from mixsafe.verify.privacy import over_time as module
from mixsafe.verify.privacy.decided import Decided, verdict_word
from mixsafe.verify.privacy.over_time import (
    Levels,
    one_person,
    runs,
    shares_over_time,
    stories,
    timeline,
)
from mixsafe.verify.verification import Verification
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
def test_a_small_timeline_shows_every_user_at_every_step(seed: int) -> None:
    asked = random_answer(seed)
    levels = Levels.of(asked)
    order = np.random.default_rng(seed).permutation(asked.zones.n_users)
    shown = timeline(asked, levels, order)
    assert shown["per_band"] == shown["every"] == 1
    assert np.array_equal(shown["level"], levels.code[dense(asked)][order][:, 1:])


@given(seeds)
def test_a_band_shows_its_median_user_and_the_lower_of_two(seed: int) -> None:
    asked = random_answer(seed)
    levels = Levels.of(asked)
    shown = timeline(asked, levels, np.arange(asked.zones.n_users), n_bands=1)
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
    timeline(asked, levels, np.arange(asked.zones.n_users))


@given(seeds)
def test_runs_of_all_levels_are_the_whole_timeline(seed: int) -> None:
    level = np.random.default_rng(seed).integers(-1, 3, (4, 9)).astype(np.int8)
    filled = np.full((4, 9), -1)
    for code in range(3):
        for row, begin, end in zip(*runs(level, code), strict=True):
            assert begin < end
            filled[row, begin:end] = code
    assert np.array_equal(filled, level)


@given(seeds, st.integers(0, 1))
def test_what_is_known_by_assumption_is_a_level_of_its_own(seed: int, some: int) -> None:
    asked = random_answer(seed)
    known = np.random.default_rng(seed).random(len(asked.row)) < 0.5 * some
    asked = replace(asked, known=known)
    levels = Levels.of(asked)
    shown = known & (asked.verdict == UNSAFE)
    assert (levels.names[0] == "known by assumption") == shown.any()
    if shown.any():
        assert np.array_equal(levels.code == 0, shown)
    plain = Levels.of(replace(asked, known=None))
    names = np.array(levels.names), np.array(plain.names)
    same = ~shown & (asked.lower > 1)  # the first level may be called "1 (identified)" in one alone
    assert names[0][levels.code[same]].tolist() == names[1][plain.code[same]].tolist()


@given(seeds)
def test_each_step_that_is_known_is_a_question_of_its_own(seed: int) -> None:
    asked, random = random_answer(seed), np.random.default_rng(seed)
    row, step = np.nonzero(random.random((asked.zones.n_users, asked.zones.axis.steps)) < 0.3)
    cut = asked.known_at(row, step + 1)
    old, new = dense(asked), dense(cut)
    for name in ("k", "lower", "upper", "verdict"):
        assert np.array_equal(getattr(asked, name)[old], getattr(cut, name)[new])
    pinned = np.zeros(old.shape, bool)
    pinned[row, step + 1] = True
    assert cut.known is not None
    assert np.array_equal(cut.known[new], pinned & (asked.upper < asked.k)[old])
    for question in range(len(cut.row)):
        assert (
            cut.candidates(question, 1).names
            == asked.candidates(int(old[cut.row[question], cut.start[question]]), 1).names
        )


@given(seeds)
def test_the_time_of_one_person_is_cut_where_it_changes(seed: int) -> None:
    asked = random_answer(seed)
    known = np.random.default_rng(seed).random(len(asked.row)) < 0.3
    asked = replace(asked, known=known)
    question = dense(asked)
    for row in range(asked.zones.n_users):
        told = one_person(asked, row)
        steps = np.full(asked.zones.axis.steps, -1)
        for code, ends in told["stretches"].items():
            for begin, end in zip(*ends, strict=True):
                steps[round(begin) : round(end)] = code
        assert steps.tolist() == asked.standing[question[row, 1:]].tolist()


@given(st.integers(0, 10**6))
def test_all_stretches_of_a_user_cover_her_time_with_the_verdict_of_each_step(seed: int) -> None:
    asked = random_answer(seed)
    question = dense(asked)
    for row, story in enumerate(stories(asked, np.arange(asked.zones.n_users))):
        told = []
        for part in story["stretches"]:
            told += [part["verdict"]] * (part["to"] - part["from"] + 1)
        assert told == [verdict_word(asked.verdict[number]) for number in question[row]]


@given(st.integers(0, 10**6))
def test_where_not_all_is_told_it_is_what_is_not_safe(seed: int) -> None:
    asked = random_answer(seed)
    old, module.STRETCHES = module.STRETCHES, 1
    try:
        told = stories(asked, np.arange(asked.zones.n_users))
    finally:
        module.STRETCHES = old
    for row, story in enumerate(told):
        assert len(story["stretches"]) == 1
        mine = asked.verdict[asked.row == row]
        assert (story["stretches"][0]["verdict"] == "safe") == bool(np.all(mine == SAFE))


def test_a_walker_could_be_those_she_met_since_the_meeting(town: Verification) -> None:
    from mixsafe.verify.verification_document import decided

    asked = decided(town)
    (story,) = stories(asked, np.array([0]))
    for part in story["stretches"]:
        assert story["user"] in part["candidates"]
        assert part["lower"] >= len(part["candidates"]) or part["verdict"] == "safe"
        meeting: dict[str, Any] | None = part["meeting"]
        if meeting is not None:
            assert meeting["time"] == part["from"]
            assert story["user"] in [*meeting["people"], *([story["user"]] * bool(meeting["more"]))]
