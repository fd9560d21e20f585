"""What is said first: nobody reads that all is well while somebody can be followed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.headline import Headline, UserShares, set_apart
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.answer.wording import duration
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule

HALF_HOURS = TimeAxis(40, 0, 1800)


def said(
    safe: list[float],
    undecided: list[float] | None = None,
    *,
    rule: str = "some",
    verdict: Verdict = Verdict.SAFE,
    axis: TimeAxis = HALF_HOURS,
) -> Headline:
    """The headline for users with these shares of their 40 steps."""
    names = np.array([f"u{n}" for n in range(len(safe))], object)
    open_time = np.zeros(len(safe)) if undecided is None else np.array(undecided)
    shares = UserShares(names, np.array(safe), open_time, np.full(len(safe), 40))
    return Headline.of(shares, verdict, Rule.parse(rule), axis, True)


def test_who_can_be_followed_how_long_and_the_worst_stand_in_the_sentence() -> None:
    assert said([0.5, 0.25, 1.0]).sentence == (
        "2 of 3 people can be followed, for 41.7% of their time; at worst u1 for 75.0% of it"
        " (15 h)."
    )


def test_several_who_fare_worst_are_counted() -> None:
    headline = said([0.0, 0.0, 1.0])
    assert "at worst 2 people, one of them u0, each all the time" in headline.sentence


def test_steps_without_a_clock_are_counted() -> None:
    assert "(30 of 40 steps)" in said([0.25], axis=TimeAxis(40)).sentence


@pytest.mark.parametrize(
    ("safe", "undecided", "rule", "word"),
    [
        ([0.5], [0.0], "some", "weak"),
        ([0.5], [0.5], "some", "weak"),
        ([1.0], [0.0], "some", "safe"),
        ([0.95], [0.0], "share:0.9", "safe"),
        ([1.0], [0.0], "every", "safe"),
    ],
)
def test_a_pass_that_one_safe_moment_is_enough_for_is_a_weak_one(
    safe: list[float], undecided: list[float], rule: str, word: str
) -> None:
    assert said(safe, undecided, rule=rule).word == word


@pytest.mark.parametrize("verdict", [Verdict.UNSAFE, Verdict.UNDECIDED])
def test_what_fails_or_is_open_is_no_pass_at_all(verdict: Verdict) -> None:
    assert said([0.5], verdict=verdict).word == verdict.value


def test_nobody_is_said_to_be_followed_without_a_proof() -> None:
    assert said([0.5, 1.0], [0.5, 0.0]).sentence == (
        "Nobody is proven to be followed, but 25.0% of their time is undecided."
    )
    assert said([1.0, 1.0]).sentence == "Nobody of 2 people can be followed at any time."


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 40)), min_size=1, max_size=8),
    st.sampled_from(["some", "every", "share:0.5"]),
)
def test_it_counts_steps_exactly_and_praises_nothing_that_is_unsafe(
    drawn: list[tuple[int, int]], rule: str
) -> None:
    safe = [a for a, _ in drawn]
    undecided = [min(b, 40 - a) for a, b in drawn]
    headline = said([a / 40 for a in safe], [b / 40 for b in undecided], rule=rule)
    unsafe = [40 - a - b for a, b in zip(safe, undecided, strict=True)]
    assert headline.followed == sum(one > 0 for one in unsafe)
    assert headline.unsafe_share == pytest.approx(sum(unsafe) / (40 * len(drawn)))
    assert (headline.worst.steps if headline.worst else 0) == max(unsafe)
    if rule == "some" and (any(unsafe) or any(undecided)):
        assert headline.word == "weak"


@pytest.mark.parametrize(
    ("steps", "long"), [(1, "30 min"), (2, "1 h"), (3, "1 h 30 min"), (50, "1 d 1 h")]
)
def test_durations_are_told_in_two_units_at_most(steps: int, long: str) -> None:
    assert duration(steps, 100, 1800) == long


def test_people_without_data_and_people_in_no_zone_are_told_apart() -> None:
    zones = MixZones(
        np.arange(4), TimeAxis(2), np.array([1], np.int32), np.array([0, 2], np.int64),
        np.array([0, 1], np.int32), absent=np.array([3]),
    )  # fmt: skip
    assert set_apart(zones) == {
        "no_data": {"count": 1, "users": ["3"]},
        "no_zone": {"count": 1, "users": ["2"]},
    }
