"""Beliefs in tracks by a list of all stories of a tiny release, straight from their definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.support.audit_oracle import Cell, May, Sighting, anything, stories


def often(tracks: Sequence[Sequence[Cell]]) -> dict[int, float]:
    """Share of all that is shown at each region, as a person in a gap is taken to be there."""
    shown = [region for track in tracks for cell in track if cell for region in cell]
    places = sorted(set(shown))
    more = 1 / (len(places) + 1)
    return {place: (shown.count(place) + more) / (len(shown) + 1) for place in places}


def likelihood(tracks: Sequence[Sequence[Cell]], track: int, step: int, place: int) -> float:
    """Of a sighting, by its definition, where there is nothing to learn from."""
    cell, share = tracks[track][step - 1], often(tracks)
    nowhere = 1 / (len(share) + 1) / (sum(len(c) for t in tracks for c in t if c) + 1)
    if cell is None:
        return share.get(place, nowhere)
    if place not in cell:
        return 0.0
    return share[place] / sum(share[one] for one in cell) if len(cell) > 1 else 1.0


def by_stories(
    tracks: Sequence[Sequence[Cell]],
    sightings: Sequence[Sighting],
    n_known: int,
    *,
    exchanged: bool,
    may: May = anything,
) -> np.ndarray | None:
    """(n_known, n_steps, n_tracks) beliefs by a list of all stories; None: contradicted."""
    found = np.zeros((n_known, len(tracks[0]), len(tracks)))
    total = 0.0
    for story in stories(tracks, exchanged=exchanged, may=may):
        weight = 1.0
        for user, step, place in sightings:
            weight *= likelihood(tracks, story[step].index(user), step, place)
        total += weight
        for step in range(1, len(tracks[0]) + 1):
            for user in range(n_known):
                found[user, step - 1, story[step].index(user)] += weight
    return found / total if total else None
