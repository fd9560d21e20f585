"""Which exchanges of released cells are possible, straight from the definition.

Tracks show a single region, several of them, or nothing. Regions are those of the contest's grid of
32 x 32. Nothing here is shared with what finds relations of zones.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tests.support.audit_oracle import Cell, Track


@dataclass(frozen=True)
class Ways:
    """How far people get.

    Parameters
    ----------
    tracks
        Of users, or published ones.
    rotations
        Times at which all pseudonyms change.
    max_step
        Regions further in a direction in a time; None: any number.
    day
        Times of a day; from one day to the next everything is possible.
    first
        Number of the first time, on which days depend.
    sets_meet
        Tracks that show the same set of regions meet.
    """

    tracks: Sequence[Track]
    rotations: Collection[int] = ()
    max_step: float | None = None
    day: int = 20
    first: int = 1
    sets_meet: bool = False

    def cell(self, track: int, t: int) -> Cell:
        return self.tracks[track][t - 1]

    def fix(self, track: int, t: int) -> int | None:
        """The region that a track shows at a time, if it shows a single one."""
        cell = self.cell(track, t)
        return next(iter(cell)) if cell is not None and len(cell) == 1 else None

    def meets(self, track: int, t: int) -> bool:
        cell = self.cell(track, t)
        if cell is None or (len(cell) > 1 and not self.sets_meet):
            return False
        return sum(self.cell(other, t) == cell for other in range(len(self.tracks))) > 1

    def before(self, track: int, t: int) -> tuple[int, int] | None:
        """Time and region of the last fix before a time, since the last exchange."""
        for at in range(t - 1, 0, -1):
            region = self.fix(track, at)
            if region is not None:
                return at, region
            if at in self.rotations or self.meets(track, at):
                return None
        return None

    def after(self, track: int, t: int) -> tuple[int, int] | None:
        """Time and region of the first fix after an exchange, up to the next one."""
        for at in range(t if t in self.rotations else t + 1, len(self.tracks[0]) + 1):
            if at != t and at in self.rotations:
                return None
            region = self.fix(track, at)
            if region is not None:
                return at, region
            if at != t and self.meets(track, at):
                return None
        return None

    def can_go(self, before: tuple[int, int] | None, after: tuple[int, int] | None) -> bool:
        if self.max_step is None or before is None or after is None:
            return True
        days = [(at + self.first - 2) // self.day for at, _ in (before, after)]
        if days[0] != days[1]:
            return True
        (north, east), (up, right) = divmod(before[1], 32), divmod(after[1], 32)
        return max(abs(north - up), abs(east - right)) <= self.max_step * (after[0] - before[0])

    def jumps(self, track: int, t: int) -> bool:
        """Whether its own way through the exchange of a time is impossible."""
        return not self.can_go(self.before(track, t), self.after(track, t))

    def may(self, t: int, come: int, leave: int) -> bool:
        """Whether somebody can come to an exchange on one track and leave it on another one."""
        together = t in self.rotations and self.meets(come, t) and self.meets(leave, t)
        together = together and self.cell(come, t) == self.cell(leave, t)
        return together or self.can_go(self.before(come, t), self.after(leave, t))
