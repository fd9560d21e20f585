"""Who can exchange with the row of a wire before it, or after it, so that nobody is seen away."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.compiled import inner
from mixsafe.verify.meetings.meeting_again import Partners, new_partners
from mixsafe.verify.meetings.met_away import MetAway, new_met_away
from mixsafe.verify.meetings.open_wires import OpenLists, learn
from mixsafe.verify.meetings.strands import (
    Ints,
    Small,
    Whole,
    last_seen,
    next_seen,
    wire_from,
)

MOST_WIRES = 1024
"""Of a row, to one side, that are looked at."""


class Side(NamedTuple):
    """Who can exchange with the row of a wire on one side of it: before, or after."""

    after: bool
    partners: Partners
    stamp: Ints  # (1,): mark of the present wire
    mark: Ints  # (n_rows,)
    first: Small  # (n_rows,): when marked ones meet the row first, if they do
    final: Small  # (n_rows,): and when last
    token: Small  # (n_rows,): those who can, first those who do so directly
    number: Ints  # (2,): how many do so directly, and how many can in all
    met: MetAway


class Spot(NamedTuple):
    """An open wire: its number on the list, its row and its first step."""

    number: int
    row: int
    step: int


def new_side(after: bool, size: int, n_rows: int) -> Side:
    """Room for those of one side, with a table of ``size`` partners, a power of two."""
    stamp, number = np.zeros(1, np.int64), np.zeros(2, np.int64)
    first, final, token = np.zeros((3, n_rows), np.int32)
    mark = np.zeros(n_rows, np.int64)
    return Side(
        after, new_partners(size), stamp, mark, first, final, token, number, new_met_away(n_rows)
    )


@inner
def within(  # pragma: no cover - compiled
    row: int, step: int, after: bool, whole: Whole
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
    token: int, time: int, step: int, after: bool, whole: Whole
) -> bool:
    """Whether a token that exchanges at ``time`` need not be seen between that and ``step``."""
    if after:
        return bool(next_seen(token, step, whole.seen) >= time)
    return bool(last_seen(token, step, whole.seen) < time)


@inner
def note(  # pragma: no cover - compiled
    token: int, time: int, asked: Spot, side: Side, other: Side, known: OpenLists, whole: Whole
) -> None:
    """Note that ``token`` can exchange at ``time``, unless it is seen between that and the wire."""
    if side.mark[token] == side.stamp[0] or token == asked.row:
        return
    if may_be_away(token, time, asked.step, side.after, whole):
        side.mark[token] = side.stamp[0]
        side.token[side.number[1]] = token
        side.number[1] += 1
        if other.mark[token] == other.stamp[0]:
            learn(asked.number, token, known)
