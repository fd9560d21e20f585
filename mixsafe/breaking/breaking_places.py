"""Places of the sightings that break a target."""

from __future__ import annotations

from typing import Any

import numpy as np

from mixsafe.breaking.breaking_answer import BreakingNumbers
from mixsafe.documents.atlas import Atlas, place_names
from mixsafe.model.mobility.traces import Positions


def with_places(
    result: dict[str, Any], answer: BreakingNumbers, atlas: Atlas | None
) -> dict[str, Any]:
    """The dict of :meth:`BreakingNumbers.to_dict`, with places.

    Parameters
    ----------
    result
        The dict.
    answer
        The answer that it was made of.
    atlas
        Positions of people; None: unknown.

    Returns
    -------
    dict
        The same, each of ``sightings`` with ``place``, its name (None: she is nowhere).
    """
    if atlas is None or atlas.where is None:
        return result
    wheres, rows = _Wheres(atlas.where, atlas), []
    for row, number in zip(result["breaking"], answer.numbers, strict=True):
        rows.append(dict(row))
        if row["sightings"] is not None:
            rows[-1]["sightings"] = [
                {**sighting, "place": wheres.at(user, step)}
                for sighting, (user, step) in zip(row["sightings"], number.sightings, strict=True)
            ]
    return {**result, "breaking": rows}


class _Wheres:
    """Names of places by row and step."""

    def __init__(self, where: Positions, atlas: Atlas) -> None:
        self._where, self._atlas = where, atlas
        self._width = where.axis.steps + 1
        self._key = where.row.astype(np.int64) * self._width + where.step

    def at(self, row: int, step: int) -> str | None:
        """Place of a user at a step; None: she is nowhere."""
        key = row * self._width + step
        low, high = np.searchsorted(self._key, (key, key + 1))
        names = place_names(self._where.place[low:high], self._atlas)
        return names[0] if names else None
