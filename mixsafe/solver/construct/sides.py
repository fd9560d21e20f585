"""Tokens that can exchange with a wire's row before or after it, without violating a sighting.

The row meets them on that side, directly or through a partner in its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner
from mixsafe.network.timeline import Timeline, last_seen, next_seen
from mixsafe.network.wires import Ints, Small, Wires, wire_from
from mixsafe.solver.construct.meeting_again import Partners, nearby_freely, new_partners

MOST_WIRES = 256
"""Wires of a row, to one side, that are searched at most."""


class MetAway(NamedTuple):
    """Tokens that a row, or a partner in its place, meets: first and last meeting of each.

    Also, for another token that meets them, since when they can have its place.
    """

    stamp: Ints  # (2,): marks of the current row, and of the other token
    mark: Ints  # (n_rows,): mark of the tokens that are met
    first: Small  # (n_rows,): step of the first recorded meeting
    last: Small  # (n_rows,): and of the last one
    by: Small  # (n_rows,): who meets them first: the row, or a partner
    by_last: Small  # (n_rows,)
    other: Ints  # (n_rows,): mark of the tokens that the other token has met
    since: Small  # (n_rows,): step at which it met them
    limit: Small  # (n_rows,): step at which either is seen again


def new_met_away(n_rows: int) -> MetAway:
    """Working memory for one row."""
    mark, other = np.zeros((2, n_rows), np.int64)
    first, last, by, by_last, since, limit = np.zeros((6, n_rows), np.int32)
    return MetAway(np.zeros(2, np.int64), mark, first, last, by, by_last, other, since, limit)


@inner
def note_met(token: int, by: int, t: int, met: MetAway) -> None:  # pragma: no cover - compiled
    """Record that ``by`` meets ``token`` at step ``t``."""
    if met.mark[token] != met.stamp[0]:
        met.mark[token] = met.stamp[0]
        met.first[token], met.by[token] = t, by
    met.last[token], met.by_last[token] = t, by


@inner
def partner_met(  # pragma: no cover - compiled
    token: int, wires: tuple[int, int], near: int, met: MetAway, whole: Timeline
) -> tuple[int, int, int]:
    """A token that is met while it is a partner in the place of ``token``; from and to which step.

    ``wires``: range of the token's own wires at whose ends it may meet partners. -1: there is none.
    """
    net, seen = whole.net, whole.seen
    met.stamp[1] += 1
    for wire in range(wires[0], wires[1]):
        t = net.zone_time[net.leads_to[wire]]
        low, high = nearby_freely(net.entry[wire], net.leads_to[wire], near, net)
        for m in range(low, high):
            other = net.member[m]
            if met.mark[other] != met.stamp[0] or other == token:
                continue
            if met.other[other] == met.stamp[1] and met.limit[other] >= t:
                if _is_met_since(met.since[other], t, other, token, met):
                    return other, met.since[other], t
            else:
                met.other[other], met.since[other] = met.stamp[1], t
                met.limit[other] = min(next_seen(token, t, seen), next_seen(other, t, seen))
    return -1, -1, -1


@inner
def _is_met_since(
    since: int, t: int, other: int, token: int, met: MetAway
) -> bool:  # pragma: no cover - compiled
    """Whether ``other`` is met, not by ``token``, between ``since`` and a later step ``t``."""
    last = met.by_last[other] != token and since <= met.last[other] <= t
    return bool(since < t and (is_met_first(since, t, other, token, met) or last))


@inner
def is_met_first(
    since: int, t: int, other: int, token: int, met: MetAway
) -> bool:  # pragma: no cover - compiled
    """Whether that holds for the first recorded meeting with ``other``."""
    return bool(met.by[other] != token and since <= met.first[other] <= t)


class Side(NamedTuple):
    """Tokens that can exchange with the row of a wire on one side of it: before, or after."""

    after: bool
    partners: Partners
    stamp: Ints  # (1,): mark of the current wire
    mark: Ints  # (n_rows,)
    first: Small  # (n_rows,): first step at which marked ones can exchange
    final: Small  # (n_rows,): and last step
    token: Small  # (n_rows,): the marked ones, direct ones first
    number: Ints  # (2,): number of direct ones, and of all
    met: MetAway
    by: Small  # (3,): partner that has swapped with the row, from and to which step; -1: none
    how: npt.NDArray[np.int32]  # (n_rows, 3): the same for the exchange of each marked one


class Spot(NamedTuple):
    """An open wire: its number on the list, its row and its first step."""

    number: int
    row: int
    step: int


def new_side(after: bool, size: int, n_rows: int) -> Side:
    """Working memory of one side, with a table of ``size`` partners, a power of two."""
    stamp, number = np.zeros(1, np.int64), np.zeros(2, np.int64)
    first, final, token = np.zeros((3, n_rows), np.int32)
    mark, by, how = np.zeros(n_rows, np.int64), np.full(3, -1, np.int32), np.zeros((n_rows, 3))
    marked = stamp, mark, first, final, token, number
    met, whole = new_met_away(n_rows), how.astype(np.int32)
    return Side(after, new_partners(size), *marked, met, by, whole)


@inner
def within(  # pragma: no cover - compiled
    row: int, step: int, after: bool, whole: Timeline
) -> tuple[int, int]:
    """Range of wires at whose ends a row's token may leave before ``step``, or return after it.

    The range does not go beyond a sighting of the row.
    """
    net, seen = whole.net, whole.seen
    here = wire_from(row, step + 1, net) - 1
    if after:
        end, limit = net.first[row + 1] - 1, next_seen(row, step, seen)
        if limit < net.horizon:
            end = min(end, wire_from(row, limit + 1, net) - 1)
        return here, max(here, min(end, here + MOST_WIRES))
    begin = wire_from(row, last_seen(row, step, seen) + 1, net) - 1
    return max(begin, net.first[row], here - MOST_WIRES), here


@inner
def may_be_away(  # pragma: no cover - compiled
    token: int, time: int, step: int, after: bool, whole: Timeline
) -> bool:
    """Whether a token has no sighting between ``time``, when it exchanges, and ``step``."""
    if after:
        return bool(next_seen(token, step, whole.seen) >= time)
    return bool(last_seen(token, step, whole.seen) < time)


@inner
def note(  # pragma: no cover - compiled
    token: int, time: int, asked: Spot, side: Side, whole: Timeline
) -> bool:
    """Record that ``token`` can exchange at ``time``; whether that is new.

    The token must not be seen between that and the wire.
    """
    if side.mark[token] == side.stamp[0] or token == asked.row:
        return False
    if not may_be_away(token, time, asked.step, side.after, whole):
        return False
    side.mark[token] = side.stamp[0]
    side.token[side.number[1]] = token
    side.number[1] += 1
    side.first[token] = side.final[token] = time
    for i in range(3):
        side.how[token, i] = side.by[i]
    return True


@inner
def places_changed(  # pragma: no cover - compiled
    at: int, row: int, partners: Partners, net: Wires
) -> tuple[int, int]:
    """First and last step of the swap of a row with a partner, given by its place."""
    begin, end = net.first[row] + partners.since[at], net.first[row] + partners.until[at]
    return net.zone_time[net.leads_to[begin]], net.zone_time[net.leads_to[end]]


@inner
def while_away(  # pragma: no cover - compiled
    at: int, row: int, partners: Partners, net: Wires
) -> tuple[int, int]:
    """Range of wires of a partner at whose ends it has swapped with ``row``."""
    if partners.until[at] <= partners.since[at]:
        return 0, 0
    begin, end = places_changed(at, row, partners, net)
    partner = partners.partner[at]
    return wire_from(partner, begin, net), wire_from(partner, end, net) - 1


@inner
def change_places(  # pragma: no cover - compiled
    at: int, row: int, side: Side, net: Wires
) -> None:
    """Set the partner of the row, by its place, through which tokens noted next exchange."""
    side.by[0] = side.partners.partner[at]
    side.by[1], side.by[2] = places_changed(at, row, side.partners, net)
