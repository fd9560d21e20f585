"""Cheapest ways of tokens through a network, and detours around wires that others want, too.

A detour replaces a stretch of a token's way: it begins and ends on wires that stay. So only zones
that lie on some way from the one to the other are looked at.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.solver.local.generator import next_random
from mixsafe.solver.state.tokens import bit

_SPREADS = (3, 6, 12)  # wires to either side that a detour replaces at most, one of these
_NOWHERE = np.float32(1e30)

Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]


class Roads(NamedTuple):
    """A network with its wires in order of time.

    Wires 0 to n_rows - 1 are those of step 0; then each entry of the zones has the wire on which
    its member leaves.
    """

    zone_ptr: Longs
    came: Longs  # wire on which the member of each entry comes
    comes_from: Longs  # zone at the start of each wire, -1 at step 0
    leads_to: Longs  # zone at the end of each wire, -1 at the horizon
    last: Longs  # (n_rows,): wires at the horizon
    allowed: npt.NDArray[np.uint64]  # (words, n_wires): tokens that may be on each wire


class Ways(NamedTuple):
    """Ways of tokens, and what wires cost whoever thinks of taking them."""

    users: npt.NDArray[np.int32]  # tokens on each wire
    dear: Floats  # what sharing has cost so far
    cost: Floats  # of each wire at present
    taste: Floats  # by which tokens differ about costs; a power of two of them
    path: Longs  # (n_tokens, most): wires of each way, in order of time
    length: Longs  # (n_tokens,)
    random: npt.NDArray[np.uint64]  # state of the generator


class PathSearch(NamedTuple):
    """Working memory of searches, as it must be between two of them."""

    reach: Floats  # cost of the cheapest way to each wire
    via: Longs  # wire by which that way comes to each zone
    ahead: Longs  # mark of the last search that came to each zone
    back: Longs  # mark of the last search whose end can be reached from each zone
    seen: Longs  # zones that were looked at
    way: Longs  # what was found, the last wire first
    mark: Longs  # (1,): that of the last search


@compiled
def negotiate(  # pragma: no cover - compiled
    tokens: Longs, factor: np.float32, roads: Roads, ways: Ways
) -> None:
    """Let those of ``tokens`` who share a wire, or have no way yet, look for another.

    Parameters
    ----------
    tokens
        Numbers of ways: token i starts on wire ``ways.path[i, 0]``, which has its number.
    factor
        What sharing a wire costs, in wires.
    """
    s = new_search(roads, ways)
    for i in tokens:
        begin, end = stretch(i, -1, roads, ways)
        if begin >= 0:
            detour(i, begin, end, factor, roads, ways, s)


@compiled
def new_search(roads: Roads, ways: Ways) -> PathSearch:  # pragma: no cover - compiled
    """Working memory."""
    n_wires, n_zones = len(roads.leads_to), len(roads.zone_ptr) - 1
    return PathSearch(
        np.full(n_wires, _NOWHERE, np.float32),
        np.full(n_zones, -1, np.int64),
        np.full(n_zones, -1, np.int64),
        np.full(n_zones, -1, np.int64),
        np.empty(n_zones, np.int64),
        np.empty(ways.path.shape[1], np.int64),
        np.zeros(1, np.int64),
    )


@compiled
def detour(  # pragma: no cover - compiled
    i: int, begin: int, end: int, factor: np.float32, roads: Roads, ways: Ways, s: PathSearch
) -> int:
    """Replace what lies between two places of a way by the cheapest; its length."""
    clear(i, begin, end, factor, ways)
    target = -1 if end == ways.length[i] else int(ways.path[i, end])
    found = cheapest(i, ways.path[i, begin], target, roads, ways, s)
    replace(i, begin, end, found, factor, ways, s)
    return found


@compiled
def clear(  # pragma: no cover - compiled
    i: int, begin: int, end: int, factor: np.float32, ways: Ways
) -> None:
    """Token ``i`` leaves the wires between two places of its way."""
    for j in range(begin + 1, min(end, ways.length[i])):
        count(ways.path[i, j], -1, factor, ways)


@compiled
def count(  # pragma: no cover - compiled
    wire: int, change: int, factor: np.float32, ways: Ways
) -> None:
    """One more token on a wire, or one less."""
    ways.users[wire] += change
    ways.cost[wire] = (1 + ways.dear[wire]) * (1 + factor * ways.users[wire])


@compiled
def stretch(  # pragma: no cover - compiled
    i: int, held: int, roads: Roads, ways: Ways
) -> tuple[int, int]:
    """Places on the way of token ``i`` between which to look again; (-1, -1): nowhere.

    What is at these places stays; the end may be the length of the way: then its end is free. The
    wire ``held`` stays in any case (-1: none).
    """
    n = ways.length[i]
    if roads.leads_to[ways.path[i, n - 1]] >= 0:  # it has no way yet
        return 0, n
    low, high, first, last = 0, n, -1, -1
    for j in range(1, n):
        wire = ways.path[i, j]
        if wire == held:
            if first >= 0:  # what is shared before it comes first
                high = j
                break
            low = j
        elif ways.users[wire] > 1:
            first, last = (j if first < 0 else first), j
    if first < 0:
        return -1, -1
    spread = _SPREADS[next_random(ways.random, len(_SPREADS))]
    begin = max(low, first - 1 - next_random(ways.random, spread))
    end = min(high, last + 1 + next_random(ways.random, spread))
    return begin, end


@compiled
def _look_back(  # pragma: no cover - compiled
    first: int, last: int, mark: int, roads: Roads, s: PathSearch
) -> int:
    """Mark zones from which zone ``last`` can be reached; the first one that is looked at.

    Half the way back: farther back nearly all zones are.
    """
    middle = (first + last) // 2
    s.back[last] = mark
    for z in range(last, middle, -1):
        if s.back[z] == mark:
            for m in range(roads.zone_ptr[z], roads.zone_ptr[z + 1]):
                zone = roads.comes_from[roads.came[m]]
                if zone >= 0:
                    s.back[zone] = mark
    return middle


@compiled
def cheapest(  # pragma: no cover - compiled
    i: int, start: int, target: int, roads: Roads, ways: Ways, s: PathSearch
) -> int:
    """Write the cheapest way from ``start`` to ``target`` to ``s.way``.

    Returns its length, -1 if there is none. The last wire comes first, ``start`` is left out.
    A ``target`` of -1 is any wire at the horizon.
    """
    s.mark[0] += 1
    mark = s.mark[0]
    first = roads.leads_to[start]
    last = len(roads.zone_ptr) - 2 if target < 0 else roads.comes_from[target]
    middle = last if target < 0 else _look_back(first, last, mark, roads, s)
    shift = next_random(ways.random, len(ways.taste))
    s.reach[start] = 0.0
    s.ahead[first] = mark
    n = 0
    for z in range(first, last + 1):
        if s.ahead[z] == mark and (z <= middle or s.back[z] == mark):
            s.seen[n] = z
            n += 1
            _through(z, ways.path[i, 0], shift, mark, roads, ways, s)
    wire = target
    if target < 0:
        for one in roads.last:
            if wire < 0 or s.reach[one] < s.reach[wire]:
                wire = one
    found = 0 if s.reach[wire] < _NOWHERE else -1
    while found >= 0 and wire != start:
        s.way[found] = wire
        found += 1
        wire = s.via[roads.comes_from[wire]]
    s.reach[start] = _NOWHERE
    for z in s.seen[:n]:
        for m in range(roads.zone_ptr[z], roads.zone_ptr[z + 1]):
            s.reach[len(roads.last) + m] = _NOWHERE
    return found


@compiled
def _through(  # pragma: no cover - compiled
    z: int, token: int, shift: int, mark: int, roads: Roads, ways: Ways, s: PathSearch
) -> None:
    """Go on from the cheapest wire that comes to a zone to all that may be left on."""
    begin, end = roads.zone_ptr[z], roads.zone_ptr[z + 1]
    best = roads.came[begin]
    for m in range(begin + 1, end):
        if s.reach[roads.came[m]] < s.reach[best]:
            best = roads.came[m]
    s.via[z] = best
    so_far = s.reach[best]
    allowed, mine = roads.allowed[token >> 6], bit(token)
    mask = len(ways.taste) - 1
    for m in range(begin, end):
        wire = len(roads.last) + m
        if allowed[wire] & mine:
            s.reach[wire] = so_far + ways.cost[wire] + ways.taste[(m + shift) & mask]
            zone = roads.leads_to[wire]
            if zone >= 0:
                s.ahead[zone] = mark


@compiled
def replace(  # pragma: no cover - compiled
    i: int, begin: int, end: int, found: int, factor: np.float32, ways: Ways, s: PathSearch
) -> None:
    """Put what was found between two places of a way, which were cleared."""
    old, path = ways.length[i], ways.path[i]
    rest = max(0, old - end - 1)  # what stays after the target, which is found again
    ways.length[i] = begin + 1 + found + rest
    tail = path[old - rest : old].copy()
    for j in range(found):
        path[begin + 1 + j] = s.way[found - 1 - j]
    path[begin + 1 + found : ways.length[i]] = tail
    for j in range(1 if end < old else 0, found):
        count(s.way[j], 1, factor, ways)
