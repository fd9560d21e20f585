"""Lower bounds by free carriers: users of whom nothing more is known after some moment.

From her last sighting on, a user's token may end anywhere; her row is *free*. A token that must
be back later can be carried over free rows: at each zone it changes places with the free token
that it meets, which need never return. So what a single token can reach over free rows alone, it
can have (a lower bound for the free rows); and while it is away, free tokens that its own row
meets can be there (a lower bound for the rows that are not free).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from numba import njit, prange

from mixsafe.compiled import compiled
from mixsafe.model.question.adversary import Links
from mixsafe.verify.bounds.reachability import narrow
from mixsafe.verify.core import tokens
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets

_NOBODY = np.uint64(0)
_MAX_LEAVES = 64  # leaves of a row in one stretch between two sightings that are followed up


def carried(core: Core, wires: npt.NDArray[np.int64]) -> TokenSets | None:
    """Tokens that free carriers can bring to each wire; a subset of the candidates.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    wires
        Wires for which the second bound (their token is away) is wanted.

    Returns
    -------
    (n_wires, words) uint64; None when no row is free anywhere.
    """
    network = core.network
    own, last_known, free = free_wires(core)
    if not free.any():
        return None
    reached = carrier_wires(core, free)
    narrow(own, reached)
    proven = reached.copy()
    rows = np.unique(network.row[wires])
    pins = own.pins
    order = np.lexsort((pins.time, pins.token))
    _fill_absent(
        rows,
        proven,
        reached,
        free,
        last_known,
        network.first,
        network.start,
        network.zone_time,
        network.zone_ptr,
        network.member,
        network.before,
        pins.time[order],
        np.searchsorted(pins.token[order], np.arange(network.n_rows + 1)),
    )
    return proven


def free_wires(
    core: Core,
) -> tuple[Core, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Where rows are free.

    Returns
    -------
    Core
        The question with links as pins to the row's own token.
    (n_rows,) int64
        Last step at which something is known of each row's token.
    (n_wires,) bool
        Wires that begin after it.
    """
    network = core.network
    own = Core(network, core.own_pins(), Links.none())
    last_known = np.full(network.n_rows, -1, np.int64)
    np.maximum.at(last_known, own.pins.token, own.pins.time)
    np.maximum.at(last_known, own.pins.rows, np.repeat(own.pins.time, np.diff(own.pins.ptr)))
    return own, last_known, network.start > last_known[network.row]


def carrier_wires(core: Core, free: npt.NDArray[np.bool_]) -> TokenSets:
    """Any token on free wires, its own on each other one."""
    allowed = tokens.identity(core.network.row, core.words)
    allowed[free] = ~np.uint64(0)
    return allowed


@njit(cache=True, parallel=True)
def _fill_absent(  # pragma: no cover - compiled
    rows: npt.NDArray[np.int32],
    proven: TokenSets,
    reached: TokenSets,
    free: npt.NDArray[np.bool_],
    last_known: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
    known_time: npt.NDArray[np.int32],
    known_ptr: npt.NDArray[np.int64],
) -> None:
    """For each row, stretch by stretch between sightings: who can be there while it is away."""
    words = proven.shape[1]
    for i in prange(len(rows)):
        u = rows[i]
        away = np.zeros(len(first) - 1, np.uint64)  # leaves after which u may be on each row
        guests = np.zeros((_MAX_LEAVES, words), np.uint64)
        for s in range(known_ptr[u], known_ptr[u + 1] - 1):
            if known_time[s + 1] - known_time[s] > 1:
                _fill_stretch(
                    u, known_time[s], known_time[s + 1], away, guests, proven, reached, free,
                    last_known, first, start, zone_time, zone_ptr, member, before,
                )  # fmt: skip


@compiled
def _fill_stretch(  # pragma: no cover - compiled
    u: int,
    begin: int,
    end: int,
    away: npt.NDArray[np.uint64],
    guests: TokenSets,
    proven: TokenSets,
    reached: TokenSets,
    free: npt.NDArray[np.bool_],
    last_known: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    start: npt.NDArray[np.int32],
    zone_time: npt.NDArray[np.int32],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
) -> None:
    """One stretch after step ``begin`` and before step ``end``, at which u must be back.

    ``away[v]`` has bit j set when u may be on row v and has been away since its j-th leave;
    ``guests[j]`` holds the free tokens that can have taken its place then.
    """
    away[:] = 0
    one = np.uint64(1)
    leaves = 0
    z = np.searchsorted(zone_time, begin, side="right")
    wire = first[u] + np.searchsorted(start[first[u] : first[u + 1]], begin, side="right") - 1
    while z < len(zone_time) and zone_time[z] < end:
        t = zone_time[z]
        while z < len(zone_time) and zone_time[z] == t:
            begins = _NOBODY
            if u in member[zone_ptr[z] : zone_ptr[z + 1]]:
                wire += 1
                if leaves < _MAX_LEAVES:
                    begins = one << np.uint64(leaves)
                    _welcome(guests[leaves], z, t, reached, free, last_known, zone_ptr, before)
                    leaves += 1
            _go_on(u, z, begins, away, reached, free, zone_ptr, member, before)
            z += 1
        if start[wire] == t:  # a wire's token does not change: the wire's first step tells all
            since = _NOBODY
            for leave in away:
                since |= leave
            for j in range(leaves):
                if since >> np.uint64(j) & one:
                    proven[wire] |= guests[j]


@compiled
def _go_on(  # pragma: no cover - compiled
    u: int,
    z: np.int64,
    begins: np.uint64,
    away: npt.NDArray[np.uint64],
    reached: TokenSets,
    free: npt.NDArray[np.bool_],
    zone_ptr: npt.NDArray[np.int64],
    member: npt.NDArray[np.int32],
    before: npt.NDArray[np.int64],
) -> None:
    """Where token ``u`` can be after zone ``z`` when it is away, or leaves home there."""
    gone = begins
    for m in range(zone_ptr[z], zone_ptr[z + 1]):
        gone |= away[member[m]]
    if gone == _NOBODY:
        return
    bit = np.uint64(1) << np.uint64(u % 64)
    for m in range(zone_ptr[z], zone_ptr[z + 1]):
        if member[m] != u:
            after = before[m] + 1
            can = free[after] and (reached[after, u // 64] & bit) != 0
            away[member[m]] = gone if can else _NOBODY


@compiled
def _welcome(  # pragma: no cover - compiled
    guest: npt.NDArray[np.uint64],
    z: np.int64,
    t: int,
    reached: TokenSets,
    free: npt.NDArray[np.bool_],
    last_known: npt.NDArray[np.int64],
    zone_ptr: npt.NDArray[np.int64],
    before: npt.NDArray[np.int64],
) -> None:
    """Free tokens that free rows can bring to zone ``z``."""
    guest[:] = 0
    for m in range(zone_ptr[z], zone_ptr[z + 1]):
        if free[before[m] + 1]:
            guest |= reached[before[m]]
    for c in range(len(last_known)):
        if last_known[c] >= t:
            guest[c // 64] &= ~(np.uint64(1) << np.uint64(c % 64))
