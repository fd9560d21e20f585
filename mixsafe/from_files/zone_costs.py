"""The cost bound of a minimum set as a pseudo-Boolean problem, in OPB format."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from mixsafe.model.answer.certificate import ChosenZones
from mixsafe.model.question.mix_zones import MixZones


def opb_of(chosen: ChosenZones, zones: MixZones) -> str:
    """A pseudo-Boolean problem, whose least objective is what the cores cost.

    ``xN`` is 1 if zone N - 1, or the place with that number, is chosen. Each line below the
    objective is a core of which some is: those of requirements that not even all zones meet, which
    are empty, are left out.

    Source: format of the Pseudo-Boolean Competition, Roussel and Manquinho, "Input/Output Format
    and Solver Requirements for the Competitions of Pseudo-Boolean Solvers", 2012.
    """
    of, cost = chosen.priced(zones)
    cores = [np.unique(of[core.off]).tolist() for core in chosen.cores if len(core.off)]
    some = np.unique(of[chosen.cores.off.values])
    return "\n".join(
        [
            f"* #variable= {len(cost)} #constraint= {len(cores)}",
            f"min: {_sum((int(cost[one]), one) for one in some.tolist())};",
            *(f"{_sum((1, one) for one in core)}>= 1 ;" for core in cores),
            "",
        ]
    )


def listed_zones(chosen: ChosenZones, zones: MixZones) -> list[dict[str, Any]]:
    """Zones that are chosen or in a core, with their steps, users, and costs or places."""
    of, cost = chosen.priced(zones)
    users, named, places = zones.users, set(chosen.zones.tolist()), chosen.places
    return [
        {
            "zone": zone,
            "step": int(zones.time[zone]),
            "users": users[zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]].tolist(),
            "cost": int(cost[of[zone]]),
            "chosen": zone in named,
            **({} if places is None else {"variable": int(of[zone]) + 1}),
            **({} if places is None else {"place": places.names[of[zone]]}),
        }
        for zone in np.union1d(chosen.zones, chosen.cores.off.values).tolist()
    ]


def _sum(terms: Iterable[tuple[int, int]]) -> str:
    """Zones or places, each times a number."""
    return "".join(f"{times:+d} x{number + 1} " for times, number in terms)
