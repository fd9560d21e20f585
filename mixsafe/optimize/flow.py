"""How much of a token can flow over rows through zones that are active in part, and what limits it.

Rows are cut into segments between the zones that are active at all, so that the network is small
however many zones there are. Where too little flows, a smallest cut is found in all zones
(max-flow, min-cut; Ford and Fulkerson 1956).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from mixsafe.model.mix_zones import MixZones

_UNLIMITED = 1e9
_NOWHERE = -1

Nodes = npt.NDArray[np.int64]


class Arcs(NamedTuple):
    """The flow network: arcs of each node, ``ptr[i]`` to ``ptr[i + 1]``, with those back."""

    ptr: Nodes
    head: Nodes
    twin: Nodes
    free: npt.NDArray[np.float64]


class Flow:
    """The flow network: segments of rows, and an arc for each zone that is active in part.

    Parameters
    ----------
    zones
        The mix zones.
    value
        (n_zones,) how far each zone is active, 0 to 1.
    kept
        (n_zones,) zones between which rows are cut into segments: all that are active at all.
    """

    def __init__(
        self, zones: MixZones, value: npt.NDArray[np.float64], kept: npt.NDArray[np.bool_]
    ) -> None:
        self._zones, self._kept = zones, kept
        number = np.repeat(np.arange(np.count_nonzero(kept)), zones.sizes[kept])
        row = zones.members[np.repeat(kept, zones.sizes)].astype(np.int64)
        order = np.argsort(row, kind="stable")
        self._ptr = np.searchsorted(row[order], np.arange(zones.n_users + 1))
        self._time = zones.time[kept][number][order]
        self._first = self._ptr + np.arange(zones.n_users + 1)  # segments of each row
        before = np.empty(len(row), np.int64)
        before[order] = np.arange(len(row)) + row[order]
        n_segments, n_zones = int(self._first[-1]), int(np.count_nonzero(kept))
        into, out = n_segments + number, n_segments + n_zones + number
        zone = n_segments + np.arange(n_zones)
        self._tail = np.concatenate([before, before, out, zone])
        self._head = np.concatenate([before + 1, into, before + 1, zone + n_zones])
        limit = np.minimum(value[kept], 1.0)
        self._free = np.concatenate([np.full(3 * len(row), _UNLIMITED), limit])
        self._n_nodes = n_segments + 2 * n_zones
        self._arcs = _with_twins(self._tail, self._head, self._free, self._n_nodes)

    def _segment(self, place: tuple[int, int]) -> int:
        """Node of a row after a step."""
        row, step = place
        mine = self._time[self._ptr[row] : self._ptr[row + 1]]
        return int(self._first[row] + np.searchsorted(mine, step, side="right"))

    def smallest_cuts(
        self,
        start: tuple[int, int],
        end: tuple[int, int],
        wanted: float,
        blocked: tuple[int, int] | None = None,
    ) -> Iterator[npt.NDArray[np.bool_]]:
        """(n_zones,) the smallest cuts nearest to the start and to the end; none if enough flows.

        Parameters
        ----------
        start, end, blocked
            Row and step; nothing flows through the segment of ``blocked``.
        wanted
            How much is to flow.
        """
        source, sink = self._segment(start), self._segment(end)
        arcs = self._arcs._replace(free=self._arcs.free.copy())
        closed = _NOWHERE if blocked is None else self._segment(blocked)
        if closed in (source, sink):
            return
        if closed != _NOWHERE:
            mine = slice(arcs.ptr[closed], arcs.ptr[closed + 1])
            arcs.free[mine] = arcs.free[arcs.twin[mine]] = 0.0
        if source == sink or not _falls_short(arcs, source, sink, wanted):
            return
        yield self._nearest(arcs, source, start[1], closed, backward=False)
        yield self._nearest(arcs, sink, end[1], closed, backward=True)

    def smallest_cut_of_many(
        self,
        places: list[tuple[int, int]],
        part: npt.NDArray[np.float64],
        here: tuple[int, int],
        wanted: float,
        *,
        home: bool,
    ) -> npt.NDArray[np.bool_] | None:
        """(n_zones,) the smallest cut nearest to a place; None if enough flows.

        Parameters
        ----------
        places, part
            Row and step of each of n tokens, and (n,) how much of it flows.
        here, home
            From the places to this one, or, with ``home``, from this one to the places.
        wanted
            How much is to flow.
        """
        if not places:
            return None
        many = self._n_nodes
        nodes = np.array([self._segment(place) for place in places])
        ends = [np.full(len(nodes), many), nodes]
        arcs = _with_twins(
            np.concatenate([self._tail, ends[home]]),
            np.concatenate([self._head, ends[not home]]),
            np.concatenate([self._free, part]),
            many + 1,
        )
        place = self._segment(here)
        if not _falls_short(arcs, *((place, many) if home else (many, place)), wanted):
            return None
        return self._nearest(arcs, place, here[1], _NOWHERE, backward=not home)

    def _nearest(
        self, arcs: Arcs, node: int, step: int, closed: int, *, backward: bool
    ) -> npt.NDArray[np.bool_]:
        """(n_zones,) the cut nearest to a node, after its step or, backward, before it.

        Nobody can be in the ``closed`` segment: it is on neither side.
        """
        reached = _reached(arcs, node, backward)
        inside, outside = (~reached, reached) if backward else (reached, ~reached)
        if closed != _NOWHERE:
            inside[closed] = outside[closed] = False
        zones = self._zones
        found = np.zeros(len(zones), bool)
        table = (zones.time, zones.ptr, zones.members, self._kept, self._first)
        _cross(*table, inside, outside, node, step, backward, found)
        return found


def _with_twins(tail: Nodes, head: Nodes, free: npt.NDArray[np.float64], n_nodes: int) -> Arcs:
    """Arcs and, for each, one back that is not free yet."""
    n = len(tail)
    tails = np.concatenate([tail, head])
    order = np.argsort(tails, kind="stable")
    place = np.empty(2 * n, np.int64)
    place[order] = np.arange(2 * n)
    return Arcs(
        np.searchsorted(tails[order], np.arange(n_nodes + 1)),
        np.concatenate([head, tail])[order],
        place[np.concatenate([np.arange(n, 2 * n), np.arange(n)])[order]],
        np.concatenate([free, np.zeros(n)])[order],
    )


@njit(cache=True)
def _falls_short(  # pragma: no cover - compiled
    arcs: Arcs, source: int, sink: int, wanted: float
) -> bool:
    """Let flow what can, shortest ways first, up to ``wanted``; whether that is less."""
    came_by = np.empty(len(arcs.ptr) - 1, np.int64)
    queue = np.empty(len(arcs.ptr) - 1, np.int64)
    left = wanted
    while left > 1e-9:
        came_by[:] = -1
        came_by[source] = -2
        queue[0] = source
        at, n = 0, 1
        while at < n and came_by[sink] == -1:
            node = queue[at]
            at += 1
            for arc in range(arcs.ptr[node], arcs.ptr[node + 1]):
                head = arcs.head[arc]
                if arcs.free[arc] > 1e-9 and came_by[head] == -1:
                    came_by[head] = arc
                    queue[n] = head
                    n += 1
        if came_by[sink] == -1:
            return True
        more, node = left, sink
        while node != source:
            more = min(more, arcs.free[came_by[node]])
            node = arcs.head[arcs.twin[came_by[node]]]
        node = sink
        while node != source:
            arc = came_by[node]
            arcs.free[arc] -= more
            arcs.free[arcs.twin[arc]] += more
            node = arcs.head[arcs.twin[arc]]
        left -= more
    return False


@njit(cache=True)
def _reached(  # pragma: no cover - compiled
    arcs: Arcs, start: int, backward: bool
) -> npt.NDArray[np.bool_]:
    """Nodes to which more could flow from ``start``, or, backward, from which to it."""
    reached = np.zeros(len(arcs.ptr) - 1, np.bool_)
    queue = np.empty(len(arcs.ptr) - 1, np.int64)
    reached[start] = True
    queue[0] = start
    at, n = 0, 1
    while at < n:
        node = queue[at]
        at += 1
        for arc in range(arcs.ptr[node], arcs.ptr[node + 1]):
            free = arcs.free[arcs.twin[arc]] if backward else arcs.free[arc]
            if free > 1e-9 and not reached[arcs.head[arc]]:
                reached[arcs.head[arc]] = True
                queue[n] = arcs.head[arc]
                n += 1
    return reached


@njit(cache=True)
def _cross(  # pragma: no cover - compiled
    time: npt.NDArray[np.int32],
    ptr: npt.NDArray[np.int64],
    members: npt.NDArray[np.int32],
    kept: npt.NDArray[np.bool_],
    first: Nodes,
    inside: npt.NDArray[np.bool_],
    outside: npt.NDArray[np.bool_],
    start: int,
    step: int,
    backward: bool,
    found: npt.NDArray[np.bool_],
) -> None:
    """Zones with somebody inside before them and somebody outside after them.

    The ``start`` segment is on its side only after ``step``, or, backward, only until it.
    """
    segment = first[:-1].copy()
    for z in range(len(time)):
        some_in = some_out = False
        valid = (time[z] <= step) == backward
        for m in range(ptr[z], ptr[z + 1]):
            here = segment[members[m]]
            there = here + kept[z]
            some_in |= inside[here] if here != start or valid else backward
            some_out |= outside[there] if there != start or valid else not backward
            segment[members[m]] = there
        found[z] = some_in and some_out
