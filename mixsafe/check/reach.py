"""An upper bound of the checker's own: how many tokens can get to a row, one at a time.

Each token is followed on its own through the mix zones, forward from where it starts and backward
from the end. Users who are seen at step 0 are known by name: at all their sightings their rows
hold their own tokens, and no others. Other sightings are ignored, which can only raise the bound.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.problem import Problem

Places = npt.NDArray[np.bool_]
"""(n_rows, n_tokens): whether a token may be on a row."""


def reachable_tokens(problem: Problem, points: list[tuple[int, int]]) -> list[int]:
    """Number of tokens that can be on a row after a step, for each of the ``points``."""
    n_rows = problem.zones.n_users
    asked: dict[int, list[int]] = defaultdict(list)
    for number, (_, step) in enumerate(points):
        asked[step].append(number)
    pinned = _pinned(problem)
    met = _met(problem)
    steps = sorted({*asked, *pinned, *met})

    found = np.empty((len(points), n_rows), bool)
    places = np.eye(n_rows, dtype=bool)
    for step in steps:
        _mix(places, met.get(step, ()))
        _pin(places, pinned.get(step, ()))
        for number in asked.get(step, ()):
            found[number] = places[points[number][0]]
    places = np.ones((n_rows, n_rows), bool)
    for step in reversed(steps):
        _pin(places, pinned.get(step, ()))
        for number in asked.get(step, ()):
            found[number] &= places[points[number][0]]
        _mix(places, met.get(step, ()))
    counts: list[int] = found.sum(axis=1).tolist()
    return counts


def _pinned(problem: Problem) -> dict[int, list[int]]:
    """Rows that hold their own token, by step."""
    known = problem.knowledge
    named = set(known.row[known.time == 0].tolist())
    found: dict[int, list[int]] = defaultdict(list)
    for row, step in zip(known.row.tolist(), known.time.tolist(), strict=True):
        if row in named:
            found[step].append(row)
    return found


def _met(problem: Problem) -> dict[int, list[npt.NDArray[np.int32]]]:
    """Members of the zones, by step."""
    zones = problem.zones
    found: dict[int, list[npt.NDArray[np.int32]]] = defaultdict(list)
    for zone, step in enumerate(zones.time.tolist()):
        found[step].append(zones.members[zones.ptr[zone] : zones.ptr[zone + 1]])
    return found


def _mix(places: Places, met: Iterable[npt.NDArray[np.int32]]) -> None:
    """A token that is on one member of a zone may be on any."""
    for members in met:
        places[members] = places[members].any(axis=0)


def _pin(places: Places, rows: Iterable[int]) -> None:
    """Rows hold their own tokens."""
    for row in rows:
        own = places[row, row]
        places[row] = False
        places[:, row] = False
        places[row, row] = own
