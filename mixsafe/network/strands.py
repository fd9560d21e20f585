"""The network as sparse sweeps walk through it: four bytes a wire for what each of them reads.

All arrays may be memory maps; none is written to.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner
from mixsafe.errors import InputError
from mixsafe.model.question.adversary import Pins
from mixsafe.network.wires import WireNetwork
from mixsafe.spill.blocks import blocks, like

NEVER = np.iinfo(np.int32).max
"""Step of a sighting that does not come."""

MOST = np.iinfo(np.int32).max
"""Memberships of mix zones, at most: their places are numbers of 32 bits."""

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


class Strands(NamedTuple):
    """Wires in order of their rows, and for each of them the zone at its end."""

    first: Ints  # (n_rows + 1,): first wire of each row
    start: Small  # (n_wires,): first step
    zone: Small  # (n_wires,): zone at the end; -1 at the horizon
    entry: Small  # (n_wires,): place of the row among the zones' members there; -1 at the horizon
    zone_time: Small  # (n_zones,)
    zone_ptr: Ints  # (n_zones + 1,)
    member: Small  # (n_memberships,)
    before: Ints  # (n_memberships,): wire on which the member comes; it leaves on the next one
    horizon: int


class SeenSteps(NamedTuple):
    """Steps at which each row's own token is on it, ascending for each row."""

    ptr: Ints  # (n_rows + 1,)
    time: Small


class Whole(NamedTuple):
    """A large problem, as far as sweeps know of it."""

    net: Strands
    seen: SeenSteps


def strands(network: WireNetwork) -> Strands:
    """The arrays of ``network``; two of them are made, the others shared.

    Raises
    ------
    InputError
        There are more memberships than their numbers can say.
    """
    if len(network.member) > MOST:
        raise InputError(
            f"{len(network.member)} memberships are more than {MOST}",
            hint="take fewer users (--users), fewer days (--days) or smaller cells",
        )
    entry = like(network.before, network.n_wires, np.int32)
    entry.fill(-1)
    for part in blocks(len(network.before)):
        entry[network.before[part]] = np.arange(part.start, part.stop, dtype=np.int32)
    zone = network.zone_beside(0, np.int32)
    return Strands(
        _plain(network.first),
        _plain(network.start),
        zone,
        entry,
        _plain(network.zone_time),
        _plain(network.zone_ptr),
        _plain(network.member),
        _plain(network.before),
        network.horizon,
    )


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same as compiled functions take it, always of one type."""
    return np.require(array, requirements=("C", "W"))


def row_of(wires: Ints, net: Strands) -> Ints:
    """Row of each of some wires."""
    return np.searchsorted(net.first, wires, side="right") - 1


def sightings(pins: Pins, n_rows: int) -> SeenSteps:
    """When tokens are seen, each taken to be on its own row there."""
    order = np.lexsort((pins.time, pins.token))
    ptr = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(pins.token, minlength=n_rows), out=ptr[1:])
    return SeenSteps(ptr, pins.time[order])


def certain(pins: Pins) -> Pins:
    """Those pins that say on which row a token is: its own (fact 1)."""
    single = np.flatnonzero(np.diff(pins.ptr) == 1)
    token = pins.token[single]
    return Pins(token, pins.time[single], np.arange(len(single) + 1), token)


@inner
def first_from(step: int, low: int, high: int, steps: Small) -> int:  # pragma: no cover - compiled
    """First place from ``low`` on, and before ``high``, of a step of at least ``step``; or high."""
    while low < high:
        middle = (low + high) // 2
        if steps[middle] < step:
            low = middle + 1
        else:
            high = middle
    return low


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
def wire_from(row: int, step: int, net: Strands) -> int:  # pragma: no cover - compiled
    """First wire of a row that begins at ``step`` or later, or the end of its wires."""
    return first_from(step, net.first[row], net.first[row + 1], net.start)
