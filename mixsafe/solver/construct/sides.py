"""Who can exchange with the row of a wire before it, or after it, so that nobody is seen away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner
from mixsafe.network.timeline import Timeline, last_seen, next_seen
from mixsafe.network.wires import Ints, Small, Wires, wire_from
from mixsafe.solver.construct.meeting_again import Partners, new_partners
from mixsafe.solver.construct.met_away import MetAway, new_met_away

MOST_WIRES = 256
"""Of a row, to one side, that are looked at."""


class Side(NamedTuple):
    """Who can exchange with the row of a wire on one side of it: before, or after."""

    after: bool
    partners: Partners
    stamp: Ints  # (1,): mark of the present wire
    mark: Ints  # (n_rows,)
    first: Small  # (n_rows,): when marked ones can exchange first
    final: Small  # (n_rows,): and when last
    token: Small  # (n_rows,): those who can, first those who do so directly
    number: Ints  # (2,): how many do so directly, and how many can in all
    met: MetAway
    by: Small  # (3,): who has changed places with the row, from and to which step; -1: nobody
    how: npt.NDArray[np.int32]  # (n_rows, 3): the same where marked ones can exchange


class Spot(NamedTuple):
    """An open wire: its number on the list, its row and its first step."""

    number: int
    row: int
    step: int


def new_side(after: bool, size: int, n_rows: int) -> Side:
    """Room for those of one side, with a table of ``size`` partners, a power of two."""
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
    """Wires of a row at whose ends its token may leave before ``step``, or come back after it.

    From the first one up to the other; none beyond a sighting of the row.
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
    """Whether a token that exchanges at ``time`` need not be seen between that and ``step``."""
    if after:
        return bool(next_seen(token, step, whole.seen) >= time)
    return bool(last_seen(token, step, whole.seen) < time)


@inner
def note(  # pragma: no cover - compiled
    token: int, time: int, asked: Spot, side: Side, whole: Timeline
) -> bool:
    """Whether ``token`` can exchange at ``time``, which nobody knew; then it is noted.

    It must not be seen between that and the wire.
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
    """From and to which step a partner of a row, by its place, can have changed places with it."""
    begin, end = net.first[row] + partners.since[at], net.first[row] + partners.until[at]
    return net.zone_time[net.leads_to[begin]], net.zone_time[net.leads_to[end]]


@inner
def while_away(  # pragma: no cover - compiled
    at: int, row: int, partners: Partners, net: Wires
) -> tuple[int, int]:
    """Wires of a partner at whose ends it has changed places with ``row``: first one, and end."""
    if partners.until[at] <= partners.since[at]:
        return 0, 0
    begin, end = places_changed(at, row, partners, net)
    partner = partners.partner[at]
    return wire_from(partner, begin, net), wire_from(partner, end, net) - 1


@inner
def change_places(  # pragma: no cover - compiled
    at: int, row: int, side: Side, net: Wires
) -> None:
    """Those who are noted from now on exchange with a partner of the row, by its place."""
    side.by[0] = side.partners.partner[at]
    side.by[1], side.by[2] = places_changed(at, row, side.partners, net)
