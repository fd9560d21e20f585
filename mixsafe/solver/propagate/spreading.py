"""Breadth-first search of the wires that a single token can reach over free wires."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.network.wires import (
    NOWHERE,
    Ints,
    WireNetwork,
    Wires,
    came_from,
    is_complete,
    may_leave,
)

BEFORE, AFTER = 0, 1
"""Side of a zone on which a wire is; direction in time in which tokens are followed."""

FAR = 1 << 40
"""A distance greater than any other."""


class ReachedWires(NamedTuple):
    """Wires that were reached.

    Parameters
    ----------
    wire
        (n,) int64, the nearest first.
    depth
        (n,) int64: distance of each, in zones.
    by
        (n_wires,) int64: predecessor of each wire; its own number at the beginning; -1: not
        reached.
    """

    wire: Ints
    depth: Ints
    by: Ints

    def path(self, to: int) -> list[int]:
        """The wires of a shortest path to a reached wire, the last one first."""
        found = [to]
        while (before := int(self.by[found[-1]])) != found[-1]:
            found.append(before)
        return found


def spread(
    network: WireNetwork,
    side: int,
    begin: Ints,
    taken: npt.NDArray[np.bool_] | None = None,
    *,
    shut: int = -1,
    most: int = FAR,
    span: tuple[int, int] = (0, FAR),
) -> ReachedWires:
    """Find the wires that are reachable over wires that are not taken; taken ones end paths.

    Parameters
    ----------
    network
        All wires.
    side
        :data:`AFTER` or :data:`BEFORE`: forward or backward in time.
    begin
        (n,) int64: wires to begin from, taken or not; the i-th one starts at distance i.
    taken
        (n_wires,); None: no wire is taken.
    shut
        A wire that must not be entered.
    most
        Maximum distance.
    span
        Only zones after the first step and up to the second one are passed.
    """
    taken = np.zeros(network.n_wires, np.bool_) if taken is None else taken
    wire, depth = np.empty(network.n_wires, np.int64), np.empty(network.n_wires, np.int64)
    found = ReachedWires(wire, depth, np.full(network.n_wires, -1, np.int64))
    closed = np.zeros(network.n_zones, np.bool_)
    n = _spread(network.wires, side, begin, taken, (shut, most, *span), closed, found)
    return ReachedWires(wire[:n], depth[:n], found.by)


@tiered
def _spread(  # pragma: no cover - compiled
    net: Wires,
    side: int,
    begin: Ints,
    taken: npt.NDArray[np.bool_],
    within: tuple[int, int, int, int],
    closed: npt.NDArray[np.bool_],
    found: ReachedWires,
) -> int:
    """Write the reached wires, the nearest first; their number."""
    wire, depth, by = found.wire, found.depth, found.by
    shut, most, low, high = within
    n = now = level = 0
    while level < most and (level < len(begin) or now < n):
        if level < len(begin) and by[begin[level]] < 0:
            by[begin[level]] = begin[level]
            wire[n], depth[n] = begin[level], level
            n += 1
        while now < n and depth[now] == level:
            here = wire[now]
            now += 1
            zone = net.leads_to[here] if side == AFTER else came_from(here, net)
            if zone == NOWHERE or closed[zone] or (taken[here] and by[here] != here):
                continue
            if net.zone_time[zone] <= low or net.zone_time[zone] > high:
                continue
            complete = is_complete(zone, net)
            closed[zone] = complete
            for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
                there = net.before[m] + side
                passes = complete or _passes(here, m, side, zone, net)
                if passes and by[there] < 0 and there != shut:
                    by[there] = here
                    wire[n], depth[n] = there, level + 1
                    n += 1
        level += 1
    return n


@inner
def _passes(  # pragma: no cover - compiled
    here: int, m: int, side: int, zone: int, net: Wires
) -> bool:
    """Whether a zone lets a token pass between a wire and a member's wire on its other side."""
    if side == AFTER:
        return may_leave(net.entry[here], m, zone, net)
    return may_leave(m, net.entry[here - 1], zone, net)
