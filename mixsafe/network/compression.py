"""Presolve: zones are cut into components, redundant zones (fact 4) and empty steps are removed.

The cost of engines depends on the number of events, not of steps. Between two events (meetings and
sightings) no token changes its row (fact 3). So steps without events are removed, and the others
are renumbered. This keeps the order of events, and therefore all answers.

Tokens do not leave a connected component of the meeting graph (facts.md, groups).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill import blocks, like, mapped_by, spread, whole_stretches
from mixsafe.model.csr import pointers
from mixsafe.model.question.adversary import Apart, Links, Pins, known_rows
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.relations import cut, within_components
from mixsafe.network.wires import Ints, Small, WireNetwork


def components(network: WireNetwork, pins: Pins | None = None) -> npt.NDArray[np.int64]:
    """(n_rows,) number of the group of each row, connected by meetings or pins.

    Parameters
    ----------
    network
        The meetings.
    pins
        Also connect each token with the rows of its pins; None: only meetings connect.
    """
    label = np.arange(network.n_rows)
    head = network.member[network.zone_ptr[:-1]]
    for part in blocks(
        len(network.member)
    ):  # in blocks: all edges of a city's graph need much memory
        one, other = label[spread(head, network.zone_ptr, part)], label[network.member[part]]
        label = connected(int(label.max()) + 1, one, other)[label]
    if pins is not None:
        one = np.repeat(pins.token, np.diff(pins.ptr))
        label = connected(int(label.max()) + 1, label[one], label[pins.rows])[label]
    return label


def connected(
    n_rows: int, one: npt.NDArray[np.integer], other: npt.NDArray[np.integer]
) -> npt.NDArray[np.int64]:
    """(n_rows,) number of the group of each row, from 0 in order of the groups' lowest rows.

    Parameters
    ----------
    n_rows
        Number of rows.
    one, other
        (n_pairs,) each: rows that are in one group.
    """
    # Imported here: few runs need it, and the import takes a tenth of a second.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    apart = one != other
    pairs = (one[apart], other[apart])
    graph = coo_array((np.ones(len(pairs[0]), bool), pairs), (n_rows, n_rows))
    return connected_components(graph, directed=False)[1].astype(np.int64)


Steps = npt.NDArray[np.int32]


def event_steps(horizon: int, *times: npt.NDArray[np.integer]) -> Steps:
    """Steps of events, ascending: all ``times``, step 0 and the horizon."""
    return np.unique(np.concatenate([[0, horizon], *times])).astype(np.int32)


def in_events(core: Core, steps: Steps) -> Core:
    """The same question in event time.

    Parameters
    ----------
    core
        The question in steps of the data.
    steps
        Result of :func:`event_steps`; must contain the steps of all zones and
        of all that is known.
    """
    network, pins, links, apart = core.network, core.pins, core.links, core.apart
    if len(steps) == network.horizon + 1:  # something happens in every step
        return replace(core, steps=steps)

    def event(time: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return mapped_by(lambda part: np.searchsorted(steps, part), time, np.int32)

    def event_before(time: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return mapped_by(
            lambda part: np.searchsorted(steps, part + np.int32(1)) - 1, time, np.int32
        )

    return Core(
        replace(
            network,
            horizon=len(steps) - 1,
            start=event(network.start),
            end=event_before(network.end),
            zone_time=event(network.zone_time),
        ),
        Pins(pins.token, event(pins.time), pins.ptr, pins.rows),
        Links(links.row, event(links.start), event(links.end)),
        Apart(apart.row, event(apart.time)),
        steps,
    )


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


def compress(problem: Problem, whole: WireNetwork) -> tuple[Core, npt.NDArray[np.int64]]:
    """Remove redundant zones and empty steps, and map the wires to those of the smaller core.

    Parameters
    ----------
    problem
        Zones and knowledge.
    whole
        All wires of its zones, with the steps of the data.

    Returns
    -------
    Core, (n_wires_of_whole,) int64
        The smaller question, and the wire of it that each wire of ``whole`` is part of.
    """
    core = Core.of(whole, problem.knowledge)
    parts, part = cut_network(whole)
    core = replace(core, network=parts)
    dropped = _redundant(core)
    merged = merged_wires(parts, dropped)
    return _without(core, dropped), merged if part is None else merged[part]


def compressed(core: Core) -> Core:
    """A question, with the steps of the data, with zones cut into their components.

    Redundant zones and empty steps are left out.
    """
    core = replace(core, network=cut_network(core.network)[0])
    return _without(core, _redundant(core))


def _redundant(core: Core) -> npt.NDArray[np.bool_]:
    return redundant_zones(core.network, *known_rows(core.pins, core.links, core.apart))


def _without(core: Core, dropped: npt.NDArray[np.bool_]) -> Core:
    """Remove the dropped zones, and then all steps without zones and knowledge."""
    network, (_, known_time) = core.network, known_rows(core.pins, core.links, core.apart)
    small = replace(core, network=network_without(network, dropped))
    return in_events(small, event_steps(network.horizon, network.zone_time, known_time))
