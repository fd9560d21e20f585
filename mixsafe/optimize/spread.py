"""How a token spreads over rows through active zones, and which zones would let it go further.

A linear pass over the zones in order of time, forward or backward: a row that has been reached
stays reached, so one number per row, the step from which on it is reached, says it all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from mixsafe.model.mix_zones import MixZones

NEVER = np.iinfo(np.int32).max
"""Forward: the step of a row that is not reached. Backward it is -1."""


class Spread(NamedTuple):
    """What was reached.

    Parameters
    ----------
    step
        (n_rows,) int32. Forward: the first step after which the row is reached (``NEVER``: none).
        Backward: the last one (-1: none).
    frontier
        (n_zones,) bool: zones without an exchange through which more rows would be reached.
    """

    step: npt.NDArray[np.int32]
    frontier: npt.NDArray[np.bool_]


def forward(
    zones: MixZones, active: npt.NDArray[np.bool_], rows: list[int], after: int, until: int
) -> Spread:
    """Where tokens that are on ``rows`` after step ``after`` may be, up to step ``until``."""
    found = Spread(np.full(zones.n_users, NEVER, np.int32), np.zeros(len(zones), bool))
    found.step[rows] = after
    go_on(zones, active, found, after, until)
    return found


def go_on(
    zones: MixZones, active: npt.NDArray[np.bool_], found: Spread, after: int, until: int
) -> None:
    """Spread forward from what is found already, in place."""
    _forward(zones.time, zones.ptr, zones.members, active, after, until, *found)


def backward(
    zones: MixZones, active: npt.NDArray[np.bool_], rows: list[int], at: int, since: int
) -> Spread:
    """From where tokens may have come to ``rows`` after step ``at``, back to step ``since``."""
    found = Spread(np.full(zones.n_users, -1, np.int32), np.zeros(len(zones), bool))
    found.step[rows] = at
    go_back(zones, active, found, at, since)
    return found


def go_back(
    zones: MixZones, active: npt.NDArray[np.bool_], found: Spread, at: int, since: int
) -> None:
    """Spread backward from what is found already, in place."""
    _backward(zones.time, zones.ptr, zones.members, active, since, at, *found)


@njit(cache=True)
def _forward(  # pragma: no cover - compiled
    time: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    active: npt.NDArray[np.bool_],
    after: int,
    until: int,
    step: npt.NDArray[np.int32],
    frontier: npt.NDArray[np.bool_],
) -> None:
    for z in range(np.searchsorted(time, after, side="right"), len(time)):
        if time[z] > until:
            break
        reached = 0
        for m in range(ptr[z], ptr[z + 1]):
            reached += step[members[m]] != NEVER
        if reached == 0 or reached == ptr[z + 1] - ptr[z]:
            continue
        if not active[z]:
            frontier[z] = True
            continue
        for m in range(ptr[z], ptr[z + 1]):
            if step[members[m]] == NEVER:
                step[members[m]] = time[z]


@njit(cache=True)
def _backward(  # pragma: no cover - compiled
    time: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    active: npt.NDArray[np.bool_],
    since: int,
    at: int,
    step: npt.NDArray[np.int32],
    frontier: npt.NDArray[np.bool_],
) -> None:
    for z in range(np.searchsorted(time, at, side="right") - 1, -1, -1):
        if time[z] <= since:
            break
        reached = 0
        for m in range(ptr[z], ptr[z + 1]):
            reached += step[members[m]] >= 0
        if reached == 0 or reached == ptr[z + 1] - ptr[z]:
            continue
        if not active[z]:
            frontier[z] = True
            continue
        for m in range(ptr[z], ptr[z + 1]):
            if step[members[m]] < 0:
                step[members[m]] = time[z] - 1
