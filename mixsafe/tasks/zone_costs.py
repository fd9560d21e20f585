"""The cost bound of a minimum set as a pseudo-Boolean problem, in OPB format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mixsafe.model.answer.minimum_proof import ChosenZones, cost_of
from mixsafe.model.answer.ragged import Whole
from mixsafe.model.question.mix_zones import MixZones


def opb_of(chosen: ChosenZones, zones: MixZones) -> str:
    """A pseudo-Boolean problem, whose least objective is what the cores cost.

    ``xN`` is 1 if zone N - 1 is chosen. Each line below the objective is a core of which some zone
    is: those of requirements that not even all zones meet, which are empty, are left out.

    Source: format of the Pseudo-Boolean Competition, Roussel and Manquinho, "Input/Output Format
    and Solver Requirements for the Competitions of Pseudo-Boolean Solvers", 2012.
    """
    cores = [core.off.tolist() for core in chosen.cores if len(core.off)]
    cost, some = cost_of(zones, chosen.weight), _in_cores(chosen)
    return "\n".join(
        [
            f"* #variable= {len(zones)} #constraint= {len(cores)}",
            f"min: {_sum((int(cost[zone]), zone) for zone in some.tolist())};",
            *(f"{_sum((1, zone) for zone in core)}>= 1 ;" for core in cores),
            "",
        ]
    )


def listed_zones(chosen: ChosenZones, zones: MixZones) -> list[dict[str, Any]]:
    """Zones that are chosen or in a core, with their steps, users and costs."""
    cost, users, named = cost_of(zones, chosen.weight), zones.users, set(chosen.zones.tolist())
    return [
        {
            "zone": zone,
            "step": int(zones.time[zone]),
            "users": users[zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]].tolist(),
            "cost": int(cost[zone]),
            "chosen": zone in named,
        }
        for zone in np.union1d(chosen.zones, _in_cores(chosen)).tolist()
    ]


def _sum(terms: Iterable[tuple[int, int]]) -> str:
    """Zones, each times a number."""
    return "".join(f"{times:+d} x{zone + 1} " for times, zone in terms)


def _in_cores(chosen: ChosenZones) -> Whole:
    """Zones that are in a core, ascending."""
    return np.unique(chosen.cores.off.values)
