"""Clauses: as many literals as were counted, and one token at most wherever there is one."""

from __future__ import annotations

import itertools
import math
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from pysat.solvers import Solver

from mixsafe.model.course import Deadline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.encoding import Encoding, Formula
from mixsafe.solver.sat.session import Session
from mixsafe.solver.state import tokens
from tests.support.cores import core_of
from tests.support.strategies import problem, problems

FOREVER = Deadline(math.inf)


def whole(core):
    """All tokens on all wires of which nothing is known."""
    possible = tokens.everything(core.network.n_wires, core.network.n_rows)
    return Encoding.of(core, possible, np.arange(core.network.n_rows))


def test_clauses_end_where_their_zeros_are():
    for literals, clauses in (([1, -2, 0, 3, 0], [[1, -2], [3]]), ([], [])):
        said = Formula(np.array(literals, np.int32), 3, np.zeros((0, 3), np.int32))
        assert said.clauses() == clauses


@pytest.mark.parametrize("size", [2, 5, 6, 9])
def test_zones_of_any_size_permute_their_tokens(size):
    core = core_of(problem(size, 2, [(1, range(size))]))
    encoding = whole(core)
    first = core.network.first[:-1]
    start = [encoding.on(int(w), r) for r, w in enumerate(first)]
    random = np.random.default_rng(size)
    with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
        for _ in range(20):
            end = random.integers(0, size, size)
            after = [encoding.on(int(w) + 1, int(c)) for w, c in zip(first, end, strict=True)]
            assert solver.solve(start + after) is (len(set(end.tolist())) == size)


@pytest.mark.parametrize("size", [4, 7])
def test_no_two_tokens_are_on_one_wire_at_the_start(size):
    core = core_of(problem(size, 2, [(1, range(size))]))
    encoding = whole(core)
    with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
        for one, other in itertools.combinations(range(size), 2):
            assert not solver.solve([encoding.on(0, one), encoding.on(0, other)])
            assert not solver.solve(
                [encoding.on(int(core.network.first[row]), 0) for row in (one, other)]
            )


def test_links_that_lie_in_the_stretch_hold_and_others_say_nothing():
    zones = [(t, [0, 1]) for t in (1, 2, 3, 4)]
    core = core_of(problem(2, 5, zones, [(0, 1), (0, 2), (0, 4)]))
    possible = tokens.everything(core.network.n_wires, 2)
    wires = core.network.wire_at([0, 0, 0], [1, 2, 4]).tolist()
    for end, linked in ((5, [True, True]), (3, [True, False])):
        encoding = Encoding.of(core, possible, np.arange(2), 0, end)
        on = [encoding.on(wire, 1) for wire in wires]
        with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
            assert solver.solve([on[0], -on[1]]) is not linked[0]
            if on[2]:
                assert solver.solve([on[1], -on[2]]) is not linked[1]


@given(problems(max_users=4, max_zones=4))
@settings(max_examples=30)
def test_tokens_that_join_one_by_one_are_where_they_are_when_written_at_once(asked):
    core = core_of(asked)
    network, possible = core.network, reachable(core)
    every, joined = np.arange(network.n_rows), Encoding.empty(core)
    at_once = Encoding.of(core, possible, every)
    with closing(Session("glucose4")) as one, closing(Session("glucose4")) as other:
        one.take_in(at_once.formula())
        moved = other.new(network.n_zones)
        for token in every.tolist():
            there = tokens.are_in(possible, np.arange(network.n_wires), token)
            joined = joined.with_token(token, there, other.new(np.count_nonzero(there)))
            same = np.zeros(token + 1, np.int64)
            said = joined.formula(since=token, given_out=other.n_variables, moved=moved, same=same)
            other.take_in(said)
            other.add([[joined.on(int(network.first[token]), token)]])
        for wire, token in zip(*tokens.pairs(possible), strict=True):
            on = at_once.on(int(wire), int(token)), joined.on(int(wire), int(token))
            assert one.solve([on[0]], FOREVER) is other.solve([on[1]], FOREVER)
        if other.solve((-moved).tolist(), FOREVER):
            assert np.array_equal(joined.assignment(other.true()), network.row)
