"""Work beside other work: its result, its errors, and that it ends when it is not wanted."""

from __future__ import annotations

import time
from contextlib import closing

import pytest

from mixsafe.errors import InputError
from mixsafe.machinery.background import BackgroundTask
from mixsafe.model.course import Deadline


def test_what_it_brought_and_its_errors_come_out() -> None:
    def fails(_end: Deadline) -> int:
        raise InputError("not this")

    with closing(BackgroundTask(lambda _end: 7, Deadline(None))) as seven:
        assert seven.result() == 7
    with (
        closing(BackgroundTask(fails, Deadline(None))) as failed,
        pytest.raises(InputError, match="not"),
    ):
        failed.result()


def test_it_ends_when_it_is_not_wanted() -> None:
    ended = []

    def works(end: Deadline) -> None:
        while not end.passed:
            time.sleep(0.001)
        ended.append(True)

    whole = Deadline(None)
    with closing(BackgroundTask(works, whole)):
        pass
    assert ended == [True]
    assert not whole.passed


def test_waiting_ends_with_the_task_or_when_the_time_is_up() -> None:
    with closing(BackgroundTask(lambda _end: 7, Deadline(None))) as short:
        short.wait(60.0)
        assert short.is_done

    def works(end: Deadline) -> None:
        while not end.passed:
            time.sleep(0.001)

    with closing(BackgroundTask(works, Deadline(None))) as endless:
        endless.wait(0.0)
        assert not endless.is_done
