"""Walkers on a grid of cells whose devices report now and then, and who was seen where.

People walk from place to place, often to the middle, and stay there for a while. Who is behind
which track is known here, and to nothing that is tested.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mixsafe.extract.positions import grid_of, positions
from mixsafe.geometry.grid import Outlines
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.release import Sightings
from mixsafe.release.evidence import Evidence, Published
from mixsafe.release.possible_tracks import GapReach

CELL = 100.0
_PER_METRE = 1 / (6_371_008.8 * math.pi / 180)
_FIRST = 1_700_000_040 - 1_700_000_040 % 60


@dataclass(frozen=True, eq=False)
class WalkersWithGaps:
    """Walkers, and what is published of them.

    Parameters
    ----------
    at
        (n, n_steps, 2) cell of each person at each step.
    shown
        (n, n_steps) whether a person's device reports then.
    person
        (n_steps, n) person behind each track at each step.
    seed
        Of sightings.
    """

    at: npt.NDArray[np.int64]
    shown: npt.NDArray[np.bool_]
    person: npt.NDArray[np.int64]
    seed: int

    @classmethod
    def of(
        cls, seed: int, *, kept: float, n: int = 40, steps: int = 300, side: int = 12
    ) -> WalkersWithGaps:
        """Walkers whose devices report a share ``kept`` of the steps, and never in four gaps."""
        random = np.random.default_rng(seed)
        at = np.zeros((n, steps, 2), np.int64)
        shown = random.random((n, steps)) < kept
        for one in range(n):
            _walk(at[one], side, random)
            for begin in random.integers(0, steps, 4).tolist():
                shown[one, begin : begin + int(random.integers(5, 40))] = False
        return cls(at, shown, np.tile(np.arange(n), (steps, 1)), seed)

    def exchanged(self) -> WalkersWithGaps:
        """The same, with pseudonyms exchanged at random among those who report from one cell."""
        random = np.random.default_rng(self.seed + 1000)
        steps = self.at.shape[1]
        person = np.zeros_like(self.person)
        behind = random.permutation(len(self.at))
        for step in range(steps):
            cells: dict[tuple[int, ...], list[int]] = {}
            for track, who in enumerate(behind.tolist()):
                if self.shown[who, step]:
                    cells.setdefault(tuple(self.at[who, step].tolist()), []).append(track)
            for tracks in cells.values():
                behind[tracks] = behind[random.permutation(tracks)]
            person[step] = behind
        return replace(self, person=person)

    @cached_property
    def traces(self) -> Traces:
        """What is published."""
        steps = self.at.shape[1]
        when = np.arange(steps)[:, None]
        step, row = np.nonzero(self.shown[self.person, when])
        place = self.at[self.person[step, row], step]
        order = np.lexsort((step, row))
        lat, lon = ((place[order] + 0.5) * CELL * _PER_METRE).T
        return Traces(
            np.arange(len(self.at)) + 100,
            row[order].astype(np.int32),
            (_FIRST + 60 * step[order] + 10).astype(np.int64),
            "unix",
            lat=lat,
            lon=lon,
            window=(_FIRST, _FIRST + 60 * steps),
            center=(0.0, 0.0),
        )

    @cached_property
    def published(self) -> Published:
        """The release."""
        traces = self.traces
        found = Published.of_positions(positions(traces, cell_size=CELL))
        reach = GapReach(traces, found.zones, Outlines(grid_of(traces, CELL)), 130.0)
        return replace(found, reach=reach)

    def seen(self, n_known: int, times: int) -> Evidence:
        """Some people are seen at any times, whether their devices report then or not."""
        random = np.random.default_rng(self.seed)
        user = np.repeat(np.arange(n_known), times)
        step = random.integers(0, self.at.shape[1], len(user))
        lat, lon = ((self.at[user, step] + 0.5) * CELL * _PER_METRE).T
        place = grid_of(self.traces, CELL).cell(lat, lon)
        names = np.arange(n_known)
        seen = Sightings(names, user.astype(np.int32), (step + 1).astype(np.int32), place)
        return Evidence.of(self.published, seen)


def _walk(at: npt.NDArray[np.int64], side: int, random: np.random.Generator) -> None:
    """Fill in the way of one person."""
    steps = len(at)
    here, step = random.integers(0, side, 2), 0
    while step < steps:
        stays = int(random.integers(1, 20))
        at[step : step + stays] = here
        step += stays
        goal = random.integers(0, side, 2)
        if random.random() < 0.5:
            goal = np.clip(random.normal(side / 2, 1.5, 2).round(), 0, side - 1).astype(np.int64)
        while step < steps and not np.array_equal(goal, here):
            off = np.sign(goal - here)
            way = int(off[0] == 0 or (off[1] != 0 and random.random() < 0.5))
            here = here + np.where(np.arange(2) == way, off, 0)
            at[step] = here
            step += 1
