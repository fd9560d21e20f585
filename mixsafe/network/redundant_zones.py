"""Presolve of zones: cut them into components, find redundant ones (fact 4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill.blocks import blocks, like, spread, whole_stretches
from mixsafe.model.csr import pointers
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.network.relations import cut, within_components
from mixsafe.network.wires import Ints, Small, WireNetwork


def redundant_zones(
    network: WireNetwork, known_row: npt.ArrayLike, known_time: npt.ArrayLike
) -> npt.NDArray[np.bool_]:
    """Find the zones that can be dropped without changing any candidate.

    A zone is redundant if all its members come from one and the same zone, all go on to one and the
    same zone, and no member is seen between those two (from the step of the first, included, to the
    step of the second, excluded). Then each exchange in the zone can be made in one of the two
    instead. All three must be complete.

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
    goes_to = network.zone_ahead()
    known = np.zeros(network.n_wires, bool)
    known[network.wire_at(known_row, known_time)] = True
    redundant = np.zeros(network.n_zones, bool)
    for zones in whole_stretches(network.zone_ptr):
        ptr = network.zone_ptr[zones.start : zones.stop + 1]
        sizes, head = np.diff(ptr), ptr[:-1] - ptr[0]
        before = network.before[ptr[0] : ptr[-1]]
        # The wire before a row's first one is the last one of another row, which leads nowhere.
        earlier, later = goes_to[before - 1], goes_to[before + 1]
        fits = (earlier >= 0) & (later >= 0)
        fits &= (earlier == np.repeat(earlier[head], sizes)) & (
            later == np.repeat(later[head], sizes)
        )
        fits &= ~known[before] & ~known[before + 1]
        if network.relation is not None:
            complete = np.diff(network.relation.ptr) == 0
            fits &= complete[earlier] & complete[later] & np.repeat(complete[zones], sizes)
        redundant[zones] = np.logical_and.reduceat(fits, head)
    return redundant


def without(zones: MixZones, dropped: npt.NDArray[np.bool_]) -> MixZones:
    """The zones that are not ``dropped``, (n_zones,) bool."""
    time, ptr, members = _left(zones.time, zones.ptr, zones.members, dropped)
    place = None if zones.place is None else zones.place[~dropped]
    relation = _kept(zones.relation, dropped)
    return replace(zones, time=time, ptr=ptr, members=members, place=place, relation=relation)


def network_without(network: WireNetwork, dropped: npt.NDArray[np.bool_]) -> WireNetwork:
    """The wires between the zones that are not ``dropped``, (n_zones,) bool."""
    left = _left(network.zone_time, network.zone_ptr, network.member, dropped)
    relation = _kept(network.relation, dropped)
    return WireNetwork.joining(network.n_rows, network.horizon, *left, relation)


def cut_network(network: WireNetwork) -> tuple[WireNetwork, Ints | None]:
    """Cut zones into the components of their relation (:mod:`mixsafe.network.relations`).

    Returns
    -------
    WireNetwork, (n_wires,) int64
        The network of the parts, and its wire of which each wire is part; None: they are the same.
    """
    if network.relation is None:
        return network, None
    zone, ptr, entries, relation = cut(network.zone_ptr, network.relation)
    time, member = network.zone_time[zone], network.member[entries]
    parts = WireNetwork.joining(network.n_rows, network.horizon, time, ptr, member, relation)
    begins = np.zeros(network.n_wires, np.int64)
    begins[network.first[:-1]] = 1
    begins[network.before[entries] + 1] = 1
    return parts, np.cumsum(begins) - 1


def cut_zones(zones: MixZones) -> MixZones:
    """As :func:`cut_network`: the parts as zones, which is what tokens move by."""
    if zones.relation is None:
        return zones
    zone, ptr, entries, relation = cut(zones.ptr, zones.relation)
    time, members = zones.time[zone], zones.members[entries]
    place = None if zones.place is None else zones.place[zone]
    return replace(zones, time=time, ptr=ptr, members=members, place=place, relation=relation)


def useful(network: WireNetwork) -> WireNetwork:
    """The network without pairs of members that no allowed permutation of a zone uses."""
    if network.relation is None:
        return network
    return replace(network, relation=within_components(network.zone_ptr, network.relation))


def _kept(relation: Relation | None, dropped: npt.NDArray[np.bool_]) -> Relation | None:
    return None if relation is None else relation.those(np.flatnonzero(~dropped))


def _left(
    time: Small, ptr: Ints, member: Small, dropped: npt.NDArray[np.bool_]
) -> tuple[Small, Ints, Small]:
    """Time, pointers and members of the zones that are not ``dropped``."""
    left = pointers(np.diff(ptr)[~dropped])
    members, filled = like(member, int(left[-1]), np.int32), 0
    for part in blocks(len(member)):
        kept = member[part][spread(~dropped, ptr, part)]
        members[filled : filled + len(kept)] = kept
        filled += len(kept)
    return time[~dropped], left, members


def merged_wires(network: WireNetwork, dropped: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
    """Map each wire of ``network`` to its wire in the network without the ``dropped`` zones.

    Returns
    -------
    (n_wires,) int64.
    """
    begins = np.zeros(network.n_wires, np.int8)
    begins[network.first[:-1]] = 1
    for part in blocks(len(network.before)):
        begins[network.before[part] + 1] = spread(~dropped, network.zone_ptr, part)
    merged, wire = like(network.before, network.n_wires, np.int64), -1
    for part in blocks(network.n_wires):
        np.cumsum(begins[part], dtype=np.int64, out=merged[part])
        merged[part] += wire
        wire = int(merged[part.stop - 1])
    return merged
