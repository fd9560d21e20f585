"""Pebbles: the tracked tokens of the dynamic program, where each may be, and how zones move them.

A state is the row of each pebble, packed into one 64-bit number. Zones move rows, so pebbles on
one row are one token and stay together. Tokens that nobody tracks fill the other rows, in any
order: a permutation of a zone can always be completed around the pebbles.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork, Wires

States = npt.NDArray[np.uint64]
"""(n_states,) packed rows of the pebbles, no state twice."""

STATE_BITS = 63
"""Bits of a state; all 64 set never is one."""

_EMPTY = ~np.uint64(0)
_SCATTER = np.uint64(0x9E3779B97F4A7C15)  # Fibonacci hashing: 2**64 / golden ratio


class Packing(NamedTuple):
    """Where a state has the row of each open pebble: ``(state >> shift) & mask``.

    ``shifts``, (n_open,); ``mask``, the bits of a row.
    """

    shifts: npt.NDArray[np.uint64]
    mask: np.uint64


class PebbledZone(NamedTuple):
    """A zone, and who of the open pebbles can have come to it where.

    Parameters
    ----------
    place
        (n_rows,) index of each row among the ``members``, -1 for the other rows.
    members
        (size,) rows that meet.
    allowed
        (n_open, size): whether the pebble may come to the zone on the member's row.
    """

    place: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    allowed: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Pebble:
    """A token that is tracked from its first stop to its last one.

    Parameters
    ----------
    stops
        (step, rows on one of which the token is after it), in order of time, two or more.
    """

    stops: tuple[tuple[int, frozenset[int]], ...]

    @property
    def begin(self) -> int:
        """Step from which the token is tracked."""
        return self.stops[0][0]

    @property
    def end(self) -> int:
        """Step up to which the token is tracked."""
        return self.stops[-1][0]


def tracked_tokens(core: Core) -> list[Pebble]:
    """A pebble for each pinned token (from step 0 to its last pin), and one for each link."""
    pins, links = core.pins, core.links
    stops: dict[int, dict[int, frozenset[int]]] = {}
    for p in range(len(pins)):
        token, time = int(pins.token[p]), int(pins.time[p])
        rows = frozenset(pins.rows[pins.ptr[p] : pins.ptr[p + 1]].tolist())
        mine = stops.setdefault(token, {0: frozenset([token])})
        mine[time] = mine.get(time, rows) & rows
    pinned = [Pebble(tuple(sorted(mine.items()))) for mine in stops.values() if len(mine) > 1]
    ends = zip(links.row.tolist(), links.start.tolist(), links.end.tolist(), strict=True)
    linked = [
        Pebble(((start, frozenset([row])), (end, frozenset([row])))) for row, start, end in ends
    ]
    return pinned + linked


def reach(
    network: WireNetwork, zones: npt.NDArray[np.int64], pebble: Pebble
) -> npt.NDArray[np.bool_]:
    """Wires on which a pebble can be, moved by some ``zones`` alone, between its stops.

    Parameters
    ----------
    network
        The wires.
    zones
        Zones that may move it, in order of time.
    pebble
        With stops on rows that are all moved by ``zones`` only.

    Returns
    -------
    (n_wires,) bool.
    """
    on_wire = np.zeros(network.n_wires, bool)
    for (begin, from_rows), (end, to_rows) in zip(pebble.stops, pebble.stops[1:], strict=False):
        first, last = np.searchsorted(network.zone_time[zones], [begin, end], side="right")
        between = zones[first:last]
        starts = network.wire_at(list(from_rows), np.full(len(from_rows), begin))
        ends = network.wire_at(list(to_rows), np.full(len(to_rows), end))
        on_wire |= _between(starts, ends, between, network.wires)
    return on_wire


@compiled
def _between(  # pragma: no cover - compiled
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    zones: npt.NDArray[np.int64],
    net: Wires,
) -> npt.NDArray[np.bool_]:
    """Wires on the ways from some wires to others."""
    zone_ptr, before, n_wires = net.zone_ptr, net.before, len(net.start)
    onward = np.zeros(n_wires, np.bool_)
    onward[starts] = True
    for z in zones:
        came = False
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            came |= onward[before[m]]
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            onward[before[m] + 1] |= came
    back = np.zeros(n_wires, np.bool_)
    back[ends] = True
    for z in zones[::-1]:
        left = False
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            left |= back[before[m] + 1]
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            back[before[m]] |= left
    return onward & back


@compiled
def exchange_back(  # pragma: no cover - compiled
    states: States, packing: Packing, zone: PebbledZone, most: int
) -> tuple[States, int]:
    """States before a zone from the states after it, and how many steps that took.

    States that differ only in how the zone's tokens lie on its members come from the same states
    before; one representative of them is followed, so that nothing is found twice.

    Parameters
    ----------
    states
        After the zone.
    packing, zone
        Where states have the open pebbles, and where these may come from.
    most
        After more steps than these it ends, and what it returns is not all.
    """
    shifts, members = packing.shifts, zone.members
    found = np.empty(len(states) + 16, np.uint64)
    n_found = steps = 0
    seen = np.full(_slots_for(len(states)), _EMPTY, np.uint64)
    token = np.empty(len(shifts), np.int64)
    in_order = np.arange(len(members))
    chosen = np.empty(len(members) + 1, np.int64)
    for state in states:
        steps += 1
        n_tokens, elsewhere = tokens_here(state, packing, zone.place, token)
        representative = put(elsewhere, shifts, token, members, in_order)
        if n_tokens and not _insert(seen, representative):
            continue
        depth = 0
        chosen[0] = -1
        while depth >= 0:  # all choices of different members for the tokens, in turn
            steps += 1
            if steps > most:
                return found[:n_found].copy(), steps
            if depth == n_tokens:
                if n_found == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                found[n_found] = put(elsewhere, shifts, token, members, chosen)
                n_found += 1
                depth -= 1
                continue
            chosen[depth] = next_member(chosen, depth, token, zone.allowed)
            if chosen[depth] < len(members):
                depth += 1
                chosen[depth] = -1
            else:
                depth -= 1
    return found[:n_found].copy(), steps


@inner
def tokens_here(  # pragma: no cover - compiled
    state: np.uint64,
    packing: Packing,
    place: npt.NDArray[np.int64],
    token: npt.NDArray[np.int64],
) -> tuple[int, np.uint64]:
    """Number the tokens in the zone in order of the pebbles, -1 for pebbles that are elsewhere.

    Returns how many there are, and the state without them. Pebbles on one row are one token.
    """
    shifts, mask = packing
    n_tokens = 0
    elsewhere = state
    for p in range(len(shifts)):
        row = (state >> shifts[p]) & mask
        token[p] = -1
        if place[row] < 0:
            continue
        elsewhere &= ~(mask << shifts[p])
        for q in range(p):
            if (state >> shifts[q]) & mask == row:
                token[p] = token[q]
        if token[p] < 0:
            token[p] = n_tokens
            n_tokens += 1
    return n_tokens, elsewhere


@inner
def put(  # pragma: no cover - compiled
    elsewhere: np.uint64,
    shifts: npt.NDArray[np.uint64],
    token: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    chosen: npt.NDArray[np.int64],
) -> np.uint64:
    """State with each of the zone's tokens on the member that is chosen for it."""
    for p in range(len(shifts)):
        if token[p] >= 0:
            elsewhere |= np.uint64(members[chosen[token[p]]]) << shifts[p]
    return elsewhere


@inner
def next_member(  # pragma: no cover - compiled
    chosen: npt.NDArray[np.int64],
    depth: int,
    token: npt.NDArray[np.int64],
    allowed: npt.NDArray[np.bool_],
) -> int:
    """Next member for a token, of those that earlier tokens left; the zone's size: none."""
    size = allowed.shape[1]
    for member in range(chosen[depth] + 1, size):
        fits = True
        for earlier in range(depth):
            fits &= chosen[earlier] != member
        for p in range(len(token)):
            fits &= token[p] != depth or allowed[p, member]
        if fits:
            return member
    return size


@inner
def _slots_for(n_states: int) -> int:  # pragma: no cover - compiled
    slots = 16
    while slots < 2 * n_states:
        slots *= 2
    return slots


@inner
def _insert(seen: States, state: np.uint64) -> bool:  # pragma: no cover - compiled
    """Add a state to the hash table ``seen``; False: it is there already."""
    last = len(seen) - 1
    slot = np.int64((state * _SCATTER) >> np.uint64(20)) & last
    while seen[slot] != _EMPTY:
        if seen[slot] == state:
            return False
        slot = (slot + 1) & last
    seen[slot] = state
    return True
