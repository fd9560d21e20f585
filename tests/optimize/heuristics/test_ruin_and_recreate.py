"""Sets of zones from above are enough, whatever they grew from."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.heuristics.ruin_and_recreate import RuinAndRecreate
from tests import oracles
from tests.strategies import problem, problems


@settings(max_examples=40)
@given(problems(), st.integers(0, 1000))
def test_sets_that_are_found_meet_what_they_were_found_for(posed: Problem, seed: int) -> None:
    asked = posed.requirements
    if asked is None or not (asked.k >= 2).all():
        return
    random, n = np.random.default_rng(seed), len(posed.zones)
    search = RuinAndRecreate(
        posed.zones, posed.knowledge, asked, np.ones(n, np.int64), random, Deadline(None)
    )
    alone = {number: search.alone(number) for number in range(len(asked))}
    numbers = [number for number, zones in alone.items() if zones is not None]
    for number in numbers:
        assert _meets(posed, [number], np.flatnonzero(np.isin(np.arange(n), alone[number])))
    if not numbers:
        return
    nothing = np.zeros(n, bool)
    near = search.near(random.random(n) < 0.5, nothing, numbers)
    found = search.run(nothing, numbers, 0, Deadline(0.2))
    assert near is not None
    assert _meets(posed, numbers, np.flatnonzero(near))
    assert found is None or _meets(posed, numbers, np.flatnonzero(found))


def test_active_zones_are_used_before_others() -> None:
    pairs = [(t, [0, 1]) for t in (1, 2, 8, 9)]
    posed = problem(3, 10, pairs, [(u, t) for u in range(3) for t in (0, 10)], [(0, 5, 2)])
    asked = posed.requirements
    assert asked is not None
    random = np.random.default_rng(1)
    search = RuinAndRecreate(
        posed.zones, posed.knowledge, asked, np.ones(4, np.int64), random, Deadline(None)
    )
    active = np.array([False, True, True, False])
    found = search.near(active, np.zeros(4, bool), [0])
    assert found is not None
    assert found.tolist() == active.tolist()


def _meets(posed: Problem, numbers: list[int], zones: np.ndarray) -> bool:
    asked = posed.requirements
    assert asked is not None
    some = Requirements(asked.row[numbers], asked.time[numbers], asked.k[numbers])
    only = Problem("some", posed.zones, posed.knowledge, some)
    return oracles.meets_requirements(only, zones.tolist())
