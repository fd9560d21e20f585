"""A board: the problem cut down to a few rows, whose tokens stay on them, in a stretch of time.

Everybody else keeps the own token (fact 8), and the board's own tokens are at home when the stretch
begins and when it ends. So what is a history of the board is one of the whole.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Links, Pins, known_rows
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.absorption import absorbed_zones, without
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import Assignment

Rows = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]
"""(n_rows of the whole,) number of each row on the board, or -1."""


@dataclass(frozen=True, eq=False)
class Board:
    """A few rows for some time.

    Parameters
    ----------
    whole
        The question that it is cut out of.
    rows
        (n_rows,) int64 rows of the whole, ascending; here they are 0, 1, ...
    begin, end
        Steps of the whole; here they are 0 and the horizon.
    core
        The question on the board.
    """

    whole: Core
    rows: Rows
    begin: int
    end: int
    core: Core

    @classmethod
    def of(cls, whole: Core, rows: Rows, begin: int, end: int, *, absorb: bool = True) -> Board:
        """Cut some rows, ascending, out of a question; ``absorb`` zones that add nothing to it."""
        place = np.full(whole.network.n_rows, -1, np.int32)
        place[rows] = np.arange(len(rows))
        pins, links = _known(whole, place, begin, end)
        zones = _zones(whole.network, place, begin, end)
        if absorb:
            known = known_rows(pins, links)
            zones = without(zones, absorbed_zones(WireNetwork.of(zones), *known))
        return cls(whole, rows, begin, end, Core(WireNetwork.of(zones), pins, links))

    def place(self, wires: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Wires of the board that wires of the whole, which begin in its time, are part of."""
        network = self.whole.network
        row = np.searchsorted(self.rows, network.row[wires])
        begins = np.maximum(network.start[wires], self.begin)
        return self.core.network.wire_at(row, begins - self.begin)

    def assignment(self, here: Assignment) -> Assignment:
        """(n_wires of the whole,) what an assignment of the board is in the whole."""
        network = self.whole.network
        on_board = np.isin(network.row, self.rows)
        lasts = (network.start <= self.end) & (network.end >= self.begin)
        wires = np.flatnonzero(on_board & lasts)
        found = network.row.copy()
        found[wires] = self.rows[here[self.place(wires)]]
        return found


def _known(whole: Core, place: Places, begin: int, end: int) -> tuple[Pins, Links]:
    """Pins and links of the board; links that leave its time are pins to the own row there."""
    pins, links, own = whole.pins, whole.links, np.flatnonzero(place >= 0).astype(np.int32)
    pin = pins.pin_of_entry
    held = (place[pins.token] >= 0) & (pins.time >= begin) & (pins.time <= end)
    kept = held[pin] & (place[pins.rows] >= 0)
    ptr = np.concatenate([[0], np.cumsum(np.bincount(pin[kept], minlength=len(pins))[held])])
    known = Pins(place[pins.token[held]], pins.time[held] - begin, ptr, place[pins.rows[kept]])
    there = place[links.row] >= 0
    starts, ends = (there & (time >= begin) & (time <= end) for time in (links.start, links.end))
    row = np.concatenate([links.row[starts & ~ends], links.row[ends & ~starts]])
    time = np.concatenate([links.start[starts & ~ends], links.end[ends & ~starts]])
    if end < whole.network.horizon:
        row, time = np.concatenate([row, own]), np.concatenate([time, np.full(len(own), end)])
    both = starts & ends
    home = Pins.own(place[row].astype(np.int32), (time - begin).astype(np.int32))
    inside = Links(place[links.row[both]], links.start[both] - begin, links.end[both] - begin)
    return known.joined(home), inside


def _zones(network: WireNetwork, place: Places, begin: int, end: int) -> MixZones:
    """Zones of the board's time, cut down to its rows; what is left of two or more counts."""
    zone = network.zone_of_entry
    time = network.zone_time[zone]
    kept = (place[network.member] >= 0) & (time > begin) & (time <= end)
    size = np.bincount(zone[kept], minlength=network.n_zones)
    kept &= size[zone] > 1
    counts = size[size > 1]
    return MixZones(
        np.arange(int(place.max()) + 1),
        TimeAxis(end - begin),
        network.zone_time[size > 1] - np.int32(begin),
        np.concatenate([[0], np.cumsum(counts)]),
        place[network.member[kept]].astype(np.int32),
    )
