"""A first solution where none is known: ways for all tokens at once, by negotiation.

An auditor does not know which token starts where, so she has no identity to begin with (DESIGN,
fact 1 is the publisher's). Each token that is told apart looks for the cheapest way over the wires
that it may use; wires that several want become dearer, and those who share one look again, until
nobody shares any (McMurchie and Ebeling, PathFinder, FPGA 1995). What is found is a solution; that
nothing is found proves nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit

from mixsafe.verify.answers import Deadline, Progress, no_progress
from mixsafe.verify.core import Core
from mixsafe.verify.tokens import TokenSets
from mixsafe.verify.witness import Assignment, complete

_ROUNDS = 400
_ALONE = 20  # rounds in which only those who share look again; where it is tight, all must
_DEARER = 1.3  # factor by which sharing a wire becomes dearer with each round
_DEAREST = 1e6


def route(
    core: Core,
    possible: TokenSets,
    tracked: npt.NDArray[np.bool_],
    deadline: Deadline,
    progress: Progress = no_progress,
) -> Assignment | None:
    """Find a solution.

    Parameters
    ----------
    core
        Tokens start on their own rows at step 0; that they stay there need not be a solution.
    possible
        (n_wires, words): wires on which each token may be, narrowed by reachability, so that each
        of them lies on a whole way.
    tracked
        (n_rows,) bool: tokens that have pins. The others take what is left.
    deadline, progress
        As for every engine.

    Returns
    -------
    (n_wires,) token on each wire, or None: no solution was found.
    """
    network, token = core.network, np.flatnonzero(tracked)
    zone = np.repeat(np.arange(network.n_zones), np.diff(network.zone_ptr))
    comes_from = np.full(network.n_wires, -1)
    comes_from[network.before + 1] = zone
    users = np.zeros(network.n_wires, np.int32)
    dear = np.zeros(network.n_wires)  # what sharing has cost so far
    path = np.full((len(token), network.horizon + 2), -1, np.int64)  # one zone a step at most
    length = np.zeros(len(token), np.int64)
    factor, shared = 1.0, len(token)
    for again in range(_ROUNDS):
        if not shared or deadline.passed:
            break
        progress("looking for a first solution", again, _ROUNDS)
        _negotiate(
            again >= _ALONE, token, possible, network.first, network.zone_ptr, network.before,
            comes_from, users, dear, factor, path, length,
        )  # fmt: skip
        shared = int(np.count_nonzero(users > 1))
        dear += np.maximum(users - 1, 0)
        factor = min(factor * _DEARER, _DEAREST)
    if shared:
        return None
    told = np.full(network.n_wires, -1, np.int32)
    mine = np.arange(path.shape[1]) < length[:, None]
    told[path[mine]] = np.repeat(token, length)
    found = complete(core, told, tracked)
    return None if np.any(found < 0) else found


@njit(cache=True)
def _negotiate(  # pragma: no cover - compiled
    everybody: bool,
    tracked: npt.NDArray[np.int64],
    possible: TokenSets,
    first: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    comes_from: npt.NDArray[np.int64],
    users: npt.NDArray[np.int32],
    dear: npt.NDArray[np.float64],
    factor: float,
    path: npt.NDArray[np.int64],
    length: npt.NDArray[np.int64],
) -> None:
    """Let everybody look again, or those only who share a wire or have no way yet."""
    reach = np.empty(len(comes_from), np.float64)
    via = np.empty(len(zone_ptr) - 1, np.int64)
    for i in range(len(tracked)):
        shares = everybody or length[i] == 0
        for j in range(length[i]):
            shares |= users[path[i, j]] > 1
        if shares:
            for j in range(length[i]):
                users[path[i, j]] -= 1
            length[i] = _cheapest(
                tracked[i], possible, first, zone_ptr, before, comes_from, users, dear, factor,
                reach, via, path[i],
            )  # fmt: skip
            for j in range(length[i]):
                users[path[i, j]] += 1


@njit(cache=True)
def _cheapest(  # pragma: no cover - compiled
    token: int,
    possible: TokenSets,
    first: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
    comes_from: npt.NDArray[np.int64],
    users: npt.NDArray[np.int32],
    dear: npt.NDArray[np.float64],
    factor: float,
    reach: npt.NDArray[np.float64],
    via: npt.NDArray[np.int64],
    path: npt.NDArray[np.int64],
) -> int:
    """Write the cheapest way of ``token`` to ``path``, the last wire first; its length, or 0."""
    word, bit = token // 64, np.uint64(1) << np.uint64(token % 64)
    n_rows = len(first) - 1
    for r in range(n_rows):
        reach[first[r]] = 0.0 if r == token else np.inf
    for z in range(len(zone_ptr) - 1):
        best, at = np.inf, -1
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            if reach[before[m]] < best:
                best, at = reach[before[m]], before[m]
        via[z] = at
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            w = before[m] + 1
            if at >= 0 and possible[w, word] & bit:
                stays = 0.0 if w == at + 1 else 0.01  # of equals, who stays on a row is simplest
                reach[w] = best + stays + (1.0 + dear[w]) * (1.0 + factor * users[w]) - 1.0
            else:
                reach[w] = np.inf
    return _back(first, comes_from, reach, via, path)


@njit(cache=True)
def _back(  # pragma: no cover - compiled
    first: npt.NDArray[np.int64],
    comes_from: npt.NDArray[np.int64],
    reach: npt.NDArray[np.float64],
    via: npt.NDArray[np.int64],
    path: npt.NDArray[np.int64],
) -> int:
    """Go back from the cheapest wire at the end to the start."""
    best, wire = np.inf, -1
    for r in range(len(first) - 1):
        if reach[first[r + 1] - 1] < best:
            best, wire = reach[first[r + 1] - 1], first[r + 1] - 1
    if wire < 0:
        return 0
    n = 0
    while comes_from[wire] >= 0:
        path[n] = wire
        n += 1
        wire = via[comes_from[wire]]
    path[n] = wire
    return n + 1
