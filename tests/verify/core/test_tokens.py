"""Sets of tokens as bits: the same as Python's sets, whatever the word that a token is in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.verify.core import tokens

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


@given(collections())
def test_members_and_numbers_are_those_of_sets(drawn):
    n, sets = drawn
    made = bits(n, sets)
    assert [tokens.members(one).tolist() for one in made] == [sorted(one) for one in sets]
    assert tokens.count(made).tolist() == [tokens.size(one) for one in made] == [*map(len, sets)]


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


@given(collections(), st.data())
def test_tokens_are_found_put_and_struck_where_they_are(drawn, data):
    n, sets = drawn
    made = bits(n, sets)
    wires = np.arange(len(sets))
    token = data.draw(st.integers(0, n - 1))
    each = np.array([data.draw(st.integers(0, n - 1)) for _ in sets])
    assert tokens.are_in(made, wires, token).tolist() == [token in one for one in sets]
    pairs = list(zip(each.tolist(), sets, strict=True))
    assert tokens.are_in(made, wires, each).tolist() == [c in one for c, one in pairs]
    struck, added = made.copy(), made.copy()
    tokens.strike(struck, wires[1:], token)
    assert struck.tolist() == bits(n, [sets[0], *(one - {token} for one in sets[1:])]).tolist()
    tokens.put(added, wires, each)
    assert added.tolist() == bits(n, [one | {c} for c, one in pairs]).tolist()
    tokens.put(added, wires[:1], token)
    assert set(tokens.members(added[0]).tolist()) == sets[0] | {int(each[0]), token}


@given(collections(), st.data())
def test_compiled_functions_see_the_same_bits(drawn, data):
    n, sets = drawn
    token = data.draw(st.integers(0, n - 1))
    for one, here in zip(sets, bits(n, sets), strict=True):
        assert bool(tokens.holds(here, token)) == (token in one)
        tokens.add(here, token)
        assert here.tolist() == bits(n, [one | {token}])[0].tolist()
        tokens.remove(here, token)
        assert here.tolist() == bits(n, [one - {token}])[0].tolist()


@given(collections(), st.data())
def test_sets_meet_where_they_have_a_token_in_common(drawn, data):
    n, sets = drawn
    one, other = sets[0], sets[-1] if len(sets) > 1 else set(range(0, n, 2))
    here, there = bits(n, [one, other])
    but = data.draw(st.one_of(st.sampled_from(sorted(one & other) or [0]), st.integers(0, n - 1)))
    assert bool(tokens.meets(here, there, -1)) == bool(one & other)
    assert bool(tokens.meets(here, there, but)) == bool((one & other) - {but})


@given(collections(), st.data())
def test_the_first_tokens_of_a_set_are_listed(drawn, data):
    n, sets = drawn
    members = np.full(data.draw(st.integers(1, n)), -7)
    for one, here in zip(sets, bits(n, sets), strict=True):
        number = tokens.below(here, members)
        assert members[:number].tolist() == sorted(c for c in one if c < len(members))


def test_no_tokens_are_in_no_sets():
    nothing = np.zeros((2, 0), np.uint64)
    assert tokens.count(nothing).tolist() == [0, 0]
    assert tokens.set_of(np.zeros(0, np.int64), 2).tolist() == [0, 0]
