"""Witnesses that are one swap each: two users exchange in a common zone, and again in a later one.

A swap shows a token on all wires of both users in between (fact 7), so few of them serve many. For
each user in turn, in order of time, a wire that lacks tokens gets the swap that lasts longest among
those that are on; swaps that were chosen for users before her count first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.network.wires import Wires, came_from, may_swap

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.int32]


class Swaps(NamedTuple):
    """Swaps, and what they show.

    Parameters
    ----------
    one, other
        (n,) int32: the users who swap.
    begin, end
        (n,) int64: zones of the first and the second exchange; the number of zones: never.
    shown_by
        (n_wires, most) int32: swaps that show different tokens on each wire; -1: none.
    """

    one: Whole
    other: Whole
    begin: Ints
    end: Ints
    shown_by: Whole


class _Stretches(NamedTuple):
    """Stretches between sightings, of the row of each wire when it comes to the wire's end.

    ``number`` of the stretch, and whether it is the ``last``; (n_wires,) each.
    """

    number: Whole
    last: npt.NDArray[np.bool_]


class _Partners(NamedTuple):
    """Working memory of one user: whom she can swap with.

    ``end`` (n_rows,): zone of the last meeting with each in a stretch of both, ``mine`` and
    ``theirs`` (n_rows,) the stretch, ``seen`` and ``active`` (n_rows,) marks; ``entry``: ends by
    wire and member, one after the other. ``who``, ``since``, ``until``: those whom she can swap
    with now, and others whose time is over; ``at`` (n_rows,): where each is listed last; ``on``:
    swaps that are on.
    """

    end: Ints
    mine: Whole
    theirs: Whole
    seen: Whole
    active: Whole
    entry: Ints
    who: Whole
    since: Ints
    until: Ints
    at: Ints
    on: Ints


class _Chosen(NamedTuple):
    """Swaps as they are chosen, and for each row a list of those that others chose with it.

    ``size`` (1,): how many there are. ``head`` (n_rows,) the last one of a row's list, ``next`` the
    one before each.
    """

    one: Whole
    other: Whole
    begin: Ints
    end: Ints
    head: Whole
    next: Whole
    size: Ints
    on: Whole  # swaps of the present row that are on, or will be, in order of their begin


def cover(core: Core, need: Whole) -> Swaps:
    """Swaps that show tokens on wires, as many on each as there can be, up to what is needed.

    Parameters
    ----------
    core
        The question; links are taken as pins to the row's own token.
    need
        (n_wires,) int32: tokens besides its own that each wire must show.
    """
    network, line = core.network, timeline(core)
    net, n_zones = network.wires, network.n_zones
    most = int(need.max(initial=0))
    shown_by = np.full((network.n_wires, most), -1, np.int32)
    stretches = _stretches(line)
    room = int(need.sum(dtype=np.int64))
    chosen = _Chosen(
        np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64),
        np.empty(room, np.int64), np.full(network.n_rows, -1, np.int32), np.empty(room, np.int32),
        np.zeros(1, np.int64), np.empty(room + 1, np.int32),
    )  # fmt: skip
    _cover(net, n_zones, need, stretches, chosen, shown_by)
    n = int(chosen.size[0])
    return Swaps(chosen.one[:n], chosen.other[:n], chosen.begin[:n], chosen.end[:n], shown_by)


def _stretches(line: Timeline) -> _Stretches:
    """What is known before the zone that each wire leads to, by how many sightings there were."""
    net, width = line.net, np.int64(line.net.horizon + 2)
    row = np.repeat(np.arange(len(line.seen.ptr) - 1), np.diff(line.seen.ptr))
    seen = row * width + line.seen.time
    ends = np.flatnonzero(net.leads_to >= 0)
    at = net.row[ends] * width + net.zone_time[net.leads_to[ends]]
    number = np.zeros(len(net.row), np.int32)
    number[ends] = np.searchsorted(seen, at) - line.seen.ptr[net.row[ends]]
    last = np.zeros(len(net.row), np.bool_)
    last[ends] = number[ends] == np.diff(line.seen.ptr)[net.row[ends]]
    return _Stretches(number, last)


@tiered
def _cover(  # pragma: no cover - compiled
    net: Wires, n_zones: int, need: Whole, stretches: _Stretches, chosen: _Chosen, shown_by: Whole
) -> None:
    n_rows = len(net.first) - 1
    most = 0
    for row in range(n_rows):
        size = 0
        for wire in range(net.first[row], net.first[row + 1] - 1):
            zone = net.leads_to[wire]
            size += net.zone_ptr[zone + 1] - net.zone_ptr[zone]
        most = max(most, size)
    p = _Partners(
        np.zeros(n_rows, np.int64), np.zeros(n_rows, np.int32), np.zeros(n_rows, np.int32),
        np.full(n_rows, -1, np.int32), np.full(n_rows, -1, np.int32), np.zeros(most, np.int64),
        np.zeros(most, np.int32), np.zeros(most, np.int64), np.zeros(most, np.int64),
        np.full(n_rows, -1, np.int64), np.zeros(shown_by.shape[1] + 64, np.int64),
    )  # fmt: skip
    for row in range(n_rows):
        lacks = False
        for wire in range(net.first[row], net.first[row + 1]):
            lacks |= need[wire] > 0
        if lacks:
            _look_ahead(row, n_zones, net, stretches, p)
            for v in range(n_rows):
                p.active[v] = p.at[v] = -1
            _choose(row, net, need, p, chosen, shown_by)


@inner
def _look_ahead(  # pragma: no cover - compiled
    row: int, n_zones: int, net: Wires, stretches: _Stretches, p: _Partners
) -> None:
    """Until where a swap with each member of each of a row's zones could last.

    Written to ``p.entry``, from the last wire on; -1: the zone does not allow them to swap.
    """
    n = 0
    for wire in range(net.first[row + 1] - 2, net.first[row] - 1, -1):
        zone, mine = net.leads_to[wire], stretches.number[wire]
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            if not may_swap(net.entry[wire], m, zone, net):
                p.entry[n] = -1
                n += 1
                continue
            v, theirs = net.member[m], stretches.number[net.before[m]]
            if p.seen[v] != row or p.mine[v] != mine or p.theirs[v] != theirs:
                for_ever = stretches.last[wire] and stretches.last[net.before[m]]
                p.end[v] = n_zones if for_ever else zone
                p.seen[v], p.mine[v], p.theirs[v] = row, mine, theirs
            p.entry[n] = p.end[v]
            n += 1


@inner
def _choose(  # pragma: no cover - compiled
    row: int, net: Wires, need: Whole, p: _Partners, chosen: _Chosen, shown_by: Whole
) -> None:
    """Choose swaps for a row, wire by wire; ``p.active``: zone in which a partner goes again."""
    waiting = _inherited(row, chosen)
    now, n_on, n_open, on = 0, 0, 0, p.on
    first, last = net.first[row], net.first[row + 1] - 1
    entry = 0
    for wire in range(first, last):
        entry += net.zone_ptr[net.leads_to[wire] + 1] - net.zone_ptr[net.leads_to[wire]]
    for wire in range(first + 1, last + 1):
        zone = came_from(wire, net)
        entry -= net.zone_ptr[zone + 1] - net.zone_ptr[zone]
        n_on = _still_on(on, n_on, zone, chosen)
        while now < waiting and chosen.begin[chosen.on[now]] <= zone:
            n_on = _turn_on(row, chosen.on[now], on, n_on, p, chosen)
            now += 1
        n_open = _meet(row, zone, entry, n_open, net, p)
        if n_on < need[wire]:
            n_open = _still_open(zone, n_open, p)
        while n_on < need[wire] and n_on < len(on):
            best = -1
            for i in range(n_open):
                if p.active[p.who[i]] <= zone and (best < 0 or p.until[i] > p.until[best]):
                    best = i
            if best < 0:
                break
            number = _swap(row, best, p, chosen)
            n_on = _turn_on(row, number, on, n_on, p, chosen)
        for i in range(min(n_on, need[wire])):
            shown_by[wire, i] = on[i]


@inner
def _inherited(row: int, chosen: _Chosen) -> int:  # pragma: no cover - compiled
    """Bring the swaps that were chosen with ``row`` in order of time; how many there are."""
    n, number = 0, chosen.head[row]
    while number >= 0:
        chosen.on[n] = number
        n += 1
        number = chosen.next[number]
    for i in range(1, n):  # they come nearly sorted, the latest first
        one, j = chosen.on[i], i
        while j > 0 and chosen.begin[chosen.on[j - 1]] > chosen.begin[one]:
            chosen.on[j] = chosen.on[j - 1]
            j -= 1
        chosen.on[j] = one
    return n


@inner
def _still_on(
    on: Ints, n_on: int, zone: int, chosen: _Chosen
) -> int:  # pragma: no cover - compiled
    """Drop the swaps that end by ``zone``."""
    n = 0
    for i in range(n_on):
        if chosen.end[on[i]] > zone:
            on[n] = on[i]
            n += 1
    return n


@inner
def _turn_on(  # pragma: no cover - compiled
    row: int, number: int, on: Ints, n_on: int, p: _Partners, chosen: _Chosen
) -> int:
    """Have a swap among those that are on."""
    other = chosen.one[number] + chosen.other[number] - row
    if n_on == len(on):
        return n_on
    p.active[other] = chosen.end[number]
    on[n_on] = number
    return n_on + 1


@inner
def _meet(  # pragma: no cover - compiled
    row: int, zone: int, entry: int, n_open: int, net: Wires, p: _Partners
) -> int:
    """Note those whom a row meets in a zone, if a swap could begin there; how many are listed.

    Those who are noted already keep the zone in which they were met first.
    """
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        v, end = net.member[m], p.entry[entry + m - net.zone_ptr[zone]]
        if v == row or end <= zone or (p.at[v] >= 0 and p.until[p.at[v]] > zone):
            continue
        p.who[n_open], p.since[n_open], p.until[n_open] = v, zone, end
        p.at[v] = n_open
        n_open += 1
    return n_open


@inner
def _still_open(zone: int, n_open: int, p: _Partners) -> int:  # pragma: no cover - compiled
    """Drop those whose time is over from the list; how many are left."""
    n = 0
    for i in range(n_open):
        if p.until[i] > zone:
            p.who[n], p.since[n], p.until[n] = p.who[i], p.since[i], p.until[i]
            p.at[p.who[n]] = n
            n += 1
        elif p.at[p.who[i]] == i:
            p.at[p.who[i]] = -1
    return n


@inner
def _swap(row: int, i: int, p: _Partners, chosen: _Chosen) -> int:  # pragma: no cover - compiled
    """Choose the swap with the i-th of those whom a row can swap with now."""
    number, other = chosen.size[0], p.who[i]
    chosen.one[number], chosen.other[number] = row, other
    chosen.begin[number], chosen.end[number] = p.since[i], p.until[i]
    if other > row:
        chosen.next[number] = chosen.head[other]
        chosen.head[other] = number
    chosen.size[0] += 1
    return number
