"""Certificates of breaking numbers of requirements: claims count where they are asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.proof.certify_breaking import certify_breaking
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.answer.ragged import Ragged
from mixsafe.model.question.problem import Problem
from tests.support.strategies import problem
from tests.support.tampered_breaking import bounds_hold

KNOWN = [(0, 0), (1, 0), (0, 6), (1, 6)]
MEETINGS = [(1, [0, 1]), (3, [0, 1]), (5, [0, 1])]
ASKED = [(0, 0, 2), (0, 2, 2), (0, 3, 2), (0, 4, 1), (1, 2, 2), (1, 6, 1)]


@lru_cache
def _made(target: str, sightings: str = "self") -> Certificate:
    """0 and 1 meet three times, and are known at the ends; nothing protects 0 at step 0."""
    asked = problem(3, 6, MEETINGS, KNOWN, ASKED)
    away = 0 if target == "each" else None
    found = breaking(asked, target=target, sightings=sightings, away=away, keep_witnesses=True)
    return certify_breaking(found)


BOUNDS = {
    ("each", "self"): ([0, 5, 5, 5, 5, 5], [0, -1, -1, -1, -1, -1]),
    ("each", "anybody"): ([0, 5, 5, 5, 5, 5], [0, -1, -1, -1, -1, -1]),
    ("every", "self"): ([0, 1], [0, 1]),
    ("every", "anybody"): ([0, 1], [0, 1]),
    ("lost", "self"): ([5, 5], [-1, -1]),
    ("share:0.5", "self"): ([2, 5], [2, -1]),
    ("share:0.5", "anybody"): ([2, 5], [2, -1]),
}


@pytest.mark.parametrize(("asked", "bounds"), BOUNDS.items(), ids=map("-".join, BOUNDS))
def test_what_was_made_is_accepted_as_brute_force_says(
    asked: tuple[str, str], bounds: tuple[list[int], list[int]]
) -> None:
    made = _made(*asked)
    found = check(made)
    assert found.breaking is not None
    assert (found.breaking.lower.tolist(), found.breaking.upper.tolist()) == bounds
    assert made.breaking is not None
    few = replace(made.breaking, lower=np.minimum(made.breaking.lower, 3))  # three is soon tried
    less = replace(made, breaking=few)
    assert bounds_hold(less, check(less))


def _asked(column: str, values: list[int]) -> Callable[[Certificate], Certificate]:
    def change(made: Certificate) -> Certificate:
        requirements = made.problem.requirements
        assert requirements is not None
        changed = replace(requirements, **{column: np.array(values, np.int32)})
        return replace(made, problem=replace(made.problem, requirements=changed))

    return change


def _part(part: str, column: str, place: int, value: int) -> Callable[[Certificate], Certificate]:
    """One number of the targets, of what breaks, or of the claims is another one."""

    def change(made: Certificate) -> Certificate:
        proof = made.breaking
        assert proof is not None
        whole: Any = {"targets": proof, "broken": proof.broken, "claims": made.claims}[part]
        values = getattr(whole, column).copy()
        values[place] = value
        changed = replace(whole, **{column: values})
        if part == "claims":
            return replace(made, claims=changed)
        proof = changed if part == "targets" else replace(proof, broken=changed)
        return replace(made, breaking=proof)

    return change


def _two(*changes: Callable[[Certificate], Certificate]) -> Callable[[Certificate], Certificate]:
    def change(made: Certificate) -> Certificate:
        for one in changes:
            made = one(made)
        return made

    return change


TARGETS = "targets are not about users and steps"
FORGERIES: dict[str, tuple[str, Callable[[Certificate], Certificate], str]] = {
    "a step before all": ("each", _part("targets", "start", 0, -1), TARGETS),
    "a user before all": ("each", _part("targets", "row", 0, -1), TARGETS),
    "an end before the start": ("each", _part("targets", "end", 1, 1), TARGETS),
    "a target that asks about nothing": (
        "each", _two(_part("targets", "start", 1, 1), _part("targets", "end", 1, 1)),
        "target 1 asks about nothing",
    ),
    "a claim before all steps": (
        "each", _two(_part("claims", "start", 0, -1), _part("claims", "end", 0, -1)),
        "a step that does not exist",
    ),
    "a claim after all steps": (
        "each", _two(_part("claims", "start", 4, 7), _part("claims", "end", 4, 7)),
        "a step that does not exist",
    ),
    "more candidates are asked for": (
        "each", _asked("k", [2, 3, 2, 1, 2, 1]), "target 1 does not pass with the claims",
    ),
    "fewer candidates are asked for, and it is broken": (
        "each", _asked("k", [1, 2, 2, 1, 2, 1]), "target 0 may pass with the sightings",
    ),
    "of all that is asked some is not shown": (
        "every", _asked("time", [0, 2, 3, 4, 4, 6]), "target 1 does not pass with the claims",
    ),
    "what breaks is about another time": (
        "every", _asked("time", [4, 2, 3, 3, 2, 6]), "target 0 may pass with the sightings",
    ),
    "a broken target before all": ("every", _part("broken", "target", 0, -1), "targets in order"),
    "a larger bound of several": ("share:0.5", _part("targets", "lower", 0, 3), "may be broken by"),
    "a larger bound of all": ("every", _part("targets", "lower", 1, 2), "may be broken by fewer"),
}  # fmt: skip


@pytest.mark.parametrize("sightings", ["self", "anybody"])
@pytest.mark.parametrize(("target", "change", "message"), FORGERIES.values(), ids=FORGERIES)
def test_each_forgery_is_refused_in_words(
    target: str, change: Callable[[Certificate], Certificate], message: str, sightings: str
) -> None:
    with pytest.raises(InputError, match=message):
        check(change(_made(target, sightings)))


def test_as_many_candidates_as_are_asked_for_are_enough_and_more_are_too() -> None:
    fewer = _asked("k", [2, 1, 2, 1, 2, 1])(_made("each"))
    found, whole = check(fewer).breaking, check(_made("each")).breaking
    assert found is not None
    assert whole is not None
    assert found.lower.tolist() == whole.lower.tolist()
    more = _asked("k", [3, 2, 2, 1, 2, 1])(_made("each"))
    found = check(more).breaking
    assert found is not None
    assert found.upper.tolist() == whole.upper.tolist()


def _larger(made: Certificate) -> Certificate:
    assert made.breaking is not None
    return replace(made, breaking=replace(made.breaking, lower=made.breaking.lower + 1))


def _made_of(asked: Problem, **question: Any) -> Certificate:
    return certify_breaking(breaking(asked, keep_witnesses=True, **question))


def test_two_sightings_of_whom_nothing_is_known_contradict_what_one_does_not() -> None:
    made = _made_of(problem(2, 4, [(1, [0, 1]), (3, [0, 1])]), k=2)
    found = check(made).breaking
    assert found is not None
    assert found.lower.tolist() == found.upper.tolist() == [3, 3]
    with pytest.raises(InputError, match="may be broken by fewer"):
        check(_larger(made))


def test_what_withstands_her_own_sightings_need_not_withstand_those_of_others() -> None:
    made = _made_of(problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(1, 0), (1, 4)]), k=2)
    assert made.breaking is not None
    assert made.breaking.lower.tolist() == [2, 1]
    check(made)
    with pytest.raises(InputError, match="target 0 may be broken by fewer"):
        check(replace(made, breaking=replace(made.breaking, sightings="anybody")))


@pytest.mark.parametrize(
    ("last", "away", "counts"), [(6, 1, True), (6, 2, False), (8, 2, True), (8, 3, False)]
)
def test_a_sighting_counts_that_is_farther_away_than_is_said(
    last: int, away: int, counts: bool
) -> None:
    """The stretch is from 3 to 4, and it takes sightings at step 0 and at the last one."""
    meeting = problem(4, last, [(1, [0, 1]), (3, [0, 2]), (5, [0, 3])])
    made = _made_of(meeting, k=2, target="each", away=1)
    assert made.breaking is not None
    assert [one.time.tolist() for one in made.breaking.broken if one.target == 1] == [[0, last]]
    changed = replace(made, breaking=replace(made.breaking, away=away))
    if counts:
        check(changed)
    else:
        with pytest.raises(InputError, match="target 1 is broken by a sighting that does not"):
            check(changed)


def test_of_every_stretch_that_is_asked_about_there_is_a_claim() -> None:
    made = _made_of(problem(2, 4, [(step, [0, 1]) for step in (1, 2, 3)]), k=2, target="every")
    assert made.breaking is not None
    sizes = made.breaking.sizes[0].tolist()
    assert sizes[0] == 3
    columns = {
        name: Ragged.of(column[i] for i in range(1, len(column)))
        if isinstance(column, Ragged)
        else column[1:]
        for name, column in vars(made.claims).items()
    }
    lists = [one.tolist() for one in (made.breaking.sizes[i] for i in range(len(made.breaking)))]
    lists[0][0] -= 1
    proof = replace(made.breaking, sizes=Ragged.of(lists))
    with pytest.raises(InputError, match="target 0 does not pass"):
        check(replace(made, claims=replace(made.claims, **columns), breaking=proof))


def test_the_first_and_the_last_step_can_be_asked_about() -> None:
    check(_made_of(problem(2, 2, [(2, [0, 1])], [], [(0, 2, 2), (1, 0, 1)]), target="each"))


def test_one_candidate_is_always_there_but_not_at_a_step_that_is_not_asked_about() -> None:
    asked = problem(2, 2, [(1, [0, 1])], [], [(row, step, 1) for row in (0, 1) for step in (1, 2)])
    made = _made_of(asked)
    check(made)
    with pytest.raises(InputError, match="does not pass"):
        check(_two(_part("claims", "start", 0, 0), _part("claims", "end", 0, 0))(made))
