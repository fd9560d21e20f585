"""Where a single token can go from wire to wire, nearest first, but over those that are taken."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import tiered
from mixsafe.network.wires import NOWHERE, Ints, WireNetwork, Wires, came_from

BEFORE, AFTER = 0, 1
"""On which side of a zone a wire is, and to which side of a wire tokens are followed."""

FAR = 1 << 40
"""Farther than any wire."""


class ReachedWires(NamedTuple):
    """Wires that were reached.

    Parameters
    ----------
    wire
        (n,) int64, the nearest first.
    depth
        (n,) int64: how far each is, in zones.
    by
        (n_wires,) int64: from which wire each was reached; its own number where it began there; -1:
        not reached.
    """

    wire: Ints
    depth: Ints
    by: Ints

    def way(self, to: int) -> list[int]:
        """The wires of the way to one that was reached, the last one first."""
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
    """The wires that can be reached over wires that are not taken; taken ones end ways.

    Parameters
    ----------
    network
        All wires.
    side
        :data:`AFTER` or :data:`BEFORE`: forward or backward in time.
    begin
        (n,) int64: where to begin, taken or not; number i counts as i zones far.
    taken
        (n_wires,); None: none is.
    shut
        A wire that is not entered.
    most
        Nothing is looked for that is farther.
    span
        Steps between which zones are passed: after the first one, up to the second one.
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
    """Write down what is reached, the nearest first; how much it is."""
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
            closed[zone] = True
            for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
                there = net.before[m] + side
                if by[there] < 0 and there != shut:
                    by[there] = here
                    wire[n], depth[n] = there, level + 1
                    n += 1
        level += 1
    return n
