"""Subproblems: some rows in a stretch of time, or some users, and all other tokens at home.

Every solution of the subproblem is one of the whole question (fact 8): tokens of other rows stay at
home, and tokens of its rows are at home when the stretch begins and ends. So candidates of the
subproblem are candidates of the whole. Excluded tokens may still be candidates of the whole, unless
the rows have no meetings with others and the stretch is the whole time.

The cost depends on the size of the subproblem, not of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import of_groups, pointers, ranges
from mixsafe.model.question.adversary import Apart, Links, Pins
from mixsafe.model.question.problem import Problem
from mixsafe.network.compression import compressed
from mixsafe.network.core import Core
from mixsafe.network.relations import among
from mixsafe.network.relations import among as pairs_among
from mixsafe.network.timeline import Timeline
from mixsafe.network.wires import Ints, Small, WireNetwork, Wires, wires_of


def among_users(
    problem: Problem, rows: npt.NDArray[np.int64]
) -> tuple[Problem, npt.NDArray[np.int64]]:
    """Restrict a problem to exchanges among some users.

    Parameters
    ----------
    rows
        (n,) users who exchange pseudonyms; all others keep theirs.

    Returns
    -------
    tuple
        The problem, with all users; and (n_zones,) the number in ``problem`` of each of its zones.
    """
    whole, inside = problem.zones, np.zeros(problem.zones.n_users, bool)
    inside[rows] = True
    member = inside[whole.members]
    left = np.bincount(whole.zone_of_member[member], minlength=len(whole))
    member &= (left >= 2)[whole.zone_of_member]
    kept = np.flatnonzero(left >= 2)
    ptr = pointers(left[kept])
    zones = replace(
        whole,
        time=whole.time[kept],
        ptr=ptr,
        members=whole.members[member],
        place=None if whole.place is None else whole.place[kept],
        relation=pairs_among(whole.relation, whole.ptr, ptr, np.flatnonzero(member)),
    )
    return replace(problem, zones=zones, zone_index=None), kept


@dataclass(frozen=True, eq=False)
class Subproblem:
    """Some rows of a question in a stretch of time.

    Parameters
    ----------
    rows
        (n_rows,) int64 rows of the whole, ascending; numbered 0, 1, ... in the subproblem.
    steps
        (horizon + 1,) int32 step of the whole for each step of the subproblem.
    core
        The question of the subproblem.
    """

    rows: Ints
    steps: Small
    core: Core

    @classmethod
    def of(cls, whole: Timeline, rows: Ints, begin: int, end: int) -> Subproblem:
        """Subproblem of some rows in a stretch, without redundant zones and steps without events.

        Parameters
        ----------
        whole
            The wires, and sightings of tokens on their own rows.
        rows
            (n_rows,) int64, ascending.
        begin, end
            First and last step.
        """
        ptr, time = whole.seen
        size, everybody = ptr[rows + 1] - ptr[rows], np.arange(len(rows), dtype=np.int32)
        seen, row = time[ranges(ptr[rows], size)], np.repeat(everybody, size)
        there = (seen >= begin) & (seen <= end)
        seen, row = seen[there], row[there]
        if end < whole.net.horizon:  # all are at home when it ends
            seen = np.concatenate([seen, np.full(len(rows), end, np.int32)])
            row = np.concatenate([row, everybody])
        known = Pins.own(row, seen - np.int32(begin))
        network = _network(whole.net, rows, (begin, end))
        core = compressed(Core(network, known, Links.none()))
        return cls(rows, core.real_steps + np.int32(begin), core)

    def wire_at(self, row: npt.NDArray[np.integer], step: npt.NDArray[np.integer]) -> Ints:
        """Wire of the subproblem for each row and step of the whole, which must be part of it."""
        here = np.searchsorted(self.steps, step, side="right") - 1
        return self.core.network.wire_at(np.searchsorted(self.rows, row), here)


def _network(net: Wires, rows: Ints, span: tuple[int, int]) -> WireNetwork:
    """Network of the zones in the stretch in which two or more of the rows meet."""
    begin, end = span
    wires = wires_of(rows, net.first)
    zone = net.leads_to[wires]
    time = net.zone_time[zone] if len(net.zone_time) else np.zeros(len(zone), np.int32)
    within = np.flatnonzero((zone >= 0) & (time > begin) & (time <= end))
    order = within[np.argsort(net.entry[wires[within]])]  # by zone, then as in the whole
    zone, member = zone[order], np.searchsorted(rows, net.row[wires[order]])
    heads = np.flatnonzero(np.diff(zone, prepend=-1))
    size = np.diff(heads, append=len(zone))
    several = size > 1
    inside = np.repeat(several, size)
    ptr, entries = pointers(size[several]), net.entry[wires[order[inside]]].astype(np.int64)
    return WireNetwork.joining(
        len(rows),
        end - begin,
        net.zone_time[zone[heads[several]]] - np.int32(begin),
        ptr,
        member[inside].astype(np.int32),
        among(net.relation, net.zone_ptr, ptr, entries),
    )


def of_rows(whole: Core, rows: Ints) -> Core:
    """All that a question says of some rows, (n_rows,) ascending; they are numbered 0, 1, ..."""
    pins = whole.pins.those(np.sort(of_groups(whole.pins_of_token, rows)))
    links = whole.links.those(np.sort(of_groups(whole.links_of_row, rows)))
    apart = whole.apart.those(np.flatnonzero(np.isin(whole.apart.row, rows)))
    on = np.isin(pins.rows, rows)
    ptr = pointers(np.bincount(pins.pin_of_entry[on], minlength=len(pins)))

    def place(row: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return np.searchsorted(rows, row).astype(np.int32)

    core = Core(
        _network(whole.network.wires, rows, (0, whole.network.horizon)),
        Pins(place(pins.token), pins.time, ptr, place(pins.rows[on])),
        Links(place(links.row), links.start, links.end),
        Apart(place(apart.row), apart.time),
        whole.steps,
    )
    return core.without_needless_apart()
