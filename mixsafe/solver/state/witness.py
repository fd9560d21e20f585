"""Whole assignments of tokens to wires: filling them in, and checking them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.core import Core

Assignment = npt.NDArray[np.int32]
"""(n_wires,) token on each wire."""


def complete(core: Core, told: Assignment, tracked: npt.NDArray[np.bool_]) -> Assignment:
    """Fill anonymous tokens in: at each zone they stay on their own row, or take what is left.

    Parameters
    ----------
    core
        The question.
    told
        (n_wires,) tracked token on each wire, -1 for an anonymous one.
    tracked
        (n_rows,) bool: tokens that ``told`` tells apart.

    Returns
    -------
    (n_wires,) token on each wire; -1 where ``told`` contradicts itself.
    """
    network = core.network
    return _complete(told, tracked, network.first, network.row, network.zone_ptr, network.before)


def fault(core: Core, assignment: Assignment) -> str | None:
    """What is wrong with an assignment; None: nothing. Straight from the definitions.

    Tokens start on their own rows, zones permute the tokens that come to them, pins and links
    hold.
    """
    network = core.network
    if np.any(assignment[network.first[:-1]] != np.arange(network.n_rows)):
        return "a token does not start on its own row"
    if not _permutes(assignment, network.n_rows, network.zone_ptr, network.before):
        return "a zone does not permute the tokens that come to it"
    linked = core.link_wires
    if np.any(assignment[linked[:, 0]] != assignment[linked[:, 1]]):
        return "a link is broken"
    holds = np.zeros(len(core.pins), bool)
    pin, wire = core.pin_wires
    np.logical_or.at(holds, pin, assignment[wire] == core.pins.token[pin])
    return None if holds.all() else "a pinned token is elsewhere"


@compiled
def _complete(  # pragma: no cover - compiled
    told: Assignment,
    tracked: npt.NDArray[np.bool_],
    first: npt.NDArray[np.int64],
    row: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
) -> Assignment:
    assignment = told.copy()
    here = np.full(len(first) - 1, -1, np.int64)  # zone in which an anonymous token waits
    for r in range(len(first) - 1):
        assignment[first[r]] = r
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token >= 0 and not tracked[token]:
                here[token] = z
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            own = row[before[m]]
            if told[before[m] + 1] < 0 and here[own] == z:
                assignment[before[m] + 1] = own
                here[own] = -1
        _fill(z, assignment, here, zone_ptr, before)
    return assignment


@compiled
def _fill(  # pragma: no cover - compiled
    z: int,
    assignment: Assignment,
    here: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
) -> None:
    """Share the wires that are left among the tokens that still wait in zone ``z``."""
    empty, end = zone_ptr[z], zone_ptr[z + 1]
    for m in range(zone_ptr[z], end):
        token = assignment[before[m]]
        if token >= 0 and here[token] == z:
            while empty < end and assignment[before[empty] + 1] >= 0:
                empty += 1
            if empty == end:
                return
            assignment[before[empty] + 1] = token
            here[token] = -1


@compiled
def _permutes(  # pragma: no cover - compiled
    assignment: Assignment,
    n_rows: int,
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
) -> bool:
    came_to = np.full(n_rows, -1, np.int64)
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token < 0 or token >= n_rows:
                return False
            came_to[token] = z
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m] + 1]
            if token < 0 or token >= n_rows or came_to[token] != z:
                return False
            came_to[token] = -1
    return True
