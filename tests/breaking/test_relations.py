"""Breaking numbers of zones with a relation: those of brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mixsafe.breaking import plan
from mixsafe.breaking.breaking import breaking
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from tests.support.breaking_questions import Drawn, differences, drawn
from tests.support.budgets import budgets
from tests.support.oracles import Pairs
from tests.support.relations import with_pairs, with_random_pairs
from tests.support.strategies import mix_zones


def related(question: Drawn, random: np.random.Generator) -> Drawn:
    """The question, about zones that allow some pairs only."""
    return replace(question, problem=with_random_pairs(question.problem, random))


@pytest.mark.parametrize("numbers", [{}, {"small": 0}], ids=["small", "large"])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_are_those_of_brute_force_over_all_subsets(
    seed: int, numbers: dict[str, int]
) -> None:
    random = np.random.default_rng([seed, 1])
    for _ in range(25):
        question = related(drawn(random, max_assignments=100), random)
        with budgets(plan, **numbers):
            assert not differences(question)


def test_who_alone_is_known_is_not_away_where_nobody_may_come() -> None:
    """Without a relation others make room for who leaves; here they often cannot."""
    random, nothing = np.random.default_rng(60), Knowledge.from_pairs([])
    for _ in range(25):
        question = related(drawn(random, max_assignments=100), random)
        presolved = replace(question.problem, knowledge=nothing)
        assert not differences(replace(question, problem=presolved, sightings="self"))


def ring(n_users: int, n_zones: int) -> Problem:
    """Zones in which tokens only go around, the other way in every second one."""
    around: Pairs = {(user, (user + 1) % n_users) for user in range(n_users)}
    back = {(b, a) for a, b in around}
    zones = mix_zones(n_users, 2 * n_zones, [(2 * z + 1, range(n_users)) for z in range(n_zones)])
    related = with_pairs(zones, [around if z % 2 == 0 else back for z in range(n_zones)])
    return Problem("ring", related, Knowledge.from_pairs([]))


def test_who_is_seen_once_in_a_ring_is_followed_around_it() -> None:
    """No two users can swap, so a sighting of one between two zones tells of all three."""
    known = replace(ring(3, 2), knowledge=Knowledge.from_pairs([(0, 0), (0, 4)]))
    found = breaking(known, k=2, sightings="anybody")
    assert {(one.status, one.lower) for one in found.numbers} == {("broken", 1)}
