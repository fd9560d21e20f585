"""Rules: how many times a user must be safe to pass, exactly."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import numpy as np
import pytest

from mixsafe.model.question.requirement import Rule

TIMES = np.array([7, 0, 10, 1, 10, 999_999_999, 2**31 - 2, 10**15])


@pytest.mark.parametrize("percent", range(1, 101))
def test_a_share_is_what_its_decimals_say(percent: int) -> None:
    needed = Rule("share", percent / 100).needed(TIMES)
    assert needed.tolist() == [ceil(Fraction(percent, 100) * n) for n in TIMES.tolist()]
    assert needed.dtype == np.int64


def test_the_smallest_share_is_one_time_and_the_largest_below_all_is_all_of_few() -> None:
    assert Rule("share", 1e-300).needed(TIMES).tolist() == np.minimum(TIMES, 1).tolist()
    assert Rule("share", 1 - 2**-53).needed(TIMES).tolist() == TIMES.tolist()


def test_every_is_all_times_and_some_is_one_if_there_is_any() -> None:
    assert Rule("every").needed(TIMES).tolist() == TIMES.tolist()
    assert Rule("some").needed(TIMES).tolist() == [1, 0, 1, 1, 1, 1, 1, 1]


@pytest.mark.parametrize(
    ("share", "text", "words"),
    [
        (0.9, "0.9", "90%"),
        (1.0, "1", "100%"),
        (1, "1", "100%"),
        (1 / 3, "0.3333333333333333", "33.33333333333333%"),
        (0.9999996, "0.9999996", "99.99996%"),
        (0.995, "0.995", "99.5%"),
        (1e-12, "0.000000000001", "0.0000000001%"),
    ],
)
def test_a_share_is_told_with_all_its_decimals(share: float, text: str, words: str) -> None:
    """One of 0.9999996 is not the share 1, and 99.5 % are not 100 %."""
    rule = Rule("share", share)
    assert str(rule) == f"share:{text}"
    assert Rule.parse(str(rule)) == rule
    assert f"at least {words} of" in rule.words


@pytest.mark.parametrize("share", [1e-6, 1e-7, 1.5e-12, 1e-300, 5e-324, 0.1 + 0.2, 1 - 2**-53, 1.0])
def test_a_share_of_any_size_is_told_briefly_and_read_back_as_it_was(share: float) -> None:
    rule = Rule("share", share)
    assert Rule.parse(str(rule)).share == share
    assert len(str(rule)) < 32
    assert len(rule.percent) < 32
    assert Fraction(rule.percent.rstrip("%")) == 100 * Fraction(repr(share))
