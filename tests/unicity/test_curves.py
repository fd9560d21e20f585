"""Curves: unicity as the literature has it, and exchanges against a list of all ways."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.errors import InputError
from mixsafe.model.course import SolveLimits
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.unicity.curves import Curves, curves


def drawn(random: np.random.Generator, users: int, steps: int, places: int) -> Positions:
    """Random tracks, some with gaps."""
    place = random.integers(0, places, (users, steps))
    shown = random.random((users, steps)) < random.choice([0.7, 1.0])
    row, step = np.nonzero(shown)
    return Positions(
        np.arange(users),
        TimeAxis(steps),
        row.astype(np.int32),
        (step + 1).astype(np.int32),
        place[row, step].astype(np.int64),
    )


def points(positions: Positions) -> list[set[tuple[int, int]]]:
    """Of each track its points: step and place."""
    found: list[set[tuple[int, int]]] = [set() for _ in positions.users]
    table = positions.row.tolist(), positions.step.tolist(), positions.place.tolist()
    for row, step, place in zip(*table, strict=True):
        found[row].add((step, place))
    return found


def least(tracks: list[set[tuple[int, int]]], one: int, most: int) -> int | None:
    """Fewest points of a track that no other track has all of (de Montjoye et al. 2013)."""
    for size in range(most + 1):
        for some in itertools.combinations(sorted(tracks[one]), size):
            if sum(set(some) <= other for other in tracks) == 1:
                return size
    return None


def test_the_worst_case_without_exchanges_is_the_literature_s_unicity() -> None:
    random = np.random.default_rng(1)
    for _ in range(25):
        positions = drawn(random, int(random.integers(2, 7)), int(random.integers(1, 6)), 3)
        tracks, found = points(positions), curves(positions, 2, at_most=3, draws=1)
        for one, singled in enumerate(found.static.worst):
            expected = least(tracks, one, 3)
            assert singled.upper == expected
            assert singled.lower == (4 if expected is None else expected)


def test_random_points_single_out_as_often_as_the_literature_counts() -> None:
    # All sets of m points are as likely, so many draws come near to their share.
    positions = drawn(np.random.default_rng(5), 6, 5, 2)
    tracks, found = points(positions), curves(positions, 2, at_most=2, draws=400)
    for m in range(3):
        shares = []
        for track in tracks:
            sets = [set(some) for some in itertools.combinations(sorted(track), m)]
            unique = [sum(some <= other for other in tracks) == 1 for some in sets]
            shares.append(np.mean(unique))
        assert found.static.chance[:, m].mean() == pytest.approx(np.mean(shares), abs=0.05)


def paths(positions: Positions) -> Iterator[tuple[int, ...]]:
    """All ways over tracks that exchange wherever they meet: a track for each step."""
    steps, users = positions.axis.steps, len(positions.users)
    place = np.full((steps, users), -1)
    place[positions.step - 1, positions.row] = positions.place
    for way in itertools.product(range(users), repeat=steps):
        last = way[0]
        for t, row in enumerate(way):
            before = last if t else row
            if row != before and (place[t, row] != place[t, before] or place[t, row] < 0):
                break
            last = row
        else:
            yield way


def test_with_exchanges_they_are_what_all_ways_leave() -> None:
    random = np.random.default_rng(2)
    for _ in range(12):
        positions, k = drawn(random, 3, 4, 2), int(random.integers(2, 5))
        tracks, found = points(positions), curves(positions, k, at_most=2, draws=1)
        listed = list(paths(positions))
        for one, singled in enumerate(found.exchanged.worst):
            broken = None
            for m in reversed(range(3)):
                for some in itertools.combinations(sorted(tracks[one]), m):
                    left = [
                        way
                        for way in listed
                        if all(point in tracks[way[point[0] - 1]] for point in some)
                    ]
                    if all(len({way[t] for way in left}) < k for t in range(4)):
                        broken = m
            assert singled.upper == broken


def test_exchanges_never_single_out_more_and_the_worst_is_no_better_than_chance() -> None:
    found = curves(drawn(np.random.default_rng(3), 8, 6, 3), 2, at_most=3, draws=5)
    told = found.to_dict()["curves"]
    for m in range(4):
        assert told["exchanged"]["worst"][m] <= told["static"]["worst"][m]
        for one in told.values():
            assert one["chance"][m]["most"] <= one["worst"][m] + 1e-9
    assert len(found.table) == 8


def test_habits_that_fit_no_track_contradict_it() -> None:
    here = drawn(np.random.default_rng(4), 3, 3, 2)
    elsewhere = Positions(here.users, here.axis, here.row, here.step, here.place + 10)
    found: Curves = curves(here, 2, at_most=1, draws=2, reference=elsewhere)
    assert found.static.contradicted[:, 1].tolist() == [1.0, 1.0]
    assert found.static.chance[:, 1].max() == 0


def test_draws_end_with_the_time_and_those_who_were_drawn_are_counted() -> None:
    here = drawn(np.random.default_rng(4), 40, 6, 3)
    found = curves(here, 2, draws=50, limits=SolveLimits(seconds=1e-9, workers=2))
    whole = curves(here, 2, draws=2)
    assert found.static.drawn < 40
    assert found.exchanged.drawn == 1
    assert (whole.static.drawn, whole.exchanged.drawn) == (40, 40)
    assert found.to_dict()["curves"]["static"]["perhaps"] == [1.0] * 5


def test_what_cannot_be_asked_is_refused() -> None:
    here = drawn(np.random.default_rng(4), 3, 3, 2)
    with pytest.raises(InputError, match="not from 2"):
        curves(here, 0)
    others = Positions(here.users + 5, here.axis, here.row, here.step, here.place)
    with pytest.raises(InputError, match="not in the data"):
        curves(here, 2, reference=others)


def test_it_does_not_matter_how_places_are_numbered() -> None:
    """Places with outlines are -1, -2, …; the first of them had been taken for no place."""
    random = np.random.default_rng(8)
    for _ in range(20):
        here = drawn(random, 6, 5, 3)
        there = replace(here, place=-1 - here.place)
        one, other = (curves(positions, 2, at_most=3, draws=2) for positions in (here, there))
        assert one.to_dict()["curves"] == other.to_dict()["curves"]
