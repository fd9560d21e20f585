"""An initial solution where none is known: ways for all tokens at once, by negotiation.

An auditor does not know which token starts where, so she has no identity to start from (fact 1 is
the publisher's). Each token that is told apart looks for the cheapest way over the wires that it
may use; wires that several want become dearer, and those who share one look again for the part of
their way around it, until nobody shares any (McMurchie and Ebeling, PathFinder, FPGA 1995). What is
found is a solution; that nothing is found proves nothing.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.limits import Deadline
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Assignment, complete
from mixsafe.verify.auditor.detours import Roads, Ways, negotiate

_ROUNDS = 6000
_SHARING = 2.0  # what sharing a wire costs at first, in wires
_DEARER = 1.02  # factor by which it becomes dearer with each round
_DEAREST = 1e6
_LASTING = 0.3  # what having been shared costs a wire for good, in wires
_TASTE = 0.3  # by how much tokens differ about what a wire costs, so that they spread
_TASTES = 1 << 14
_AT_ONCE = 200_000_000  # wires looked at between two looks at the clock: about a second


def route(
    core: Core,
    possible: TokenSets,
    tracked: npt.NDArray[np.bool_],
    deadline: Deadline,
    progress: Progress = no_progress,
    seed: int = 0,
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
    seed
        Of the order in which tokens choose, and of their tastes.

    Returns
    -------
    (n_wires,) token on each wire, or None: no solution was found.
    """
    network, token = core.network, np.flatnonzero(tracked)
    wire = in_order(network)
    roads, random = roads_of(core, possible, wire), np.random.default_rng(seed)
    ways = new_ways(network.n_wires, token, network.horizon, random)
    n_parts = 1 + len(token) * network.n_wires // _AT_ONCE
    factor, shared = _SHARING, len(token)
    for again in range(_ROUNDS):
        ways.cost[:] = (1.0 + ways.dear) * (1.0 + factor * ways.users)
        progress(
            "looking for an initial solution", len(token) - min(shared, len(token)), len(token)
        )
        for some in np.array_split(random.permutation(len(token)), 1 if again else n_parts):
            if deadline.passed:
                return None
            negotiate(some, np.float32(factor), roads, ways)
        shared = int(np.count_nonzero(ways.users > 1))
        if not shared:
            return _told(core, ways, wire, tracked)
        ways.dear[:] += np.float32(_LASTING) * np.maximum(ways.users - 1, 0)
        factor = min(factor * _DEARER, _DEAREST)
    return None


def in_order(network: WireNetwork) -> npt.NDArray[np.int64]:
    """(n_wires,) number of each wire in order of time."""
    wire = np.empty(network.n_wires, np.int64)
    wire[network.first[:-1]] = np.arange(network.n_rows)
    wire[network.before + 1] = network.n_rows + np.arange(len(network.before))
    return wire


def roads_of(core: Core, possible: TokenSets, wire: npt.NDArray[np.int64]) -> Roads:
    """The network with its wires in order of time."""
    network = core.network
    allowed = np.empty((possible.shape[1], network.n_wires), np.uint64)
    allowed[:, wire] = possible.T
    comes_from, leads_to = np.empty((2, network.n_wires), np.int64)
    comes_from[wire], leads_to[wire] = network.comes_from, network.leads_to
    return Roads(
        network.zone_ptr,
        wire[network.before],
        comes_from,
        leads_to,
        wire[network.first[1:] - 1],
        allowed,
    )


def new_ways(
    n_wires: int, token: npt.NDArray[np.int64], horizon: int, random: np.random.Generator
) -> Ways:
    """Tokens that are where they start, and have no ways yet."""
    users = np.zeros(n_wires, np.int32)
    users[token] = 1
    path = np.full((len(token), horizon + 2), -1, np.int64)  # one zone a step at most
    path[:, 0] = token
    return Ways(
        users,
        np.zeros(n_wires, np.float32),
        np.ones(n_wires, np.float32),
        (_TASTE * random.random(_TASTES)).astype(np.float32),
        path,
        np.ones(len(token), np.int64),
        random.integers(1, 2**63, 1, dtype=np.uint64),
    )


def _told(
    core: Core, ways: Ways, wire: npt.NDArray[np.int64], tracked: npt.NDArray[np.bool_]
) -> Assignment | None:
    """The assignment in which tracked tokens take their ways."""
    on = np.full(len(wire), -1, np.int32)
    mine = np.arange(ways.path.shape[1]) < ways.length[:, None]
    on[ways.path[mine]] = np.repeat(np.flatnonzero(tracked), ways.length)
    found = complete(core, on[wire], tracked)
    return None if np.any(found < 0) else found
