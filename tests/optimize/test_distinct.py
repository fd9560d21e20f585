"""Minimum sets where different people are different: what brute force finds, with certificates."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.certify.certify_minimum import certify_minimum
from mixsafe.check.checker import check
from mixsafe.errors import InputError
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.places import ZonePlaces
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.minimum import minimum_zones, verified, within_budget
from tests.support.oracles import (
    domains_of,
    fewest_places,
    meets_requirements,
    requirements_of,
)
from tests.support.oracles import (
    minimum_zones as least_zones,
)
from tests.support.random_problems import random_problem
from tests.support.strategies import problem
from tests.support.strategies import requirements_of as asked_for
from tests.support.tampered import Random


def seen_later(random: Random) -> Problem:
    """A problem in which people are different, and most are seen, but few of them at step 0."""
    posed = random_problem(random, max_assignments=60)
    zones = posed.zones
    drawn = zip(
        random.integers(0, zones.n_users, zones.n_users + 2).tolist(),
        random.integers(random.integers(2), zones.axis.steps + 1, zones.n_users + 2).tolist(),
        strict=True,
    )
    posed = replace(posed, knowledge=Knowledge.from_pairs(drawn, distinct=True))
    several = [(*at, len(some)) for at, some in domains_of(posed).items() if len(some) > 1]
    if several:
        chosen = random.choice(len(several), min(len(several), 2), replace=False)
        posed = replace(posed, requirements=asked_for(*(several[one] for one in chosen.tolist())))
    return posed


def once_before_and_once_after(*, distinct: bool) -> Problem:
    """User 0 is seen before the first zone, and user 1 after it: who they are is known then."""
    zones, seen = [(2, [0, 1]), (4, [0, 2])], [(0, 1), (1, 3)]
    return problem(3, 5, zones, seen, [(0, 3, 2)], distinct=distinct)


@pytest.mark.parametrize("method", ["auto", "dp", "cpsat"])
def test_the_size_is_what_brute_force_says(method: str) -> None:
    random = np.random.default_rng(90)
    for _ in range(16):
        posed = seen_later(random)
        found, expected = minimum_zones(posed, method=method), least_zones(posed)
        status = "infeasible" if expected is None else "optimal"
        assert (found.minimum, found.status) == (expected, status)
        assert expected is None or meets_requirements(posed, found.zones)


def test_the_cheapest_places_are_those_of_brute_force() -> None:
    random = np.random.default_rng(91)
    for _ in range(16):
        posed = seen_later(random)
        places = ZonePlaces.named(random.integers(4, size=len(posed.zones)).tolist())
        places = replace(places, cost=random.integers(0, 4, len(places)))
        found = minimum_zones(posed, places=places)
        assert found.minimum == fewest_places(replace(posed, places=places))


def test_a_budget_protects_as_many_as_brute_force_says() -> None:
    random = np.random.default_rng(92)
    for _ in range(12):
        posed, limit = seen_later(random), int(random.integers(3))
        asked = requirements_of(posed)
        sets = itertools.chain.from_iterable(
            itertools.combinations(range(len(posed.zones)), size) for size in range(limit + 1)
        )
        alone = [
            replace(posed, requirements=asked_for(*(one for one in asked if one[0] == user)))
            for user in sorted({one[0] for one in asked})
        ]
        most = max(sum(meets_requirements(one, kept) for one in alone) for kept in sets)
        found = within_budget(posed, limit).budget
        assert found is not None
        assert found.protected == found.most == most


def test_minima_are_certified() -> None:
    random = np.random.default_rng(93)
    for _ in range(12):
        found = minimum_zones(seen_later(random), rest=True)
        checked = check(certify_minimum(found, verified(found))).least
        assert checked is not None
        assert found.status != "optimal" or checked.bound == found.minimum


@pytest.mark.parametrize("distinct", [False, True], ids=["paper", "distinct"])
def test_a_certificate_of_the_other_reading_is_refused(distinct: bool) -> None:
    """What two people who may be one show is no witness, and what they exclude is open."""
    found = minimum_zones(once_before_and_once_after(distinct=distinct), rest=True)
    made = certify_minimum(found, verified(found))
    assert check(made).least is not None
    known = replace(made.problem.knowledge, distinct=not distinct)
    with pytest.raises(InputError):
        check(replace(made, problem=replace(made.problem, knowledge=known)))


def test_zones_are_enough_only_if_no_two_who_are_seen_are_one() -> None:
    for distinct, expected in ((True, None), (False, 1)):
        found = minimum_zones(once_before_and_once_after(distinct=distinct))
        assert found.minimum == expected
        assert found.to_dict()["knowledge"] == ("distinct" if distinct else "paper")
