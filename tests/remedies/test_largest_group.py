"""The largest group of people who pass among themselves: unique, and found."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings

import mixsafe
from mixsafe.extract.exchange.rules import ExchangeRules
from mixsafe.extract.pose import pose
from mixsafe.extract.select import select
from mixsafe.model.course import Course
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Rule
from mixsafe.network.subproblem import among_users
from mixsafe.remedies.publication import Publication
from mixsafe.remedies.suppression import LargestGroup, largest_group
from mixsafe.verify.query import Query, Settings
from tests.support.extraction_worlds import numbered
from tests.support.oracles import domains_of, groups_that_pass
from tests.support.random_problems import random_problem
from tests.support.relations import related_problems
from tests.support.strategies import problem, problems
from tests.support.track_places import drawn_places, placed

SMALL = {"max_users": 5, "max_zones": 4, "max_assignments": 100}


def found(asked: Problem, engine: str = "auto") -> LargestGroup:
    return largest_group(Publication(asked, Query()), Settings(engine), Course.begin())


def users(flags: np.ndarray) -> set[int]:
    return set(np.flatnonzero(flags).tolist())


@given(problems(**SMALL))
@settings(max_examples=60)
def test_two_groups_that_pass_pass_together(asked: Problem) -> None:
    passing = groups_that_pass(asked)
    assert {one | other for one in passing for other in passing} == passing


@given(problems(**SMALL, max_requirements=6))
def test_it_is_the_largest_of_all_subsets(asked: Problem) -> None:
    group = found(asked)
    assert group.exact
    assert users(group.kept) == max(groups_that_pass(asked), key=len)


@given(related_problems())
@settings(max_examples=60)
def test_it_is_so_where_zones_allow_some_exchanges_only(asked: Problem) -> None:
    assert users(found(asked).kept) == max(groups_that_pass(asked), key=len)


@given(problems(**SMALL, max_requirements=6))
@settings(max_examples=60)
def test_where_somebody_is_undecided_two_bounds_enclose_it(asked: Problem) -> None:
    group = found(asked, "bounds")
    assert users(group.kept) <= max(groups_that_pass(asked), key=len) <= users(group.at_best)
    assert group.exact == ("kept_at_best" not in group.to_dict())


@pytest.mark.parametrize("seed", range(25))
def test_it_is_so_where_candidates_must_be_at_distinct_places(seed: int) -> None:
    random = np.random.default_rng([seed, 3])
    bare = replace(random_problem(random, max_users=5, max_zones=6), requirements=None)
    zones, horizon = bare.zones, bare.zones.axis.steps
    where = drawn_places(random, zones.n_users, horizon, 1)
    query = Query(2, None, Rule("some"), distinct_places=2)
    group = largest_group(Publication(placed(bare, where), query), Settings(), Course.begin())

    def apart(user: int, t: int, tokens: set[int]) -> bool:
        """Whether the candidates are apart all the time between two of a user's zones."""
        mine = np.sort(zones.time[zones.zone_of_member[zones.members == user]])
        begin, end = (int(np.searchsorted(mine, t, "right")) + one for one in (-1, 0))
        first = max(1, int(mine[begin])) if begin >= 0 else 1
        last = int(mine[end]) - 1 if end < len(mine) else horizon
        return all(len({where[one, at] for one in tokens}) >= 2 for at in range(first, last + 1))

    def passes(some: Collection[int]) -> bool:
        domains = domains_of(among_users(bare, np.array(some, int))[0])
        steps = range(1, horizon + 1)
        return all(any(apart(user, t, domains[user, t]) for t in steps) for user in some)

    people = range(zones.n_users)
    passing = [set(some) for n in people for some in combinations(people, n + 1) if passes(some)]
    largest = set().union(*passing)
    assert not passing or largest in passing
    assert users(group.kept) == largest


