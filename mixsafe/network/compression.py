"""Presolve: cut zones into components, remove redundant zones and empty steps from a problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.adversary import known_rows
from mixsafe.model.question.problem import Problem
from mixsafe.network.core import Core
from mixsafe.network.events import event_steps, in_events
from mixsafe.network.redundant_zones import (
    cut_network,
    merged_wires,
    network_without,
    redundant_zones,
)
from mixsafe.network.wires import WireNetwork


def compress(problem: Problem, whole: WireNetwork) -> tuple[Core, npt.NDArray[np.int64]]:
    """Remove redundant zones and empty steps, and map the wires to those of the smaller core.

    Parameters
    ----------
    problem
        Zones and knowledge.
    whole
        All wires of its zones, with the steps of the data.

    Returns
    -------
    Core, (n_wires_of_whole,) int64
        The smaller question, and the wire of it that each wire of ``whole`` is part of.
    """
    core = Core.of(whole, problem.knowledge)
    parts, part = cut_network(whole)
    core = replace(core, network=parts)
    dropped = _redundant(core)
    merged = merged_wires(parts, dropped)
    return _without(core, dropped), merged if part is None else merged[part]


def compressed(core: Core) -> Core:
    """A question, with the steps of the data, with zones cut into their components.

    Redundant zones and empty steps are left out.
    """
    core = replace(core, network=cut_network(core.network)[0])
    return _without(core, _redundant(core))


def _redundant(core: Core) -> npt.NDArray[np.bool_]:
    return redundant_zones(core.network, *known_rows(core.pins, core.links, core.apart))


def _without(core: Core, dropped: npt.NDArray[np.bool_]) -> Core:
    """Remove the dropped zones, and then all steps without zones and knowledge."""
    network, (_, known_time) = core.network, known_rows(core.pins, core.links, core.apart)
    small = replace(core, network=network_without(network, dropped))
    return in_events(small, event_steps(network.horizon, network.zone_time, known_time))
