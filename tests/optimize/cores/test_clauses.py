"""Clauses and cores: what they say is what brute force says."""

from __future__ import annotations

import itertools
import math
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline
from mixsafe.optimize.cores import minimum_cost
from mixsafe.optimize.cores.clauses import Clauses
from mixsafe.optimize.cores.minimum_cost import Cores

FOREVER = Deadline(math.inf)

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


@settings(max_examples=150)
@given(formulas(), st.booleans(), st.data())
def test_cores_end_at_the_minimum(
    formula: tuple[int, list[Clause], list[int]], hard: bool, data: st.DataObject
) -> None:
    n, said, cost = formula
    least = cheapest(n, said, cost)
    if least is None:
        return
    below = data.draw(st.integers(least, least + 3)) if hard else None
    with closing(Clauses()) as clauses:
        variables = clauses.new(n)
        clauses.write_all(said)
        cores = Cores(clauses, variables, np.array(cost))
        holds: bool | None = False
        while holds is False and (below is None or cores.bound < below):
            if below is not None:
                cores.harden(below)
            holds = cores.raise_bound(FOREVER)
            assert cores.bound <= least
        assert cores.bound == least
        if holds:
            true = clauses.true()[variables]
            assert np.array(cost)[true].sum() == least


@pytest.mark.parametrize("size", [2, 5, 6, 9])
def test_one_at_most_is_true(size: int) -> None:
    for which in itertools.combinations(range(size), 2):
        for absent in ((), (0,), (size - 1,)):
            with closing(Clauses()) as clauses:
                literals = clauses.new(2 * size).reshape(2, size)
                literals[1, list(absent)] = 0
                clauses.at_most_one(literals)
                both = literals[1, list(which)]
                asked = [int(x) for x in both if x]
                assert clauses.solve(asked, FOREVER) is (len(asked) < 2)
                assert clauses.solve(asked[:1], FOREVER) is True


def test_the_first_ones_say_how_soon_one_is_true() -> None:
    with closing(Clauses()) as clauses:
        literals = clauses.new(4)
        so_far = clauses.first_ones(literals[None])[0]
        assert clauses.solve([int(literals[2])], FOREVER)
        assert clauses.true()[so_far].tolist() == [False, False, True, True]
        assert clauses.solve((-literals).tolist(), FOREVER)
        assert not clauses.true()[so_far].any()


def more_pigeons_than(holes: int, clauses: Clauses) -> None:
    """Write that one pigeon more than there are holes sits alone: a refutation takes long."""
    sits = clauses.new((holes + 1) * holes).reshape(holes + 1, holes)
    clauses.write(sits)
    for one, other in itertools.combinations(range(holes + 1), 2):
        clauses.not_both(sits[one], sits[other])


def test_a_question_that_is_given_up_stays_open_and_is_answered_later() -> None:
    with closing(Clauses()) as clauses:
        more_pigeons_than(8, clauses)
        assert clauses.solve([], Deadline(0.01)) is None
        assert clauses.is_asked
        with pytest.raises(ValueError, match="while a question is open"):
            clauses.write_all([[1]])
        assert clauses.solve([], FOREVER) is False
        assert not clauses.is_asked


def test_a_question_that_rests_is_asked_anew() -> None:
    with closing(Clauses()) as clauses:
        more_pigeons_than(8, clauses)
        assert clauses.solve([], Deadline(0.01)) is None
        clauses.pause()
        answers = [clauses.solve([], FOREVER) for _ in range(2)]
        assert answers[-1] is False
        assert not clauses.is_asked


def test_a_question_that_is_given_up_after_some_conflicts_does_not_stay_open() -> None:
    with closing(Clauses()) as clauses:
        more_pigeons_than(9, clauses)
        assert clauses.solve([], FOREVER, 1) is None
        assert not clauses.is_asked


@settings(max_examples=100)
@given(formulas())
def test_assumptions_in_any_order_do_not_change_the_minimum(
    formula: tuple[int, list[Clause], list[int]],
) -> None:
    n, said, cost = formula
    least = cheapest(n, said, cost)
    if least is None:
        return
    with (
        pytest.MonkeyPatch.context() as patch,
        closing(Clauses()) as clauses,
    ):
        patch.setattr(minimum_cost, "_MANY", 0)
        patch.setattr(minimum_cost, "_LARGE", 2)
        variables = clauses.new(n)
        clauses.write_all(said)
        cores = Cores(clauses, variables, np.array(cost))
        while cores.raise_bound(FOREVER) is False:
            assert cores.bound <= least
        assert cores.bound == least
