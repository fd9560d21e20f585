"""Absorption: zones that add nothing, because the same people meet before and after (fact 4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork


def absorbed_zones(
    network: WireNetwork, known_row: npt.ArrayLike, known_time: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Which zones can be dropped without changing any candidate.

    A zone is absorbed when all its members came to it from one earlier zone that holds them all
    and all go on to one later zone that holds them all, and nothing is known of a member between
    those two (from the step of the first, included, to the step of the second, excluded): any
    exchange there can as well be made at one of the two.

    Parameters
    ----------
    network
        Wires of all zones.
    known_row, known_time
        (n,) each: rows and steps at which knowledge constrains the token on the row, or the token
        that has the row's name.

    Returns
    -------
    (n_zones,) bool.
    """
    zone_of_member = network.zone_of_entry
    came_from = np.full(network.n_wires, -1, np.int64)
    came_from[network.before + 1] = zone_of_member
    goes_to = np.full(network.n_wires, -1, np.int64)
    goes_to[network.before] = zone_of_member

    known = np.zeros(network.n_wires, bool)
    known[network.wire_at(known_row, known_time)] = True

    head = network.zone_ptr[:-1]
    earlier, later = came_from[network.before], goes_to[network.before + 1]
    fits = (earlier >= 0) & (later >= 0)
    fits &= (earlier == earlier[head][zone_of_member]) & (later == later[head][zone_of_member])
    fits &= ~known[network.before] & ~known[network.before + 1]
    return np.logical_and.reduceat(fits, head) if len(head) else np.zeros(0, bool)


def without(zones: MixZones, dropped: npt.NDArray[np.bool_]) -> MixZones:
    """The zones that are not ``dropped``, (n_zones,) bool."""
    kept = np.flatnonzero(~dropped)
    sizes = zones.sizes
    ptr = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(sizes[kept], out=ptr[1:])
    members = zones.members[np.repeat(~dropped, sizes)]
    place = None if zones.place is None else zones.place[kept]
    return MixZones(zones.users, zones.axis, zones.time[kept], ptr, members, place, zones.notes)


def merged_wires(network: WireNetwork, dropped: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Wire of the network without the ``dropped`` zones that each wire of ``network`` is part of.

    Returns
    -------
    (n_wires,) int64.
    """
    begins = np.zeros(network.n_wires, np.int64)
    begins[network.first[:-1]] = 1
    zone_of_member = network.zone_of_entry
    begins[network.before + 1] = ~dropped[zone_of_member]
    return np.cumsum(begins) - 1
