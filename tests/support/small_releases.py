"""Small releases, and what somebody has seen of their users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mixsafe.model.release.cells import Cells
from mixsafe.model.release.sightings import Sightings
from mixsafe.release.evidence import Evidence, Published
from tests.support.audit_oracle import Cell, Sighting

N_REGIONS = 3


def cells_in(tracks: Sequence[Sequence[Cell]], first_time: int, n_regions: int = 1024) -> Cells:
    """Tracks as released cells, in the contest's regions."""
    sets = sorted({cell for one in tracks for cell in one if cell and len(cell) > 1}, key=sorted)

    def number(cell: Cell) -> int:
        if cell is None:
            return n_regions
        return min(cell) if len(cell) == 1 else n_regions + 1 + sets.index(cell)

    return Cells(
        np.array([[number(cell) for cell in one] for one in tracks], np.int32),
        n_regions,
        np.cumsum([0, *(len(cell) for cell in sets)]).astype(np.int64),
        np.array([region for cell in sets for region in sorted(cell)], np.int32),
        first_time,
    )


def cells_of(tracks: Sequence[Sequence[Cell]]) -> Cells:
    """Tracks as released cells, in a few regions."""
    return cells_in(tracks, 41, N_REGIONS)


def evidence_of(
    tracks: Sequence[Sequence[Cell]], sightings: Sequence[Sighting], n_known: int
) -> Evidence:
    user, step, place = np.array(sightings, np.int64).reshape(-1, 3).T
    seen = Sightings(np.arange(n_known), user.astype(np.int32), step.astype(np.int32), place)
    return Evidence.of(Published.of_cells(cells_of(tracks)), seen)
