"""The implicit hitting set loop: its bounds are those of brute force over all sets."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.solver.hitting.implicit import Answer, ImplicitHittingSet

FOREVER = Deadline(None)

some = st.lists(st.integers(0, 5), max_size=3)


class Core(NamedTuple):
    """Elements of which each set that is enough has one, or else two of different classes."""

    plain: list[int]
    either: list[list[list[int]]]

    def is_hit(self, chosen: Iterable[int]) -> bool:
        """By a set."""
        those = set(chosen)
        twice = (sum(bool(those & set(one)) for one in classes) > 1 for classes in self.either)
        return bool(those & set(self.plain)) or any(twice)


cores = st.lists(
    st.builds(Core, some, st.lists(st.lists(some, min_size=2, max_size=3), max_size=2)), max_size=6
)
weights = st.lists(st.integers(1, 3), min_size=6, max_size=6)


def least(cost: list[int], told: list[Core], most: int) -> int | None:
    """What the cheapest set costs that hits all cores; None: more than ``most``."""
    sets = itertools.chain.from_iterable(itertools.combinations(range(6), n) for n in range(7))
    found = [sum(cost[e] for e in one) for one in sets if all(core.is_hit(one) for core in told)]
    return min((one for one in found if one <= most), default=None)


@settings(max_examples=100)
@given(weights, cores, st.integers(0, 20))
def test_what_is_asked_and_told_ends_at_the_minimum(
    cost: list[int], told: list[Core], most: int
) -> None:
    search = ImplicitHittingSet(np.array(cost), most)
    while (chosen := search.propose(FOREVER)) is not None:
        missed = [core for core in told if not core.is_hit(chosen)]
        assert search.cost(chosen) == search.lower
        if missed:
            search.refute(*missed[0])
        else:
            search.accept(chosen)
    expected = least(cost, told, most)
    assert search.upper == expected
    assert search.lower == (most + 1 if expected is None else expected)


@settings(max_examples=80)
@given(weights, st.lists(some.filter(bool), max_size=8))
def test_the_loop_ends_at_the_minimum(cost: list[int], told: list[list[int]]) -> None:
    asked = [Core(one, []) for one in told]

    def oracle(chosen: list[int]) -> Answer:
        missed = (core.plain for core in asked if not core.is_hit(chosen))
        core = next(missed, None)
        return Answer(True) if core is None else Answer(False, core)

    search = ImplicitHittingSet(np.array(cost))
    search.run(oracle, FOREVER)
    assert search.lower == search.upper == least(cost, asked, 100)
    assert all(core.is_hit(search.best) for core in asked)


def test_what_is_not_proven_raises_no_bound() -> None:
    answers = {(): Answer(False, [0, 1]), (0, 1): Answer(None, [2]), (0, 1, 2): Answer(True)}
    search = ImplicitHittingSet()
    search.run(lambda chosen: answers.get(tuple(chosen), Answer(None)), FOREVER)
    assert not search.is_certain
    assert (search.lower, search.upper, search.best) == (1, 3, [0, 1, 2])


def test_what_is_left_open_is_proposed_no_more() -> None:
    search = ImplicitHittingSet(most=2)
    search.refute([0, 1])
    first = search.propose(FOREVER)
    assert first in ([0], [1])
    search.leave_open({0, 1, 2}.difference(first))
    assert search.propose(FOREVER) not in (None, first)
    assert search.lower == 1


def test_without_time_nothing_is_claimed() -> None:
    search = ImplicitHittingSet(most=2)
    search.refute([0])
    assert search.propose(Deadline(1e-9)) is None
    assert not search.is_exhausted
    assert search.upper is None
