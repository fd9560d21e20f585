"""Sets of tokens as bits: the same as Python's sets, whatever the word that a token is in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.solver.state import tokens

SIZES = (1, 2, 63, 64, 65, 127, 128, 129, 200)
"""Users: around the ends of words, and more than two words."""


@st.composite
def collections(draw):
    """Number of users, and sets of them."""
    n = draw(st.sampled_from(SIZES))
    some = st.one_of(st.sampled_from([0, n // 2, n - 1]), st.integers(0, n - 1))
    return n, draw(st.lists(st.sets(some), min_size=1, max_size=5))


def words_for(n):
    return -(-n // 64)


def bits(n, sets):
    """Sets as bits, written down bit by bit."""
    made = np.zeros((len(sets), words_for(n)), np.uint64)
    for number, one in enumerate(sets):
        for token in one:
            made[number, token // 64] |= np.uint64(1 << (token % 64))
    return made


@settings(max_examples=40)
@given(collections())
def test_members_and_numbers_are_those_of_sets(drawn):
    n, sets = drawn
    made = bits(n, sets)
    assert [tokens.members(one).tolist() for one in made] == [sorted(one) for one in sets]
    assert tokens.count(made).tolist() == [tokens.size(one) for one in made] == [*map(len, sets)]


@settings(max_examples=40)
@given(collections())
def test_a_list_of_tokens_makes_their_set(drawn):
    n, sets = drawn
    for one, expected in zip(sets, bits(n, sets), strict=True):
        twice = np.array([*one, *one], np.int64)
        assert tokens.set_of(twice, words_for(n)).tolist() == expected.tolist()


@pytest.mark.parametrize("n", SIZES)
def test_everything_is_every_token_and_no_bit_more(n):
    made = tokens.everything(3, n)
    assert made.shape == (3, words_for(n))
    assert [tokens.members(one).tolist() for one in made] == [list(range(n))] * 3
    assert tokens.count(made).tolist() == [n] * 3


@pytest.mark.parametrize("n", SIZES)
def test_the_identity_is_each_row_itself(n):
    row = np.arange(n, dtype=np.int32)[::-1]
    made = tokens.identity(row, words_for(n))
    assert [tokens.members(one).tolist() for one in made] == [[r] for r in row.tolist()]


@pytest.mark.parametrize("n", SIZES)
def test_each_token_is_found_put_and_struck_where_it_is(n):
    third, wires = set(range(0, n, 3)), np.arange(2)
    for token in range(n):
        sets = [third, third - {token}]
        made, other = bits(n, sets), np.array([token, (token + 64) % n])
        assert tokens.are_in(made, wires, token).tolist() == [token in third, False]
        assert tokens.are_in(made, wires, other).tolist() == [token in third, other[1] in sets[1]]
        added = made.copy()
        tokens.put(added, wires, other)
        assert added.tolist() == bits(n, [third | {token}, sets[1] | {int(other[1])}]).tolist()
        tokens.put(added, wires, token)
        assert all(token in tokens.members(one) for one in added)
        tokens.exclude(added, wires[:1], token)
        assert added[0].tolist() == bits(n, [third - {token}])[0].tolist()
        assert token in tokens.members(added[1])


@pytest.mark.parametrize("n", SIZES)
def test_compiled_functions_see_the_same_bits(n):
    third = set(range(0, n, 3))
    for token in range(n):
        here = bits(n, [third])[0]
        assert tokens.bit(token) == bits(n, [{token}])[0, token // 64]
        assert bool(tokens.holds(here, token)) == (token in third)
        tokens.add(here, token)
        assert here.tolist() == bits(n, [third | {token}])[0].tolist()
        tokens.remove(here, token)
        assert here.tolist() == bits(n, [third - {token}])[0].tolist()


@pytest.mark.parametrize("n", SIZES)
def test_sets_meet_where_they_have_a_token_in_common(n):
    for token in range(n):
        one, other = {token, 0}, {token, *range(1, n, 2)} - {0}
        here, there = bits(n, [one, other])
        assert bool(tokens.meets(here, there, -1)) == bool(one & other)
        for but in (token, (token + 1) % n, (token + 64) % n):
            assert bool(tokens.meets(here, there, but)) == bool((one & other) - {but})


@pytest.mark.parametrize("n", SIZES)
def test_the_first_tokens_of_a_set_are_listed(n):
    for one in (set(range(n)), set(range(0, n, 3)), set(), {n - 1}):
        for most in {1, (n + 1) // 2, n, *range(max(1, n - 2), n + 1)}:
            members = np.full(most, -7)
            number = tokens.below(bits(n, [one])[0], members)
            assert members[:number].tolist() == sorted(c for c in one if c < most)


def test_no_tokens_are_in_no_sets():
    nothing = np.zeros((2, 0), np.uint64)
    assert tokens.count(nothing).tolist() == [0, 0]
    assert tokens.set_of(np.zeros(0, np.int64), 2).tolist() == [0, 0]


@pytest.mark.parametrize("token", [0, 63, 64, 65, 127, 128, 129])
def test_tokens_at_the_ends_of_words_are_found_put_and_struck_like_others(token):
    sets, wires = np.zeros((3, 3), np.uint64), np.array([0, 2])
    tokens.put(sets, wires, token)
    assert tokens.members(sets[0]).tolist() == tokens.members(sets[2]).tolist() == [token]
    for other in (0, 63, 64, 65, 127, 128, 129):
        found = tokens.are_in(sets, np.arange(3), other).tolist()
        assert found == [other == token, False, other == token]
    sets[1] = tokens.everything(1, 130)
    tokens.exclude(sets, np.arange(3), token)
    assert tokens.members(sets[0]).tolist() == []
    assert tokens.members(sets[1]).tolist() == [c for c in range(130) if c != token]
