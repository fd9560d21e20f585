"""The checker's own bound: what single tokens can do, no more and no less."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.check.reach import reachable_tokens
from mixsafe.model.question.problem import Problem
from tests.support.oracles import domains_of, knowledge_of
from tests.support.relations import related_problems, with_pairs
from tests.support.single_token_paths import paths
from tests.support.strategies import problem, problems

any_problems = st.one_of(problems(), related_problems())


def counted(asked: Problem, points: list[tuple[int, int]], **options: int) -> list[int]:
    table = np.array(points, np.int32).reshape(-1, 2)
    counts: list[int] = reachable_tokens(asked, *table.T, **options).tolist()
    return counts


def tokens_by_paths(asked: Problem) -> dict[tuple[int, int], int]:
    """How many tokens have a way over each row and step that is at home when it is seen."""
    seen = knowledge_of(asked)
    named = {row for row, step in seen if step == 0}
    pins = [(row, step) for row, step in seen if row in named]
    found: dict[tuple[int, int], set[int]] = {
        (row, step): set()
        for row in range(asked.zones.n_users)
        for step in range(asked.zones.axis.steps + 1)
    }
    for token in range(asked.zones.n_users):
        for way in paths(asked, token):
            if all((way[step] == row) == (token == row) for row, step in pins):
                for step, row in enumerate(way):
                    found[row, step].add(token)
    return {at: len(there) for at, there in found.items()}


@given(any_problems)
@settings(max_examples=150)
def test_it_counts_the_tokens_that_have_a_way_of_their_own(asked: Any) -> None:
    counts = tokens_by_paths(asked)
    assert counted(asked, list(counts)) == list(counts.values())


@given(any_problems, st.randoms(use_true_random=False))
@settings(max_examples=50)
def test_points_may_come_in_any_order_and_twice(asked: Any, random: Any) -> None:
    counts = tokens_by_paths(asked)
    points = random.choices(list(counts), k=5)
    assert counted(asked, points) == [counts[at] for at in points]


@given(any_problems)
@settings(max_examples=100)
def test_no_candidate_is_forgotten(asked: Any) -> None:
    domains = domains_of(asked)
    found = counted(asked, list(domains))
    assert all(n >= len(there) for n, there in zip(found, domains.values(), strict=True))


def test_whoever_is_seen_after_a_zone_holds_her_own_token_by_then() -> None:
    asked = problem(3, 4, [(2, [0, 1]), (3, [1, 2])], [(0, 0), (0, 2)])
    assert counted(asked, [(0, 2), (1, 2), (1, 3), (2, 4)]) == [1, 1, 2, 2]


@pytest.mark.parametrize("words_at_once", [0, 1, 2, 3])
@pytest.mark.parametrize("complete", [True, False])
def test_many_users_are_counted_block_by_block(words_at_once: int, complete: bool) -> None:
    zones = [(1, [0, 63, 64]), (2, [64, 127, 128]), (3, [5, 128]), (3, [63, 64]), (4, [5, 0])]
    asked = problem(129, 4, zones, [(0, 0), (0, 4), (64, 0), (64, 2), (128, 0), (7, 2), (7, 4)])
    if not complete:  # a ring, all pairs, and a pair of which no permutation makes use
        ring, both, gone = {(64, 127), (127, 128), (128, 64)}, {(5, 128), (128, 5)}, {(63, 64)}
        zones_now = with_pairs(asked.zones, [None, ring, both, gone, None])
        asked = replace(asked, zones=zones_now)
    counts = tokens_by_paths(asked)
    at_once = words_at_once * len(counts)
    assert counted(asked, list(counts), at_once=at_once) == list(counts.values())
    assert max(counts.values()) > 2


@pytest.mark.parametrize("n_users", [64, 128])
def test_the_last_token_of_a_full_word_is_counted(n_users: int) -> None:
    asked = problem(n_users, 1, [(1, [0, n_users - 1])])
    assert counted(asked, [(0, 0), (0, 1), (n_users - 1, 1)]) == [1, 2, 2]
