"""Small releases, and what somebody has seen of their users."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import strategies as st

from mixsafe.model.release import Cells, Sightings
from mixsafe.release.evidence import Evidence, Published
from tests.support.audit_oracle import Cell, Sighting, number_of_stories

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


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[list[Cell]], list[Sighting], int]:
    """A few tracks, and sightings of some users, most of them where a track is."""
    n_tracks, n_steps = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    single = st.integers(0, N_REGIONS - 1).map(lambda region: frozenset([region]))
    several = st.sets(st.integers(0, N_REGIONS - 1), min_size=2).map(frozenset)
    cell = st.one_of(single, single, single, single, several, st.none())
    track = st.lists(cell, min_size=n_steps, max_size=n_steps)
    tracks = draw(st.lists(track, min_size=n_tracks, max_size=n_tracks))
    while number_of_stories(tracks) > 4000:
        tracks = [track[:-1] for track in tracks]
    n_known, n_steps = draw(st.integers(1, n_tracks)), len(tracks[0])
    seen = st.tuples(
        st.integers(0, n_known - 1), st.integers(1, n_steps), st.integers(0, N_REGIONS - 1)
    )
    sightings = draw(st.lists(seen, max_size=5, unique_by=lambda one: one[:2]))
    return tracks, sightings, n_known
