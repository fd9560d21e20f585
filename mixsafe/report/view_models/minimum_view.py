"""The view model of a minimum set of mix zones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, ranks_in, zone_told
from mixsafe.model.question.problem import Problem
from mixsafe.optimize.answer import MinimumZones
from mixsafe.report.view_models.over_time import MOMENTS

PEOPLE = 12
"""Members of a zone that are named."""

Ints = npt.NDArray[np.int64]


def minimum_view(
    answer: MinimumZones,
    provenance: Mapping[str, Any] | None = None,
    *,
    adversary: str = "",
    atlas: Atlas | None = None,
) -> dict[str, Any]:
    """The view model of a minimum set of zones, as plain values.

    Parameters
    ----------
    provenance
        See :func:`mixsafe.report.view_models.provenance.provenance`.
    adversary
        What she knows, in words.
    atlas
        Where places are; None: it is not known.
    """
    problem = answer.problem
    zones, asked, knowledge = problem.zones, problem.requirements, problem.knowledge
    written = np.array(problem.zone_index or range(len(zones)), np.int64)
    chosen = np.isin(written, (answer.rest or answer).zones)
    k = [] if asked is None else asked.k.tolist()
    return {
        "format": 2,
        "kind": "minimum",
        "weight": answer.weight,
        "method": answer.method,
        "users": zones.n_users,
        "all_zones": len(zones),
        "requirements": 0 if asked is None else len(asked),
        "k": [min(k, default=0), max(k, default=0)],
        "steps": [zones.axis.steps, zones.axis.label(1), zones.axis.label(zones.axis.steps)],
        "tz": zones.axis.tz if zones.axis.timed else None,
        "adversary": {
            "words": adversary,
            "sightings": len(knowledge),
            "users": len(np.unique(knowledge.row)),
        },
        "chosen": [
            _zone(problem, int(number), int(written[number]), atlas)
            for number in np.flatnonzero(chosen)[np.argsort(written[chosen], kind="stable")]
        ],
        "unmet": _unmet(answer),
        "rest": None if answer.rest is None else answer.to_dict()["rest"],
        "over_time": _over_time(answer, chosen),
        "places": _places(answer, chosen, atlas),
        "notes": list(answer.notes),
        "provenance": None if provenance is None else dict(provenance),
    }


def _zone(problem: Problem, zone: int, written: int, atlas: Atlas | None) -> dict[str, Any]:
    """A zone that must be used."""
    told = zone_told(problem.zones, zone, atlas, PEOPLE)
    return {"zone": written, **told, "size": int(problem.zones.sizes[zone])}


def _unmet(answer: MinimumZones) -> list[dict[str, Any]]:
    """Requirements that no set of zones meets."""
    zones, asked = answer.problem.zones, answer.problem.requirements
    if asked is None:
        return []
    return [
        {
            "user": str(zones.users[asked.row[number]]),
            "time": zones.axis.label(int(asked.time[number])),
            "k": int(asked.k[number]),
        }
        for number in answer.unmet
    ]


def _over_time(answer: MinimumZones, chosen: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Zones by column, size and whether they are chosen, and requirements by column.

    Returns
    -------
    dict
        ``moments`` (label of each column's first step); ``column``, ``size``, ``chosen``: a row
        for each kind of zone that occurs; ``asked``, ``unmet``: requirements in each column.
    """
    zones, asked = answer.problem.zones, answer.problem.requirements
    steps = zones.axis.steps
    columns = min(MOMENTS, steps)

    def column(step: npt.NDArray[Any]) -> Ints:
        return (np.maximum(step.astype(np.int64), 1) - 1) * columns // steps

    kinds = np.unique(
        np.column_stack([column(zones.time), zones.sizes.astype(np.int64), chosen]), axis=0
    )
    times = np.zeros(0, np.int64) if asked is None else column(asked.time)
    first = -(-np.arange(columns) * steps // columns) + 1
    return {
        "moments": [zones.axis.label(step) for step in first.tolist()],
        "column": kinds[:, 0].tolist(),
        "size": kinds[:, 1].tolist(),
        "chosen": kinds[:, 2].tolist(),
        "asked": np.bincount(times, minlength=columns).tolist(),
        "unmet": np.bincount(times[list(answer.unmet)], minlength=columns).tolist(),
    }


def _places(
    answer: MinimumZones, chosen: npt.NDArray[np.bool_], atlas: Atlas | None
) -> dict[str, Any] | None:
    """Places of zones, the chosen ones first; None where it is not known where they are."""
    zones, crowds = answer.problem.zones, answer.problem.zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    if atlas is None or not atlas.drawn:
        return None
    known, _, _, people = crowds
    used = np.bincount(ranks_in(known, zones.place), chosen, len(known)).astype(np.int64)
    order = np.lexsort((known, -people, used == 0))[:PLACES]
    x, y = atlas.position(known[order])
    return {
        "x": np.round(x, 3).tolist(),
        "y": np.round(y, 3).tolist(),
        "people": people[order].tolist(),
        "chosen": used[order].tolist(),
        "unit": "regions" if atlas.grid is None else "km",
        "words": atlas.words,
        "other": len(known) - len(order),
    }
