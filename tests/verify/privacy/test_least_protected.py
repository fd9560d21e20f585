"""What is told of the least protected users."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.answer.verdict import SAFE
from mixsafe.verify.privacy import least_protected as module
from mixsafe.verify.privacy.decided import verdict_word
from mixsafe.verify.privacy.least_protected import stories
from mixsafe.verify.verification import Verification
from tests.support.random_answers import dense, random_answer


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
