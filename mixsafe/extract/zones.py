"""Extraction of mix zones from positions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.companions import Track, always_together, is_looked_at
from mixsafe.extract.zones_apart import PositionColumns, groups, zones_apart
from mixsafe.machinery.spill.blocks import whole_stretches
from mixsafe.model.course import Executor
from mixsafe.model.csr import pointers
from mixsafe.model.mobility.traces import Positions
from mixsafe.model.question.mix_zones import MixZones

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
