"""Zones with a relation: every engine finds exactly the candidates that the definitions leave."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from mixsafe import load, pose, sample, verify
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from tests.support.oracles import Pairs, domains_of, pairs_of, zones_of
from tests.support.relations import related_problems, with_pairs
from tests.support.strategies import mix_zones, problems, requirements_of

ENGINES: list[dict[str, Any]] = [
    {"engine": "auto"},
    {"engine": "cpsat"},
    {"engine": "cpsat", "encoding": "permutation"},
    {"engine": "dp"},
]


def found_by(problem: Problem, **engine: Any) -> dict[tuple[int, int], set[int]]:
    answer = verify(problem, exhaustive=True, **engine)
    assert answer.domains is not None
    return {(one["user"], one["time"]): set(one["pseudonyms"]) for one in answer.domains}


@pytest.mark.parametrize("engine", ENGINES, ids=lambda one: "-".join(one.values()))
@given(problem=related_problems())
def test_candidates_are_those_of_the_definitions(problem: Problem, engine: dict[str, Any]) -> None:
    assert found_by(problem, **engine) == domains_of(problem)


@given(problem=related_problems())
def test_bounds_enclose_the_candidates(problem: Problem) -> None:
    rows = verify(replace(problem, requirements=None), k=2, engine="bounds").wires
    true = domains_of(problem)
    assert rows is not None
    for row in rows.itertuples():
        size = len(true[row.user_id, row.from_time])
        assert row.lower <= size <= row.upper


@given(problem=related_problems())
def test_without_sightings_reachability_is_exact(problem: Problem) -> None:
    """Zones are independent then, and their pairs lie on cycles once they are cut (Régin 1994)."""
    unseen = replace(problem, knowledge=Knowledge.from_pairs([]), requirements=None)
    rows = verify(unseen, k=2, engine="bounds").wires
    true = domains_of(unseen)
    assert rows is not None
    for row in rows.itertuples():
        assert row.upper == len(true[row.user_id, row.from_time])


def explicit(problem: Problem) -> Problem:
    """The problem with every pair of its complete zones listed."""
    pairs: list[Pairs | None] = [
        set(itertools.permutations(members, 2)) for _, members in zones_of(problem)
    ]
    return replace(problem, zones=with_pairs(problem.zones, pairs))


def assert_same_tables(problem: Problem, **asked: Any) -> None:
    one, other = verify(problem, **asked), verify(explicit(problem), **asked)
    pd.testing.assert_frame_equal(one.wires, other.wires)
    pd.testing.assert_frame_equal(one.users, other.users)


@pytest.mark.parametrize("engine", ["auto", "bounds", "cpsat", "dp"])
@given(problem=problems())
def test_all_pairs_given_explicitly_change_no_table(problem: Problem, engine: str) -> None:
    assert_same_tables(replace(problem, requirements=None), k=3, engine=engine)


@pytest.mark.parametrize("adversary", ["endpoints", "home"])
def test_all_pairs_of_the_town_given_explicitly_change_no_table(adversary: str) -> None:
    town = pose(load(sample("town")), adversary=adversary)
    assert_same_tables(town, k=3, engine="auto" if adversary == "endpoints" else "bounds")


@given(problem=related_problems())
def test_more_pairs_never_remove_a_candidate(problem: Problem) -> None:
    allowed = pairs_of(problem.zones)
    more = [None if i % 2 else pairs for i, pairs in enumerate(allowed)]
    freer = replace(problem, zones=with_pairs(replace(problem.zones, relation=None), more))
    with_more = domains_of(freer)
    assert all(some <= with_more[at] for at, some in domains_of(problem).items())


def rings(n_users: int) -> Problem:
    """A zone in which tokens only go around: no two users can swap."""
    around: Pairs = {(user, (user + 1) % n_users) for user in range(n_users)}
    zones = with_pairs(mix_zones(n_users, 2, [(1, range(n_users))]), [around])
    return Problem("ring", zones, Knowledge.from_pairs([]), requirements_of((0, 2, 2)))


@pytest.mark.parametrize("n_users", [3, 70])
def test_a_cycle_is_found_where_no_two_can_swap(n_users: int) -> None:
    """70 users: the bits of a member take more than one word."""
    asked = rings(n_users)
    assert found_by(asked, engine="auto")[0, 2] == {0, n_users - 1}
    assert found_by(asked, engine="cpsat")[0, 2] == {0, n_users - 1}


def test_one_way_pairs_outside_cycles_change_nothing() -> None:
    zones = with_pairs(mix_zones(3, 2, [(1, [0, 1, 2])]), [{(0, 1), (1, 2), (0, 2)}])
    asked = Problem("one way", zones, Knowledge.from_pairs([]), requirements_of((0, 2, 2)))
    assert found_by(asked)[1, 2] == {1}


def test_pairs_are_those_that_were_given() -> None:
    some: list[Pairs | None] = [{(0, 2), (2, 1)}, None, set()]
    zones = with_pairs(mix_zones(4, 3, [(1, [0, 1, 2]), (2, [1, 3]), (3, [2, 3])]), some)
    assert pairs_of(zones) == some
    assert zones.relation is not None
    assert zones.relation.those(np.array([1])) is None
    kept = zones.relation.those(np.array([1, 2]))
    assert kept is not None
    assert kept.zones.tolist() == [1]
