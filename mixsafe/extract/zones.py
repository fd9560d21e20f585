"""Extraction of mix zones from positions, and their summary."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.companions import Track, always_together, is_looked_at
from mixsafe.extract.zones_apart import PositionColumns, groups, zones_apart
from mixsafe.model.csr import pointers
from mixsafe.model.executor import Executor
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.spill.blocks import whole_stretches

_AT_ONCE = 1_000_000
"""Positions that are sorted at once: of more, those of some steps after the other."""


def mix_zones(
    positions: Positions,
    *,
    min_users: int = 2,
    executor: Executor | None = None,
    at_once: int = _AT_ONCE,
) -> MixZones:
    """Extract all groups of ``min_users`` or more users at one place in one step.

    Parameters
    ----------
    positions
        At most one place per user and step.
    min_users
        Smallest number of users that makes a mix zone, >= 2.
    executor
        Who looks for them; None: this process.
    at_once
        Positions that are sorted at once, or those of one step; without an executor.

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
        raise InputError(f"a mix zone needs at least two users, not {min_users}")
    columns = PositionColumns(positions.row, positions.step, positions.place)
    if executor is None:
        parts = [groups(columns.only(some), min_users) for some in _steps(columns.step, at_once)]
    else:
        parts = list(zones_apart(columns, min_users, executor))
    time, size, row, place = (
        np.concatenate([part[name] for part in parts]) for name in ("time", "size", "row", "place")
    )
    ptr = pointers(size)
    users, axis, notes = positions.users, positions.axis, positions.notes
    absent = positions.absent
    premises, published = positions.premises, positions.published
    return MixZones(
        users, axis, time, ptr, row, place, notes, absent, premises=premises,
        place_names=positions.place_names, cells=positions.cells,
        published=None if published.are_all_of(axis.steps) else published,
    )  # fmt: skip


def with_companions(zones: MixZones) -> MixZones:
    """Zones that tell which users are in the same ones: their places are not known.

    Nobody is merged, because two people who meet often may be in no other zones.
    """
    if zones.premises.together is not None or zones.place is not None:
        return zones
    zone = zones.zone_of_member
    chosen = is_looked_at(zones.time[zone], len(zone))
    row, step, place = zones.members[chosen], zones.time[zone][chosen], zone[chosen]
    order = np.lexsort((step, row))
    found = always_together(Track(row[order], step[order], place[order]))
    together = found.told(zones.users, merged=False)
    premises = replace(zones.premises, together=together)
    return replace(zones, premises=premises, notes=(*zones.notes, *together.notes))


def _steps(step: npt.NDArray[np.int32], at_once: int) -> Iterator[slice | npt.NDArray[np.int64]]:
    """Positions of whole steps, the earlier ones first, some at a time: all of them if few."""
    if len(step) <= at_once:
        yield slice(None)
        return
    # NumPy sorts short numbers by their digits.
    digits = step.astype(np.uint16) if step.max() < 1 << 16 else step
    order = np.argsort(digits, kind="stable")
    digits = digits[order]
    ptr = np.append(np.flatnonzero(np.append(True, digits[1:] != digits[:-1])), len(step))
    yield from (order[ptr[some.start] : ptr[some.stop]] for some in whole_stretches(ptr, at_once))


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
    period
        The first and the last step, and their time zone.
    never_meet, absent
        Number of users who are in no mix zone, and of those among them of whom there are no data.
    places
        Number of different places that have a zone; None where places are not known.
    notes
        What was merged or dropped on the way, with counts.
    premises
        Rows that are no data, and people who may be one.
    """

    users: int
    steps: int
    period: str
    positions: int | None
    zones: int
    memberships: int
    size: npt.NDArray[np.int64]
    zones_of_size: npt.NDArray[np.int64]
    never_meet: int
    absent: int
    places: int | None
    notes: tuple[str, ...]
    premises: Premises = field(default_factory=Premises)

    @classmethod
    def of(cls, zones: MixZones, positions: Positions | None = None) -> ZonesSummary:
        """Summarize zones, and their positions if known."""
        size, zones_of_size = np.unique(zones.sizes, return_counts=True)
        absent = len(zones.absent)
        return cls(
            users=zones.n_users,
            steps=zones.axis.steps,
            period=zones.axis.period,
            positions=None if positions is None else len(positions.row),
            zones=len(zones),
            memberships=len(zones.members),
            size=size,
            zones_of_size=zones_of_size.astype(np.int64),
            never_meet=len(zones.alone) + absent,
            absent=absent,
            places=None if zones.place is None else len(np.unique(zones.place)),
            notes=zones.notes,
            premises=zones.premises,
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
            **self.premises.to_dict(),
        }
