"""The network and the sightings as arrays for compiled functions, which follow tokens.

Also the events of a sweep in order of time, zones and pins, so that steps without events cost
nothing; and the steps at which all tokens are at home, beyond which no search needs to look.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner
from mixsafe.model.csr import pointers
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import Ints, Small, WireNetwork, Wires, first_from

FORWARD, BACKWARD = 0, 1


class Timed(Protocol):
    """An object with zones in order of time."""

    @property
    def zone_time(self) -> npt.NDArray[np.int32]:
        """(n_zones,) step of each, ascending."""


class Agenda(NamedTuple):
    """Zones and pins in the order of a sweep.

    Within a step, pins hold after the exchanges of zones.
    """

    events: npt.NDArray[np.int64]  # zone z, or n_zones + g: the g-th group, the pins of one step
    group: npt.NDArray[np.int64]  # (n_groups + 1,): first pin of each group
    token: npt.NDArray[np.int32]  # (n_pins,)
    ptr: npt.NDArray[np.int64]  # (n_pins + 1,): into rows
    rows: npt.NDArray[np.int32]


def agenda(network: Timed, pins: Pins, direction: int) -> Agenda:
    """Events of a sweep ``FORWARD`` or ``BACKWARD`` in time."""
    steps, first = np.unique(pins.time, return_index=True)
    time = np.concatenate([network.zone_time, steps])
    events = np.argsort(time, kind="stable")  # stable: within a step zones come first
    return Agenda(
        np.ascontiguousarray(events[::-1]) if direction == BACKWARD else events,
        np.append(first, len(pins)),
        np.require(pins.token, requirements=("C", "W")),
        np.require(pins.ptr, requirements=("C", "W")),
        np.require(pins.rows, requirements=("C", "W")),
    )


NEVER = np.iinfo(np.int32).max
"""Step of the next sighting if there is none."""


class SeenSteps(NamedTuple):
    """Steps at which each row's own token is on it, ascending for each row."""

    ptr: Ints  # (n_rows + 1,)
    time: Small


class Timeline(NamedTuple):
    """The wires, and the sightings of their tokens."""

    net: Wires
    seen: SeenSteps
    cut_before: Ints  # (horizon + 1,) last step up to each step at which all tokens are at home
    cut_after: Ints  # (horizon + 1,) first such step from each step on, or the horizon


def timeline(core: Core) -> Timeline:
    """Arrays of ``core``, with every pin and link as a sighting of a token on its own row."""
    return timeline_of(core.network, core.own_pins())


def timeline_of(network: WireNetwork, pins: Pins) -> Timeline:
    """Arrays of a network, with each of ``pins`` as a sighting of a token on its own row."""
    cuts = _cuts(certain(pins), network.n_rows, network.horizon)
    return Timeline(network.wires, sightings(pins, network.n_rows), *cuts)


def sightings(pins: Pins, n_rows: int) -> SeenSteps:
    """Steps of the pins of each token, each taken as a sighting on the token's own row."""
    order = np.lexsort((pins.time, pins.token))
    return SeenSteps(pointers(np.bincount(pins.token, minlength=n_rows)), pins.time[order])


def certain(pins: Pins) -> Pins:
    """The pins to a single row, which is the token's own (fact 1)."""
    return pins.those(np.flatnonzero(np.diff(pins.ptr) == 1))


def _cuts(home: Pins, n_rows: int, horizon: int) -> tuple[Ints, Ints]:
    """Find the steps at which all tokens are at home: before and after them are independent.

    Returns the last one up to each step (step 0 is one), and the first one from each step on (the
    horizon counts as one).
    """
    order = np.lexsort((home.token, home.time))
    token, time = home.token[order], home.time[order]
    fresh = np.ones(len(time), bool)
    fresh[1:] = (np.diff(token) != 0) | (np.diff(time) != 0)  # ignores duplicates
    steps = np.arange(horizon + 1)
    cut = np.bincount(time[fresh], minlength=horizon + 1) == n_rows
    cut[0] = cut[horizon] = True
    before = np.maximum.accumulate(np.where(cut, steps, 0))
    after = np.minimum.accumulate(np.where(cut, steps, horizon)[::-1])[::-1]
    return before, np.ascontiguousarray(after)


@inner
def next_seen(token: int, step: int, seen: SeenSteps) -> int:  # pragma: no cover - compiled
    """First step from ``step`` on at which ``token`` is seen, or NEVER."""
    low = first_from(step, seen.ptr[token], seen.ptr[token + 1], seen.time)
    return seen.time[low] if low < seen.ptr[token + 1] else NEVER


@inner
def last_seen(token: int, step: int, seen: SeenSteps) -> int:  # pragma: no cover - compiled
    """Last step before ``step`` at which ``token`` is seen; -1: there is none."""
    low = first_from(step, seen.ptr[token], seen.ptr[token + 1], seen.time)
    return seen.time[low - 1] if low > seen.ptr[token] else -1


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
        zone = net.leads_to[wire - 1]
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
