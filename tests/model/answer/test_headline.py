"""What is said first: nobody reads that all is well while somebody can be followed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.headline import Headline, HeadlineQuestion, UserShares, set_apart
from mixsafe.model.answer.verdict import DECISIONS, Verdict
from mixsafe.model.answer.wording import duration
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Rule

HALF_HOURS = TimeAxis(40, 0, 1800)
DEFAULT = Rule.default(every_time=True)


def said(
    safe: list[int],
    undecided: list[int] | None = None,
    known: list[int] | None = None,
    *,
    rule: Rule = DEFAULT,
    axis: TimeAxis = HALF_HOURS,
    k: int | None = 3,
) -> Headline:
    """The headline for users who are safe, undecided and known for so many of their 40 steps."""
    names = np.array([f"u{n}" for n in range(len(safe))], object)
    nothing = [0] * len(safe)
    steps = [np.array(one or nothing) for one in (safe, undecided, known)]
    shares = UserShares(names, *(one / 40 for one in steps), np.full(len(safe), 40))
    needed = rule.needed(np.full(len(safe), 40))
    passes, may = steps[0] >= needed, steps[0] + steps[1] >= needed
    codes = np.select([passes, ~may], [0, 1], 2)
    return Headline.of(shares, codes, HeadlineQuestion(rule, k, "pseudonyms", axis, True))


def test_the_first_sentence_says_who_fails_by_the_rule_and_the_second_who_is_followed() -> None:
    headline = said([20, 10, 40, 0], known=[10, 10, 0, 20])
    assert headline.verdict is Verdict.UNSAFE
    assert headline.sentence == "1 of 4 people never has 3 candidate pseudonyms (u3)."
    assert headline.exposure == (
        "On average a person is protected 43.8% of the time. For 25.0% the adversary knows where"
        " the person is: she saw the person, and nobody was met in between. 3 people can be"
        " followed, for the other 31.2% of the time. Most exposed: u3 can be followed for all of"
        " the other time."
    )


def test_what_was_seen_by_assumption_is_no_exposure() -> None:
    headline = said([30, 20], known=[10, 20])
    assert headline.followed == 0
    assert headline.worst is None
    assert headline.exposure.endswith("Ruling out alone follows nobody at any other time.")


def test_where_all_time_is_known_by_assumption_nothing_reassures() -> None:
    exposure = said([0, 0], known=[40, 40]).exposure
    assert exposure.endswith("she saw the person, and nobody was met in between.")
    assert "Nobody" not in exposure


def test_who_is_known_all_the_time_by_assumption_is_followed_all_the_time() -> None:
    headline = said([0, 40], known=[40, 0], rule=Rule("every"))
    assert headline.always == 1
    assert headline.exposure.startswith("1 person can be followed all the time.")


def test_several_who_fare_worst_are_counted_and_named_where_they_fail() -> None:
    headline = said([0, 0, 40])
    assert headline.sentence == "2 of 3 people never have 3 candidate pseudonyms (u0, u1)."
    assert headline.exposure.endswith("Most exposed: 2 people can be followed for all of the time.")


def test_steps_without_a_clock_are_counted() -> None:
    assert "can be followed for 30 of 40 steps." in said([10], axis=TimeAxis(40)).exposure
    assert "can be followed for 15 h." in said([10]).exposure


@pytest.mark.parametrize(
    ("safe", "undecided", "rule", "verdict"),
    [
        (20, 0, DEFAULT, Verdict.WEAK_PASS),
        (20, 20, DEFAULT, Verdict.WEAK_PASS),
        (40, 0, DEFAULT, Verdict.SAFE),
        (20, 0, Rule("some"), Verdict.SAFE),
        (20, 0, Rule.parse("some"), Verdict.SAFE),
        (38, 0, Rule("share", 0.9), Verdict.SAFE),
        (40, 0, Rule("every"), Verdict.SAFE),
        (0, 0, DEFAULT, Verdict.UNSAFE),
        (0, 20, DEFAULT, Verdict.UNDECIDED),
    ],
)
def test_a_pass_by_a_rule_that_nobody_chose_is_a_weak_one(
    safe: int, undecided: int, rule: Rule, verdict: Verdict
) -> None:
    assert said([safe], [undecided], rule=rule).verdict is verdict


def test_what_is_seen_does_not_make_a_pass_a_full_one() -> None:
    assert said([30], known=[10]).verdict is Verdict.WEAK_PASS


@pytest.mark.parametrize(
    ("rule", "k", "sentence"),
    [
        (Rule("every"), 3, "2 of 2 people do not have 3 candidate pseudonyms at every time"),
        (Rule("share", 0.9), 3, "2 of 2 people have 3 candidate pseudonyms for less than 90% of"),
        (Rule("share", 0.25), 3, "Each of 2 people has 3 candidate pseudonyms for at least 25% of"),
        (DEFAULT, 3, "Each of 2 people has 3 candidate pseudonyms at some time, but not at every"),
        (Rule("some"), 1, "Each of 2 people has 1 candidate pseudonym at some time."),
        (Rule("some"), None, "Each of 2 people has enough candidate pseudonyms at some time."),
    ],
)
def test_the_sentence_says_what_the_rule_asks_for(rule: Rule, k: int | None, sentence: str) -> None:
    assert said([20, 20], rule=rule, k=k).sentence.startswith(sentence)


def test_nobody_is_said_to_be_followed_without_a_proof() -> None:
    assert said([20, 40], [20, 0]).exposure.endswith(
        "Nobody is proven to be followed; 25.0% of the time is undecided."
    )
    assert said([40, 40]).exposure.endswith("Ruling out alone follows nobody.")


@given(
    st.lists(st.tuples(*[st.integers(0, 40)] * 3), min_size=1, max_size=8),
    st.sampled_from([DEFAULT, Rule("some"), Rule("every"), Rule("share", 0.5)]),
)
def test_it_counts_steps_exactly_and_praises_nothing_that_is_unsafe(
    drawn: list[tuple[int, int, int]], rule: Rule
) -> None:
    safe = [a for a, _, _ in drawn]
    undecided = [min(b, 40 - a) for a, b, _ in drawn]
    known = [min(c, 40 - min(a + b, 40)) for a, b, c in drawn]
    headline = said(safe, undecided, known, rule=rule)
    followed = [40 - sum(one) for one in zip(safe, undecided, known, strict=True)]
    rest = [40 - one for one in known]
    assert headline.followed == sum(one > 0 for one in followed)
    assert headline.followed_share == pytest.approx(sum(followed) / max(sum(rest), 1))
    assert headline.safe_share + headline.known_share == pytest.approx(
        (sum(safe) + sum(known)) / (40 * len(drawn))
    )
    worst = max(a / max(b, 1) for a, b in zip(followed, rest, strict=True))
    assert (headline.worst.steps / headline.worst.of if headline.worst else 0) == worst
    if headline.verdict is Verdict.SAFE and rule is DEFAULT:
        assert all(one == 40 for one in safe)
    assert sum(headline.counts.values()) == len(drawn)
    assert set(headline.counts) == set(DECISIONS)


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
