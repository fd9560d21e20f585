"""Places of the sightings that break a target, and of the sightings to suppress."""

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
        The same, each of ``sightings`` with ``place``, its name (None: she is nowhere), and each
        stretch of ``not_seen`` with ``places``, those that she comes to in it, in order.
    """
    if atlas is None or atlas.where is None:
        return result
    wheres, rows = _Wheres(atlas.where, atlas), []
    for row, number in zip(result["breaking"], answer.numbers, strict=True):
        named = [wheres.within(user, step, step) for user, step in number.sightings]
        rows.append(dict(row))
        if row["sightings"] is not None:
            rows[-1]["sightings"] = [
                {**one, "place": places[0] if places else None}
                for one, places in zip(row["sightings"], named, strict=True)
            ]
        if number.suppress is not None:
            spans = answer.spans(number.suppress)
            stretches = zip(row["suppress"]["not_seen"], spans, strict=True)
            less = [{**one, "places": wheres.within(*span)} for one, span in stretches]
            rows[-1]["suppress"] = {**row["suppress"], "not_seen": less}
    return {**result, "breaking": rows}


class _Wheres:
    """Names of places by row and step."""

    def __init__(self, where: Positions, atlas: Atlas) -> None:
        self._where, self._atlas = where, atlas
        self._width = where.axis.steps + 1
        self._key = where.row.astype(np.int64) * self._width + where.step

    def within(self, row: int, begin: int, end: int) -> list[str]:
        """Those that a user comes to from one step to another, each once, in order."""
        at = row * self._width
        low, high = np.searchsorted(self._key, (at + begin, at + end + 1))
        place = self._where.place[low:high]
        _, first = np.unique(place, return_index=True)
        return place_names(place[np.sort(first)], self._atlas)
