"""The walk of one virtual user: Metropolis-Hastings moves, compiled.

The user's transition counts, clipped from below and normalized, propose the next region; a move is
accepted so that the visit probabilities of the time slot are stationary (PPMTF, PoPETs 2021).
Rows of the transition matrix are computed when they are needed, and only their sums are kept:
memory is linear in the number of regions.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
RegionArray = npt.NDArray[np.int32]

FLOOR = 1e-8
"""Smallest transition or visit count, which keeps all probabilities positive."""


class Habits(NamedTuple):
    """Where one user is, and goes from there.

    Parameters
    ----------
    taste
        (n_regions, z): the user's features times those of each location.
    destination, slot
        (z, n_regions) and (n_slots, z) factors.
    edge_ptr, edge_to, visited, seen_only
        What training users did, and whether the rest is left out.
    """

    taste: Floats
    destination: Floats
    slot: Floats
    edge_ptr: Ints
    edge_to: RegionArray
    visited: npt.NDArray[np.bool_]
    seen_only: bool


class Home(NamedTuple):
    """The home region's weight, and the number of slots at both ends of a day that it covers."""

    weight: float
    slots: int


class Uniforms(NamedTuple):
    """Uniform numbers: of the home, (days,) of first regions, (days, steps - 1, moves, 2)."""

    home: float
    start: Floats
    move: Floats


class _TransitionRows(NamedTuple):
    """Rows of the transition matrix, computed when they are needed, and their sums.

    ``sums``, (n_regions,), NaN where not known yet; ``row`` of region ``region[0]``, and
    ``other``, of another one.
    """

    sums: Floats
    row: Floats
    other: Floats
    region: Ints


@compiled
def walk(  # pragma: no cover - compiled
    habits: Habits, home: Home, slot_of_step: Ints, chances: Uniforms
) -> RegionArray:
    """Regions of one user.

    Parameters
    ----------
    habits
        The user's.
    home
        Whether the user has one.
    slot_of_step
        (steps,) time slot of each step of a day.
    chances
        All that is drawn.

    Returns
    -------
    (days, steps) int32 regions.
    """
    visits = _visits(habits)
    _settle(visits, home, chances.home)
    n_regions, days, steps = len(habits.taste), len(chances.start), len(slot_of_step)
    rows = _TransitionRows(
        np.full(n_regions, np.nan),
        np.empty(n_regions),
        np.empty(n_regions),
        np.full(1, -1, np.int64),
    )
    regions = np.empty((days, steps), np.int32)
    for day in range(days):
        here = _draw(visits[slot_of_step[0]], 1.0, chances.start[day])
        regions[day, 0] = here
        for step in range(1, steps):
            aim, drawn = visits[slot_of_step[step]], chances.move[day, step - 1]
            for move in range(len(drawn)):
                here = _moved(here, aim, habits, rows, drawn[move])
            regions[day, step] = here
    return regions


@compiled
def _moved(  # pragma: no cover - compiled
    here: int, aim: Floats, habits: Habits, rows: _TransitionRows, chance: Floats
) -> int:
    """Region after one Metropolis-Hastings move, ``aim`` being stationary."""
    if rows.region[0] != here:
        rows.sums[here] = _row(habits, here, rows.row)
        rows.region[0] = here
    there = _draw(rows.row, rows.sums[here], chance[0])
    if there == here:
        return here
    if np.isnan(rows.sums[there]):
        rows.sums[there] = _row(habits, there, rows.other)
    gain = aim[there] * _count(habits, there, here) / rows.sums[there]
    loss = aim[here] * rows.row[there] / rows.sums[here]
    return there if chance[1] * loss < gain else here


@compiled
def _visits(habits: Habits) -> Floats:  # pragma: no cover - compiled
    """(n_slots, n_regions) visit probabilities."""
    taste, slot = habits.taste, habits.slot
    (n_slots, z), n_regions = slot.shape, len(taste)
    visits = np.empty((n_slots, n_regions))
    for s in range(n_slots):
        total = 0.0
        for i in range(n_regions):
            count = 0.0
            for k in range(z):
                count += taste[i, k] * slot[s, k]
            if count < FLOOR or (habits.seen_only and not habits.visited[s, i]):
                count = FLOOR
            visits[s, i] = count
            total += count
        visits[s] /= total
    return visits


@compiled
def _settle(  # pragma: no cover - compiled
    visits: Floats, home: Home, chance: float
) -> None:
    """Draw a home from the first time slot, and make the user be there morning and evening."""
    if home.weight == 0.0:
        return
    n_slots = len(visits)
    region = _draw(visits[0], 1.0, chance)
    for s in range(n_slots):
        if s < home.slots or s >= n_slots - home.slots:
            visits[s, region] += home.weight
            visits[s] /= 1.0 + home.weight


@compiled
def _row(  # pragma: no cover - compiled
    habits: Habits, region: int, row: Floats
) -> float:
    """Fill ``row`` with the transition counts out of ``region``; their sum."""
    taste, destination = habits.taste, habits.destination
    z = taste.shape[1]
    if habits.seen_only:
        row[:] = FLOOR
        for edge in range(habits.edge_ptr[region], habits.edge_ptr[region + 1]):
            there = habits.edge_to[edge]
            count = 0.0
            for k in range(z):
                count += taste[region, k] * destination[k, there]
            row[there] = max(count, FLOOR)
    else:
        row[:] = 0.0
        for k in range(z):
            row += taste[region, k] * destination[k]
        np.maximum(row, FLOOR, row)
    return float(row.sum())


@compiled
def _count(  # pragma: no cover - compiled
    habits: Habits, region: int, there: int
) -> float:
    """Transition count from ``region`` to ``there``."""
    if habits.seen_only:
        begin, end = habits.edge_ptr[region], habits.edge_ptr[region + 1]
        edge = begin + np.searchsorted(habits.edge_to[begin:end], there)
        if edge == end or habits.edge_to[edge] != there:
            return FLOOR
    count = 0.0
    for k in range(habits.taste.shape[1]):
        count += habits.taste[region, k] * habits.destination[k, there]
    return max(count, FLOOR)


@compiled
def _draw(weights: Floats, total: float, chance: float) -> int:  # pragma: no cover - compiled
    """Number with a probability in proportion to its weight; ``total`` is their sum."""
    left = chance * total
    for number in range(len(weights)):
        left -= weights[number]
        if left < 0.0:
            return number
    return len(weights) - 1  # by rounding, next to nothing was left
