"""Conversion of problems to JSON objects."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem


def problem_object(problem: Problem, *, asked: bool = True) -> dict[str, Any]:
    """Convert a problem to the JSON object that ``read_problems`` reads; zones in order of time.

    Parameters
    ----------
    problem
        The problem.
    asked
        True: include its requirements, if any.
    """
    zones, known = problem.zones, problem.knowledge
    names = zones.users.tolist()
    counted = names == list(range(len(names)))
    members = np.split(zones.users[zones.members], zones.ptr[1:-1]) if len(zones) else []
    found: dict[str, Any] = {
        "name": problem.name,
        "users": len(names) if counted else names,
        "horizon": zones.axis.steps,
        "zones": [
            [step, met.tolist(), *allowed]
            for step, met, allowed in zip(
                zones.time.tolist(), members, _allowed(zones), strict=True
            )
        ],
        "knowledge": _tuples(zones.users[known.row], known.time),
    }
    if known.distinct:
        found["distinct"] = True
    requirements = problem.requirements
    if asked and requirements is not None:
        found["requirements"] = _tuples(
            zones.users[requirements.row], requirements.time, requirements.k
        )
    if problem.places is not None:
        places = problem.places
        found["places"] = [places.names[place] for place in places.of.tolist()]
        named = map(str, places.names)
        found["costs"] = dict(zip(named, places.cost.tolist(), strict=True))
    return found


def _allowed(zones: MixZones) -> list[list[list[list[Any]]]]:
    """For each zone a list with the pairs that it allows; empty if it is complete."""
    found: list[list[list[list[Any]]]] = [[] for _ in range(len(zones))]
    if zones.relation is None:
        return found
    one, other = zones.relation.pairs(zones.ptr)
    for zone in zones.relation.zones.tolist():
        found[zone] = [[]]
    zone_of = np.searchsorted(zones.ptr, one, side="right") - 1
    names = zones.users[zones.members].tolist()
    for z, come, leave in zip(zone_of.tolist(), one.tolist(), other.tolist(), strict=True):
        found[z][0].append([names[come], names[leave]])
    return found


def _tuples(*columns: np.ndarray[Any, Any]) -> list[list[Any]]:
    return [list(entry) for entry in zip(*(column.tolist() for column in columns), strict=True)]
