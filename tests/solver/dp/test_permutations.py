"""Tables of permutations: all of them, the identity first, and what an exchange makes of each."""

from __future__ import annotations

import itertools
import math

import pytest

from mixsafe.solver.dp.permutations import permutations


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
def test_every_permutation_is_there_once_and_the_identity_first(size):
    table = permutations(size)
    listed = [tuple(one) for one in table.on_path.tolist()]
    assert len(listed) == math.factorial(size)
    assert set(listed) == set(itertools.permutations(range(size)))
    assert listed[0] == tuple(range(size))


@pytest.mark.parametrize("size", [1, 2, 3, 4])
def test_an_exchange_changes_two_and_leaves_the_others(size):
    table = permutations(size)
    for number, one in enumerate(table.on_path.tolist()):
        for a, b in itertools.product(range(size), repeat=2):
            after = table.on_path[table.exchanged[number, a, b]].tolist()
            assert (after[a], after[b]) == (one[b], one[a])
            assert all(after[c] == one[c] for c in range(size) if c not in (a, b))
