"""Complete assignments of tokens to wires: fill them in, and check them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.core import Core

Assignment = npt.NDArray[np.int32]
"""(n_wires,) token on each wire."""


def complete(core: Core, partial: Assignment, tracked: npt.NDArray[np.bool_]) -> Assignment:
    """Fill in anonymous tokens: at each zone they stay on their own row, or take a free one.

    Parameters
    ----------
    core
        The question.
    partial
        (n_wires,) tracked token on each wire, -1 for an anonymous one.
    tracked
        (n_rows,) bool: tokens that ``partial`` distinguishes.

    Returns
    -------
    (n_wires,) token on each wire; -1 where ``partial`` contradicts itself.
    """
    network = core.network
    return _complete(partial, tracked, network.first, network.row, network.zone_ptr, network.before)


def fault(core: Core, assignment: Assignment) -> str | None:
    """The first rule that an assignment violates, or None. Checks the definitions directly.

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
        return "a link is violated"
    holds = np.zeros(len(core.pins), bool)
    pin, wire = core.pin_wires
    np.logical_or.at(holds, pin, assignment[wire] == core.pins.token[pin])
    return None if holds.all() else "a pinned token is elsewhere"


@compiled
def _complete(  # pragma: no cover - compiled
    partial: Assignment,
    tracked: npt.NDArray[np.bool_],
    first: npt.NDArray[np.int64],
    row: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
) -> Assignment:
    assignment = partial.copy()
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
            if partial[before[m] + 1] < 0 and here[own] == z:
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
    """Assign the remaining wires of zone ``z`` to the tokens that still wait there."""
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
