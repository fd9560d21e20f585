"""Breaking numbers where different people are different, against brute force, and certified."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.plan import BreakingPlan
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import Certificate
from mixsafe.model.question.adversary import Knowledge
from tests.support.breaking_questions import Drawn, differences, drawn, wrongly_suppressed
from tests.support.relations import with_random_pairs
from tests.support.strategies import problem
from tests.support.tampered import KINDS
from tests.support.tampered_breaking import BREAKING_KINDS, bounds_hold, certified, questions

PLANS = {"small": BreakingPlan(), "large": BreakingPlan(small=0)}


def seen_later(question: Drawn, random: np.random.Generator) -> Drawn:
    """The question where people are different, and most are seen, but few of them at step 0."""
    zones = question.problem.zones
    drawn_ones = zip(
        random.integers(0, zones.n_users, 2 * zones.n_users).tolist(),
        random.integers(random.integers(2), zones.axis.steps + 1, 2 * zones.n_users).tolist(),
        strict=True,
    )
    known = Knowledge.from_pairs(drawn_ones, distinct=True)
    return replace(question, problem=replace(question.problem, knowledge=known))


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_numbers_are_those_of_brute_force_over_all_subsets(plan: BreakingPlan) -> None:
    random = np.random.default_rng(70)
    for number in range(16):
        question = drawn(random, max_assignments=100, distinct=True)
        if number % 2:
            question = seen_later(question, random)
        if number % 4 == 3:
            related = with_random_pairs(question.problem, random)
            question = replace(question, problem=related)
        assert not differences(question, plan=plan)


def test_what_is_suppressed_is_what_brute_force_suppresses() -> None:
    random = np.random.default_rng(71)
    sizes = {"max_users": 4, "max_horizon": 4, "max_assignments": 40}
    for _ in range(6):
        assert not wrongly_suppressed(seen_later(drawn(random, **sizes), random))


def test_a_sighting_of_another_person_takes_a_candidate_away() -> None:
    """Two people meet at step 2: who sees both, one before and one after, knows who is who."""
    seen = [(0, 1)]
    for distinct, upper in ((True, 1), (False, None)):
        posed = problem(2, 3, [(2, [0, 1])], seen, [(0, 3, 2)], distinct=distinct)
        others = Knowledge.from_pairs([(1, 3)])
        (number,) = breaking(posed, target="every", sightings=others).numbers
        assert number.upper == upper


def test_the_answer_says_how_knowledge_is_read() -> None:
    for distinct, reading in ((True, "distinct"), (False, "paper")):
        posed = problem(2, 3, [(2, [0, 1])], [(0, 1)], [(0, 3, 2)], distinct=distinct)
        assert breaking(posed).to_dict()["knowledge"] == reading


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_all_that_is_known_is_certified_and_brute_force_agrees(plan: BreakingPlan) -> None:
    random = np.random.default_rng(72)
    for question in islice(questions(random), 8):
        one = seen_later(question, random)
        made, less = certified(one, plan)
        assert bounds_hold(made, check(made))
        if one.away is None or one.target == "each":
            assert not less


def _changed(made: Certificate, random: np.random.Generator) -> Certificate:
    """A certificate with one thing changed: the reading, its own things, or its problem's."""
    kind = int(random.integers(8))
    if kind == 0:
        known = replace(made.problem.knowledge, distinct=not made.problem.knowledge.distinct)
        return replace(made, problem=replace(made.problem, knowledge=known))
    kinds = KINDS if kind < 3 else BREAKING_KINDS
    return kinds[str(random.choice(list(kinds)))](made, random)


def test_nothing_that_is_changed_is_accepted_and_false() -> None:
    random, counted = np.random.default_rng(73), {"refused": 0, "true": 0}
    for question in islice(questions(np.random.default_rng(74)), 16):
        made, _ = certified(seen_later(question, random))
        for _ in range(12):
            try:
                changed = _changed(made, random)
                found = check(changed)
            except InputError:
                counted["refused"] += 1
                continue
            assert bounds_hold(changed, found)
            counted["true"] += 1
    assert counted["refused"] > 40
    assert counted["true"] > 15
