"""Relations of zones: bits, components, fewer members, and matchings along allowed pairs."""

from __future__ import annotations

import itertools
import math

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.machinery.compiled import as_python
from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import Relation
from mixsafe.network import relations
from mixsafe.network.relations import (
    among,
    cut,
    log_permutations,
    match_all,
    new_matching,
    number_of_ways,
    within_components,
)
from tests.support.zone_matrices import Matrices, components, matrices, relation_of, sizes


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


def permanent(allowed: npt.NDArray[np.bool_]) -> int:
    """In how many ways each row takes a column of its own."""
    return sum(
        bool(allowed[range(len(allowed)), list(places)].all())
        for places in itertools.permutations(range(allowed.shape[1]), len(allowed))
    )


@given(st.integers(0, 10_000))
def test_ways_to_leave_are_counted(seed: int) -> None:
    random = np.random.default_rng(seed)
    size = int(random.integers(1, 7))
    allowed = random.random((size, size)) < random.choice([0.2, 0.5, 0.8])
    relation = relation_of([allowed | np.eye(size, dtype=bool)])
    n = int(random.integers(0, size + 1))
    nodes = new_matching(size, size)
    waiting, free = (np.sort(random.choice(size, n, replace=False)) for _ in range(2))
    nodes.waits[waiting] = nodes.free[free] = True
    for _ in range(2):  # what is left of an earlier count does not matter
        found = number_of_ways(size, relation.words, 0, nodes)
        assert found == permanent(relation.matrix(0, size)[np.ix_(waiting, free)])


@given(st.integers(0, 10_000))
def test_logarithms_of_numbers_of_permutations(seed: int) -> None:
    random = np.random.default_rng(seed)
    zones: Matrices = [None] if random.random() < 0.5 else []
    for size in random.integers(2, 7, 3).tolist():
        allowed = random.random((size, size)) < random.choice([0.2, 0.5, 0.8, 1])
        zones.append(allowed | np.eye(size, dtype=bool))
    found = log_permutations(pointers(sizes(zones)), relation_of(zones))
    expected = [permanent(np.ones((5, 5), bool) if one is None else one) for one in zones]
    np.testing.assert_allclose(np.exp(found), expected)


def test_permutations_of_many_are_counted_only_where_all_pairs_are_allowed() -> None:
    for size in (20, 21, 70):
        everything, lacking = np.ones((2, size, size), bool)
        lacking[0, 1] = False
        zones: Matrices = [everything, lacking if size > 20 else None]
        found = log_permutations(pointers(sizes(zones)), relation_of(zones))
        assert np.isclose(found[0], math.lgamma(size + 1))
        assert np.isnan(found[1]) == (size > 20)


def test_the_largest_zones_whose_permutations_are_counted(monkeypatch) -> None:
    """With another limit, so that the count takes no time; functions are not compiled for it."""
    monkeypatch.setattr(relations, "COUNTED", 4)
    rings: Matrices = [np.eye(n, dtype=bool) | np.roll(np.eye(n, dtype=bool), 1, 1) for n in (4, 5)]
    with as_python():
        found = log_permutations(pointers(sizes(rings)), relation_of(rings))
    assert found[0] == math.log(2)
    assert np.isnan(found[1])
