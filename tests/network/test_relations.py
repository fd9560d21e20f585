"""Relations of zones: bits, components, fewer members, and matchings along allowed pairs."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.csr import pointers
from mixsafe.model.question.relation import Relation
from mixsafe.network.relations import among, cut, match_all, new_matching, within_components

Matrices = list["npt.NDArray[np.bool_] | None"]
"""What each zone allows; None: everything."""


@st.composite
def matrices(draw: st.DrawFn) -> Matrices:
    """One to three zones, small ones and such whose members fill a word, or need a second one."""
    found: Matrices = []
    for size in draw(st.lists(st.sampled_from([2, 3, 3, 4, 4, 64, 65]), min_size=1, max_size=3)):
        if draw(st.booleans()):
            found.append(None)
            continue
        random = np.random.default_rng(draw(st.integers(0, 99)))
        allowed = random.random((size, size)) < draw(st.sampled_from([0.0, 1.5 / size, 0.6, 1.0]))
        np.fill_diagonal(allowed, True)
        found.append(allowed)
    return found


def sizes(zones: Matrices) -> npt.NDArray[np.int64]:
    return np.array([5 if one is None else len(one) for one in zones])


def relation_of(zones: Matrices) -> Relation:
    ptr = pointers(sizes(zones))
    restricted = np.array([z for z, one in enumerate(zones) if one is not None], np.int64)
    pairs = [
        (ptr[z] + a, ptr[z] + b)
        for z, one in enumerate(zones)
        if one is not None
        for a, b in np.argwhere(one & ~np.eye(len(one), dtype=bool)).tolist()
    ]
    one, other = np.array(pairs, np.int64).reshape(-1, 2).T
    return Relation.of(ptr, restricted, one, other)


def components(allowed: npt.NDArray[np.bool_]) -> list[list[int]]:
    graph = nx.from_numpy_array(allowed, create_using=nx.DiGraph)
    return sorted(sorted(part) for part in nx.strongly_connected_components(graph))


@settings(max_examples=40)
@given(matrices())
def test_bits_are_the_pairs_that_were_given(zones: Matrices) -> None:
    relation, size = relation_of(zones), sizes(zones)
    assert relation.zones.tolist() == [z for z, one in enumerate(zones) if one is not None]
    for z, one in enumerate(zones):
        expected = np.ones((size[z], size[z]), bool) if one is None else one
        assert np.array_equal(relation.matrix(z, int(size[z])), expected)
    come, leave = relation.pairs(pointers(size))
    assert np.all(come != leave)
    again = Relation.of(pointers(size), relation.zones, come, leave)
    assert np.array_equal(again.words, relation.words)
    assert np.array_equal(again.ptr, relation.ptr)
    back = relation.reversed(pointers(size))
    for z in relation.zones.tolist():
        assert np.array_equal(back.matrix(z, int(size[z])), relation.matrix(z, int(size[z])).T)


@settings(max_examples=40)
@given(matrices(), st.data())
def test_a_choice_of_zones_keeps_their_pairs(zones: Matrices, data: st.DataObject) -> None:
    chosen = sorted(data.draw(st.sets(st.sampled_from(range(len(zones))))))
    kept = relation_of(zones).those(np.array(chosen, np.int64))
    if kept is None:
        assert all(zones[z] is None for z in chosen)
        return
    for number, z in enumerate(chosen):
        size = int(sizes(zones)[z])
        assert np.array_equal(kept.matrix(number, size), relation_of(zones).matrix(z, size))


@settings(max_examples=40)
@given(matrices())
def test_zones_are_cut_into_strong_components(zones: Matrices) -> None:
    ptr = pointers(sizes(zones))
    parts = cut(ptr, relation_of(zones))
    expected = []
    for z, one in enumerate(zones):
        allowed = np.ones((5, 5), bool) if one is None else one
        expected += [(z, part, allowed) for part in components(allowed) if len(part) > 1]
    assert parts.zone.tolist() == [z for z, _, _ in expected]
    for number, (z, part, allowed) in enumerate(expected):
        entries = parts.entries[parts.ptr[number] : parts.ptr[number + 1]]
        assert (entries - ptr[z]).tolist() == part
        within = allowed[np.ix_(part, part)]
        if parts.relation is None:
            assert within.all()
        else:
            assert np.array_equal(parts.relation.matrix(number, len(part)), within)
    if parts.relation is not None:  # what allows everything has no bits
        assert not any(
            parts.relation.matrix(z, int(np.diff(parts.ptr)[z])).all()
            for z in parts.relation.zones.tolist()
        )


@settings(max_examples=40)
@given(matrices())
def test_pairs_between_components_go(zones: Matrices) -> None:
    relation = within_components(pointers(sizes(zones)), relation_of(zones))
    for z in relation.zones.tolist():
        allowed = zones[z]
        assert allowed is not None
        label = {i: n for n, part in enumerate(components(allowed)) for i in part}
        order = sorted(label)
        expected = np.array(
            [[allowed[i, j] and label[i] == label[j] for j in order] for i in order]
        )
        assert np.array_equal(relation.matrix(z, len(allowed)), expected)


@settings(max_examples=40)
@given(matrices(), st.data())
def test_among_fewer_members_their_pairs_are_left(zones: Matrices, data: st.DataObject) -> None:
    ptr = pointers(sizes(zones))
    kept: list[tuple[int, list[int]]] = []
    for z, size in enumerate(sizes(zones).tolist()):
        left_out = data.draw(
            st.sets(st.integers(0, size - 1), max_size=data.draw(st.sampled_from([0, 3, 70])))
        )
        some = set(range(size)) - left_out
        if len(some) > 1:
            kept.append((z, sorted(some)))
    entries = np.array([ptr[z] + i for z, some in kept for i in some], np.int64)
    found = among(relation_of(zones), ptr, pointers(np.array([len(s) for _, s in kept])), entries)
    if found is None:
        assert all(zones[z] is None for z, _ in kept)
        return
    for number, (z, some) in enumerate(kept):
        allowed = zones[z]
        expected = np.ones((len(some), len(some)), bool)
        if allowed is not None:
            expected = allowed[np.ix_(some, some)]
        assert np.array_equal(found.matrix(number, len(some)), expected)


def test_without_a_relation_there_is_none() -> None:
    one = np.array([0, 2])
    assert among(None, one, one, np.array([0, 1])) is None


@given(st.integers(0, 10_000))
def test_all_who_wait_leave_by_allowed_pairs_if_they_can(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 6))
    allowed = random.random((size, size)) < random.choice([0.2, 0.5, 0.8])
    relation = relation_of([allowed | np.eye(size, dtype=bool)])
    allowed = relation.matrix(0, size)
    nodes = new_matching(size + 2)
    nodes.waits[:size], nodes.free[:size] = random.random((2, size)) < 0.7
    waiting, free = np.flatnonzero(nodes.waits[:size]), np.flatnonzero(nodes.free[:size])
    possible = len(waiting) <= len(free) and any(
        allowed[waiting, list(places)].all()
        for places in itertools.permutations(free.tolist(), len(waiting))
    )
    assert match_all(size, relation.words, 0, nodes) == possible
    if possible:
        taken = nodes.leaves[waiting]
        assert len(set(taken.tolist())) == len(waiting)
        assert nodes.free[taken].all()
        assert allowed[waiting, taken].all()
        stays = [i for i in waiting.tolist() if nodes.leaves[i] == i]
        if len(waiting) == len(free) == size:
            assert stays == waiting.tolist()


def test_a_member_makes_room_for_the_first_one() -> None:
    """Member 0 must take the place of 1, who could stay there, and who takes that of 2."""
    allowed = np.eye(3, dtype=bool)
    allowed[0, 1] = allowed[1, 2] = True
    nodes = new_matching(3)
    nodes.waits[:2] = nodes.free[1:] = True
    assert match_all(3, relation_of([allowed]).words, 0, nodes)
    assert nodes.leaves[:2].tolist() == [1, 2]
