"""An auditor's question, transformed from published tracks to the paths of tokens.

The publisher's engines assume that every token begins on its own row (fact 1). An auditor does not
know which token begins on which published track. So all tracks meet in an additional first zone;
and once a solution is known, tracks are cut and joined at zones so that every token of the solution
stays on one row, its *path*. Then the identity is a solution, and the engines apply. Decisions and
certificates refer to paths; only input and reports refer to tracks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import distinct, pointers, ranges
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.network.compression import cut_zones, event_steps, in_events
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import Assignment

Ints = npt.NDArray[np.int64]

FIRST = 2
"""Step of an auditor's question at which step 1 of the data begins."""


def unnamed_start(zones: MixZones, pins: Pins) -> Core:
    """The question of an auditor: any token may start on any track.

    At step 1 all tracks meet; step 1 of the data is step :data:`FIRST` here, and from then on only
    those steps count in which something happens. The identity need not be a solution. Zones with a
    relation are cut into their components.

    Parameters
    ----------
    zones
        Visible mix zones of published tracks.
    pins
        Tokens on one of some tracks after a step, 0 included.
    """
    whole, zones, n_rows = zones, cut_zones(zones), zones.n_users
    everybody = np.arange(n_rows if n_rows > 1 else 0, dtype=np.int32)
    begins = np.zeros(min(len(everybody), 1), np.int32)
    started = MixZones(
        zones.users,
        replace(zones.axis, steps=zones.axis.steps + 1),
        np.concatenate([begins + np.int32(1), zones.time + np.int32(1)]),
        np.concatenate([begins.astype(np.int64), zones.ptr + len(everybody)]),
        np.concatenate([everybody, zones.members]),
        relation=_shifted(zones.relation, len(begins)),
    )
    later = Pins(pins.token, pins.time + np.int32(1), pins.ptr, pins.rows)
    core = Core(WireNetwork.of(started), later, Links.none())
    # Zones count even if nothing can be exchanged in them: nobody's claims span one.
    steps = event_steps(started.axis.steps, np.array([1, 2]), whole.time + 1, later.time)
    here = in_events(core, steps)
    return replace(here, steps=steps - np.int32(1))


def _shifted(relation: Relation | None, n_zones: int) -> Relation | None:
    """The relation with so many complete zones before its own."""
    if relation is None:
        return None
    return Relation(np.concatenate([np.zeros(n_zones, np.int64), relation.ptr]), relation.words)


@dataclass(frozen=True, eq=False)
class PathQuestion:
    """A question in terms of the paths of tokens in one of its solutions.

    Parameters
    ----------
    tracks
        Result of :func:`unnamed_start`: rows are published tracks.
    solution
        (n_wires,) token on each of its wires.
    along
        The same, but row c is the path of token c in the solution; steps are the same.
    track_wire
        (n_wires,) int64: wire of ``tracks`` that each wire of ``along`` is.
    core
        The same as ``along``, each sighting in a cell being one on the token's own path
        (:func:`at_home_in_cells`): what engines decide.
    begin, end
        (n_wires of ``core``,) int32 each: first and last step of ``along`` of each wire; what is
        between the two of a zone ends before it begins.
    """

    tracks: Core
    solution: Assignment
    along: Core
    track_wire: Ints
    core: Core
    begin: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]

    @classmethod
    def of(cls, tracks: Core, solution: Assignment) -> PathQuestion:
        """Paths in a solution of a question without links."""
        along, track_wire = _along(tracks, solution)
        core = at_home_in_cells(along)
        real, network = core.real_steps, core.network
        steps = np.flatnonzero(np.diff(real, append=real[-1] + 1))  # the later one of each two
        begin = np.searchsorted(steps, network.start).astype(np.int32)
        end = np.searchsorted(steps, network.end, side="right").astype(np.int32) - np.int32(1)
        return cls(tracks, solution, along, track_wire, core, begin, end)

    @cached_property
    def wire(self) -> Ints:
        """(n_wires of ``along``,) wire of ``core`` that each is, ascending."""
        return np.flatnonzero(self.begin <= self.end)

    @cached_property
    def track(self) -> npt.NDArray[np.int32]:
        """(n_wires of ``core``,) track of each; between the two of a zone the one after it."""
        following = np.searchsorted(self.wire, np.arange(len(self.begin)))
        return self.tracks.network.row[self.track_wire[following]]

    @property
    def wire_of_track(self) -> Ints:
        """(n_wires of ``tracks``,) wire of ``core`` that each is."""
        return self.wire[np.argsort(self.track_wire)]


