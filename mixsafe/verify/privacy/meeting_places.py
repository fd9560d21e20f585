"""Meeting places: number of meetings, and share of all safe time that begins there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.documents.atlas import PLACES, Atlas, place_names, ranks_in
from mixsafe.model.answer.verdict import SAFE
from mixsafe.verify.privacy.decided import Decided, Ints


@dataclass(frozen=True, eq=False)
class PlaceWeight:
    """Effect of each mix zone, and the name of that measure.

    Parameters
    ----------
    words
        Meaning of the mean over the zones of a place.
    zone
        (n_zones,) 0 to 1.
    """

    words: str
    zone: npt.NDArray[np.float64]


def places(
    asked: Decided, atlas: Atlas | None, weight: PlaceWeight | None = None
) -> dict[str, Any] | None:
    """Places of mix zones, those with most safety first; None where places are not known.

    Safety that begins at a place: the time of all stretches of safety whose first moment is a
    meeting there (where only some moments are asked, those whose last meeting was there).

    Returns
    -------
    dict
        ``place``, ``name``, ``zones``, ``people`` (different ones), ``safe`` (share of all safe
        time, or the mean ``weight`` of the zones there), ``meaning`` of that in words,
        ``x``, ``y`` (lists, or None; None in them: several regions), ``unit``, ``words``;
        ``other``: places left out, and the share of the safe time that begins there.
    """
    zones = asked.zones
    crowds = zones.crowds
    if zones.place is None or crowds is None or not len(zones):
        return None
    known, count, _, people = crowds
    rank = ranks_in(known, zones.place)
    if weight is None:
        safe, meaning = safety(asked, rank, len(known)), "share of all safe time that begins here"
    else:
        safe, meaning = np.bincount(rank, weight.zone, minlength=len(known)) / count, weight.words
    order = np.lexsort((known, -people, -safe))
    shown, rest = order[:PLACES], order[PLACES:]
    x = y = unit = None
    if atlas is not None and atlas.drawn:
        x, y = atlas.position(known[shown])
        unit = "regions" if atlas.grid is None else "km"
    return {
        "place": [_label(one, atlas) for one in known[shown].tolist()],
        "name": place_names(known[shown], atlas),
        "zones": count[shown].tolist(),
        "people": people[shown].tolist(),
        "safe": np.round(safe[shown], 6).tolist(),
        "meaning": meaning,
        "x": None if x is None else _rounded(x),
        "y": None if y is None else _rounded(y),
        "unit": unit,
        "words": None if atlas is None else atlas.words,
        "other": {
            "places": len(rest),
            "safe": None if weight else round(float(safe[rest].sum()), 6),
        },
    }


def _label(place: int, atlas: Atlas | None) -> int | str:
    """The id of a place as JSON has it."""
    return (Atlas() if atlas is None else atlas).label(place)


def _rounded(distance: npt.NDArray[np.float64]) -> list[float | None]:
    """East or north of places; None: unknown."""
    return [None if np.isnan(one) else one for one in np.round(distance, 3).tolist()]


def safety(asked: Decided, rank: Ints, n_places: int) -> npt.NDArray[np.float64]:
    """Share of all safe time that begins at each place, (n_places,).

    Parameters
    ----------
    rank
        (n_zones,) place of each zone; -1: none of them.
    """
    safe = asked.verdict == SAFE
    weight = asked.weight * safe
    head = np.arange(len(safe))
    if asked.whole:
        goes_on = np.zeros(len(safe), bool)
        goes_on[1:] = safe[1:] & safe[:-1] & (asked.row[1:] == asked.row[:-1])
        head = np.maximum.accumulate(np.where(goes_on, 0, head))
    zone = asked.meeting[head]
    counted = safe & (zone >= 0) & (rank[zone] >= 0)
    share = np.bincount(rank[zone[counted]], weight[counted], minlength=n_places)
    return np.asarray(share / max(int(weight.sum()), 1))


def amounts(shares: list[float]) -> tuple[list[str], Ints]:
    """Names of four classes of shares, and the class of each share.

    The classes are 0 and three more that suit the largest share, each up to about three times
    the one before.
    """
    scale = np.array([0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
    top = int(np.clip(np.searchsorted(scale, max(shares)), 2, len(scale) - 1))
    edges = scale[top - 2 : top]
    code = np.where(np.array(shares) > 0, 1 + np.searchsorted(edges, shares, side="right"), 0)
    low, high = (f"{edge:.3%}".rstrip("0%").rstrip(".") + "%" for edge in edges)
    end = f"{scale[top]:.3%}".rstrip("0%").rstrip(".") + "%" if scale[top] < 1 else "100%"
    return ["none", f"below {low}", f"{low} to {high}", f"{high} to {end}"], code
