"""The checker's bounds on single tokens: never below the truth, and as narrow as the engines'.

That holds in zones with a relation, too, which the checker reads by itself.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.check.reached import Reached, passed, reachable_tokens, useful_pairs
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import HallSet
from mixsafe.model.question.adversary import Pins, apart_rows, pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import reachable
from tests.support.oracles import Pairs, agrees_with, assignments_of, domains_of, knowledge_of
from tests.support.relations import moves, related_problems, with_pairs
from tests.support.single_token_paths import paths
from tests.support.strategies import mix_zones, problem, problems

MET = problem(4, 6, [(1, [0, 1]), (2, [0, 2]), (3, [1, 2, 3])])


@given(problems())
def test_wires_are_those_of_the_network_and_sets_those_of_the_engines(asked):
    network, found = WireNetwork.of(asked.zones), Reached(asked)
    for name in ("first", "row", "start", "end", "before"):
        assert np.array_equal(getattr(found, name), getattr(network, name)), name
    # The engines are not told of people apart where zones say so already; the checker always is.
    known = asked.knowledge
    core = Core(network, *pins_and_links(known), apart_rows(known))
    assert np.array_equal(found.sets, reachable(core))


def test_sets_of_many_users_are_those_of_the_engines():
    zones = [(1, [0, 63, 64]), (2, [64, 127, 128]), (3, [5, 128]), (3, [63, 64]), (4, [0, 5, 127])]
    asked = problem(129, 5, zones, [(0, 0), (0, 5), (64, 1), (64, 3), (127, 2), (127, 5), (128, 0)])
    found = Reached(asked)
    core = Core.of(WireNetwork.of(asked.zones), asked.knowledge)
    assert np.array_equal(found.sets, reachable(core))
    wires = range(len(found.row))
    assert found.n_left(found.row, found.start).tolist() == [len(found.tokens(w)) for w in wires]


def left_to_each(asked, found, named):
    """Of different people the tokens without those that another one has for certain."""
    known = knowledge_of(asked) if asked.knowledge.distinct else []
    first = {row: (row, step) for row, step in reversed(known) if row not in named}
    tokens = {at: found[at] for at in first.values()}
    certain = {at: those for at, those in tokens.items() if len(those) == 1}
    return {
        at: those - named.union(*(one for other, one in certain.items() if other != at))
        for at, those in tokens.items()
    }


def ways_left(asked):
    """Tokens of each row and step with a way of their own, under what is known of users.

    All sightings of a user who is not known by name see one token: those that not all of them may
    see are taken away, until nothing changes.
    """
    rows, steps = range(asked.zones.n_users), range(asked.zones.axis.steps + 1)
    known = knowledge_of(asked)
    named = {row for row, step in known if step == 0}
    left = {(row, step): set(rows) for row in rows for step in steps}
    for row, step in known:
        if row in named:
            for other in rows:
                left[other, step] &= {row} if other == row else left[other, step] - {row}
    ways = [(token, way) for token in rows for way in paths(asked, token)]
    while True:
        found = {at: set() for at in left}
        for token, way in ways:
            if all(token in left[row, step] for step, row in enumerate(way)):
                for step, row in enumerate(way):
                    found[row, step].add(token)
        for row in {row for row, _ in known} - named:
            seen = [(row, step) for who, step in known if who == row]
            common = set.intersection(*(found[at] for at in seen))
            found |= dict.fromkeys(seen, common)
        found |= left_to_each(asked, found, named)
        if found == left:
            return left
        left = {at: set(tokens) for at, tokens in found.items()}


@pytest.mark.parametrize("n_users", [64, 128])
def test_the_last_token_of_a_full_word_is_followed(n_users):
    found = Reached(problem(n_users, 1, [(1, [0, n_users - 1])], [(0, 0)]))
    assert [found.tokens(wire) for wire in found.wires_at(0)[[0, -1]]] == [[0], [n_users - 1]]
    assert found.tokens(found.wires_at(1)[0]) == [0, n_users - 1]


@given(related_problems())
def test_sets_are_the_ways_that_tokens_have(asked):
    found = Reached(asked)
    for (row, step), tokens in ways_left(asked).items():
        assert found.tokens(found.wires_at(step)[row]) == sorted(tokens)


@given(st.one_of(problems(), related_problems()))
def test_no_token_is_left_out_that_some_assignment_has(asked):
    found = Reached(asked)
    for assignment in assignments_of(asked):
        if agrees_with(asked, assignment):
            for step, tokens in enumerate(assignment):
                for row, wire in enumerate(found.wires_at(step).tolist()):
                    assert tokens[row] in found.tokens(wire)


@pytest.mark.parametrize("ring", [None, {(0, 64), (64, 129), (129, 0)}], ids=["complete", "ring"])
def test_an_auditors_sets_are_the_ways_that_tokens_have(ring):
    """Anybody begins anywhere; tokens 0 and 100 are seen on one track, others on one of several."""
    n, several = 130, [(64, 0, [0, 64, 129]), (1, 2, [5, 64]), (128, 3, [1, 129])]
    seen = [several[0], (0, 1, [64]), several[1], (100, 2, [7]), several[2]]
    asked = problem(n, 3, [(1, [0, 64, 129]), (2, [5, 64]), (3, [1, 129])])
    asked = replace(asked, zones=with_pairs(asked.zones, [ring, None, None]))
    token, time = (np.array([one[place] for one in seen], np.int32) for place in (0, 1))
    sizes = [len(rows) for *_, rows in seen]
    rows = np.array([row for *_, those in seen for row in those], np.int32)
    found = Reached(asked, Pins(token, time, np.cumsum([0, *sizes]), rows))
    ways = [way for row in range(n) for way in paths(asked, row)]
    for token in (0, 1, 2, 63, 64, 100, 127, 128, 129):
        own = [
            way
            for way in ways
            if all(
                way[step] in those if who == token else those != [way[step]]
                for who, step, those in seen
            )
        ]
        for step in range(4):
            expected = sorted({way[step] for way in own})
            assert _rows_left(found, token, step) == expected
            assert found.n_left(np.array([token]), np.array([step])) == len(expected)
    who, steps = np.array([100, 64, 128, 0]), np.array([2, 0, 3, 3])
    assert found.n_left(who, steps).tolist() == [
        len(_rows_left(found, *one)) for one in zip(who.tolist(), steps.tolist(), strict=True)
    ]


def _rows_left(found, token, step):
    """Rows that a token may be on after a step, read from the sets."""
    words = found.sets[found.wires_at(step), token >> 6]
    return np.flatnonzero(words >> np.uint64(token & 63) & np.uint64(1)).tolist()


def test_sets_fit_up_to_their_bytes():
    asked = problem(128, 4, [(1, [0, 63, 64]), (2, [64, 126, 127])])
    size = Reached(asked).sets.nbytes
    assert Reached.fits(asked)
    for most, fits in ((size, True), (size - 1, False)):
        assert Reached.fits(asked, most) is fits


@pytest.mark.parametrize(
    ("time", "rows", "tokens", "message"),
    [
        (1, [0], [0], "leaves out a row"),  # token 0 may be on row 1
        (1, [0, 1, 2], [0, 1], "as many tokens as rows"),
        (1, [0, 1, 1], [0, 1, 2], "as many tokens as rows"),
        (1, [0, 1, 2], [0, 1, 1], "as many tokens as rows"),
        (1, [], [], "as many tokens as rows"),
        (1, [0, 4], [0, 1], "as many tokens as rows"),
        (1, [0, 1], [-1, 1], "as many tokens as rows"),
        (7, [0, 1], [0, 1], "as many tokens as rows"),
        (-1, [0, 1], [0, 1], "as many tokens as rows"),
    ],
)
def test_hall_sets_that_are_none_are_refused(time, rows, tokens, message):
    with pytest.raises(InputError, match=message):
        Reached(MET).close([HallSet(time, np.array(rows, int), np.array(tokens, int))])


@given(related_problems(), st.integers(0, 10_000))
def test_hall_sets_take_other_tokens_off_their_rows_and_no_others_do(asked, seed):
    """Tokens of one step, with the rows that they may be on, or with one row exchanged."""
    random, found = np.random.default_rng(seed), Reached(asked)
    n, step = asked.zones.n_users, int(random.integers(asked.zones.axis.steps + 1))
    wires = found.wires_at(step).tolist()
    before = [set(found.tokens(wire)) for wire in range(len(found.row))]
    tokens = np.flatnonzero(random.random(n) < 0.5)
    rows = [row for row in range(n) if before[wires[row]] & {*tokens.tolist()}]
    wrong = len(tokens) > 0 and random.random() < 0.3
    if wrong:
        rows[random.integers(len(rows))] = int(random.integers(n))
    whole = {row for row in range(n) if before[wires[row]] & {*tokens.tolist()}} <= {*rows}
    if whole and 0 < len(tokens) == len(rows) == len({*rows}):
        found.close([HallSet(step, np.array(rows), tokens)])
        for row in rows:
            before[wires[row]] &= {*tokens.tolist()}
    else:
        with pytest.raises(InputError, match=r"as many tokens as rows|leaves out a row"):
            found.close([HallSet(step, np.array(rows, int), tokens)])
    assert [set(found.tokens(wire)) for wire in range(len(found.row))] == before


def test_tokens_are_followed_again_where_the_next_hall_set_depends_on_it():
    """Tokens 0 and 1 go home at step 2, so they fill rows 0 and 1 after step 1.

    By itself token 2 could be there, too, and go on to row 3.
    """
    asked = problem(4, 3, [(1, [0, 1, 2]), (2, [0, 1, 3])], [(0, 0), (0, 3), (1, 0), (1, 3)])
    first = HallSet(1, np.array([0, 1]), np.array([0, 1]))
    second = HallSet(2, np.array([2]), np.array([2]))
    with pytest.raises(InputError, match="closure 0 leaves out a row"):
        Reached(asked).close([second])
    found = Reached(asked)
    last = int(found.wires_at(2)[3])
    found.close([first])
    assert found.tokens(last) == [2, 3]  # not followed at the end
    found.close([second])
    assert found.tokens(last) == [3]


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
