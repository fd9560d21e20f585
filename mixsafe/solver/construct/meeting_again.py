"""Lower bounds by pairs that meet again (facts 7 and 13), a row at a time and without sets.

Two users who meet in a stretch without sightings of either may have each other's token from their
first meeting in it to the last one, or to the end if no sighting follows. All partners of one row
fit into a small table. The count on its wires goes up by one where a swap begins, and down by one
where it ends. In a large zone the row is paired only with its neighbours on the list of members: a
part of the swaps is still a bound, and the cost is not quadratic in the number of members. Two
users meet only where the zone allows them to swap.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.network.timeline import NEVER, Timeline, next_seen
from mixsafe.network.wires import Ints, Small, Wires, is_complete, may_swap, row_of
from mixsafe.solver.construct.open_wires import OpenLists, learn

NEAR = 8
"""Members to either side with whom a row is paired in a zone."""

_ROWS_AT_ONCE = 2048


class Partners(NamedTuple):
    """Hash table of the partners of one row; entries of earlier rows have another mark."""

    stamp: Ints  # (1,): mark of the current row
    taken: Ints  # (1,): number of places in use
    mark: Ints  # (size,)
    partner: Small  # (size,)
    since: Small  # (size,): first meeting in the current stretch
    until: Small  # (size,): last meeting in it
    limit: Small  # (size,): step of the next sighting of either
    used: Small  # (size,): places in use, in the order in which they were taken


class Spans(NamedTuple):
    """Swaps of one row: partner, and first and last of its wires during the swap."""

    partner: Small
    first: Small
    last: Small
    number: Ints  # (1,): number of swaps
    steps: Small  # (most wires of a row + 1,): swaps that begin less swaps that end


def count_partners(
    whole: Timeline, near: int = NEAR, rows: Ints | None = None, workers: int = 0
) -> Small:
    """Count the other tokens that swaps prove on each wire.

    Parameters
    ----------
    whole
        The wires and the knowledge, as sightings of tokens on their own rows.
    near
        Members to either side with which a row is paired in each zone, >= 1.
    rows
        Rows to count for; None: all.
    workers
        Threads; 0 means one per core.

    Returns
    -------
    (n_wires,) int32; 0 on wires of other rows.
    """
    net = whole.net
    found = np.zeros(len(net.start), np.int32)
    asked = np.arange(len(net.first) - 1) if rows is None else rows
    no_lists = OpenLists.of(np.zeros(0, np.int64), np.zeros(0, np.int32))
    _look_at(asked, near, found, no_lists, whole, workers)
    return found


def list_partners(whole: Timeline, near: int, known: OpenLists, workers: int = 0) -> None:
    """Add the tokens that swaps prove to the lists of open wires, until those are full.

    Parameters
    ----------
    known
        Changed in place.
    whole, near, workers
        The wires and the knowledge, members to either side with which a row is paired, and threads;
        0: one per core.
    """
    asked = np.unique(row_of(known.wires, whole.net))
    _look_at(asked, near, np.zeros(0, np.int32), known, whole, workers)


def _look_at(
    asked: Ints, near: int, found: Small, known: OpenLists, whole: Timeline, workers: int
) -> None:
    """Count the partners of rows, if ``found`` has room, or list them; in blocks, on threads."""

    def look(begin: int) -> None:
        some = asked[begin : begin + _ROWS_AT_ONCE]
        _look(some, near, found, known, *_room(some, near, whole.net), whole)

    side_by_side(look, range(0, len(asked), _ROWS_AT_ONCE), workers)


def _room(rows: Ints, near: int, net: Wires) -> tuple[Partners, Spans]:
    """Room for the partners of any of some rows."""
    most_wires = int((net.first[rows + 1] - net.first[rows]).max(initial=1))
    meetings = most_wires * 2 * near
    size = 1 << max(4, (2 * min(len(net.first), meetings)).bit_length())
    return new_partners(size), new_spans(meetings + 1, most_wires + 1)


def new_spans(swaps: int, steps: int) -> Spans:
    """Room for some swaps."""
    partner, first, last = np.zeros((3, swaps), np.int32)
    return Spans(partner, first, last, np.zeros(1, np.int64), np.zeros(steps, np.int32))


def new_partners(size: int) -> Partners:
    """Room for some partners; ``size`` is a power of two."""
    one, another = np.zeros((2, 1), np.int64)
    small = (np.zeros(size, np.int32) for _ in range(5))
    return Partners(one, another, np.zeros(size, np.int64), *small)


@tiered
def _look(  # pragma: no cover - compiled
    rows: Ints,
    near: int,
    found: Small,
    known: OpenLists,
    table: Partners,
    spans: Spans,
    whole: Timeline,
) -> None:
    """Count partners on all wires of some rows, or list them on those that are open."""
    net = whole.net
    for row in rows:
        spans.number[0] = 0
        meet(row, net.first[row], net.first[row + 1] - 1, near, table, spans, False, whole)
        for i in range(table.taken[0]):
            last = table.until[table.used[i]]
            if table.limit[table.used[i]] == NEVER:
                last = net.first[row + 1] - 1 - net.first[row]
            _note(table.used[i], last, table, spans)
        if len(found):
            _count(net.first[row], net.first[row + 1], found, spans)
        else:
            _list(net.first[row], net.first[row + 1], known, spans)


@inner
def _count(first: int, end: int, found: Small, spans: Spans) -> None:  # pragma: no cover - compiled
    """One step up where a swap begins, and one down where it ends; then the sums of the steps."""
    for j in range(end - first + 1):
        spans.steps[j] = 0
    for i in range(spans.number[0]):
        spans.steps[spans.first[i]] += 1
        spans.steps[spans.last[i] + 1] -= 1
    number = 0
    for j in range(end - first):
        number += spans.steps[j]
        found[first + j] = number


@inner
def _list(  # pragma: no cover - compiled
    first: int, end: int, known: OpenLists, spans: Spans
) -> None:
    """Put partners on the lists of the row's open wires."""
    for number in range(np.searchsorted(known.wires, first), np.searchsorted(known.wires, end)):
        wire = known.wires[number] - first
        for i in range(spans.number[0]):
            if spans.first[i] <= wire <= spans.last[i]:
                learn(number, spans.partner[i], known)


