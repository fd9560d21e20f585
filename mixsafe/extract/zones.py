"""From positions to mix zones, and a summary of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones

_MANY = 1_000_000
"""Positions that are sorted sooner than pandas, which can hash them, is loaded."""


def mix_zones(positions: Positions, *, min_users: int = 2) -> MixZones:
    """All groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    positions
        At most one place per user and step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.

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
    place, known = _ranks(positions.place)
    key = (positions.step.astype(np.int64) - 1) * max(len(known), 1) + place
    # Positions are sorted by row: a stable order leaves the rows of a group ascending.
    order = np.argsort(key, kind="stable")
    key = key[order]
    begin = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])[: len(key)])
    size = np.diff(np.append(begin, len(key)))
    large = size >= min_users
    kept = np.repeat(large, size)
    step, rank = np.divmod(key[begin[large]], max(len(known), 1))
    return MixZones(
        positions.users,
        positions.axis,
        (step + 1).astype(np.int32),
        np.concatenate([[0], np.cumsum(size[large])]).astype(np.int64),
        positions.row[order[kept]],
        known[rank],
        positions.notes,
    )


def _ranks(
    place: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Places numbered in ascending order, and the places that have the numbers."""
    if len(place) < _MANY:
        places, rank_of = np.unique(place, return_inverse=True)
        return rank_of.astype(np.int64, copy=False), places.astype(np.int64, copy=False)
    import pandas as pd

    # Hashing many repeated places and sorting the few different ones beats sorting all of them.
    code, known = pd.factorize(place)
    order = np.argsort(known)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank[code], np.asarray(known, np.int64)[order]


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
    never_meet
        Number of users who are in no mix zone.
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
    places: int | None
    notes: tuple[str, ...]

    @classmethod
    def of(cls, zones: MixZones, positions: Positions | None = None) -> ZonesSummary:
        """Summary of some zones, and of the positions they come from if those are known."""
        size, zones_of_size = np.unique(zones.sizes, return_counts=True)
        met = np.zeros(zones.n_users, bool)
        met[zones.members] = True
        return cls(
            users=zones.n_users,
            steps=zones.axis.steps,
            positions=None if positions is None else len(positions.row),
            zones=len(zones),
            memberships=len(zones.members),
            size=size,
            zones_of_size=zones_of_size.astype(np.int64),
            never_meet=int(np.count_nonzero(~met)),
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
            "places": self.places,
            "notes": list(self.notes),
        }
