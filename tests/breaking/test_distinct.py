"""Breaking numbers where different people are different, against brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.breaking import plan
from mixsafe.breaking.breaking import breaking
from mixsafe.model.question.adversary import Knowledge
from tests.support.breaking_questions import Drawn, differences, drawn
from tests.support.budgets import budgets
from tests.support.relations import with_random_pairs
from tests.support.strategies import problem


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


@pytest.mark.parametrize("numbers", [{}, {"small": 0}], ids=["small", "large"])
def test_numbers_are_those_of_brute_force_over_all_subsets(numbers: dict[str, int]) -> None:
    random = np.random.default_rng(70)
    for number in range(16):
        question = drawn(random, max_assignments=100, distinct=True)
        if number % 2:
            question = seen_later(question, random)
        if number % 4 == 3:
            related = with_random_pairs(question.problem, random)
            question = replace(question, problem=related)
        with budgets(plan, **numbers):
            assert not differences(question)


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
