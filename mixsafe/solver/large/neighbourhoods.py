"""Neighbourhoods of open wires: the rows that meet theirs, and each other, most often at that time.

Open wires that are near each other share a neighbourhood, which is solved with sets of tokens as a
subproblem. Wires that stay open are tried again in larger ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mixsafe.model.csr import ranges
from mixsafe.network.subproblem import Subproblem
from mixsafe.network.timeline import SeenSteps, Timeline
from mixsafe.network.wires import Ints, Small, Wires, row_of, wires_of
from mixsafe.solver.construct.meeting_again import NEAR
from mixsafe.solver.construct.open_wires import OpenLists


class Size(NamedTuple):
    """Size of neighbourhoods.

    Parameters
    ----------
    wires
        Open wires that share one, at most.
    rows
        Its rows, at most.
    """

    wires: int
    rows: int


class Neighbourhood(NamedTuple):
    """Some open wires and a subproblem around them.

    Parameters
    ----------
    wires
        Open wires of the large problem, ascending.
    small
        The small one.
    inside
        (n,): on which of its wires they lie.
    """

    wires: Ints
    small: Subproblem
    inside: Ints


def batches(wires: Ints, size: Size, net: Wires) -> Iterator[Ints]:
    """Cut open wires into batches of nearby ones, by the zones at their ends."""
    zone = np.where(net.leads_to[wires] >= 0, net.leads_to[wires], len(net.zone_time))
    order = wires[np.argsort(zone, kind="stable")]
    for begin in range(0, len(order), size.wires):
        yield np.sort(order[begin : begin + size.wires])


def neighbourhood(known: OpenLists, size: Size, whole: Timeline) -> Neighbourhood:
    """A subproblem around the open wires in ``known``."""
    net, seen = whole.net, whole.seen
    row = row_of(known.wires, net)
    start = net.start[known.wires]
    begin, end = _stretch(row, start, seen, net.horizon)
    listed = known.tokens[known.tokens >= 0]
    rows = np.unique(np.concatenate([row, listed.astype(np.int64)]))
    rows = _joined(rows, min(size.rows, 2 * len(rows) + 8), _adjacent(known.wires, row, net))
    while len(rows) < size.rows:
        larger = _joined(rows, min(size.rows, 3 * len(rows)), _met(rows, begin, end, net))
        if len(larger) == len(rows):
            break
        rows = larger
    small = Subproblem.of(whole, rows, begin, end)
    return Neighbourhood(known.wires, small, small.wire_at(row, start))


def _stretch(row: Ints, step: Small, seen: SeenSteps, horizon: int) -> tuple[int, int]:
    """Span from the last sightings of rows before some steps to the next ones after them."""
    begin, end = horizon, 0
    for one, t in zip(row.tolist(), step.tolist(), strict=True):
        times = seen.time[seen.ptr[one] : seen.ptr[one + 1]]
        place = np.searchsorted(times, t, side="right")
        begin = min(begin, int(times[place - 1]) if place else 0)
        end = max(end, int(times[place]) if place < len(times) else horizon)
    more = (end - begin) // 2
    return max(0, begin - more), min(horizon, end + more)


def _adjacent(wires: Ints, row: Ints, net: Wires) -> Ints:
    """Rows in the zones at both ends of wires."""
    before = wires[wires > net.first[row]] - 1
    return _members(np.concatenate([before, wires]), net)


def _met(rows: Ints, begin: int, end: int, net: Wires) -> Ints:
    """Rows that rows meet in a stretch of time, once for each meeting."""
    wires = wires_of(rows, net.first)
    start = net.start[wires]
    return _members(wires[(start >= begin) & (start < end)], net)


def _members(wires: Ints, net: Wires) -> Ints:
    """Members of the zones at the ends of wires; of large zones only list neighbours."""
    wires = wires[net.leads_to[wires] >= 0]
    zone, entry = net.leads_to[wires], net.entry[wires].astype(np.int64)
    low = np.maximum(net.zone_ptr[zone], entry - NEAR)
    high = np.minimum(net.zone_ptr[zone + 1], entry + NEAR + 1)
    return net.member[ranges(low, high - low)].astype(np.int64)


def _joined(rows: Ints, most: int, met: Ints) -> Ints:
    """Rows, and the rows that they meet most often, up to ``most``."""
    others, times = np.unique(met, return_counts=True)
    new = ~np.isin(others, rows)
    others, times = others[new], times[new]
    best = np.argsort(-times, kind="stable")[: max(0, most - len(rows))]
    return np.sort(np.concatenate([rows, others[best]]))
