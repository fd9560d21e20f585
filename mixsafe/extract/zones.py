"""From positions to mix zones, and a summary of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.zones_apart import PositionColumns, zones_apart
from mixsafe.model.crew import Crew
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.spill.blocks import blocks, whole_stretches

_MANY = 1_000_000
"""Positions that are sorted sooner than pandas, which can hash them, is loaded, or than whole steps
are looked at one after the other."""


def mix_zones(positions: Positions, *, min_users: int = 2, crew: Crew | None = None) -> MixZones:
    """All groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    positions
        At most one place per user and step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.
    crew
        Who looks for them; None: this process.

    Returns
    -------
    MixZones
        By step, then by place; members ascending.

    Raises
    ------
    InputError
        ``min_users`` below 2: one user alone cannot mix.
    """
    if min_users < 2:
        raise InputError(f"a mix zone needs two users at least, not {min_users}")
    if crew is None:
        time, size, row, place = _found_here(positions, min_users)
    else:
        columns = PositionColumns(positions.row, positions.step, positions.place)
        parts = list(zones_apart(columns, min_users, crew))
        time, size, row, place = (
            np.concatenate([part[name] for part in parts])
            for name in ("time", "size", "row", "place")
        )
    ptr = pointers(size)
    users, axis, notes = positions.users, positions.axis, positions.notes
    absent = positions.absent
    return MixZones(users, axis, time, ptr, row, place, notes, absent)


def _found_here(
    positions: Positions, min_users: int
) -> tuple[
    npt.NDArray[np.int32], npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.int64]
]:
    """Step and size of each zone, the members, and the places."""
    rank, known = _ranks(positions.place)
    found = [
        _groups(positions, rank, len(known), chosen, min_users) for chosen in _steps(positions.step)
    ]
    time, size, row, place = (np.concatenate(columns) for columns in zip(*found, strict=True))
    return time, size, row, known[place]


def _steps(step: npt.NDArray[np.int32]) -> Iterator[slice | npt.NDArray[np.int64]]:
    """Positions of whole steps, the earlier ones first, some at a time: all of them if few."""
    if len(step) <= _MANY:
        yield slice(None)
        return
    # NumPy sorts short numbers by their digits.
    digits = step.astype(np.uint16) if step.max() < 1 << 16 else step
    order = np.argsort(digits, kind="stable")
    digits = digits[order]
    ptr = np.append(np.flatnonzero(np.append(True, digits[1:] != digits[:-1])), len(step))
    yield from (order[ptr[some.start] : ptr[some.stop]] for some in whole_stretches(ptr))


class _Groups(NamedTuple):
    """Users at one place in one step, by step, then by place.

    Parameters
    ----------
    step, size, rank
        (n,) each: when, how many users, and the number of the place.
    row
        The users, ascending in each group.
    """

    step: npt.NDArray[np.int32]
    size: npt.NDArray[np.int64]
    row: npt.NDArray[np.int32]
    rank: npt.NDArray[np.int32]


def _groups(
    positions: Positions,
    rank: npt.NDArray[np.int32],
    n_places: int,
    chosen: slice | npt.NDArray[np.int64],
    min_users: int,
) -> _Groups:
    """The groups of ``min_users`` or more users in all steps of some positions."""
    key = (positions.step[chosen].astype(np.int64) - 1) * max(n_places, 1) + rank[chosen]
    # Positions are sorted by row: a stable order leaves the rows of a group ascending.
    order = np.argsort(key, kind="stable")
    key = key[order]
    begin = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])
    size = np.diff(np.append(begin, len(key)))
    large = size >= min_users
    step, place = np.divmod(key[begin[large]], max(n_places, 1))
    row = positions.row[chosen][order[np.repeat(large, size)]]
    return _Groups((step + 1).astype(np.int32), size[large], row, place.astype(np.int32))


def _ranks(
    place: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Places numbered in ascending order, and the places that have the numbers."""
    if len(place) < _MANY:
        places, rank_of = np.unique(place, return_inverse=True)
        return rank_of.astype(np.int32), places.astype(np.int64, copy=False)
    lowest, highest = int(place.min(initial=0)), int(place.max(initial=0))
    if highest - lowest < len(place):
        return _ranks_in_range(place, lowest, highest)
    import pandas as pd

    # Hashing many repeated places and sorting the few different ones beats sorting all of them.
    code, known = pd.factorize(place)
    order = np.argsort(known)
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank[code], np.asarray(known, np.int64)[order]


def _ranks_in_range(
    place: npt.NDArray[np.int64], lowest: int, highest: int
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """As :func:`_ranks`, of places of which a list of all numbers between them is not long."""
    there = np.zeros(highest - lowest + 1, bool)
    for part in blocks(len(place)):
        there[place[part] - lowest] = True
    number = np.cumsum(there, dtype=np.int32) - np.int32(1)
    rank = np.empty(len(place), np.int32)
    for part in blocks(len(place)):
        rank[part] = number[place[part] - lowest]
    return rank, np.flatnonzero(there) + lowest


@dataclass(frozen=True, eq=False)
class ZonesSummary:
    """What there is to meet at all.

    Parameters
    ----------
    users, steps
        Number of users and of time steps.
    positions
        Number of (user, step) with a place; None where only the zones are known.
    zones, memberships
        Number of mix zones, and of their members together.
    size, zones_of_size
        (n_sizes,) each: the sizes that occur, ascending, and how many zones have them.
    never_meet, absent
        Number of users who are in no mix zone, and of those among them of whom there are no data.
    places
        Number of different places that have a zone; None where places are not known.
    notes
        What was merged or dropped on the way, with counts.
    """

    users: int
    steps: int
    positions: int | None
    zones: int
    memberships: int
    size: npt.NDArray[np.int64]
    zones_of_size: npt.NDArray[np.int64]
    never_meet: int
    absent: int
    places: int | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, zones: MixZones, positions: Positions | None = None) -> ZonesSummary:
        """Summary of some zones, and of the positions they come from if those are known."""
        size, zones_of_size = np.unique(zones.sizes, return_counts=True)
        absent = len(zones.absent)
        return cls(
            users=zones.n_users,
            steps=zones.axis.steps,
            positions=None if positions is None else len(positions.row),
            zones=len(zones),
            memberships=len(zones.members),
            size=size,
            zones_of_size=zones_of_size.astype(np.int64),
            never_meet=len(zones.alone) + absent,
            absent=absent,
            places=None if zones.place is None else len(np.unique(zones.place)),
            notes=zones.notes,
        )

    def to_dict(self) -> dict[str, object]:
        """The summary as plain values, for JSON."""
        sizes = zip(self.size.tolist(), self.zones_of_size.tolist(), strict=True)
        return {
            "users": self.users,
            "steps": self.steps,
            "positions": self.positions,
            "zones": self.zones,
            "memberships": self.memberships,
            "sizes": {str(size): count for size, count in sizes},
            "users_who_never_meet": self.never_meet,
            "users_without_data": self.absent,
            "places": self.places,
            "notes": list(self.notes),
        }
