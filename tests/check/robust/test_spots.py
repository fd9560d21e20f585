"""What contradicts an assignment: by spots the same as by the definition, sighting by sighting."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from mixsafe.check.lookup import Places
from mixsafe.check.replay import follow
from mixsafe.check.robust.spots import Moves, Spots, Stretch
from mixsafe.model.question.problem import Problem
from tests.support.certificates import Exchange, witnesses_of
from tests.support.oracles import (
    History,
    agrees,
    assignments,
    knowledge_of,
    zones_of,
)
from tests.support.random_problems import random_problem


def _moves(assignment: History, problem: Problem, places: Places) -> Moves:
    """What an assignment moves, by its exchanges, as the first and the last of three witnesses."""
    exchanges = []
    for step, members in zones_of(problem):
        tokens = tuple(assignment[step][row] for row in members)
        if tokens != tuple(assignment[step - 1][row] for row in members):
            exchanges.append(Exchange(step, tuple(members), tokens))
    every = witnesses_of([tuple(exchanges), (), tuple(exchanges)])
    tracks = follow(every, 0, places)
    assert not len(Moves.of(tracks, 1).row)
    moves = Moves.of(tracks, 2)
    for one, other in zip(Moves.of(tracks, 0), moves, strict=True):
        assert np.array_equal(one, other)
    return moves


def _sightings(problem: Problem, only: int | None) -> Iterator[tuple[int, int]]:
    for row in range(problem.zones.n_users) if only is None else [only]:
        yield from ((row, step) for step in range(problem.zones.axis.steps + 1))


class _Numbers:
    """Numbers of spots, row after row as assignments move them."""

    def __init__(self, problem: Problem) -> None:
        zones = zones_of(problem)
        self._begins = [
            [0, *(step for step, members in zones if row in members)]
            for row in range(problem.zones.n_users)
        ]
        self._first: dict[int, int] = {}
        self._next = 0

    def take(self, rows: list[int]) -> None:
        for row in rows:
            if row not in self._first:
                self._first[row] = self._next
                self._next += len(self._begins[row])

    def bit(self, row: int, step: int) -> int:
        """The spot of a sighting as a set; none where no assignment moves the row."""
        if row not in self._first:
            return 0
        return 1 << (self._first[row] + bisect(self._begins[row], step) - 1)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("distinct", [False, True], ids=["paper", "distinct"])
def test_spots_contradict_what_sightings_that_count_do(seed: int, distinct: bool) -> None:
    random, found = np.random.default_rng(seed), {True: 0, False: 0}
    for _ in range(25):
        problem = random_problem(random, max_users=4, max_horizon=5, distinct=distinct)
        zones, known = zones_of(problem), knowledge_of(problem)
        users, horizon = problem.zones.n_users, problem.zones.axis.steps
        listed = assignments(users, horizon, zones)
        every = [one for one in listed if agrees(one, known, distinct=distinct)]
        only = None if random.integers(2) else int(random.integers(users))
        away = (None, 0, 1)[int(random.integers(3))]
        places, numbers = Places.of(problem), _Numbers(problem)
        spots = Spots(places, only, away, distinct=distinct)
        steps = sorted(random.integers(0, horizon + 1, 2))
        about = Stretch(int(steps[0]), int(steps[1]))
        counting = [
            (row, step)
            for row, step in _sightings(problem, only)
            if away is None or step < about.begin - away or step > about.end + away
        ]
        for number in random.integers(len(every), size=3).tolist():
            moves = _moves(every[number], problem, places)
            numbers.take([row for row in np.unique(moves.row).tolist() if only in (None, row)])
            told = spots.contradicting(moves, about)
            for size in (1, 2):
                for seen in combinations(counting, size):
                    chosen = 0
                    for one in seen:
                        chosen |= numbers.bit(*one)
                    more = [*known, *seen]
                    contradicts = not agrees(every[number], more, distinct=distinct)
                    assert told.by(chosen) == contradicts
                    found[contradicts] += 1
            assert not told.by(0)
    assert min(found.values()) > 100


def test_a_row_has_stretches_from_zone_to_zone_and_up_to_the_last_step() -> None:
    random = np.random.default_rng(8)
    for _ in range(20):
        problem = random_problem(random)
        zones, places = zones_of(problem), Places.of(problem)
        for row in range(problem.zones.n_users):
            met = [step for step, members in zones if row in members]
            assert places.begins(row).tolist() == [0, *met, problem.zones.axis.steps + 1]


def test_a_spot_counts_where_one_of_its_steps_does_and_no_other() -> None:
    """Sightings that do not count must not be among those that are tried, nor the others left."""
    random = np.random.default_rng(7)
    for _ in range(20):
        problem = random_problem(random, max_users=3, max_horizon=6)
        zones, known = zones_of(problem), knowledge_of(problem)
        users, horizon = problem.zones.n_users, problem.zones.axis.steps
        every = [one for one in assignments(users, horizon, zones) if agrees(one, known)]
        assignment = every[int(random.integers(len(every)))]
        places, numbers = Places.of(problem), _Numbers(problem)
        about = Stretch(*sorted(random.integers(0, horizon + 1, 2).tolist()))
        moves = _moves(assignment, problem, places)
        numbers.take(np.unique(moves.row).tolist())
        told = Spots(places, None, 1).contradicting(moves, about)
        allowed = 0
        for row, step in _sightings(problem, None):
            if step < about.begin - 1 or step > about.end + 1:
                allowed |= numbers.bit(row, step)
        assert not told.single & ~allowed
        assert not any(one & ~allowed for user in told.shown for one in user)
