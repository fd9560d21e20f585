"""Induced subproblems: some rows of a question in a stretch of time, all other tokens at home.

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
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.compression import compressed
from mixsafe.network.core import Core
from mixsafe.network.relations import among
from mixsafe.network.timeline import Timeline
from mixsafe.network.wires import Ints, Small, WireNetwork, Wires, wires_of


@dataclass(frozen=True, eq=False)
class Subproblem:
    """Some rows of a question in a stretch of time.

    Parameters
    ----------
    whole
        The wires of the whole question.
    rows
        (n_rows,) int64 rows of the whole, ascending; numbered 0, 1, ... in the subproblem.
    steps
        (horizon + 1,) int32 step of the whole for each step of the subproblem.
    core
        The question of the subproblem.
    """

    whole: Wires
    rows: Ints
    steps: Small
    core: Core

    @classmethod
    def of(
        cls,
        whole: Core,
        rows: Ints,
        begin: int = 0,
        end: int | None = None,
        *,
        compress: bool = False,
    ) -> Subproblem:
        """Subproblem of some rows of a question.

        Parameters
        ----------
        whole
            The question.
        rows
            (n_rows,) int64, ascending.
        begin, end
            First and last step; default: all steps.
        compress
            Remove redundant zones, and steps without events.
        """
        pins = whole.pins.those(np.sort(of_groups(whole.pins_of_token, rows)))
        links = whole.links.those(np.sort(of_groups(whole.links_of_row, rows)))
        span = (begin, whole.network.horizon if end is None else end)
        cut = cls._cut(whole.network.wires, rows, span, pins, links, compress=compress)
        return replace(cut, core=replace(cut.core, steps=whole.real_steps[cut.steps]))

    @classmethod
    def of_sightings(cls, whole: Timeline, rows: Ints, begin: int, end: int) -> Subproblem:
        """As :meth:`of`, compressed, if all sightings are of tokens on their own rows."""
        ptr, time = whole.seen
        size = ptr[rows + 1] - ptr[rows]
        seen = time[ranges(ptr[rows], size)]
        pins = Pins.own(np.repeat(rows, size).astype(np.int32), seen)
        return cls._cut(whole.net, rows, (begin, end), pins, Links.none(), compress=True)

    @classmethod
    def _cut(
        cls,
        net: Wires,
        rows: Ints,
        span: tuple[int, int],
        pins: Pins,
        links: Links,
        *,
        compress: bool,
    ) -> Subproblem:
        """Subproblem of rows with their ``pins`` and ``links``, in numbers of the whole."""
        known = _known(pins, links, rows, span, net.horizon)
        core = Core(_network(net, rows, span), *known)
        if compress:
            core = compressed(core)
        return cls(net, rows, core.real_steps + np.int32(span[0]), core)

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


def _known(
    pins: Pins, links: Links, rows: Ints, span: tuple[int, int], horizon: int
) -> tuple[Pins, Links]:
    """Pins and links in the stretch; a link that leaves it becomes a pin to the own row."""
    begin, end = span
    pins = pins.those(np.flatnonzero((pins.time >= begin) & (pins.time <= end)))
    on = np.isin(pins.rows, rows)
    ptr = pointers(np.bincount(pins.pin_of_entry[on], minlength=len(pins)))

    def place(row: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return np.searchsorted(rows, row).astype(np.int32)

    known = Pins(place(pins.token), pins.time - np.int32(begin), ptr, place(pins.rows[on]))
    starts, ends = ((time >= begin) & (time <= end) for time in (links.start, links.end))
    row = np.concatenate([links.row[starts & ~ends], links.row[ends & ~starts]])
    time = np.concatenate([links.start[starts & ~ends], links.end[ends & ~starts]])
    if end < horizon:
        row = np.concatenate([row, rows.astype(np.int32)])
        time = np.concatenate([time, np.full(len(rows), end, np.int32)])
    home = Pins.own(place(row), time - np.int32(begin))
    inside = links.those(np.flatnonzero(starts & ends))
    since, until = (at - np.int32(begin) for at in (inside.start, inside.end))
    return known.joined(home), Links(place(inside.row), since, until)
