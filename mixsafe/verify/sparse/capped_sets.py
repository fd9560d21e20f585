"""Upper bounds by capped sets (facts 5 and 15): at most so many tokens, else "more".

All wires out of a zone can hold the same tokens, whoever comes to it; and all wires into a zone
those that get on from it to where they are seen next. So sets belong to zones, and a zone of more
members than a set may have needs none: its members' own tokens are there already. Forward and
backward sets that are both small are followed exactly, token by token; where one of them is small
it is an upper bound alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import as_python, compiled, inner
from mixsafe.verify.sparse.strands import NEVER, Ints, Small, Whole, next_seen

_ZONES_AT_ONCE = 1 << 16
_MORE = -1


class CappedSets(NamedTuple):
    """A set of tokens for each zone, where it is small."""

    begin: Ints  # (n_zones,): of the zone's tokens; -1: there are more than a set may have
    size: Small  # (n_zones,)
    tokens: Small


class Side(NamedTuple):
    """Of which wires a sweep makes the sets of zones, and from which they take them."""

    forward: bool
    cap: int


def most_tokens(whole: Whole, cap: int) -> Small:
    """(n_wires,) int32 upper bounds; the number of rows where there are more than ``cap``.

    Parameters
    ----------
    network, net
        The wires.
    seen
        SeenSteps of tokens on their own rows. What else is known is left out: that only makes the
        bounds larger.
    cap
        Tokens of a set, >= 1.
    """
    net = whole.net
    steps = 4 * cap * len(net.member)
    with as_python(steps):
        come = _swept(whole, Side(True, cap))
        leave = _swept(whole, Side(False, cap))
        upper = np.empty(len(net.start), np.int32)
        room = np.zeros((2, cap + 1), np.int32)
        _count(upper, room, come, leave, whole)
    return upper


def _swept(whole: Whole, side: Side) -> CappedSets:
    """The sets of all zones, in time or against it."""
    net = whole.net
    n_zones = len(net.zone_time)
    begin, size = np.full(n_zones, _MORE, np.int64), np.zeros(n_zones, np.int32)
    tokens, filled = np.zeros(_ZONES_AT_ONCE * side.cap, np.int32), 0
    for done in range(0, n_zones, _ZONES_AT_ONCE):
        until = min(done + _ZONES_AT_ONCE, n_zones)
        if len(tokens) < filled + (until - done) * side.cap:
            tokens = np.concatenate([tokens, np.zeros_like(tokens)])
        sets = CappedSets(begin, size, tokens)
        room = np.zeros(side.cap + 1, np.int32)
        filled = _sweep(done, until, filled, room, side, sets, whole)
    return CappedSets(begin, size, tokens)


@compiled
def _sweep(  # pragma: no cover - compiled
    done: int,
    until: int,
    filled: int,
    room: Small,
    side: Side,
    sets: CappedSets,
    whole: Whole,
) -> int:
    """Make the sets of some zones after those that were made before; how many tokens they hold."""
    net = whole.net
    for number in range(done, until):
        zone = number if side.forward else len(net.zone_time) - 1 - number
        begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
        n = 0
        if end - begin > side.cap:
            continue
        for m in range(begin, end):
            wire = net.before[m] + (0 if side.forward else 1)
            n = _join(wire, net.member[m], n, room, side, sets, whole)
            if n < 0:
                break
        if n >= 0:
            sets.begin[zone], sets.size[zone] = filled, n
            for i in range(n):
                sets.tokens[filled + i] = room[i]
            filled += n
    return filled


@inner
def _join(  # pragma: no cover - compiled
    wire: int,
    row: int,
    n: int,
    room: Small,
    side: Side,
    sets: CappedSets,
    whole: Whole,
) -> int:
    """Add the tokens of a wire to the ``n`` that are in ``room``; -1: these are too many."""
    net, seen = whole.net, whole.seen
    start = net.start[wire]
    end = net.zone_time[net.zone[wire]] if net.zone[wire] >= 0 else NEVER
    if (side.forward and wire == net.first[row]) or next_seen(row, start, seen) < end:
        return _add(row, n, room, side.cap)
    zone = net.zone[wire - 1] if side.forward else net.zone[wire]
    if zone < 0 or sets.begin[zone] < 0:
        return -1
    for i in range(sets.begin[zone], sets.begin[zone] + sets.size[zone]):
        token = sets.tokens[i]
        if next_seen(token, start, seen) >= end:
            n = _add(token, n, room, side.cap)
            if n < 0:
                return -1
    return n


@inner
def _add(token: int, n: int, room: Small, cap: int) -> int:  # pragma: no cover - compiled
    """Add a token to the ``n`` in ``room`` unless it is there; -1: it is one too many."""
    for i in range(n):
        if room[i] == token:
            return n
    if n == cap:
        return -1
    room[n] = token
    return n + 1


@compiled
def _count(  # pragma: no cover - compiled
    upper: Small,
    room: npt.NDArray[np.int32],
    come: CappedSets,
    leave: CappedSets,
    whole: Whole,
) -> None:
    """Count on each wire the tokens of both sets, or of the one that is small."""
    net = whole.net
    n_rows, cap = len(net.first) - 1, room.shape[1] - 1
    for row in range(n_rows):
        for wire in range(net.first[row], net.first[row + 1]):
            one = _join(wire, row, 0, room[0], Side(True, cap), come, whole)
            other = _join(wire, row, 0, room[1], Side(False, cap), leave, whole)
            if one < 0 or other < 0:
                most = one if one >= 0 else other
                upper[wire] = n_rows if most < 0 else most
                continue
            upper[wire] = 0
            for i in range(one):
                for j in range(other):
                    upper[wire] += room[0, i] == room[1, j]
