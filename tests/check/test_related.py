"""The checker's own reading of zones with a relation."""

from __future__ import annotations

import networkx as nx
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.check.related import passed, useful_pairs
from mixsafe.model.question.problem import Problem
from tests.support.oracles import Pairs
from tests.support.relations import moves, related_problems, with_pairs
from tests.support.strategies import mix_zones

SIZE = 6


@given(st.sets(st.tuples(st.integers(0, SIZE - 1), st.integers(0, SIZE - 1))))
def test_useful_pairs_lie_on_cycles(pairs: Pairs) -> None:
    """The members are not the first users, and another zone is complete."""
    members = [2, 3, 5, 7, 8, 9]
    named = {(members[a], members[b]) for a, b in pairs if a != b}
    zones = with_pairs(mix_zones(10, 2, [(1, [0, 1]), (2, members)]), [None, named])
    graph = nx.DiGraph(pairs | {(i, i) for i in range(SIZE)})
    label = {i: n for n, part in enumerate(nx.strongly_connected_components(graph)) for i in part}
    found = useful_pairs(zones)
    assert list(found) == [1]
    assert {tuple(pair) for pair in np.argwhere(found[1]).tolist()} == {
        (a, b) for a, b in graph.edges if label[a] == label[b]
    }


@given(problem=related_problems())
def test_useful_pairs_are_those_of_allowed_permutations(problem: Problem) -> None:
    zones, found = problem.zones, useful_pairs(problem.zones)
    restricted = [] if zones.relation is None else zones.relation.zones.tolist()
    assert list(found) == restricted
    for z in restricted:
        members = zones.members[zones.ptr[z] : zones.ptr[z + 1]]
        pairs = {(int(members[i]), int(members[j])) for i, j in np.argwhere(found[z])}
        assert pairs == moves(problem)[z]


def test_complete_zones_have_no_pairs() -> None:
    assert useful_pairs(mix_zones(3, 1, [(1, [0, 1, 2])])) == {}


@given(st.integers(0, 10_000))
def test_tokens_get_along_pairs(seed: int) -> None:
    random = np.random.default_rng(seed)
    pairs = random.random((4, 4)) < 0.4
    sets = random.integers(0, 1 << 8, (4, 2)).astype(np.uint64)
    expected = [
        [np.bitwise_or.reduce(sets[pairs[:, to], word], initial=0) for word in range(2)]
        for to in range(4)
    ]
    assert passed(sets, pairs).tolist() == expected
