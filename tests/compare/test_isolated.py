"""Calls in processes of their own: the limit always ends them, and no answer is made up."""

from __future__ import annotations

import os
import sys
import time
from functools import partial

import pytest

from mixsafe.compare.isolated import run_alone
from mixsafe.errors import MixsafeError

LONG = 6000.0
"""Seconds that nothing here takes, however slow the machine is."""


def test_what_is_returned_comes_back_with_what_it_took() -> None:
    ended = run_alone(partial(sum, [1, 2]), LONG, grace=1)
    assert (ended.how, ended.value, ended.note) == ("returned", 3, "")
    assert 0 <= ended.seconds < LONG
    if sys.platform.startswith("linux"):
        assert ended.memory_mb is not None
        assert 1 < ended.memory_mb < 4096


def test_a_call_that_does_not_end_by_itself_is_ended() -> None:
    ended = run_alone(partial(time.sleep, LONG), 0.2, grace=0.1)
    assert (ended.how, ended.value, ended.seconds) == ("killed", None, 0.2)


def an_hour_later() -> None:
    """In a process of its own: let it be an hour later than it is."""
    clock = time.monotonic
    time.monotonic = lambda: clock() + 3600  # type: ignore[assignment]


def test_what_a_call_takes_is_counted_and_warming_up_is_not() -> None:
    warmed = run_alone(partial(sum, []), LONG, grace=0, warm_up=an_hour_later)
    assert warmed.seconds < 3600
    assert run_alone(an_hour_later, LONG, grace=0).seconds >= 3600


def test_a_process_that_goes_away_gives_no_answer() -> None:
    ended = run_alone(partial(os._exit, 3), LONG, grace=1)
    assert (ended.how, ended.value) == ("died", None)
    assert "exit status 3" in ended.note


def test_an_error_is_raised_where_the_call_was_made() -> None:
    with pytest.raises(MixsafeError, match="ValueError: invalid literal"):
        run_alone(partial(int, "x"), LONG, grace=1)
