"""Upper bounds by capped sets (facts 5 and 15): sets of at most ``cap`` tokens, else "more".

All wires out of a zone can hold the same tokens, those that can come to it. All wires into a zone
can hold those that can reach their next sighting from it. So sets belong to zones. A zone with more
members than the cap needs no set, because its members' own tokens exceed the cap. If the forward
and the backward set are both small, they are intersected; if one is small, it is an upper bound
alone. Sets are hash tables, so their cost is their size. A wire with a list of tokens from links
can hold only those. Relations of zones are ignored, which can only weaken the bounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.network.timeline import BACKWARD, FORWARD, NEVER, next_seen
from mixsafe.network.wires import Ints, Small
from mixsafe.solver.large.capped.linked_wires import LargeProblem, list_of

_ZONES_AT_ONCE = 1 << 16
_WIRES_AT_ONCE = 1 << 16
_MORE = -1


class ZoneSets(NamedTuple):
    """A set of tokens for each zone, if it is small."""

    begin: Ints  # (n_zones,): first of the zone's tokens; -1: there are more than the cap
    size: Small  # (n_zones,)
    free: npt.NDArray[
        np.bool_
    ]  # (n_zones,): whether the set also holds all tokens without a later sighting
    tokens: Small


class Capped(NamedTuple):
    """The capped sets of a large problem."""

    problem: LargeProblem
    come: ZoneSets  # of the wires out of zones, by the forward sweep
    leave: ZoneSets  # of the wires into zones, by the backward sweep


class Room(NamedTuple):
    """Working memory for one set; entries of earlier sets have another mark."""

    tokens: Small  # (cap,)
    number: Ints  # (1,): number of tokens
    free: npt.NDArray[
        np.bool_
    ]  # (1,): whether the set also holds all tokens without a later sighting
    stamp: Ints  # (1,): mark of the current set
    mark: Ints  # (size,)
    held: Small  # (size,): token in each place of the table


def capped_sets(problem: LargeProblem, cap: int, workers: int = 0) -> Capped:
    """Small sets of the tokens that can be on wires.

    Parameters
    ----------
    problem
        The wires, sightings of tokens on their own rows, and lists of links. Other knowledge is
        ignored, which can only weaken the bounds.
    cap
        Tokens of a set, >= 1.
    workers
        Threads; 0 means one per core.
    """
    net = problem.net
    found = [new_sets(problem, cap), new_sets(problem, cap)]

    def sweep(side: int) -> None:
        n_zones, filled = len(net.zone_time), 0
        sets, room = found[side], new_room(cap)
        for done in range(0, n_zones, _ZONES_AT_ONCE):
            until = min(done + _ZONES_AT_ONCE, n_zones)
            if len(sets.tokens) < filled + (until - done) * cap:
                more = np.zeros_like(sets.tokens)
                sets = sets._replace(tokens=np.concatenate([sets.tokens, more]))
            filled = _sweep(done, until, filled, side, room, sets, problem)
        found[side] = sets

    side_by_side(sweep, (BACKWARD, FORWARD), workers)
    return Capped(problem, found[FORWARD], found[BACKWARD])


def new_sets(problem: LargeProblem, cap: int) -> ZoneSets:
    """Empty sets with working memory."""
    n_zones = len(problem.net.zone_time)
    begin, size = np.full(n_zones, _MORE, np.int64), np.zeros(n_zones, np.int32)
    free = np.zeros(n_zones, np.bool_)
    return ZoneSets(begin, size, free, np.zeros(min(n_zones, _ZONES_AT_ONCE) * cap, np.int32))


def new_room(cap: int) -> Room:
    """Room for a set."""
    size = 1 << (2 * cap).bit_length()
    number, stamp = np.zeros((2, 1), np.int64)
    mark, held = np.zeros(size, np.int64), np.zeros(size, np.int32)
    free = np.zeros(1, np.bool_)
    return Room(np.zeros(cap, np.int32), number, free, stamp, mark, held)


def most_tokens(capped: Capped, cap: int, workers: int = 0) -> Small:
    """(n_wires,) int32 upper bounds; the number of rows if there are more than ``cap``."""
    net = capped.problem.net
    upper = np.empty(len(net.start), np.int32)
    n_rows = len(net.first) - 1
    begins = np.arange(_WIRES_AT_ONCE, max(_WIRES_AT_ONCE, len(upper)), _WIRES_AT_ONCE)
    cuts = np.unique(np.searchsorted(net.first[:-1], begins)).tolist()

    def count(part: slice) -> None:
        _count(part.start, part.stop, upper, new_room(cap), new_room(cap), capped)

    parts = map(slice, [0, *cuts], [*cuts, n_rows])
    side_by_side(count, parts, workers)
    return upper


@compiled
def _sweep(  # pragma: no cover - compiled
    done: int,
    until: int,
    filled: int,
    side: int,
    room: Room,
    sets: ZoneSets,
    problem: LargeProblem,
) -> int:
    """Compute the sets of zones ``done`` to ``until - 1``; the number of tokens stored so far."""
    net = problem.net
    for number in range(done, until):
        zone = number if side == FORWARD else len(net.zone_time) - 1 - number
        begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
        small = end - begin <= len(room.tokens)
        _empty(room)
        m = begin
        while small and m < end:
            wire = net.before[m] + (0 if side == FORWARD else 1)
            small = _join(wire, net.member[m], side, room, sets, problem)
            m += 1
        if small:
            sets.begin[zone], sets.size[zone] = filled, room.number[0]
            sets.free[zone] = room.free[0]
            for i in range(room.number[0]):
                sets.tokens[filled + i] = room.tokens[i]
            filled += room.number[0]
    return filled


@inner
def _empty(room: Room) -> None:  # pragma: no cover - compiled
    room.stamp[0] += 1
    room.number[0] = 0
    room.free[0] = False


@inner
def _join(  # pragma: no cover - compiled
    wire: int,
    row: int,
    side: int,
    room: Room,
    sets: ZoneSets,
    problem: LargeProblem,
) -> bool:
    """Add the tokens of a wire to the set in ``room``; whether they fit."""
    net, seen = problem.net, problem.seen
    start = net.start[wire]
    end = net.zone_time[net.leads_to[wire]] if net.leads_to[wire] >= 0 else NEVER
    begins = side == FORWARD and wire == net.first[row]
    if begins or next_seen(row, start, seen) < end:
        return _add(row, room)
    zone = net.leads_to[wire - 1] if side == FORWARD else net.leads_to[wire]
    group = list_of(wire, row, problem.linked)
    if group >= 0:
        return _join_listed(group, zone, (start, end), room, sets, problem)
    if zone < 0:  # the last wire
        room.free[0] = True
        return True
    if sets.begin[zone] < 0:
        return False
    room.free[0] |= sets.free[zone]
    for i in range(sets.begin[zone], sets.begin[zone] + sets.size[zone]):
        token = sets.tokens[i]
        if next_seen(token, start, seen) >= end and not _add(token, room):
            return False
    return True


@inner
def _join_listed(  # pragma: no cover - compiled
    group: int, zone: int, steps: tuple[int, int], room: Room, sets: ZoneSets, problem: LargeProblem
) -> bool:
    """As :func:`_join`, for a wire with a list: the tokens that the zone's set also holds."""
    start, end = steps
    for i in range(problem.linked.size[group]):
        token = problem.linked.tokens[group, i]
        again = next_seen(token, start, problem.seen)
        if again >= end and _holds(zone, token, again, sets) and not _add(token, room):
            return False
    return True