def _along(tracks: Core, solution: Assignment) -> tuple[Core, Ints]:
    """The question in terms of paths, and the wire of ``tracks`` for each of its wires."""
    network, pins = tracks.network, tracks.pins
    token = solution[network.before].astype(np.int32)
    order = np.lexsort((token, network.zone_of_entry))
    relation = None if network.relation is None else _relation_along(network, solution)
    made = WireNetwork.joining(
        network.n_rows, network.horizon, network.zone_time, network.zone_ptr, token[order], relation
    )
    track_wire = np.empty(network.n_wires, np.int64)
    track_wire[made.wire_at(solution, network.start)] = np.arange(network.n_wires)
    pin, wire = tracks.pin_wires
    row = solution[wire].astype(np.int32)
    held = Pins(pins.token, pins.time, pins.ptr, row[np.lexsort((row, pin))])
    return replace(tracks, network=made, pins=held), track_wire


def _relation_along(network: WireNetwork, solution: Assignment) -> Relation | None:
    """Which path may go on as which: as the track of the one before the zone as that of the other.

    Paths of a zone are in the order of their tokens.
    """
    relation, zone = network.relation, network.zone_of_entry
    if relation is None:
        return None
    path_before, path_after = np.empty((2, len(zone)), np.int64)
    for path, side in ((path_before, 0), (path_after, 1)):
        order = np.lexsort((solution[network.before + side], zone))
        path[order] = np.arange(len(order))
    before, after = relation.pairs(network.zone_ptr)
    head, size = network.zone_ptr[:-1], np.diff(network.zone_ptr)
    stays = ranges(head[relation.zones], size[relation.zones])  # on its track, not on its path
    before, after = np.concatenate([before, stays]), np.concatenate([after, stays])
    return Relation.of(network.zone_ptr, relation.zones, path_before[before], path_after[after])


def at_home_in_cells(along: Core) -> Core:
    """Pin tokens that were seen in a zone to their own rows, between it and its duplicate.

    An auditor knows of a user that she is on one of the rows that meet in a zone. As any
    permutation may happen in a zone, the same zone twice, one right after the other, is no more
    than the zone once; and who of its members is on which row between the two does not matter. So
    each token that was seen there is pinned to its own row between them, and nothing is lost or
    gained (docs/develop/facts.md, sightings of a cell). The two have the same step of the data.

    Pins whose rows are not exactly the members of one zone are left unchanged, and so are those to
    a zone with a relation: such a zone twice allows more than once.

    Parameters
    ----------
    along
        A question of which the identity is a solution.
    """
    network, pins = along.network, along.pins
    zone = _zones_of_pins(along)
    seen = np.flatnonzero(zone >= 0)
    zones, token = np.divmod(
        distinct(zone[seen] * network.n_rows + pins.token[seen]), network.n_rows
    )
    begins = np.unique(network.zone_time[zones])
    step = np.arange(network.horizon + 1)
    step += np.searchsorted(begins, step, side="right")
    rest = pins.those(np.flatnonzero(zone < 0))
    rest = replace(rest, time=step[rest.time].astype(np.int32))
    between = (step[network.zone_time[zones]] - 1).astype(np.int32)
    return replace(
        along,
        network=_with_zones_twice(network, np.unique(zones), step),
        pins=rest.joined(Pins.own(token.astype(np.int32), between)),
        steps=np.repeat(along.real_steps, np.diff(step, prepend=-1)),
    )


def _zones_of_pins(core: Core) -> Ints:
    """(n_pins,) zone from which the rows of each pin come, all of its rows and no other; or -1.

    The start, where all rows meet, does not count: a pin to all rows has no effect.
    """
    network, pins = core.network, core.pins
    pin, wire = core.pin_wires
    zone = network.comes_from[wire].astype(np.int64)
    pin_zone = np.where(np.diff(pins.ptr) > 1, zone[pins.ptr[:-1]], -1)
    pin_zone[pin_zone == 0] = -1
    if network.relation is not None:
        pin_zone[np.isin(pin_zone, network.relation.zones)] = -1
    pin_zone[np.unique(pin[zone != pin_zone[pin]])] = -1
    sizes = np.append(np.diff(network.zone_ptr), 0)  # the last one is that of no zone
    pin_zone[np.diff(pins.ptr) != sizes[pin_zone]] = -1
    return np.asarray(pin_zone, np.int64)


def _with_zones_twice(network: WireNetwork, zones: Ints, step: Ints) -> WireNetwork:
    """The rows with some zones right before themselves, too, and steps by other numbers."""
    time = step[network.zone_time]
    which = np.concatenate([np.arange(network.n_zones), zones])
    when = np.concatenate([time, time[zones] - 1])
    order = np.argsort(when, kind="stable")
    sizes = np.diff(network.zone_ptr)[which[order]]
    entry = ranges(network.zone_ptr[which[order]], sizes)
    return WireNetwork.joining(
        network.n_rows,
        int(step[-1]),
        when[order].astype(np.int32),
        pointers(sizes),
        network.member[entry],
        None if network.relation is None else network.relation.those(which[order]),
    )