@inner
def meet(  # pragma: no cover - compiled
    row: int,
    begin: int,
    end: int,
    near: int,
    table: Partners,
    spans: Spans,
    complete: bool,
    whole: Timeline,
) -> None:
    """Go through the meetings at the ends of a row's wires ``begin`` to ``end - 1``.

    ``complete``: those in complete zones only. Elsewhere two may meet if they may swap.

    Leaves the last stretch with each partner in ``table``; its meetings are numbers of the row's
    wires that lead to them. Earlier stretches go to ``spans``, if that has room.
    """
    net, seen = whole.net, whole.seen
    table.stamp[0] += 1
    n, stamp = 0, table.stamp[0]
    for wire in range(begin, end):
        zone, j = net.leads_to[wire], wire - net.first[row]
        t = net.zone_time[zone]
        own = next_seen(row, t, seen)
        if complete:
            low, high = nearby_freely(net.entry[wire], zone, near, net)
        else:
            low, high = nearby(net.entry[wire], zone, near, net)
        for m in range(low, high):
            other = net.member[m]
            if other == row or not may_swap(net.entry[wire], m, zone, net):
                continue
            at = place(other, table)
            if table.mark[at] != stamp:
                table.mark[at], table.partner[at] = stamp, other
                table.used[n] = at
                n += 1
            elif table.limit[at] >= t:
                table.until[at] = j
                continue
            elif len(spans.partner):
                _note(at, table.until[at], table, spans)
            theirs = next_seen(other, t, seen)
            table.since[at] = table.until[at] = j
            table.limit[at] = own if own < theirs else theirs
    table.taken[0] = n


@inner
def _note(
    at: int, until: int, table: Partners, spans: Spans
) -> None:  # pragma: no cover - compiled
    """Record a swap, if there is a wire between its ends."""
    if until > table.since[at]:
        n = spans.number[0]
        spans.partner[n], spans.first[n], spans.last[n] = (
            table.partner[at], table.since[at] + 1, until,
        )  # fmt: skip
        spans.number[0] += 1


@inner
def nearby(  # pragma: no cover - compiled
    entry: int, zone: int, near: int, net: Wires
) -> tuple[int, int]:
    """Range of ``near`` members to either side of ``entry`` in its zone, or all of a small zone."""
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    if end - begin <= 2 * near + 1:
        return begin, end
    low = min(max(begin, entry - near), end - 2 * near - 1)
    return low, low + 2 * near + 1


@inner
def nearby_freely(  # pragma: no cover - compiled
    entry: int, zone: int, near: int, net: Wires
) -> tuple[int, int]:
    """As :func:`nearby`; empty where the zone is not complete.

    Several exchanges in one zone are one permutation. It is allowed if each of them is only where
    all are.
    """
    if not is_complete(zone, net):
        return net.zone_ptr[zone], net.zone_ptr[zone]
    return nearby(entry, zone, near, net)


@inner
def place(other: int, table: Partners) -> int:  # pragma: no cover - compiled
    """Place of a partner in the table, or a free place for it."""
    mask, stamp = len(table.mark) - 1, table.stamp[0]
    at = (np.int64(other) * 2654435761 >> 7) & mask
    while table.mark[at] == stamp and table.partner[at] != other:
        at = (at + 1) & mask
    return int(at)