@inner
def _holds(  # pragma: no cover - compiled
    zone: int, token: int, again: int, sets: ZoneSets
) -> bool:
    """Whether a token, next seen ``again``, may be in a zone's set; -1: at the horizon."""
    if zone < 0 or sets.begin[zone] < 0 or (sets.free[zone] and again == NEVER):
        return True
    for i in range(sets.begin[zone], sets.begin[zone] + sets.size[zone]):
        if sets.tokens[i] == token:
            return True
    return False


@inner
def _place(token: int, room: Room) -> int:  # pragma: no cover - compiled
    """Place of a token in the table, or a free place for it."""
    mask, stamp = len(room.mark) - 1, room.stamp[0]
    at = (np.int64(token) * 2654435761 >> 7) & mask
    while room.mark[at] == stamp and room.held[at] != token:
        at = (at + 1) & mask
    return int(at)


@inner
def _add(token: int, room: Room) -> bool:  # pragma: no cover - compiled
    """Add a token unless the set has it; whether it fits."""
    at = _place(token, room)
    if room.mark[at] == room.stamp[0]:
        return True
    if room.number[0] == len(room.tokens):
        return False
    room.mark[at], room.held[at] = room.stamp[0], token
    room.tokens[room.number[0]] = token
    room.number[0] += 1
    return True


@inner
def gather(  # pragma: no cover - compiled
    wire: int, row: int, room: Room, other: Room, capped: Capped
) -> bool:
    """Set ``room`` to the tokens that a wire can hold; whether they are within the cap."""
    _empty(room)
    _empty(other)
    net, seen = capped.problem.net, capped.problem.seen
    come = _join(wire, row, FORWARD, room, capped.come, capped.problem)
    leave = _join(wire, row, BACKWARD, other, capped.leave, capped.problem)
    if come and leave:
        n = 0
        for i in range(room.number[0]):
            token = room.tokens[i]
            stays = other.free[0] and next_seen(token, net.start[wire], seen) == NEVER
            if stays or other.mark[_place(token, other)] == other.stamp[0]:
                room.tokens[n] = token
                n += 1
        room.number[0] = n
    elif leave and not other.free[0]:
        for i in range(other.number[0]):
            room.tokens[i] = other.tokens[i]
        room.number[0] = other.number[0]
        come = True
    return come


@compiled
def _count(  # pragma: no cover - compiled
    begin: int, end: int, upper: Small, room: Room, other: Room, capped: Capped
) -> None:
    """Count the tokens that are possible on each wire of some rows."""
    net = capped.problem.net
    for row in range(begin, end):
        for wire in range(net.first[row], net.first[row + 1]):
            few = gather(wire, row, room, other, capped)
            upper[wire] = room.number[0] if few else len(net.first) - 1
