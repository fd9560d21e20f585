"""Breaking numbers: equal to brute force, monotone, and an answer to every question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.errors import InputError
from mixsafe.machinery.checkpoint import Checkpoint
from mixsafe.model.course import SolveLimits
from mixsafe.model.question.adversary import Knowledge
from tests.support.breaking_questions import differences, drawn
from tests.support.strategies import problem


@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_those_of_brute_force_over_all_subsets(seed: int) -> None:
    random = np.random.default_rng(seed)
    wrong = [differences(drawn(random, max_assignments=100)) for _ in range(25)]
    assert not any(wrong), wrong


def test_up_to_seven_users_are_answered_alike() -> None:
    random = np.random.default_rng(100)
    sizes = {"max_users": 7, "max_horizon": 4, "max_assignments": 60}
    wrong = [differences(drawn(random, **sizes)) for _ in range(8)]
    assert not any(wrong), wrong


@pytest.mark.parametrize("seed", range(2))
def test_who_alone_is_known_may_be_away_while_others_come(seed: int) -> None:
    random, nothing = np.random.default_rng(seed + 50), Knowledge.from_pairs([])
    for _ in range(25):
        question = drawn(random, max_assignments=100)
        presolved = replace(question.problem, knowledge=nothing)
        assert not differences(replace(question, problem=presolved, sightings="self"))


def test_more_candidates_more_sightings_and_more_knowledge_never_take_more_to_break() -> None:
    random = np.random.default_rng(7)
    for _ in range(12):
        question = replace(drawn(random, max_users=4, max_assignments=100), sightings="self")
        if question.k is None:
            continue
        users, steps = question.problem.zones.n_users, question.problem.zones.axis.steps
        seen = question.problem.knowledge
        more = Knowledge.of(
            np.append(seen.row, random.integers(users)),
            np.append(seen.time, random.integers(steps + 1)),
        )
        usual = [one.lower for one in question.answer().numbers]
        for changed in (
            {"k": question.k + 1},
            {"sightings": "anybody"},
            {"problem": replace(question.problem, knowledge=more)},
        ):
            stronger = [one.lower for one in question.answer(**changed).numbers]
            assert all(one <= other for one, other in zip(stronger, usual, strict=True)), changed


def test_a_set_that_breaks_is_named_and_one_that_is_smaller_does_not() -> None:
    # Two meet twice, and both are known at the ends: one more sighting in between tells them apart.
    meeting = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0), (0, 4), (1, 4)])
    found = breaking(meeting, k=2)
    assert [one.status for one in found.numbers] == ["broken", "broken"]
    assert found.numbers[0].sightings == ((0, 1),)
    assert found.summary["broken_by"] == [0, 2, 2, 2, 2]


def test_who_is_broken_already_needs_nothing_more() -> None:
    found = breaking(problem(3, 4, [(2, [0, 1])], [(2, 0)]), k=3)
    assert {(one.lower, one.upper, one.status) for one in found.numbers} == {(0, 0, "broken")}


def test_k_beyond_reach_is_an_answer() -> None:
    found = breaking(problem(2, 2, [(1, [0, 1])]), k=50)
    assert found.summary["broken_by"][0] == 2


def test_where_nothing_may_be_seen_nobody_is_ever_broken() -> None:
    nothing = Knowledge.from_pairs([])
    found = breaking(problem(2, 2, [(1, [0, 1])]), k=2, sightings=nothing)
    assert [one.status for one in found.numbers] == ["never", "never"]


def test_what_time_does_not_allow_is_undecided() -> None:
    found = breaking(
        problem(3, 3, [(1, [0, 1]), (2, [1, 2])]), k=2, limits=SolveLimits(seconds=1e-9)
    )
    assert {one.status for one in found.numbers} == {"undecided"}


def test_a_run_that_was_stopped_goes_on_from_its_journal(tmp_path: Path) -> None:
    question = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], [(0, 0), (1, 0)])
    with Checkpoint(tmp_path) as journal:
        first = breaking(question, k=2, journal=journal)
    with Checkpoint(tmp_path) as journal:
        again = breaking(question, k=2, journal=journal)
    assert again.numbers == first.numbers
    with Checkpoint(tmp_path) as journal, pytest.raises(InputError):
        breaking(question, k=3, journal=journal)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "nothing is asked"),
        ({"k": 0}, "k = 0 is not from 2"),
        ({"k": 2, "at_most": -1}, "at most -1"),
        ({"k": 2, "at_most": 10**20}, "larger sets than 1,000 are not looked for"),
        ({"k": 2, "away": -1}, "-1 steps away"),
        ({"k": 2, "away": 10**30}, "is more than there ever are"),
        ({"k": 10**30}, "is not from 2 to"),
        ({"k": 2, "target": "some"}, "unknown target 'some'"),
        ({"k": 2, "target": "share:2"}, "is not a rule"),
        ({"k": 2, "sightings": "everybody"}, "unknown sightings 'everybody'"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(asked: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        breaking(problem(2, 2, [(1, [0, 1])]), **asked)  # type: ignore[arg-type]
