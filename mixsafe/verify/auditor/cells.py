"""Sightings in a cell as sightings on one row, which every engine follows to the letter.

An auditor knows of a user that she is on one of the rows that meet in a zone. As any permutation
may happen in a zone, the same zone twice, one right after the other, is no more than the zone once;
and who of its members is on which row between the two does not matter. So each token that was seen
there is pinned to a row of its own between the two, and nothing is lost or gained
(docs/develop/facts.md, sightings of a cell).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers, ranges
from mixsafe.model.distinct import distinct
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import Assignment

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Doubled:
    """A question whose zones with sightings come twice.

    Parameters
    ----------
    core
        The question.
    wire
        (n_wires before,): wire of ``core`` that each wire of the question before is.
    step
        (horizon before + 1,): step of ``core`` that each step before is. Others are between the
        two of a zone; nobody asks about them.
    """

    core: Core
    wire: Longs
    step: Longs

    def carried(self, solution: Assignment) -> Assignment:
        """A solution of the question before, all exchanged in the first of each two zones.

        It solves ``core`` if that was made for it.
        """
        told = np.full(self.core.network.n_wires, -1, np.int32)
        told[self.wire] = solution
        between = np.flatnonzero(told < 0)
        told[between] = told[between + 1]
        return told

    @property
    def asked(self) -> npt.NDArray[np.bool_]:
        """(horizon + 1,) bool: steps that are not between the two of a zone."""
        found = np.zeros(self.core.network.horizon + 1, np.bool_)
        found[self.step] = True
        return found


def doubled(core: Core, solution: Assignment | None = None) -> Doubled:
    """Pin tokens that were seen on the rows of a zone to one row each, between it and its double.

    A pin stays what it is if its rows do not all come from one zone, or not all of that zone.

    Parameters
    ----------
    core
        As :func:`mixsafe.verify.auditor.whereabouts.unnamed_start` makes it.
    solution
        (n_wires,) tokens between the two of a zone are to be on the rows on which they leave it in
        this solution; None: in any order.
    """
    network = core.network
    zone = _zones_of_pins(core)
    chosen = np.flatnonzero(zone >= 0)
    pairs = distinct(zone[chosen] * network.n_rows + core.pins.token[chosen])
    zones, token = np.divmod(pairs, network.n_rows)
    number = np.arange(len(zones)) - np.searchsorted(zones, zones)
    fits = number < np.diff(network.zone_ptr)[zones]  # if not, knowledge contradicts the zones
    kept = np.setdiff1d(zones, zones[~fits])
    inside = np.isin(zones, kept)
    zones, token, number = zones[inside], token[inside], number[inside]
    if solution is None:
        row = network.member[network.zone_ptr[zones] + number]
    else:
        row = _left_on(network, solution, zones, token)
    twice = np.unique(network.zone_time[kept])
    step = np.arange(network.horizon + 1) + np.searchsorted(
        twice, np.arange(network.horizon + 1), side="right"
    )
    made = _with_zones_twice(network, kept, step)
    rest = core.pins.those(np.flatnonzero(~np.isin(zone, kept)))
    rest = replace(rest, time=step[rest.time].astype(np.int32))
    between = (step[network.zone_time[zones]] - 1).astype(np.int32)
    own = Pins(token.astype(np.int32), between, np.arange(len(token) + 1), row.astype(np.int32))
    steps = np.repeat(core.real_steps, np.diff(step, prepend=-1))
    wire = made.wire_at(network.row, step[network.start])
    posed = replace(core, network=made, pins=rest.joined(own), steps=steps)
    return Doubled(posed, np.asarray(wire, np.int64), step)


def _zones_of_pins(core: Core) -> Longs:
    """(n_pins,) zone from which the rows of each pin come, all of its rows and no other; or -1.

    The start, where all rows meet, is none: a pin to all rows says nothing.
    """
    network, pins = core.network, core.pins
    pin, wire = core.pin_wires
    zone = network.comes_from[wire].astype(np.int64)
    found = np.where(np.diff(pins.ptr) > 1, zone[pins.ptr[:-1]], -1)
    found[found == 0] = -1
    found[np.unique(pin[zone != found[pin]])] = -1
    sizes = np.append(np.diff(network.zone_ptr), 0)  # the last one is that of no zone
    found[np.diff(pins.ptr) != sizes[found]] = -1
    return np.asarray(found, np.int64)


def _left_on(
    network: WireNetwork, solution: Assignment, zones: Longs, token: Longs
) -> npt.NDArray[np.int32]:
    """(n,) row on which each of some tokens leaves the zone beside it in a solution."""
    key = network.zone_of_entry * network.n_rows + solution[network.before + 1]
    order = np.argsort(key)
    entry = order[np.searchsorted(key[order], zones * network.n_rows + token)]
    return network.member[entry]


def _with_zones_twice(network: WireNetwork, zones: Longs, step: Longs) -> WireNetwork:
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
    )
