"""Events of a sweep in order of time: zones and pins. Steps without events cost nothing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Pins

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
