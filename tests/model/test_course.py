"""Deadlines: parts of the time that is left, and an end that comes sooner."""

from __future__ import annotations

import math

from mixsafe.model.course import Deadline


def test_a_part_of_the_time_ends_with_the_whole() -> None:
    whole = Deadline(None)
    part, short = whole.within(None), whole.within(0.0)
    assert math.isinf(part.left)
    assert short.passed
    whole.stop()
    assert (whole.passed, part.passed) == (True, True)


def test_the_whole_goes_on_when_a_part_is_stopped() -> None:
    whole = Deadline(60.0)
    part = whole.within(600.0)
    assert 0.0 < part.left <= 60.0
    part.stop()
    assert (part.passed, whole.passed) == (True, False)
