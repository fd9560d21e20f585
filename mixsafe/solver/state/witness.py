"""Complete assignments of tokens to wires: fill them in, and check them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.core import Core
from mixsafe.network.relations import Matching, match_all, new_matching
from mixsafe.network.wires import Wires, is_complete, may_leave

Assignment = npt.NDArray[np.int32]
"""(n_wires,) token on each wire."""


_WRONG = (
    "",
    "a zone does not permute the tokens that come to it",
    "a zone moves a token as its relation does not allow",
)


def complete(core: Core, partial: Assignment, tracked: npt.NDArray[np.bool_]) -> Assignment:
    """Fill in anonymous tokens: at each zone they stay on their own row, or take a free one.

    In zones with a relation they stay where they are, or take allowed pairs.

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
    size = int(np.diff(network.zone_ptr).max(initial=0))
    assignment = partial.copy()
    _complete(partial, tracked, assignment, new_matching(size), network.wires)
    return assignment


def fault(core: Core, assignment: Assignment) -> str | None:
    """The first rule that an assignment violates, or None. Checks the definitions directly.

    Tokens start on their own rows, zones permute the tokens that come to them, by allowed pairs,
    pins and links hold, and people who are seen have different tokens.
    """
    network = core.network
    if np.any(assignment[network.first[:-1]] != np.arange(network.n_rows)):
        return "a token does not start on its own row"
    wrong = _wrong_zone(assignment, network.n_rows, network.wires)
    if wrong:
        return _WRONG[wrong]
    linked = core.link_wires
    if np.any(assignment[linked[:, 0]] != assignment[linked[:, 1]]):
        return "a link is violated"
    distinct = assignment[core.apart_wires]
    if len(np.unique(distinct)) < len(distinct) or np.isin(distinct, core.pins.token).any():
        return "two people who are seen have one token"
    holds = np.zeros(len(core.pins), bool)
    pin, wire = core.pin_wires
    np.logical_or.at(holds, pin, assignment[wire] == core.pins.token[pin])
    return None if holds.all() else "a pinned token is elsewhere"


@tiered
def _complete(  # pragma: no cover - compiled
    partial: Assignment,
    tracked: npt.NDArray[np.bool_],
    assignment: Assignment,
    nodes: Matching,
    net: Wires,
) -> None:
    first, zone_ptr, before = net.first, net.zone_ptr, net.before
    here = np.full(len(first) - 1, -1, np.int64)  # zone in which an anonymous token waits
    for r in range(len(first) - 1):
        assignment[first[r]] = r
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token >= 0 and not tracked[token]:
                here[token] = z
        if not is_complete(z, net):
            _fill_related(z, assignment, here, nodes, net)
            continue
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            own = net.member[m]
            if partial[before[m] + 1] < 0 and here[own] == z:
                assignment[before[m] + 1] = own
                here[own] = -1
        _fill(z, assignment, here, net)


@inner
def _fill(  # pragma: no cover - compiled
    z: int, assignment: Assignment, here: npt.NDArray[np.int64], net: Wires
) -> None:
    """Assign the remaining wires of zone ``z`` to the tokens that still wait there."""
    before = net.before
    empty, end = net.zone_ptr[z], net.zone_ptr[z + 1]
    for m in range(net.zone_ptr[z], end):
        token = assignment[before[m]]
        if token >= 0 and here[token] == z:
            while empty < end and assignment[before[empty] + 1] >= 0:
                empty += 1
            if empty == end:
                return
            assignment[before[empty] + 1] = token


@inner
def _fill_related(  # pragma: no cover - compiled
    z: int, assignment: Assignment, here: npt.NDArray[np.int64], nodes: Matching, net: Wires
) -> None:
    """As :func:`_fill`, by allowed pairs: a matching, from the tokens that can stay."""
    before, head = net.before, net.zone_ptr[z]
    size = net.zone_ptr[z + 1] - head
    for i in range(size):
        token = assignment[before[head + i]]
        nodes.free[i] = assignment[before[head + i] + 1] < 0
        nodes.waits[i] = token >= 0 and here[token] == z
    match_all(size, net.pairs, net.pair_ptr[z], nodes)
    for i in range(size):
        if nodes.leaves[i] >= 0:
            assignment[before[head + nodes.leaves[i]] + 1] = assignment[before[head + i]]


@tiered
def _wrong_zone(  # pragma: no cover - compiled
    assignment: Assignment, n_rows: int, net: Wires
) -> int:
    """What is wrong with some zone, as a number of :data:`_WRONG`; 0: nothing."""
    zone_ptr, before = net.zone_ptr, net.before
    came_to = np.full(n_rows, -1, np.int64)  # place among all members
    for z in range(len(zone_ptr) - 1):
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m]]
            if token < 0 or token >= n_rows:
                return 1
            came_to[token] = m
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            token = assignment[before[m] + 1]
            if token < 0 or token >= n_rows or came_to[token] < zone_ptr[z]:
                return 1
            if not may_leave(came_to[token], m, z, net):
                return 2
            came_to[token] = -1
    return 0
