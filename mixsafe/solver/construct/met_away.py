"""Tokens that a row meets on one side of a wire, directly or through a partner in its place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.machinery.compiled import inner
from mixsafe.network.timeline import Timeline, next_seen
from mixsafe.network.wires import Ints, Small
from mixsafe.solver.construct.meeting_again import nearby_freely


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
