"""Zones, requirements and places of a minimum set, as its document shows them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, ranks_in, zone_told
from mixsafe.documents.document import Value
from mixsafe.model.answer.wording import count
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.optimize.answer import MinimumZones

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

PEOPLE = 12
"""Members of a zone that are named."""

_COLUMNS = 200  # of a picture, at most


def written_numbers(answer: MinimumZones) -> Ints:
    """(n_zones,) number of each zone as the problem was written."""
    problem = answer.problem
    return np.array(problem.zone_index or range(len(problem.zones)), np.int64)


def _is_chosen(answer: MinimumZones) -> Flags:
    """(n_zones,) whether a zone is among those that are enough."""
    return np.isin(written_numbers(answer), (answer.rest or answer).zones)


def chosen_zones(answer: MinimumZones, atlas: Atlas | None) -> list[tuple[Value, ...]]:
    """Number, time, place, size and members of each chosen zone, in the order of the problem."""
    zones, written, chosen = answer.problem.zones, written_numbers(answer), _is_chosen(answer)
    rows: list[tuple[Value, ...]] = []
    for zone in np.flatnonzero(chosen)[np.argsort(written[chosen], kind="stable")].tolist():
        told, size = zone_told(zones, zone, atlas, PEOPLE), int(zones.sizes[zone])
        hidden = size - len(told["people"])
        who = ", ".join(told["people"]) + (f" and {count(hidden)} more" if hidden else "")
        rows.append((int(written[zone]), told["time"], told["place"], size, who))
    return rows


def unmet(answer: MinimumZones) -> list[tuple[Value, ...]]:
    """Person, time and k of each requirement that no set of zones meets."""
    zones, asked = answer.problem.zones, answer.problem.requirements
    if asked is None:
        return []
    return [
        (
            str(zones.users[asked.row[number]]),
            zones.axis.label(int(asked.time[number])),
            int(asked.k[number]),
        )
        for number in answer.unmet
    ]


def over_time(answer: MinimumZones) -> dict[str, Any]:
    """Zones by column and size, and requirements by column.

    Returns
    -------
    dict
        ``moments`` (label of each column's first step); ``chosen`` and ``other`` zones: ``at``
        (the middle of their column) and ``size``, once for each pair that occurs; ``met`` and
        ``unmet``: requirements in each column.
    """
    zones, asked = answer.problem.zones, answer.problem.requirements
    steps = zones.axis.steps
    columns = min(_COLUMNS, steps)

    def column(step: npt.NDArray[Any]) -> Ints:
        return (np.maximum(step.astype(np.int64), 1) - 1) * columns // steps

    def dots(hit: Flags) -> dict[str, Any]:
        each = np.column_stack([column(zones.time[hit]), zones.sizes[hit].astype(np.int64)])
        kinds = np.unique(each, axis=0)
        return {"at": (kinds[:, 0] + 0.5).tolist(), "size": kinds[:, 1].tolist()}

    chosen = _is_chosen(answer)
    times = np.zeros(0, np.int64) if asked is None else column(asked.time)
    missed = np.bincount(times[list(answer.unmet)], minlength=columns)
    first = -(-np.arange(columns) * steps // columns) + 1
    return {
        "moments": [zones.axis.label(step) for step in first.tolist()],
        "chosen": dots(chosen),
        "other": dots(~chosen),
        "met": (np.bincount(times, minlength=columns) - missed).tolist(),
        "unmet": missed.tolist(),
    }


def places(answer: MinimumZones, atlas: Atlas | None) -> dict[str, Any] | None:
    """Discs of the places of zones; None where it is not known where they are.

    Returns
    -------
    dict
        ``chosen`` and ``other`` places: ``x``, ``y``, and the ``size`` of a disc in points, the
        largest first, so that none hides another; ``most`` people who meet at one; ``unit`` and
        ``ends`` of the axes; ``words`` about the map; places that are ``left_out``.
    """
    zones, crowds = answer.problem.zones, answer.problem.zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    if atlas is None or not atlas.drawn:
        return None
    known, _, _, people = crowds
    used = np.bincount(ranks_in(known, zones.place), _is_chosen(answer), len(known)) > 0
    order = np.lexsort((known, -people, ~used))[:PLACES]
    x, y = atlas.position(known[order])
    most = max(int(people[order].max()), 1)
    size = np.sqrt(16 + 700 * people[order] / most)

    def discs(hit: Flags) -> dict[str, Any]:
        values = {"x": np.round(x[hit], 3), "y": np.round(y[hit], 3), "size": size[hit].round(2)}
        return {name: value.tolist() for name, value in values.items()}

    side = Regions.of_contest().columns
    regions = atlas.grid is None
    return {
        "chosen": discs(used[order] & ~np.isnan(x)),
        "other": discs(~used[order] & ~np.isnan(x)),
        "most": most,
        "unit": "regions" if regions else "km",
        "ends": (-0.8, side - 0.2) if regions else (None, None),
        "words": atlas.words,
        "left_out": len(known) - len(order),
    }
