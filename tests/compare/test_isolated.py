"""Calls in processes of their own: the limit always ends them, and no answer is made up."""

from __future__ import annotations

import os
import sys
import time
from functools import partial

import pytest

from mixsafe.compare.isolated import run_alone
from mixsafe.errors import MixsafeError


def test_what_is_returned_comes_back_with_what_it_took() -> None:
    ended = run_alone(partial(sum, [1, 2]), 60, grace=1)
    assert (ended.how, ended.value, ended.note) == ("returned", 3, "")
    assert 0 <= ended.seconds < 60
    if sys.platform.startswith("linux"):
        assert ended.memory_mb is not None
        assert 1 < ended.memory_mb < 4096


def test_a_call_that_does_not_end_by_itself_is_ended() -> None:
    began = time.monotonic()
    ended = run_alone(partial(time.sleep, 600), 0.2, grace=0.1)
    assert (ended.how, ended.value, ended.seconds) == ("killed", None, 0.2)
    assert time.monotonic() - began < 300


def test_warming_up_is_not_counted() -> None:
    ended = run_alone(partial(sum, []), 60, grace=0, warm_up=partial(time.sleep, 0.5))
    assert ended.seconds < 0.5


def test_a_process_that_goes_away_gives_no_answer() -> None:
    ended = run_alone(partial(os._exit, 3), 60, grace=1)
    assert (ended.how, ended.value) == ("died", None)
    assert "exit status 3" in ended.note


def test_an_error_is_raised_where_the_call_was_made() -> None:
    with pytest.raises(MixsafeError, match="ValueError: invalid literal"):
        run_alone(partial(int, "x"), 60, grace=1)
