"""Places of tracks in small problems, and at how many places candidates are, by definition."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from mixsafe.model.question.places import TrackPlaces
from mixsafe.model.question.problem import Problem

Where = dict[tuple[int, int], int]
"""Place of (track, step), where the track shows one."""


def drawn_places(random: np.random.Generator, n_rows: int, horizon: int, shown: float) -> Where:
    """Each track at one of three places, with a few steps at which it shows none."""
    return {
        (row, t): int(random.integers(3)) * 10 - 10
        for row in range(n_rows)
        for t in range(1, horizon + 1)
        if random.random() < shown
    }


def places_of(where: Where, sensitive: Collection[int] | None = None) -> TrackPlaces:
    at = np.array([(row, t, place) for (row, t), place in where.items()], np.int64).reshape(-1, 3)
    marked = None if sensitive is None else np.array(sorted(sensitive), np.int64)
    row, step, place = at.T
    return TrackPlaces(row.astype(np.int32), step.astype(np.int32), place, None, marked)


def placed(problem: Problem, where: Where, sensitive: Collection[int] | None = None) -> Problem:
    return replace(problem, track_places=places_of(where, sensitive))


def bounds_on_places(where: Where, candidates: Collection[int], t: int) -> tuple[int, int]:
    """Fewest and most places at which some tracks may be: those that show none are somewhere."""
    known = {where[one, t] for one in candidates if (one, t) in where}
    hidden = sum((one, t) not in where for one in candidates)
    return max(len(known), min(1, len(candidates))), len(known) + hidden


def verdict_of(number: int, k: int, places: list[tuple[int, int]], least: int) -> str:
    """What is to be said of a stretch with that many candidates, at so many places each step."""
    fewest = min([low for low, _ in places], default=number)
    most = min([high for _, high in places], default=number)
    if number < k or most < least:
        return "unsafe"
    return "safe" if fewest >= least else "undecided"
