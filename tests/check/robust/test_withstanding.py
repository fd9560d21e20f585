"""Whether so many sightings leave a survivor: equal to trying all of them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from mixsafe.check.robust.withstanding import MOST, Contradicted, that_withstand
from mixsafe.errors import InputError

SPOTS = 7


def _drawn(random: np.random.Generator) -> Contradicted:
    """What contradicts a survivor: some spots each, and two users of whom nothing is known."""
    order = random.permutation(SPOTS).tolist()
    single = sum(1 << one for one in order[:2] if random.random() < 0.5)
    shown = []
    for user in (order[2:5], order[5:]):
        told: dict[int, int] = {}
        for one in user:
            token = int(random.integers(3))
            told[token] = told.get(token, 0) | 1 << one
        if len(told) > 1:
            shown.append(tuple(told.values()))
    return Contradicted(single, tuple(shown))


def _is_contradicted(survivor: Contradicted, chosen: int) -> bool:
    """By a spot alone, or by two at which somebody has different tokens."""
    return bool(survivor.single & chosen) or any(
        one & chosen and other & chosen
        for user in survivor.shown
        for one, other in combinations(user, 2)
    )


def _one_always_left(survivors: list[Contradicted], size: int) -> bool:
    sets = (sum(1 << one for one in some) for some in combinations(range(SPOTS), size))
    return all(any(not _is_contradicted(one, chosen) for one in survivors) for chosen in sets)


def test_it_says_what_all_sets_of_spots_say_and_names_survivors_that_are_enough() -> None:
    random, counted = np.random.default_rng(1), {True: 0, False: 0}
    for _ in range(150):
        survivors = [_drawn(random) for _ in range(int(random.integers(1, 7)))]
        for size in range(4):
            used = that_withstand(survivors, size)
            assert (used is not None) == _one_always_left(survivors, size)
            counted[used is not None] += 1
            if used is not None:
                assert that_withstand([survivors[one] for one in used], size) is not None
    assert min(counted.values()) > 50


def test_without_survivors_nothing_withstands_and_what_nothing_contradicts_always_does() -> None:
    assert that_withstand([], 0) is None
    assert that_withstand([Contradicted(0)], MOST) == {0}


def test_more_sightings_than_are_looked_at_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="which are not looked at"):
        that_withstand([Contradicted(0)], MOST + 1)
