"""Time as events: what engines cost grows with what happens, not with the steps that pass.

Between two events, meetings and sightings, no token changes its row (fact 3). So the steps of a
question are numbered anew, without those in which nothing happens and nobody is seen: all orders
in time stay what they are, and with them all answers.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.core import Core
from mixsafe.spill.blocks import mapped_by

Steps = npt.NDArray[np.int32]


def event_steps(horizon: int, *times: npt.NDArray[np.integer]) -> Steps:
    """Steps of events, ascending: the ``times``, and step 0 and the horizon in any case."""
    return np.unique(np.concatenate([[0, horizon], *times])).astype(np.int32)


def in_events(core: Core, steps: Steps) -> Core:
    """The same question, with the events in place of the steps.

    Parameters
    ----------
    core
        With real steps.
    steps
        Of :func:`event_steps`, those of all zones, pins and links among them.
    """
    network, pins, links = core.network, core.pins, core.links
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
        steps,
    )
