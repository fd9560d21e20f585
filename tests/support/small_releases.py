"""Small releases, and what somebody has seen of their users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mixsafe.model.release.cells import Cells
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.evidence import Evidence, Published
from tests.support.audit_oracle import Cell, Sighting

N_REGIONS = 3


def cells_of(tracks: Sequence[Sequence[Cell]]) -> Cells:
    """Tracks as released cells."""
    sets = sorted(
        {cell for track in tracks for cell in track if cell and len(cell) > 1}, key=sorted
    )
    number: dict[Cell, int] = {None: N_REGIONS}
    number |= {frozenset([region]): region for region in range(N_REGIONS)}
    number |= {cell: N_REGIONS + 1 + place for place, cell in enumerate(sets)}
    return Cells(
        np.array([[number[cell] for cell in track] for track in tracks], np.int32),
        N_REGIONS,
        np.cumsum([0, *(len(cell) for cell in sets)]).astype(np.int64),
        np.array([region for cell in sets for region in sorted(cell)], np.int32),
        first_time=41,
    )


def evidence_of(
    tracks: Sequence[Sequence[Cell]], sightings: Sequence[Sighting], n_known: int
) -> Evidence:
    user, step, place = np.array(sightings, np.int64).reshape(-1, 3).T
    seen = Sightings(np.arange(n_known), user.astype(np.int32), step.astype(np.int32), place)
    return Evidence.of(Published.of_cells(cells_of(tracks)), seen)
