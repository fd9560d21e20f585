"""The network as compiled functions walk through it: from wire to wire, behind a token.

Where each wire comes from and leads to, when each token is seen, and the steps at which everybody
is at home, beyond which no search needs to look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from mixsafe.model.question.adversary import Pins
from mixsafe.verify.core.core import Core

NOTHING = np.int64(1) << 60
"""Zone that a wire leads to when the row meets nobody any more: later than all."""


class Timeline(NamedTuple):
    """The network as arrays, each wire with the zones that it lies between."""

    first: npt.NDArray[np.int64]
    start: npt.NDArray[np.int32]
    comes_from: npt.NDArray[np.int64]  # zone at the start of each wire, -1 at step 0
    leads_to: npt.NDArray[np.int64]  # zone at the end of each wire, NOTHING at the horizon
    zone_time: npt.NDArray[np.int32]
    zone_ptr: npt.NDArray[np.int64]
    before: npt.NDArray[np.int64]
    known_ptr: npt.NDArray[np.int64]  # sightings of token c: known_time[known_ptr[c]:...[c + 1]]
    known_time: npt.NDArray[np.int32]
    cut_before: npt.NDArray[np.int64]  # last step up to each step at which everybody is at home
    cut_after: npt.NDArray[np.int64]  # first such step from each step on, or the horizon
    usual: int  # length of a wire, steps, on average
    horizon: int


def timeline(core: Core) -> Timeline:
    """Arrays of ``core``, with every pin and link as a sighting of a token on its own row."""
    network, pins = core.network, core.own_pins()
    zone = np.repeat(np.arange(network.n_zones), np.diff(network.zone_ptr))
    comes_from = np.full(network.n_wires, -1)
    comes_from[network.before + 1] = zone
    leads_to = np.full(network.n_wires, NOTHING)
    leads_to[network.before] = zone
    order = np.lexsort((pins.time, pins.token))
    return Timeline(
        network.first,
        network.start,
        comes_from,
        leads_to,
        network.zone_time,
        network.zone_ptr,
        network.before,
        np.searchsorted(pins.token[order], np.arange(network.n_rows + 1)),
        pins.time[order],
        *_cuts(pins, network.n_rows, network.horizon),
        1 + network.n_rows * network.horizon // network.n_wires,
        network.horizon,
    )


def _cuts(
    pins: Pins, n_rows: int, horizon: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Steps at which everybody is at home: nothing before one bears on anything after it.

    Returns the last one up to each step (step 0 is one), and the first one from each step on (the
    horizon counts as one).
    """
    single = np.diff(pins.ptr) == 1
    row = np.where(single, pins.rows[pins.ptr[:-1]], -1)
    home = np.unique(np.stack([pins.time, pins.token])[:, row == pins.token], axis=1)
    steps = np.arange(horizon + 1)
    cut = np.bincount(home[0], minlength=horizon + 1) == n_rows
    cut[0] = cut[horizon] = True
    before = np.maximum.accumulate(np.where(cut, steps, 0))
    after = np.minimum.accumulate(np.where(cut, steps, horizon)[::-1])[::-1]
    return before, np.ascontiguousarray(after)


@njit(cache=True)
def onward(  # pragma: no cover - compiled
    wire: int, token: int, on: npt.NDArray[np.int32], line: Timeline
) -> int:
    """Wire on which ``token`` leaves the zone that ``wire`` leads to."""
    zone = line.leads_to[wire]
    for m in range(line.zone_ptr[zone], line.zone_ptr[zone + 1]):
        if on[line.before[m] + 1] == token:
            return line.before[m] + 1
    return -1


@njit(cache=True)
def rewind(  # pragma: no cover - compiled
    wire: int, token: int, begin: int, on: npt.NDArray[np.int32], line: Timeline
) -> int:
    """Wire on which ``token`` was at step ``begin``, on its way to ``wire``."""
    while line.start[wire] > begin:
        zone = line.comes_from[wire]
        for m in range(line.zone_ptr[zone], line.zone_ptr[zone + 1]):
            if on[line.before[m]] == token:
                wire = line.before[m]
                break
    return wire


@njit(cache=True)
def wire_at(  # pragma: no cover - compiled
    row: int, step: int, first: npt.NDArray[np.int64], start: npt.NDArray[np.int32]
) -> int:
    """Wire of a row that lasts at ``step``."""
    low, high = first[row], first[row + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if start[middle] <= step:
            low = middle
        else:
            high = middle
    return low
