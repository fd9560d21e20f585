"""Breaking numbers: equal to brute force, monotone, and an answer to every question."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

from mixsafe.breaking import searching
from mixsafe.breaking.assignments.absences import absences
from mixsafe.breaking.assignments.sat_subproblems import PeopleNearby
from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.pursuit import Pursuit
from mixsafe.breaking.searching import BreakingSearch
from mixsafe.errors import InputError
from mixsafe.journal.checkpoint import Checkpoint
from mixsafe.model.limits import SolveLimits
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork
from tests.breaking.drawn import differences, drawn, wrongly_suppressed
from tests.random_problems import random_problem
from tests.strategies import problem


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


def test_absences_say_who_can_come_and_how_soon_she_is_back() -> None:
    # 0 leaves to 1 at step 1; 1 meets 2, who meets 0 at step 3. At step 5 only 3 is there.
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 2]), (5, [0, 3])]
    found = absences(WireNetwork.of(problem(4, 6, zones).zones), 0, 2)
    told = sorted(zip(*(one.tolist() for one in found), strict=True))
    assert told == [(1, 2, 1), (1, 4, 1), (2, 4, 2), (3, 4, 1)]


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


def test_who_has_no_data_is_not_asked_about() -> None:
    meeting = problem(3, 2, [(1, [0, 1])])
    zones = replace(meeting.zones, absent=np.array([2]))
    found = breaking(replace(meeting, zones=zones), k=2)
    assert [one.user for one in found.targets] == [0, 1]


def test_k_beyond_reach_is_an_answer() -> None:
    found = breaking(problem(2, 2, [(1, [0, 1])]), k=50)
    assert found.summary["broken_by"][0] == 2


def test_where_nothing_may_be_seen_nobody_is_ever_broken() -> None:
    nothing = Knowledge.from_pairs([])
    found = breaking(problem(2, 2, [(1, [0, 1])]), k=2, sightings=nothing)
    assert [one.status for one in found.numbers] == ["never", "never"]


def test_a_sighting_on_the_very_stretch_does_not_count_for_it() -> None:
    meeting = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0)])
    found = breaking(meeting, k=2, target="each")
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 1)
    )
    assert middle.status == "never"  # seen at the end, she may still have been away in between


def test_what_time_does_not_allow_is_undecided() -> None:
    found = breaking(
        problem(3, 3, [(1, [0, 1]), (2, [1, 2])]), k=2, limits=SolveLimits(seconds=1e-9)
    )
    assert {one.status for one in found.numbers} == {"undecided"}


def test_when_the_time_is_up_no_target_is_looked_at_any_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def looked_at(*_: object) -> None:
        raise AssertionError("the time is up")

    monkeypatch.setattr(BreakingSearch, "pursuit", looked_at)
    question = problem(3, 3, [(1, [0, 1]), (2, [1, 2])])
    found = breaking(question, k=2, limits=SolveLimits(seconds=1e-9))
    assert {tuple(one[:3]) for one in found.numbers} == {(0, None, "undecided")}


def test_when_the_time_is_up_no_board_is_built_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, sat_subproblems = [0.0], list[float]()

    def subproblem(*_: object) -> PeopleNearby:
        sat_subproblems.append(clock[0])
        clock[0] += 100
        return mock.Mock(**{"witness.return_value": None})

    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(searching, "_LITTLE", -1)
    monkeypatch.setattr(searching, "PeopleNearby", subproblem)
    asked: dict[str, Any] = {"k": 2, "target": "each", "sightings": "anybody"}
    question = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], [(0, 0), (1, 4)])
    found = breaking(question, limits=SolveLimits(seconds=50), **asked)
    assert sat_subproblems == [0.0]
    assert "undecided" in {one.status for one in found.numbers}
    breaking(question, **asked)
    assert len(sat_subproblems) > 2


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


@pytest.mark.parametrize("seed", range(2))
def test_single_stretches_are_those_of_brute_force(seed: int) -> None:
    # Ways of single tokens are an upper bound that needs no engine.
    random = np.random.default_rng(seed + 200)
    for number in range(20):
        question = drawn(random, max_users=4, max_horizon=4, max_assignments=60)
        sightings = ("self", "anybody")[number % 2]
        assert not differences(replace(question, target="each", sightings=sightings, away=None))


def test_single_stretches_of_large_problems_are_looked_at_among_people_nearby(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searching, "_LITTLE", -1)
    random, exact, all_of_them = np.random.default_rng(77), 0, 0
    for _ in range(6):
        question = drawn(random, max_users=4, max_horizon=4, max_assignments=60)
        one = replace(question, target="each", sightings="anybody", away=None)
        told = zip(one.answer().numbers, one.expected(), one.breaks(), strict=True)
        for number, least, breaks in told:
            most = one.at_most + 1 if least is None else least
            assert number.lower <= most
            assert number.upper is None or breaks(number.sightings)
            exact += number.lower == most
            all_of_them += 1
    assert exact == all_of_them > 20


def test_bounds_of_single_stretches_are_narrowed_before_one_is_pursued_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def given_up(_: BreakingSearch, one: Pursuit) -> Number:
        return one.number or one.given_up

    monkeypatch.setattr(searching, "_LITTLE", -1)
    monkeypatch.setattr(searching, "_PEOPLE", ())
    monkeypatch.setattr(BreakingSearch, "_walk", lambda *_: None)
    monkeypatch.setattr(BreakingSearch, "_finished", given_up)
    sizes = {"max_zones": 9, "max_horizon": 7, "max_assignments": 2000}
    asked = replace(random_problem(np.random.default_rng(12), **sizes), requirements=None)

    def apart() -> int:
        found = breaking(asked, k=2, target="each", sightings="anybody").numbers
        return max(one.upper - one.lower for one in found if one.upper is not None)

    assert apart() <= 1
    monkeypatch.setattr(searching, "_TURNS", 0)
    assert apart() > 1


def test_who_cannot_be_back_at_once_is_broken_by_sightings_before_and_after() -> None:
    # 0 meets 1, then 2, then 3: nobody whom she meets first is there when she meets the next.
    meeting = problem(4, 6, [(1, [0, 1]), (3, [0, 2]), (5, [0, 3])])
    found = breaking(meeting, k=2, target="each", sightings="self")
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 3)
    )
    assert (middle.lower, middle.upper, middle.sightings) == (2, 2, ((0, 0), (0, 5)))


def test_two_sightings_of_whom_no_token_is_known_do_not_say_which_it_is() -> None:
    # She may have exchanged with 1 for ever, and then be seen with one token twice.
    meeting = problem(4, 6, [(1, [0, 1]), (3, [0, 2]), (5, [0, 3])])
    seen = Knowledge.from_pairs([(0, 1), (0, 5)])
    found = breaking(meeting, k=2, target="each", sightings=seen)
    middle = next(
        number
        for number, target in zip(found.numbers, found.targets, strict=True)
        if (target.user, target.start) == (0, 3)
    )
    assert middle.status == "never"


def test_drawn_targets_are_some_of_all() -> None:
    question = problem(4, 3, [(1, [0, 1]), (2, [2, 3])])
    found = breaking(question, k=2, drawn=2)
    assert len(found.targets) == 2
    assert len(breaking(question, k=2, drawn=9).targets) == 4


def test_what_to_suppress_is_what_brute_force_finds_and_raises_the_number() -> None:
    random = np.random.default_rng(3)
    sizes = {"max_users": 4, "max_horizon": 4, "max_assignments": 60}
    wrong = [wrongly_suppressed(drawn(random, **sizes)) for _ in range(30)]
    assert not any(wrong), wrong


def test_what_to_suppress_is_all_of_a_stretch_and_nothing_where_nothing_helps() -> None:
    meeting = problem(3, 6, [(1, [0, 1]), (5, [0, 1])], [(0, 0), (1, 0), (0, 6), (1, 6)])
    found = breaking(meeting, k=2, suppress=True)
    told = [one.suppress for one in found.numbers]
    assert told[0] is not None
    assert (told[0].lower, told[0].upper) == (4, 4)
    assert found.stretches(told[0]) == [(0, 1, 4)]
    assert found.table["suppress"].tolist() == ["0@1..4", "1@1..4", ""]
    assert (found.numbers[2].lower, told[2]) == (0, None)


def test_what_to_suppress_is_taken_up_again_and_bounded_where_time_is_up(tmp_path: Path) -> None:
    question = problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], [(0, 0), (1, 0)])
    with Checkpoint(tmp_path) as journal:
        breaking(question, k=2, journal=journal)
    with Checkpoint(tmp_path) as journal:
        no_time = SolveLimits(seconds=1e-9)
        cut = breaking(question, k=2, journal=journal, suppress=True, limits=no_time)
    bounds = {one.suppress[:2] for one in cut.numbers if one.suppress}
    assert bounds == {(1, None)}
    for _ in range(2):  # once found, once recalled
        with Checkpoint(tmp_path) as journal:
            again = breaking(question, k=2, journal=journal, suppress=True)
        assert again.numbers == breaking(question, k=2, suppress=True).numbers
    assert any(one.suppress for one in again.numbers)
