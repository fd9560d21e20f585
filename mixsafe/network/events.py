"""Event time: the cost of engines depends on the number of events, not of steps.

Between two events (meetings and sightings) no token changes its row (fact 3). So steps without
events are removed, and the others are renumbered. This keeps the order of events, and therefore all
answers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.spill.blocks import mapped_by
from mixsafe.model.question.adversary import Apart, Links, Pins
from mixsafe.network.core import Core

Steps = npt.NDArray[np.int32]


def event_steps(horizon: int, *times: npt.NDArray[np.integer]) -> Steps:
    """Steps of events, ascending: all ``times``, step 0 and the horizon."""
    return np.unique(np.concatenate([[0, horizon], *times])).astype(np.int32)


def in_events(core: Core, steps: Steps) -> Core:
    """The same question in event time.

    Parameters
    ----------
    core
        The question in steps of the data.
    steps
        Result of :func:`event_steps`; must contain the steps of all zones and
        of all that is known.
    """
    network, pins, links, apart = core.network, core.pins, core.links, core.apart
    if len(steps) == network.horizon + 1:  # something happens in every step
        return replace(core, steps=steps)

    def event(time: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return mapped_by(lambda part: np.searchsorted(steps, part), time, np.int32)

    def event_before(time: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        return mapped_by(
            lambda part: np.searchsorted(steps, part + np.int32(1)) - 1, time, np.int32
        )

    return Core(
        replace(
            network,
            horizon=len(steps) - 1,
            start=event(network.start),
            end=event_before(network.end),
            zone_time=event(network.zone_time),
        ),
        Pins(pins.token, event(pins.time), pins.ptr, pins.rows),
        Links(links.row, event(links.start), event(links.end)),
        Apart(apart.row, event(apart.time)),
        steps,
    )
