"""Lower bounds by free users: users without sightings after some step.

After the last sighting of a user, the user's token may end anywhere; the row is *free*. A token
that must return later can travel over free rows: at each zone it changes places with the free
token that it meets, which need not return. So every free wire that a single token can reach over
free rows alone has it as a candidate. While the token is away, free tokens that its own row meets
are candidates there, which bounds the rows that are not free.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

_MAX_LEAVES = 64  # leaves of a row in one stretch between two sightings that are followed up
_AT_ONCE = 256  # stretches that a thread takes up at once


class FreeUsers(NamedTuple):
    """Free rows, and the tokens that can travel over them."""

    reached: TokenSets  # (n_wires, words): tokens that reach each wire over free rows alone
    free: npt.NDArray[np.bool_]  # (n_wires,): wires of free rows
    last_known: npt.NDArray[np.int64]  # (n_rows,): step of the last sighting of each token


def carried(core: Core, wires: npt.NDArray[np.int64], workers: int = 0) -> TokenSets | None:
    """Tokens that can come to each wire by way of free users; a subset of the candidates.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    wires
        Wires for which the second bound (their token is away) is wanted.
    workers
        Threads; 0 means one per core.

    Returns
    -------
    (n_wires, words) uint64; None when no row is free anywhere.
    """
    network = core.network
    free_users = are_free(core)
    if free_users is None:
        return None
    proven = free_users.reached.copy()
    stretches = _stretches(core, core.own_pins(), np.unique(network.row[wires]))
    blocks = np.array_split(stretches, 1 + len(stretches) // _AT_ONCE)

    def fill(block: npt.NDArray[np.int64]) -> None:
        away = np.empty(network.n_rows, np.uint64)
        guests = np.empty((_MAX_LEAVES, core.words), np.uint64)
        _fill_absent(block, proven, away, guests, free_users, network.wires)

    side_by_side(fill, blocks, workers)
    return proven


def are_free(core: Core) -> FreeUsers | None:
    """The free rows, and the tokens that can travel over them; None: no row is free anywhere.

    Free tokens make room in complete zones only: with a relation none is looked for.
    """
    if core.network.relation is not None:
        return None
    own, last_known, free = free_wires(core)
    if not free.any():
        return None
    reached = free_user_wires(core, free)
    narrow(own, reached)
    return FreeUsers(reached, free, last_known)


def _stretches(core: Core, pins: Pins, rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
    """(n, 4) stretches: row, first wire, first zone after its begin, first zone not before its end.

    A stretch lies between two consecutive pins of a row's token that are more than a step apart.
    Stretches are sorted by row.
    """
    network = core.network
    order = np.lexsort((pins.time, pins.token))
    token, time = pins.token[order], pins.time[order]
    chosen = np.flatnonzero((token[1:] == token[:-1]) & (time[1:] > time[:-1] + 1))
    chosen = chosen[np.isin(token[chosen], rows)]
    begin, end = time[chosen], time[chosen + 1]
    return np.stack(
        [
            token[chosen].astype(np.int64),
            network.wire_at(token[chosen], begin),
            np.searchsorted(network.zone_time, begin, side="right"),
            np.searchsorted(network.zone_time, end, side="left"),
        ],
        axis=1,
    )


def free_wires(
    core: Core,
) -> tuple[Core, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Find the free wires.

    Returns
    -------
    Core
        The question with links as pins to the row's own token.
    (n_rows,) int64
        Step of the last sighting of each row's token, or on each row.
    (n_wires,) bool
        Wires that begin after it.
    """
    network = core.network
    own = Core(network, core.own_pins(), Links.none())
    last_known = np.full(network.n_rows, -1, np.int64)
    np.maximum.at(last_known, own.pins.token, own.pins.time)
    np.maximum.at(last_known, own.pins.rows, np.repeat(own.pins.time, np.diff(own.pins.ptr)))
    return own, last_known, network.start > last_known[network.row]


def free_user_wires(core: Core, free: npt.NDArray[np.bool_]) -> TokenSets:
    """Sets with all tokens on free wires, and the row's own token on all others."""
    allowed = tokens.identity(core.network.row, core.words)
    allowed[free] = ~np.uint64(0)
    return allowed


@tiered
def _fill_absent(  # pragma: no cover - compiled
    stretches: npt.NDArray[np.int64],
    proven: TokenSets,
    away: npt.NDArray[np.uint64],
    guests: TokenSets,
    free_users: FreeUsers,
    net: Wires,
) -> None:
    """Add to each row, stretch by stretch, the tokens that can be there while its own is away.

    ``away[v]`` has bit j set when the row's token may be on row v and has been away since its j-th
    leave; ``guests[j]`` holds the free tokens that can have taken its place then.
    """
    for i in range(len(stretches)):
        u, wire, z, last = stretches[i, 0], stretches[i, 1], stretches[i, 2], stretches[i, 3]
        for v in range(len(away)):
            away[v] = 0
        leaves = 0
        while z < last:
            t = net.zone_time[z]
            while z < last and net.zone_time[z] == t:
                begins = np.uint64(0)
                if net.leads_to[wire] == z:
                    wire += 1
                    if leaves < _MAX_LEAVES:
                        begins = np.uint64(1) << np.uint64(leaves)
                        _fill_guests(guests[leaves], z, free_users, net)
                        leaves += 1
                _go_on(u, z, begins, away, free_users, net)
                z += 1
            if net.start[wire] == t:  # a wire's token does not change: its first step tells all
                _add_guests(proven[wire], leaves, away, guests)


@inner
def _add_guests(  # pragma: no cover - compiled
    wire: npt.NDArray[np.uint64], leaves: int, away: npt.NDArray[np.uint64], guests: TokenSets
) -> None:
    """Add to a wire the guests of all departures after which its own token may still be away."""
    since = np.uint64(0)
    for v in range(len(away)):
        since |= away[v]
    for j in range(leaves):
        if (since >> np.uint64(j)) & np.uint64(1):
            for word in range(len(wire)):
                wire[word] |= guests[j, word]


@inner
def _go_on(  # pragma: no cover - compiled
    u: int,
    z: int,
    begins: np.uint64,
    away: npt.NDArray[np.uint64],
    free_users: FreeUsers,
    net: Wires,
) -> None:
    """Update the rows on which token ``u`` can be after zone ``z``, if it is or gets away."""
    gone = begins
    for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        gone |= away[net.member[m]]
    if gone == 0:
        return
    for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        if net.member[m] != u:
            after = net.before[m] + 1
            can = free_users.free[after] and tokens.holds(free_users.reached[after], u)
            away[net.member[m]] = gone if can else np.uint64(0)


@inner
def _fill_guests(  # pragma: no cover - compiled
    guest: npt.NDArray[np.uint64], z: int, free_users: FreeUsers, net: Wires
) -> None:
    """Set ``guest`` to the free tokens that can come to zone ``z`` over free rows."""
    for word in range(len(guest)):
        guest[word] = 0
    for m in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        wire = net.before[m]
        if free_users.free[wire + 1]:
            for word in range(len(guest)):
                guest[word] |= free_users.reached[wire, word]
    for c in range(len(free_users.last_known)):
        if free_users.last_known[c] >= net.zone_time[z]:
            tokens.remove(guest, c)
