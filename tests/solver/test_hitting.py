"""Implicit hitting sets: the bounds of the loop, and of the master, are those of brute force.

A test holds for minimal parts, and for no part without one of their items.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from contextlib import closing
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.solver.hitting import (
    Answer,
    CoreMinimization,
    ImplicitHittingSet,
    MinimumCost,
    minimal_part,
)
from mixsafe.solver.sat.session import Session

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


ENDLESS = Deadline(math.inf)

Clause = list[int]


@st.composite
def formulas(draw: st.DrawFn) -> tuple[int, list[Clause], list[int]]:
    """Number of variables, clauses, and what each variable costs when it is true."""
    n = draw(st.integers(1, 7))
    literal = st.integers(1, n).flatmap(lambda v: st.sampled_from([v, -v]))
    clauses = draw(st.lists(st.lists(literal, min_size=1, max_size=4), max_size=14))
    return n, clauses, draw(st.lists(st.integers(1, 4), min_size=n, max_size=n))


def cheapest(n: int, clauses: list[Clause], cost: list[int]) -> int | None:
    """By brute force; None: the clauses contradict each other."""
    prices = [
        sum(price for price, one in zip(cost, values, strict=True) if one)
        for values in itertools.product([False, True], repeat=n)
        if all(any(values[abs(x) - 1] == (x > 0) for x in clause) for clause in clauses)
    ]
    return min(prices, default=None)


@settings(max_examples=80)
@given(formulas(), st.booleans(), st.data())
def test_cores_end_at_the_minimum(
    formula: tuple[int, list[Clause], list[int]], hard: bool, data: st.DataObject
) -> None:
    n, said, cost = formula
    least = cheapest(n, said, cost)
    if least is None:
        return
    below = data.draw(st.integers(least, least + 3)) if hard else None
    with closing(Session("glucose4")) as session:
        variables = session.new(n)
        session.add(said)
        cores = MinimumCost(session)
        cores.charge(zip(variables.tolist(), cost, strict=True))
        holds: bool | None = False
        while holds is False and (below is None or cores.bound < below):
            if below is not None:
                cores.harden(below)
            holds = cores.raise_bound(ENDLESS)
            assert cores.bound <= least
        assert cores.bound == least
        if holds:
            true = session.true()[variables]
            assert np.array(cost)[true].sum() == least


@settings(max_examples=60)
@given(formulas())
def test_assumptions_in_any_order_do_not_change_the_minimum(
    formula: tuple[int, list[Clause], list[int]],
) -> None:
    n, said, cost = formula
    least = cheapest(n, said, cost)
    if least is None:
        return
    with closing(Session("glucose4")) as session:
        variables = session.new(n)
        session.add(said)
        cores = MinimumCost(session, CoreMinimization(many=0, large=2))
        cores.charge(zip(variables.tolist(), cost, strict=True))
        while cores.raise_bound(ENDLESS) is False:
            assert cores.bound <= least
        assert cores.bound == least


def test_nothing_more_can_be_left_out() -> None:
    random, sizes = np.random.default_rng(3), set[int]()
    for _ in range(200):
        items = random.permutation(int(random.integers(1, 12))).tolist()
        cores = [set(items[:: int(random.integers(1, 4))]) for _ in range(2)]

        def holds(part: list[int], cores: list[set[int]] = cores) -> bool:
            return any(core.issubset(part) for core in cores)

        found = minimal_part(items, holds)
        assert holds(found)
        assert found == [one for one in items if one in found]
        assert not any(holds([other for other in found if other != one]) for one in found)
        sizes.add(len(found))
    assert len(sizes) > 5
