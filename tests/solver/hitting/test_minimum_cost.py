"""Minimum cost by cores: what they say is what brute force says."""

from __future__ import annotations

import itertools
import math
from contextlib import closing

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Deadline
from mixsafe.solver.hitting.minimum_cost import CoreMinimization, MinimumCost
from mixsafe.solver.sat.session import Session

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
            holds = cores.raise_bound(FOREVER)
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
        while cores.raise_bound(FOREVER) is False:
            assert cores.bound <= least
        assert cores.bound == least
