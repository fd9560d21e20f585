"""Small releases with coordinates and gaps, and what was seen: everything again by definition.

Tracks are on a line of cells of 100 m from west to east, with a fix in the middle of a cell or none
in each minute. Nothing here is shared with what audits read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from mixsafe.extract.positions import grid_of, positions
from mixsafe.geometry.grid import Outlines
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.release import Sightings
from mixsafe.release.evidence import Published
from mixsafe.release.possible_tracks import GapReach
from tests.support.audit_oracle import stories

READINGS = ("absent", "reachable", "anywhere")
CELL = 100.0
CELLS = (0, 1, 3, 9, 40)
_RADIUS = CELL / math.sqrt(2)
_FIRST = 1_700_000_040 - 1_700_000_040 % 60
_PER_METRE = 1 / (6_371_008.8 * math.pi / 180)


@dataclass(frozen=True)
class GappyRelease:
    """Tracks, sightings and a speed.

    Parameters
    ----------
    tracks
        For each track and step the cell in which it has a fix, from 0; None: it has a gap.
    sightings
        User from 0, step from 1, cell.
    n_known
        Number of known users.
    speed
        Greatest speed, kilometres per hour.
    """

    tracks: tuple[tuple[int | None, ...], ...]
    sightings: tuple[tuple[int, int, int], ...]
    n_known: int
    speed: float

    @property
    def traces(self) -> Traces:
        """The fixes, 10 s after the begin of each step."""
        found = [
            (row, _FIRST + 60 * step + 10, (cell + 0.5) * CELL)
            for row, track in enumerate(self.tracks)
            for step, cell in enumerate(track)
            if cell is not None
        ]
        row, time, east = (np.array(column) for column in zip(*found, strict=True))
        lat = np.full(len(row), 0.5 * CELL * _PER_METRE)
        steps = len(self.tracks[0])
        return Traces(
            np.arange(len(self.tracks)) + 100,
            row.astype(np.int32),
            time.astype(np.int64),
            "unix",
            lat=lat,
            lon=east * _PER_METRE,
            window=(_FIRST, _FIRST + 60 * steps),
            center=(0.0, 0.0),
        )

    @property
    def published(self) -> Published:
        traces = self.traces
        found = Published.of_positions(positions(traces, cell_size=CELL))
        outlines = Outlines(grid_of(traces, CELL))
        reach = GapReach(traces, found.zones, outlines, self.speed)
        return Published(found.zones, found.row, found.step, found.place, reach=reach)

    @property
    def seen(self) -> Sightings:
        """The sightings, as readers make them."""
        user, step, cell = np.array(self.sightings, np.int64).reshape(-1, 3).T
        grid = grid_of(self.traces, CELL)
        at = (cell + 0.5) * CELL * _PER_METRE
        place = grid.cell(np.full(len(at), 0.5 * CELL * _PER_METRE), at)
        names = np.arange(self.n_known)
        return Sightings(names, user.astype(np.int32), step.astype(np.int32), place)

    def possible(self, step: int, cell: int, reading: str) -> set[int]:
        """Tracks that may be those of somebody who was in a cell at a step."""
        return {
            row
            for row, track in enumerate(self.tracks)
            if track[step - 1] == cell
            or (track[step - 1] is None and self._in_gap(row, step, cell, reading))
        }

    def _in_gap(self, row: int, step: int, cell: int, reading: str) -> bool:
        track = self.tracks[row]
        if cell in track[max(step - 2, 0) : step + 1] or reading == "anywhere":
            return True
        if reading == "absent":
            return False
        before = [at for at in range(step - 1) if track[at] is not None]
        after = [at for at in range(step, len(track)) if track[at] is not None]
        came = self._apart(row, before[-1], cell, late=False) if before else None
        left = self._apart(row, after[0], cell, late=True) if after else None
        if came is not None and not self._gets(came[1], 60 * step - came[0]):
            return False
        if left is not None and not self._gets(left[1], left[0] - 60 * (step - 1)):
            return False
        both = came is not None and left is not None
        return not both or self._gets(came[1] + left[1], left[0] - came[0])

    def _apart(self, row: int, at: int, cell: int, *, late: bool) -> tuple[int, float]:
        """When, and how far off at least, the person on a track was who made a fix.

        Where tracks meet that is somebody who is there, at some time of the step.
        """
        own = self.tracks[row][at]
        assert own is not None
        way = abs(own - cell) * CELL - _RADIUS
        met = any(track[at] == own for other, track in enumerate(self.tracks) if other != row)
        if met:
            return 60 * (at + late), max(way - 2 * _RADIUS, 0.0)
        return 60 * at + 10, max(way, 0.0)

    def _gets(self, way: float, seconds: int) -> bool:
        return way <= self.speed / 3.6 * (seconds + 1)

    @property
    def is_close(self) -> bool:
        """Whether some way is just about possible, so that rounding decides."""
        off = {abs(one - other) * CELL for one in CELLS for other in CELLS}
        ways = {max(way - part * _RADIUS, 0.0) for way in off for part in (1, 3)}
        sums = ways | {one + other for one in ways for other in ways}
        times = {60 * step + more for step in range(6) for more in (0, 10, 50)}
        return any(abs(way - self.speed / 3.6 * (t + 1)) < 0.5 for way in sums for t in times)

    def candidates(self, reading: str, *, exchanged: bool) -> dict[tuple[int, int], set[int]]:
        """Tracks of each known user at each step by all stories; empty: contradicted."""
        tracks = [
            [None if cell is None else frozenset([cell]) for cell in track] for track in self.tracks
        ]
        may = [self.possible(step, cell, reading) for _, step, cell in self.sightings]
        steps = range(1, len(tracks[0]) + 1)
        found = {(user, t): set[int]() for user in range(self.n_known) for t in steps}
        for story in stories(tracks, exchanged=exchanged):
            if all(
                story[t].index(user) in rows
                for (user, t, _), rows in zip(self.sightings, may, strict=True)
            ):
                for user, t in found:
                    found[user, t].add(story[t].index(user))
        return found

    def verdict(self, reading: str, k: int, rule: str, *, exchanged: bool) -> str | None:
        """The verdict on all known users; None: the sightings contradict the release."""
        found = self.candidates(reading, exchanged=exchanged)
        if not all(found.values()):
            return None
        needs = all if rule == "every" else any
        steps = range(1, len(self.tracks[0]) + 1)
        passes = all(needs(len(found[user, t]) >= k for t in steps) for user in range(self.n_known))
        return "safe" if passes else "unsafe"


@st.composite
def gappy_releases(draw: st.DrawFn, *, most_tracks: int = 4, most_steps: int = 4) -> GappyRelease:
    """A few tracks with gaps, and sightings near where tracks are."""
    n_tracks = draw(st.integers(2, most_tracks))
    n_steps = draw(st.integers(2, most_steps))
    cell = st.one_of(st.none(), st.sampled_from(CELLS))
    track = st.lists(cell, min_size=n_steps, max_size=n_steps).filter(
        lambda cells: any(one is not None for one in cells)
    )
    tracks = draw(st.lists(track, min_size=n_tracks, max_size=n_tracks))
    n_known = draw(st.integers(1, n_tracks))
    seen = st.tuples(st.integers(0, n_known - 1), st.integers(1, n_steps), st.sampled_from(CELLS))
    sightings = draw(st.lists(seen, min_size=1, max_size=4, unique_by=lambda one: one[:2]))
    speed = draw(st.sampled_from([5.1, 21.3, 93.7]))
    return GappyRelease(tuple(map(tuple, tracks)), tuple(sightings), n_known, speed)
