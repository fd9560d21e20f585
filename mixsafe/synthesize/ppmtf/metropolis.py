"""The walk of one virtual user: Metropolis-Hastings moves, compiled.

The user's transition counts, clipped from below and normalized, propose the next region; a move is
accepted so that the visit probabilities of the time slot are stationary (PPMTF, PoPETs 2021).
Rows of the transition matrix are computed when they are needed, and only their sums are kept:
memory is linear in the number of regions.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Regions = npt.NDArray[np.int32]

FLOOR = 1e-8
"""Smallest transition or visit count: nothing is impossible."""


@njit(cache=True, nogil=True)
def walk(  # pragma: no cover - compiled
    taste: Floats,
    destination: Floats,
    slot: Floats,
    edge_ptr: Ints,
    edge_to: Regions,
    visited: npt.NDArray[np.bool_],
    seen_only: bool,
    home_weight: float,
    home_slots: int,
    slot_of_step: Ints,
    home_chance: float,
    start_chance: Floats,
    chance: Floats,
) -> Regions:
    """Regions of one user.

    Parameters
    ----------
    taste
        (n_regions, z): the user's features times those of each location.
    destination, slot
        (z, n_regions) and (n_slots, z) factors.
    edge_ptr, edge_to, visited, seen_only
        What training users did, and whether the rest is left out.
    home_weight, home_slots
        Weight of the home region, at how many slots of either end of a day.
    slot_of_step
        (steps,) time slot of each step of a day.
    home_chance, start_chance, chance
        Uniform numbers: 1, (days,) and (days, steps - 1, moves, 2).

    Returns
    -------
    (days, steps) int32 regions.
    """
    visits = _visits(taste, slot, visited, seen_only)
    _settle(visits, home_weight, home_slots, home_chance)
    n_regions, days, steps = len(taste), len(start_chance), len(slot_of_step)
    sums = np.full(n_regions, np.nan)
    row, other = np.empty(n_regions), np.empty(n_regions)
    row_of = -1
    regions = np.empty((days, steps), np.int32)
    for day in range(days):
        here = _draw(visits[slot_of_step[0]], 1.0, start_chance[day])
        regions[day, 0] = here
        for step in range(1, steps):
            aim = visits[slot_of_step[step]]
            for move in range(chance.shape[2]):
                if row_of != here:
                    sums[here] = _row(taste, destination, edge_ptr, edge_to, seen_only, here, row)
                    row_of = here
                there = _draw(row, sums[here], chance[day, step - 1, move, 0])
                if there == here:
                    continue
                if np.isnan(sums[there]):
                    sums[there] = _row(
                        taste, destination, edge_ptr, edge_to, seen_only, there, other
                    )
                back = _count(taste, destination, edge_ptr, edge_to, seen_only, there, here)
                gain = aim[there] * back / sums[there]
                loss = aim[here] * row[there] / sums[here]
                if chance[day, step - 1, move, 1] * loss < gain:
                    here = there
            regions[day, step] = here
    return regions


@njit(cache=True, nogil=True)
def _visits(  # pragma: no cover - compiled
    taste: Floats, slot: Floats, visited: npt.NDArray[np.bool_], seen_only: bool
) -> Floats:
    """(n_slots, n_regions) visit probabilities."""
    (n_slots, z), n_regions = slot.shape, len(taste)
    visits = np.empty((n_slots, n_regions))
    for s in range(n_slots):
        total = 0.0
        for i in range(n_regions):
            count = 0.0
            for k in range(z):
                count += taste[i, k] * slot[s, k]
            if count < FLOOR or (seen_only and not visited[s, i]):
                count = FLOOR
            visits[s, i] = count
            total += count
        visits[s] /= total
    return visits


@njit(cache=True, nogil=True)
def _settle(  # pragma: no cover - compiled
    visits: Floats, weight: float, home_slots: int, chance: float
) -> None:
    """Draw a home from the first time slot, and make the user be there morning and evening."""
    if weight == 0.0:
        return
    n_slots = len(visits)
    home = _draw(visits[0], 1.0, chance)
    for s in range(n_slots):
        if s < home_slots or s >= n_slots - home_slots:
            visits[s, home] += weight
            visits[s] /= 1.0 + weight


@njit(cache=True, nogil=True)
def _row(  # pragma: no cover - compiled
    taste: Floats,
    destination: Floats,
    edge_ptr: Ints,
    edge_to: Regions,
    seen_only: bool,
    region: int,
    row: Floats,
) -> float:
    """Fill ``row`` with the transition counts out of ``region``; their sum."""
    z = taste.shape[1]
    if seen_only:
        row[:] = FLOOR
        for edge in range(edge_ptr[region], edge_ptr[region + 1]):
            count = 0.0
            for k in range(z):
                count += taste[region, k] * destination[k, edge_to[edge]]
            row[edge_to[edge]] = max(count, FLOOR)
    else:
        row[:] = 0.0
        for k in range(z):
            row += taste[region, k] * destination[k]
        np.maximum(row, FLOOR, row)
    return float(row.sum())


@njit(cache=True, nogil=True)
def _count(  # pragma: no cover - compiled
    taste: Floats,
    destination: Floats,
    edge_ptr: Ints,
    edge_to: Regions,
    seen_only: bool,
    region: int,
    there: int,
) -> float:
    """Transition count from ``region`` to ``there``."""
    if seen_only:
        begin, end = edge_ptr[region], edge_ptr[region + 1]
        edge = begin + np.searchsorted(edge_to[begin:end], there)
        if edge == end or edge_to[edge] != there:
            return FLOOR
    count = 0.0
    for k in range(taste.shape[1]):
        count += taste[region, k] * destination[k, there]
    return max(count, FLOOR)


@njit(cache=True, nogil=True)
def _draw(weights: Floats, total: float, chance: float) -> int:  # pragma: no cover - compiled
    """Number with a probability in proportion to its weight; ``total`` is their sum."""
    left = chance * total
    for number in range(len(weights)):
        left -= weights[number]
        if left < 0.0:
            return number
    return len(weights) - 1  # by rounding, next to nothing was left
