"""Sorted tables of a problem's exchanges and sightings, for lookups.

A place is a row and a step, as one number: ``row * width + step``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import Ints, Whole
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem

_MOST_STEPS = 2**31 - 2
"""The step after the last one is a number of 32 bits, too: until then assignments are followed."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Memberships and sightings of a problem.

    Parameters
    ----------
    n_rows, horizon
        Users, and the last step.
    met
        (n_memberships,) int64: places at which a row is in a mix zone, ascending.
    zone
        (n_memberships,) int32: the zone there.
    seen
        (n_sightings,) int64: places with sightings, ascending.
    distinct
        Whether different people are different.
    zones
        Of the problem.
    """

    n_rows: int
    horizon: int
    met: Ints
    zone: Whole
    seen: Ints
    distinct: bool
    zones: MixZones

    @classmethod
    def of(cls, problem: Problem) -> Occurrences:
        """Places of a problem.

        Raises
        ------
        InputError
            A sighting of an unknown user or step, or too many steps for the integers here.
        """
        zones, known = problem.zones, problem.knowledge
        n_rows, horizon = zones.n_users, zones.axis.steps
        if horizon > _MOST_STEPS:
            raise InputError(f"{horizon} steps are more than {_MOST_STEPS}")
        inside = (known.row >= 0) & (known.row < n_rows) & (known.time >= 0)
        if not np.all(inside & (known.time <= horizon)):
            raise InputError("a sighting is of a user or at a step that does not exist")
        width = np.int64(horizon + 2)
        zone = np.repeat(np.arange(len(zones), dtype=np.int32), zones.sizes)
        met = zones.members * width + zones.time[zone]
        order = np.argsort(met)
        seen = known.row * width + known.time
        return cls(n_rows, horizon, met[order], zone[order], seen, known.distinct, zones)

    def allows(self, zone: Whole, one: Whole, other: Whole) -> npt.NDArray[np.bool_]:
        """(n,) whether who comes to a zone on the row of one member may leave on another's."""
        relation, allowed = self.zones.relation, np.ones(len(zone), bool)
        if relation is None:
            return allowed
        for number in np.intersect1d(zone, relation.zones).tolist():
            mine = np.flatnonzero(zone == number)
            members = self.zones.members[self.zones.ptr[number] : self.zones.ptr[number + 1]]
            come, leave = (np.searchsorted(members, rows[mine]) for rows in (one, other))
            allowed[mine] = relation.matrix(number, len(members))[come, leave]
        return np.asarray(allowed | (one == other))

    @property
    def width(self) -> np.int64:
        """More than there are steps."""
        return np.int64(self.horizon + 2)

    def at(self, row: npt.NDArray[np.integer], step: npt.NDArray[np.integer] | int) -> Ints:
        """Places of rows at steps."""
        places: Ints = row * self.width + step
        return places

    def begins(self, row: int) -> Ints:
        """(n + 1,) step 0 and those of a row's zones, ascending, and the one after the last."""
        low, high = np.searchsorted(self.met, (row * self.width, (row + 1) * self.width))
        zones = self.met[low:high] - row * self.width
        return np.concatenate([[0], zones, [self.horizon + 1]])

    def zone_at(self, row: Whole, step: Whole) -> Whole:
        """Zone that each row is in at a step; -1: none, or there is no such row or step."""
        exists = (row >= 0) & (row < self.n_rows) & (step >= 0) & (step <= self.horizon)
        wanted = self.at(row, step)
        there = np.searchsorted(self.met, wanted)
        found = np.full(len(wanted), -1, np.int32)
        hit = np.flatnonzero(exists & (there < len(self.met)))
        hit = hit[self.met[there[hit]] == wanted[hit]]
        found[hit] = self.zone[there[hit]]
        return found

    def meetings(self, begin: Ints, end: Ints) -> Ints:
        """Number of memberships at places from ``begin`` up to, but not at, ``end``."""
        return np.searchsorted(self.met, end) - np.searchsorted(self.met, begin)

    def sightings(self, begin: Ints, end: Ints) -> Ints:
        """Number of sightings at places from ``begin`` up to, but not at, ``end``."""
        return np.searchsorted(self.seen, end) - np.searchsorted(self.seen, begin)
