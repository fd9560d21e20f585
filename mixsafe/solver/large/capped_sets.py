"""Upper bounds by capped sets (facts 5 and 15): sets of at most ``cap`` tokens, else "more".

All wires out of a zone can hold the same tokens, those that can come to it. All wires into a zone
can hold those that can reach their next sighting from it. So sets belong to zones. A zone with more
members than the cap needs no set, because its members' own tokens exceed the cap. If the forward
and the backward set are both small, they are intersected; if one is small, it is an upper bound
alone. Sets are hash tables, so their cost is their size. A wire with a list of tokens from links
can hold only those. Relations of zones are ignored, which can only weaken the bounds.

All wires of a group of linked wires hold the same token. A token that is impossible on one of them
is impossible on all. So if a capped set on one of them is small, the group gets a list of possible
tokens, which bounds its other wires, and sets are computed again while links make them smaller. If
only the row's own token is in all of them, the links are sightings of that token.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.timeline import (
    BACKWARD,
    FORWARD,
    NEVER,
    SeenSteps,
    certain,
    next_seen,
    sightings,
)
from mixsafe.network.wires import Ints, Small, Wires, first_from, row_of
from mixsafe.solver.strategy import DEFAULT

NO_LIST = -1
"""Size of the list of a group that can hold more tokens than a set may have."""

_ZONES_AT_ONCE = 1 << 16
_WIRES_AT_ONCE = 1 << 16
_MORE = -1
_GATHERED_AT_ONCE = 1 << 14


class LinkedWires(NamedTuple):
    """Groups of wires that hold one token each."""

    first: Ints  # (n_rows + 1,): first entry of each row
    wire: Ints  # (n_entries,): ascending
    group: Ints  # (n_entries,): ascending
    size: Small  # (n_groups,): tokens on the list, or NO_LIST
    tokens: Small  # (n_groups, cap)


class LargeProblem(NamedTuple):
    """A large problem: wires, sightings and links."""

    net: Wires
    seen: SeenSteps  # of single tokens
    linked: LinkedWires


def linked_wires(core: Core, cap: int) -> LinkedWires:
    """The groups of linked wires, without lists.

    Parameters
    ----------
    core
        The question.
    cap
        Tokens of a list, at most.
    """
    pairs = core.link_wires[np.argsort(core.link_wires[:, 0], kind="stable")]
    # Links of a row are consecutive; a gap between two of them separates groups.
    begins = np.append(True, pairs[1:, 0] != pairs[:-1, 1])[: len(pairs)]
    wire, at = np.unique(pairs, return_index=True)
    group = (np.cumsum(begins) - 1)[at // 2]
    first = np.searchsorted(wire, core.network.first)
    size = np.full(np.count_nonzero(begins), NO_LIST, np.int32)
    return LinkedWires(first, wire, group, size, np.zeros((len(size), cap), np.int32))


@inner
def list_of(wire: int, row: int, linked: LinkedWires) -> int:  # pragma: no cover - compiled
    """Group of a row's wire, if it has a list; otherwise -1."""
    at = first_from(wire, linked.first[row], linked.first[row + 1], linked.wire)
    if at == linked.first[row + 1] or linked.wire[at] != wire:
        return -1
    group = linked.group[at]
    return group if linked.size[group] >= 0 else -1


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


class SetBounds(NamedTuple):
    """Bounds by capped sets."""

    upper: (
        Small  # (n_wires,): upper bounds; the number of rows if there are more tokens than the cap
    )
    pins: Pins  # sightings of single tokens, including those that follow from links


def set_bounds(
    core: Core,
    net: Wires,
    cap: int,
    workers: int = 0,
    share: float = DEFAULT.large_share,
    at_once: int = _GATHERED_AT_ONCE,
) -> SetBounds:
    """Upper bounds on all wires.

    Parameters
    ----------
    core
        The question. Pins to several rows are ignored, which can only weaken the bounds; a
        publisher's question has none.
    net
        Its wires.
    cap
        Tokens of a set, >= 1.
    workers
        Threads; 0 means one per core.
    share
        Repeat while the lists of more than this share of groups become shorter.
    """
    n_rows, pins, linked = core.network.n_rows, certain(core.pins), linked_wires(core, cap)
    while True:
        problem = LargeProblem(net, sightings(pins, n_rows), linked)
        capped = capped_sets(problem, cap, workers)
        linked = _in_common(capped, cap, workers, at_once)
        changed = linked.size != problem.linked.size
        if np.count_nonzero(changed) <= share * len(changed):
            break
        alone = np.flatnonzero((changed & (linked.size == 1))[linked.group])
        pins = pins.joined(_sightings_of(alone, problem))
    capped = capped._replace(problem=problem._replace(linked=linked))
    return SetBounds(most_tokens(capped, cap, workers), pins)


def _sightings_of(entries: Ints, problem: LargeProblem) -> Pins:
    """Sightings of rows' own tokens on some of the linked wires."""
    wires = problem.linked.wire[entries]
    return Pins.own(row_of(wires, problem.net).astype(np.int32), problem.net.start[wires])


def _in_common(capped: Capped, cap: int, workers: int, at_once: int) -> LinkedWires:
    """The groups with lists of the tokens that all their wires can hold."""
    linked, n_rows = capped.problem.linked, len(capped.problem.net.first) - 1
    found = linked._replace(size=linked.size.copy(), tokens=linked.tokens.copy())
    cuts = np.searchsorted(linked.first, np.arange(0, len(linked.wire), at_once), "right")

    def narrow(part: slice) -> None:
        _narrow(part.start, part.stop, found, new_room(cap), new_room(cap), capped)

    parts = map(slice, cuts - 1, [*(cuts[1:] - 1), n_rows])
    side_by_side(narrow, parts, workers)
    return found


@compiled
def _narrow(  # pragma: no cover - compiled
    begin: int, end: int, found: LinkedWires, room: Room, other: Room, capped: Capped
) -> None:
    """Restrict the lists of some rows' groups to the tokens that all their wires can hold."""
    for row in range(begin, end):
        for entry in range(found.first[row], found.first[row + 1]):
            if gather(found.wire[entry], row, room, other, capped):
                _keep(found.group[entry], room, found)


@inner
def _keep(group: int, room: Room, found: LinkedWires) -> None:  # pragma: no cover - compiled
    """Intersect a list with the tokens in ``room``; if there was none, these become the list."""
    if found.size[group] == NO_LIST:
        found.size[group] = room.number[0]
        for i in range(room.number[0]):
            found.tokens[group, i] = room.tokens[i]
        return
    n = 0
    for i in range(found.size[group]):
        token = found.tokens[group, i]
        for j in range(room.number[0]):
            if room.tokens[j] == token:
                found.tokens[group, n] = token
                n += 1
    found.size[group] = n
