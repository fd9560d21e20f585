"""The network as compiled functions walk through it: from wire to wire, behind a token.

Where each wire comes from and leads to, when each token is seen, and the steps at which everybody
is at home, beyond which no search needs to look.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires


class Timeline(NamedTuple):
    """The wires, and what is known of their tokens."""

    net: Wires
    known_ptr: npt.NDArray[np.int64]  # sightings of token c: known_time[known_ptr[c]:...[c + 1]]
    known_time: npt.NDArray[np.int32]
    cut_before: npt.NDArray[np.int64]  # last step up to each step at which everybody is at home
    cut_after: npt.NDArray[np.int64]  # first such step from each step on, or the horizon
    usual: int  # length of a wire, steps, on average
    horizon: int


def timeline(core: Core) -> Timeline:
    """Arrays of ``core``, with every pin and link as a sighting of a token on its own row."""
    network, pins = core.network, core.own_pins()
    order = np.lexsort((pins.time, pins.token))
    return Timeline(
        network.wires,
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


@inner
def onward(  # pragma: no cover - compiled
    wire: int, token: int, on: npt.NDArray[np.int32], net: Wires
) -> int:
    """Wire on which ``token`` leaves the zone that ``wire`` leads to."""
    zone = net.leads_to[wire]
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        if on[net.before[m] + 1] == token:
            return net.before[m] + 1
    return -1


@inner
def rewind(  # pragma: no cover - compiled
    wire: int, token: int, begin: int, on: npt.NDArray[np.int32], net: Wires
) -> int:
    """Wire on which ``token`` was at step ``begin``, on its way to ``wire``."""
    while net.start[wire] > begin:
        zone = net.comes_from[wire]
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            if on[net.before[m]] == token:
                wire = net.before[m]
                break
    return wire


@inner
def wire_at(row: int, step: int, net: Wires) -> int:  # pragma: no cover - compiled
    """Wire of a row that lasts at ``step``."""
    low, high = net.first[row], net.first[row + 1]
    while high - low > 1:
        middle = (low + high) // 2
        if net.start[middle] <= step:
            low = middle
        else:
            high = middle
    return low
