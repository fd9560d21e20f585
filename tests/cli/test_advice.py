"""When a person is told that a limit of time is advisable."""

from __future__ import annotations

import contextlib
import io

import pytest

from mixsafe_cli.progress import MANY_OPEN, advising
from tests.support.strategies import problem

SEARCH = "walking through solutions"


def said(n_open: int, sightings: int, stages: list[str], screen: io.StringIO) -> str:
    """What is printed of a run of two users, each seen so often, through some stages."""
    known = [(user, time) for user in range(2) for time in range(sightings)]
    heard: list[str] = []
    with contextlib.redirect_stderr(screen):
        report = advising(lambda stage, done, total: heard.append(stage), problem(2, 9, [], known))
        for stage in stages:
            report(stage, 5, n_open + 5)
    assert heard == stages
    return screen.getvalue()


class Terminal(io.StringIO):
    """What a person watches."""

    def isatty(self) -> bool:
        return True


def test_many_open_questions_with_many_sightings_are_worth_a_word_once() -> None:
    line = said(MANY_OPEN, 7, ["bounds", SEARCH, SEARCH], Terminal())
    assert line.count("\n") == 1
    assert "fast proofs leave 1,000 of 1,005 questions open, with 7.0 sightings per user" in line
    assert "--time-limit 120" in line


@pytest.mark.parametrize(
    ("n_open", "sightings", "stages"),
    [(MANY_OPEN - 1, 7, [SEARCH]), (MANY_OPEN, 2, [SEARCH]), (MANY_OPEN, 7, ["bounds"])],
    ids=["few are open", "few sightings", "no search"],
)
def test_what_ends_soon_is_worth_none(n_open: int, sightings: int, stages: list[str]) -> None:
    assert said(n_open, sightings, stages, Terminal()) == ""


def test_a_pipe_hears_nothing() -> None:
    assert said(MANY_OPEN, 7, [SEARCH], io.StringIO()) == ""
