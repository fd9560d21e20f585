"""Audits against all stories that a small release allows, and against the publisher's view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.cells import Cells
from mixsafe.model.limits import SolveLimits
from mixsafe.model.sightings import Sightings
from mixsafe.release.audit import Audit, audit
from mixsafe.release.evidence import Evidence, Published
from tests.release.audit_oracle import Cell, Sighting, tracks_of

ONE_WORKER = SolveLimits(workers=1)
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


@st.composite
def releases(draw: st.DrawFn) -> tuple[list[list[Cell]], list[Sighting], int]:
    """A few tracks, and sightings of some users, most of them where a track is."""
    n_tracks, n_steps = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    single = st.integers(0, N_REGIONS - 1).map(lambda region: frozenset([region]))
    several = st.sets(st.integers(0, N_REGIONS - 1), min_size=2).map(frozenset)
    cell = st.one_of(single, single, single, single, several, st.none())
    track = st.lists(cell, min_size=n_steps, max_size=n_steps)
    tracks = draw(st.lists(track, min_size=n_tracks, max_size=n_tracks))
    n_known = draw(st.integers(1, n_tracks))
    seen = st.tuples(
        st.integers(0, n_known - 1), st.integers(1, n_steps), st.integers(0, N_REGIONS - 1)
    )
    sightings = draw(st.lists(seen, max_size=5, unique_by=lambda one: one[:2]))
    return tracks, sightings, n_known


def found_tracks(answer: Audit, n_steps: int, *, proven: bool) -> dict[tuple[int, int], set[int]]:
    """Tracks of each user and time in the table of candidates."""
    found: dict[tuple[int, int], set[int]] = {
        (user, t): set() for user in answer.users["user_id"] for t in range(1, n_steps + 1)
    }
    assert answer.candidates is not None
    for row in answer.candidates.itertuples():
        if row.proven or not proven:
            for t in range(row.from_time - 40, row.to_time - 40 + 1):
                found[row.user_id, t].add(row.pse_id - answer.evidence.zones.n_users - 1)
    return found


@pytest.mark.parametrize("exchanged", [True, False])
@pytest.mark.parametrize("engine", ["auto", "cpsat", "dp"])
@given(release=releases())
@settings(max_examples=40)
def test_the_tracks_of_a_user_are_those_of_some_story(engine, exchanged, release):
    tracks, sightings, n_known = release
    truth = tracks_of(tracks, sightings, n_known, exchanged=exchanged)
    try:
        answer = audit(
            evidence_of(tracks, sightings, n_known),
            1,
            exchanged=exchanged,
            engine=engine,
            exhaustive=True,
            limits=ONE_WORKER,
        )
    except InputError:
        assert not any(truth.values())
        return
    for proven in (True, False):
        assert found_tracks(answer, len(tracks[0]), proven=proven) == truth
