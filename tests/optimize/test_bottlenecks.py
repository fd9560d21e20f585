"""Cuts of bottlenecks: broken by what they were found for, kept by every set that is enough."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import networkx as nx
import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.problem import Problem
from mixsafe.optimize.bottlenecks import Bottlenecks
from mixsafe.optimize.loops import ALWAYS, Loops
from mixsafe.optimize.spread import NEVER
from tests import oracles
from tests.strategies import problems

Place = tuple[int, int]


def loops_of(posed: Problem) -> list[Loops]:
    asked = oracles.requirements_of(posed)
    return [
        Loops.of(posed.zones, posed.knowledge, number, user, t, max(k, 2))
        for number, (user, t, k) in enumerate(asked)
    ]


def parts(posed: Problem, seed: int) -> npt.NDArray[np.float64]:
    """How far each zone is active: nothing, all, or tenths between, none of which is nearly all."""
    random = np.random.default_rng(seed)
    n = len(posed.zones)
    return random.choice([0.0, 1.0, 0.5, round(random.random(), 1)], n)


def graph(posed: Problem, value: npt.NDArray[np.float64], blocked: Place | None) -> nx.DiGraph:
    """Rows after each step; a zone lets through as much as it is active."""
    n, horizon = posed.zones.n_users, posed.zones.axis.steps
    made = nx.DiGraph()
    for row, t in itertools.product(range(n), range(1, horizon + 1)):
        if blocked not in ((row, t - 1), (row, t)):
            made.add_edge((row, t - 1), (row, t))
    for number, (t, members) in enumerate(oracles.zones_of(posed)):
        made.add_edge(("in", number), ("out", number), capacity=float(value[number]))
        for row in members:
            if blocked != (row, t - 1):
                made.add_edge((row, t - 1), ("in", number))
            if blocked != (row, t):
                made.add_edge(("out", number), (row, t))
    return made


def flow(posed: Problem, value: npt.NDArray[np.float64], ends: tuple[Place, Place]) -> float:
    made = graph(posed, value, None)
    made.add_nodes_from(ends)
    made.add_edge("source", ends[0], capacity=1.0)
    return float(nx.maximum_flow_value(made, "source", ends[1]))


def ways(loops: Loops, token: int) -> Iterator[tuple[Place, Place]]:
    here = (loops.row, loops.step)
    yield (token, int(loops.left[token])), here
    if loops.due[token] != NEVER:
        yield here, (token, int(loops.due[token]))


@settings(max_examples=80)
@given(problems(), st.integers(0, 1000))
def test_all_sets_that_are_enough_keep_all_cuts(posed: Problem, seed: int) -> None:
    loops, n = loops_of(posed), len(posed.zones)
    users = np.arange(posed.zones.n_users)
    tokens = [np.delete(users, one.row) for one in loops]
    chosen = [np.full(len(users) - 1, (one.k - 1) / (len(users) - 1)) for one in loops]
    value = parts(posed, seed)
    for cut in Bottlenecks(posed.zones, loops).cuts(value, chosen, tokens):
        part = 1.0
        if cut.tokens is not ALWAYS:
            needed = loops[cut.requirement].k - 1
            part = chosen[cut.requirement][0] * len(cut.tokens) / min(needed, len(cut.tokens))
        assert value[cut.zones].sum() < part
        here = oracles.requirements_of(posed)[cut.requirement][:2]
        for size in range(n + 1):
            for kept in itertools.combinations(range(n), size):
                if not set(kept) & set(cut.zones.tolist()):
                    every = oracles.domains(
                        posed.zones.n_users,
                        posed.zones.axis.steps,
                        [oracles.zones_of(posed)[z] for z in kept],
                        oracles.knowledge_of(posed),
                    )[here]
                    if cut.tokens is ALWAYS:
                        assert every == {here[0]}
                    else:
                        assert not every & set(cut.tokens.tolist())


@settings(max_examples=80)
@given(problems(), st.integers(0, 1000))
def test_there_are_cuts_where_and_only_where_too_little_flows(posed: Problem, seed: int) -> None:
    value = parts(posed, seed)
    for loops in loops_of(posed):
        for token in set(range(posed.zones.n_users)) - {loops.row}:
            one = np.array([token])
            found = Bottlenecks(posed.zones, [_alone(loops)]).cuts(value, [np.ones(1)], [one])
            short = any(flow(posed, value, ends) < 0.98 for ends in ways(loops, token))
            about = [set() if cut.tokens is ALWAYS else set(cut.tokens.tolist()) for cut in found]
            assert any(token in tokens for tokens in about) == short


def _alone(loops: Loops) -> Loops:
    """The same ways, as requirement number 0."""
    return Loops(loops.zones, 0, loops.row, loops.step, loops.k, loops.left, loops.due)
