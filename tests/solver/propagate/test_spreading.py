"""Search from single wires: it reaches what reachability says of single tokens."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.reachability import AFTER, BEFORE, reachable, spread
from mixsafe.solver.state import tokens
from tests.support.oracles import pairs_of, zones_of
from tests.support.relations import related_problems, with_pairs
from tests.support.strategies import problem as problem_of

Passes = npt.NDArray[np.bool_]
"""Whether a token passes from each wire to each over one zone, forward in time."""


@given(problem=related_problems())
def test_tokens_pass_zones_by_allowed_pairs_in_both_directions(problem: Problem) -> None:
    network = WireNetwork.of(problem.zones)
    everywhere = reachable(Core.of(network, Knowledge.from_pairs([])))
    for row in range(network.n_rows):
        begin = network.first[[row]]
        reached = spread(network, AFTER, begin).by >= 0
        assert reached.tolist() == [tokens.holds(there, row) for there in everywhere]
    for wire in range(network.n_wires):
        came = spread(network, BEFORE, np.array([wire])).by >= 0
        rows = np.flatnonzero(came[network.first[:-1]])
        assert rows.tolist() == tokens.members(everywhere[wire]).tolist()


def passes_of(problem: Problem, low: int, high: int) -> Passes:
    """Over zones after step ``low`` and up to step ``high``."""
    network = WireNetwork.of(problem.zones)
    found = np.zeros((network.n_wires, network.n_wires), bool)
    for (step, members), pairs in zip(zones_of(problem), pairs_of(problem.zones), strict=True):
        for one in members if low < step <= high else ():
            for other in members:
                if one == other or pairs is None or (one, other) in pairs:
                    come, leave = network.wire_at([one, other], [step - 1, step])
                    found[come, leave] = True
    return found


@given(related_problems(), st.integers(0, 99))
def test_wires_are_reached_by_the_fewest_zones(problem: Problem, seed: int) -> None:
    random, network = np.random.default_rng(seed), WireNetwork.of(problem.zones)
    n, horizon = network.n_wires, problem.zones.axis.steps
    for _ in range(4):
        side = (BEFORE, AFTER)[random.integers(2)]
        begin = random.integers(0, n, random.integers(0, 4))
        begin[:1] = random.choice([begin[:1], np.zeros_like(begin[:1])])
        taken = random.random(n) < random.choice([0, 0.3])
        shut, most = random.choice([-1, random.integers(n)]), random.choice([0, 1, 2, 9])
        span = [(0, horizon), (1, horizon), (0, 2), (1, 3)][random.integers(4)]
        assert_nearest(problem, side, begin, taken, shut, most, span)


def test_a_wire_is_reached_once_from_the_first_wire_of_all() -> None:
    asked = problem_of(3, 2, [(1, [0, 1, 2])])
    asked = replace(asked, zones=with_pairs(asked.zones, [{(0, 2), (1, 2)}]))
    nothing = np.zeros(6, bool)
    assert_nearest(asked, AFTER, np.array([0, 2]), nothing, -1, 9, (0, 2))
    assert_nearest(asked, AFTER, np.array([2, 0]), nothing, -1, 9, (0, 2))


def assert_nearest(
    problem: Problem,
    side: int,
    begin: npt.NDArray[np.int64],
    taken: npt.NDArray[np.bool_],
    shut: int,
    most: int,
    span: tuple[int, int],
) -> None:
    """Wires, distances and paths are those of :func:`distances`."""
    network = WireNetwork.of(problem.zones)
    passes = passes_of(problem, *span)
    passes = passes if side == AFTER else passes.T
    depth, roots = distances(passes, begin.tolist(), taken, shut, most)
    reached = spread(network, side, begin, taken, shut=shut, most=most, span=span)
    assert len(reached.wire) == len(depth)
    assert dict(zip(reached.wire.tolist(), reached.depth.tolist(), strict=True)) == depth
    assert reached.depth.tolist() == sorted(depth.values())
    assert set(np.flatnonzero(reached.by >= 0).tolist()) == set(depth)
    for to in depth:
        path = reached.path(to)
        assert path[0] == to
        assert path[-1] in roots
        assert [depth[one] for one in path] == [depth[to] - i for i in range(len(path))]
        assert all(passes[one, other] for other, one in pairwise(path))
        assert not any(taken[one] for one in path[1:-1])
    if not taken.any() and shut < 0 and most == 9 and span == (0, network.horizon):
        assert spread(network, side, begin).wire.tolist() == reached.wire.tolist()


def distances(
    passes: Passes, begin: list[int], taken: npt.NDArray[np.bool_], shut: int, most: int
) -> tuple[dict[int, int], set[int]]:
    """Distance of each wire that is reached, and the wires where paths begin."""
    depth: dict[int, int] = {}
    roots = set()
    for level in range(most):
        if level < len(begin) and begin[level] not in depth:
            depth[begin[level]] = level
            roots.add(begin[level])
        for one in [one for one in depth if depth[one] == level]:
            if one in roots or not taken[one]:
                for other in np.flatnonzero(passes[one]).tolist():
                    if other != shut:
                        depth.setdefault(other, level + 1)
    return depth, roots
