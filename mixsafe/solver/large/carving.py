"""Small problems out of a large one: some rows in a stretch of time, everybody else at home.

Every witness of the small problem is one of the large one (fact 8): tokens of other rows stay
where they are, and those of its own rows are home when the stretch begins and when it ends. So what
is proven safe is safe. That a token is not possible says nothing of the large problem.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.absorption import absorbed_zones, without
from mixsafe.network.core import Core
from mixsafe.network.events import event_steps, in_events
from mixsafe.network.timeline import SeenSteps, Timeline
from mixsafe.network.wires import Ints, Small, WireNetwork, Wires


@dataclass(frozen=True, eq=False)
class Carved:
    """A small problem, and which rows of the large one it is about.

    Parameters
    ----------
    core
        The small problem.
    rows
        (core.network.n_rows,) ascending.
    """

    core: Core
    rows: Ints

    def wires(self, row: Ints, step: Small) -> Ints:
        """Wire of the small problem on which rows of the large one are at some steps of it."""
        event = np.searchsorted(self.core.real_steps, step, side="right") - 1
        return self.core.network.wire_at(np.searchsorted(self.rows, row), event)


def carve(rows: Ints, begin: int, end: int, whole: Timeline) -> Carved:
    """The problem of ``rows``, ascending, from step ``begin`` to step ``end``.

    Parameters
    ----------
    rows, begin, end
        What is taken.
    net, seen
        The large problem; what is known of tokens taken as sightings on their own rows.
    """
    net, seen = whole.net, whole.seen
    zones = _meetings(rows, begin, end, net)
    row, time = _known(rows, begin, end, seen, net.horizon)
    network = WireNetwork.of(zones)
    dropped = absorbed_zones(network, row, time)
    core = Core(WireNetwork.of(without(zones, dropped)), Pins.own(row, time), Links.none())
    return Carved(in_events(core, event_steps(net.horizon, core.network.zone_time, time)), rows)


def ranges(begin: Ints, size: Ints) -> Ints:
    """The numbers ``begin[i]`` to ``begin[i] + size[i] - 1``, one range after the other."""
    until = np.cumsum(size)
    return np.arange(until[-1] if len(size) else 0) + np.repeat(begin - until + size, size)


def _meetings(rows: Ints, begin: int, end: int, net: Wires) -> MixZones:
    """Where two or more of the rows meet in the stretch."""
    size = net.first[rows + 1] - net.first[rows]
    wires = ranges(net.first[rows], size)
    zone, member = net.leads_to[wires], np.repeat(np.arange(len(rows), dtype=np.int32), size)
    time = net.zone_time[zone]  # of no meaning at the horizon, where there is no zone
    within = np.flatnonzero((zone >= 0) & (time > begin) & (time <= end))
    zone, member = zone[within], member[within]
    order = np.argsort(zone, kind="stable")
    zone, member = zone[order], member[order]
    _, place, count = np.unique(zone, return_inverse=True, return_counts=True)
    several = count >= 2
    kept = several[place]
    met = np.unique(zone[kept])
    ptr = np.concatenate([[0], np.cumsum(count[several])])
    axis = TimeAxis(steps=net.horizon)
    return MixZones(np.arange(len(rows)), axis, net.zone_time[met], ptr, member[kept])


def _known(rows: Ints, begin: int, end: int, seen: SeenSteps, horizon: int) -> tuple[Small, Small]:
    """Rows, by their new numbers, and steps at which their tokens are to be home."""
    size = seen.ptr[rows + 1] - seen.ptr[rows]
    row = np.repeat(np.arange(len(rows)), size)
    time = seen.time[ranges(seen.ptr[rows], size)]
    within = (time >= begin) & (time <= end)
    row, time = row[within], time[within]
    for step, is_cut in ((begin, begin > 0), (end, end < horizon)):
        if is_cut:
            row = np.concatenate([row, np.arange(len(rows))])
            time = np.concatenate([time, np.full(len(rows), step)])
    pairs = np.unique(np.stack([row, time], axis=1), axis=0)
    return pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)