def test_the_bounds_are_apart_where_proofs_are_missing() -> None:
    """Engine bounds leaves some small problems open."""
    apart = [one for seed in range(300) if not (one := found(drawn(seed), "bounds")).exact]
    assert apart
    for group in apart:
        assert users(group.kept) < users(group.at_best)
        assert group.to_dict()["kept_at_best"] == sorted(users(group.at_best))


def drawn(seed: int) -> Problem:
    return random_problem(np.random.default_rng(seed))


def test_who_passes_only_by_those_who_fail_is_left_out_in_a_later_round() -> None:
    """0 needs four; 1 needs 0, 2 needs 1. Leaving out who fails once is not enough."""
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [3, 4])]
    wanted = [(0, 1, 4), (1, 1, 2), (2, 2, 2), (3, 3, 2), (4, 3, 2)]
    group = found(problem(5, 4, zones, [(user, 0) for user in range(5)], wanted))
    assert group.round.tolist() == [1, 2, 3, 0, 0]
    assert group.rounds == 3
    assert group.to_dict() == {"kept": [3, 4], "left_out": [0, 1, 2]}
    assert group.table.columns.tolist() == ["user_id", "kept", "round"]
    assert group.answer is not None
    assert group.answer.verdict is mixsafe.Verdict.SAFE


def test_nobody_may_be_left() -> None:
    group = found(problem(2, 2, [], [], [(0, 1, 2), (1, 1, 2)]))
    assert (group.answer, group.exact, users(group.kept)) == (None, True, set())


def test_whoever_has_no_requirement_stays() -> None:
    assert users(found(problem(3, 2, [], [], [(1, 1, 2)])).kept) == {0, 2}


def test_a_zone_that_becomes_too_small_is_none() -> None:
    """Three make a zone; when one of them leaves, the other two cannot exchange there."""
    zones, seen = [(1, [0, 1, 2])], [(user, 0) for user in range(3)]
    asked = problem(3, 2, zones, seen, [(0, 1, 2), (1, 1, 2), (2, 1, 4)])
    two, three = (
        largest_group(Publication(asked, Query(), fewest=fewest), Settings(), Course.begin())
        for fewest in (2, 3)
    )
    assert (users(two.kept), users(three.kept)) == ({0, 1}, set())


def town(seed: int) -> mixsafe.Traces:
    """Twelve people who walk among six regions for a dozen steps."""
    random = np.random.default_rng(seed)
    at, fixes = random.integers(1, 7, 12), []
    for time in range(1, 13):
        at = np.where(random.random(12) < 0.4, random.integers(1, 7, 12), at)
        fixes += [
            (user, time, int(place)) for user, place in enumerate(at) if random.random() < 0.8
        ]
    return numbered(fixes, 12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "rules", [ExchangeRules(), ExchangeRules(max_step=2), ExchangeRules(rotate="every:5")]
)
def test_traces_without_the_others_pass_when_they_are_posed_anew(
    seed: int, rules: ExchangeRules
) -> None:
    """With a greatest speed, fewer zones make fixes count that did not: relations are anew."""
    traces, rule = town(seed), Rule("share", 0.4)
    asked = Publication(pose(traces), Query(2, None, rule), rules, traces)
    group = largest_group(asked, Settings(), Course.begin())
    assert group.exact
    names = traces.users[group.kept]
    assert len(names) > 0
    rest = pose(select(traces, user_list=names.tolist()), rules=rules)
    verified = mixsafe.verify(rest, k=2, rule=rule)
    assert verified.verdict is mixsafe.Verdict.SAFE
    assert group.answer is not None
    assert verified.summary["share_of_time_safe"] == group.answer.summary["share_of_time_safe"]


def test_times_of_a_query_are_asked_of_those_who_are_left() -> None:
    """At step 1 only 0 and 1 have met."""
    asked = replace(problem(3, 3, [(1, [0, 1])], [(user, 0) for user in range(3)]))
    group = largest_group(Publication(asked, Query(2, [1])), Settings(), Course.begin())
    assert users(group.kept) == {0, 1}
