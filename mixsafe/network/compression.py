"""What engines work on: a problem without absorbed zones and without empty steps."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import known_rows, pins_and_links
from mixsafe.model.question.problem import Problem
from mixsafe.network.absorption import absorbed_zones, merged_wires, without
from mixsafe.network.core import Core
from mixsafe.network.events import event_steps, in_events
from mixsafe.network.wires import WireNetwork


def compress(problem: Problem, whole: WireNetwork) -> tuple[Core, npt.NDArray[np.int64]]:
    """Core without absorbed zones and empty steps, and the wire of it that each wire is part of.

    Parameters
    ----------
    problem
        Zones and knowledge.
    whole
        All wires of its zones, with the steps of the data.

    Returns
    -------
    Core, (n_wires_of_whole,) int64
        The smaller question, and where the wires of the larger one have gone.
    """
    pins, links = pins_and_links(problem.knowledge)
    known_row, known_time = known_rows(pins, links)
    dropped = absorbed_zones(whole, known_row, known_time)
    merged = merged_wires(whole, dropped)
    core = Core(WireNetwork.of(without(problem.zones, dropped)), pins, links)
    return in_events(core, event_steps(whole.horizon, whole.zone_time, known_time)), merged
