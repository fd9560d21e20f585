"""Local search in zones with a relation: what it proves is true."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from mixsafe.model.course import Course, SolveLimits
from mixsafe.network.core import Core
from mixsafe.solver.auto import Publisher
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.local import annealing, random_walks
from mixsafe.solver.local.walks import WalkBudget, walk
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat import cpsat
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.searches import Targets, run_steps
from mixsafe.solver.state.witness import fault
from mixsafe.solver.strategy import Strategy
from tests.support.cores import core_of
from tests.support.oracles import Pairs
from tests.support.relations import with_pairs
from tests.support.strategies import problem

USERS, STEPS = 12, 5


@cache
def crowd(seed: int, both_ways: bool) -> Core:
    """All are seen at both ends; three groups of four meet at a time, and some pairs exchange."""
    random = np.random.default_rng(seed)
    zones, allowed = [], []
    for step in range(1, STEPS + 1):
        for members in np.array_split(random.permutation(USERS), 3):
            zones.append((step, sorted(members.tolist())))
    for _, members in sorted((t, users) for t, users in zones):
        pairs: Pairs = {
            (a, b) for a in members for b in members if a != b and random.random() < 0.5
        }
        if both_ways:
            pairs |= {(b, a) for a, b in pairs}
        allowed.append(pairs)
    asked = problem(USERS, STEPS, zones, [(user, t) for user in range(USERS) for t in (0, STEPS)])
    return core_of(replace(asked, zones=with_pairs(asked.zones, allowed)))


def asked_of(core: Core) -> Answers:
    n_wires = core.network.n_wires
    answers = Answers(core, np.arange(n_wires), np.full(n_wires, 3, np.int32))
    answers.possible &= reachable(core)
    return answers


@cache
def truth(seed: int, both_ways: bool) -> tuple[Answers, Core]:
    core = crowd(seed, both_ways)
    answers = asked_of(core)
    answers.exhaustive = True
    cpsat.decide(answers, Course.begin())
    return answers, core


@pytest.mark.parametrize("both_ways", [True, False], ids=["both ways", "one way"])
@pytest.mark.parametrize("search", [annealing, random_walks], ids=["annealing", "random walks"])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_is_proven_is_true_and_something_is(seed: int, search, both_ways: bool) -> None:
    exact, core = truth(seed, both_ways)
    found = asked_of(core)
    before = found.n_open
    questions = Publisher(found, Strategy(small=0, annealing=(4_000, 16_000)))
    course = Course.begin(SolveLimits(workers=2))
    run_steps(search.steps(questions, course), questions, course)
    assert not np.any(found.proven & ~exact.proven)
    assert found.n_open < before


@pytest.mark.parametrize("both_ways", [True, False], ids=["both ways", "one way"])
@pytest.mark.parametrize("size", [3, 5])
def test_walks_prove_what_is_true_by_solutions_and_go_around_cycles(
    size: int, both_ways: bool
) -> None:
    exact, core = truth(1, both_ways)
    found, swaps = asked_of(core), swapped(core)
    wires = np.arange(core.network.n_wires)
    targets = Targets(wires, np.full(len(wires), USERS, np.int32), found.possible)
    told = walk(
        core, targets, found.proven, WalkBudget(size, 4, 20, 40), Course.begin(), writes=True
    )
    assert not np.any(found.proven & ~exact.proven)
    assert np.any(found.proven & ~swaps)
    assert told.n > 0
    for number in range(told.n):
        part = slice(int(told.ptr[number]), int(told.ptr[number + 1]))
        made = core.network.row.copy()
        made[told.wire[part]] = told.token[part]
        assert fault(core, made) is None


def test_a_ring_in_which_no_two_can_swap_is_walked_around() -> None:
    around: Pairs = {(0, 1), (1, 2), (2, 0)}
    asked = problem(3, 4, [(1, [0, 1, 2]), (2, [0, 1, 2]), (3, [0, 1, 2])],
                    [(user, t) for user in range(3) for t in (0, 4)])  # fmt: skip
    core = core_of(replace(asked, zones=with_pairs(asked.zones, [around] * 3)))
    found = asked_of(core)
    wires = np.arange(core.network.n_wires)
    walk(core, Targets(wires, np.full(len(wires), 3, np.int32), found.possible), found.proven,
         WalkBudget(3, 1, 4, 40), Course.begin())  # fmt: skip
    assert tokens.count(found.proven).tolist() == [1, 2, 2, 1] * 3  # all three go around, or none


@pytest.mark.parametrize("n_users", [3, 4, 5])
def test_annealing_goes_around_rings_in_which_no_two_can_swap(n_users: int) -> None:
    users, steps = range(n_users), range(1, n_users + 1)
    around: Pairs = {(user, (user + 1) % n_users) for user in users}
    asked = problem(n_users, n_users + 1, [(t, list(users)) for t in steps],
                    [(user, t) for user in users for t in (0, n_users + 1)])  # fmt: skip
    core = core_of(replace(asked, zones=with_pairs(asked.zones, [around] * n_users)))
    wires = np.arange(core.network.n_wires)
    found = Answers(core, wires, np.full(len(wires), 2, np.int32))
    found.possible &= reachable(core)
    questions = Publisher(found, Strategy(small=0, annealing=(4_000, 16_000)))
    course = Course.begin(SolveLimits(workers=2))
    run_steps(annealing.steps(questions, course), questions, course)
    between = (core.network.start > 0) & (core.network.end < n_users)
    assert np.all(tokens.count(found.proven)[between] >= 2)
