"""Wires: a user between two of her consecutive mix events, the unit in which all is decided.

Between two events of a user nothing changes (fact 3), so ``s(u, t)`` is one variable per wire.
Zones are the places where wires end and begin.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.mix_zones import MixZones

NOWHERE = -1
"""Zone that a wire comes from at step 0, and that it leads to at the horizon."""


class Wires(NamedTuple):
    """A network as compiled functions take it; see :class:`WireNetwork` for what it shares."""

    first: npt.NDArray[np.int64]
    row: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    comes_from: npt.NDArray[np.int64]  # (n_wires,): zone at the start of each wire, or NOWHERE
    leads_to: npt.NDArray[np.int64]  # (n_wires,): zone at the end of each wire, or NOWHERE
    zone_time: npt.NDArray[np.int32]
    zone_ptr: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]
    before: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class WireNetwork:
    """The wires of some mix zones; the wires of a row are numbered in order of time.

    Parameters
    ----------
    n_rows, horizon
        Number of users, and the last step t*.
    first
        (n_rows + 1,) int64: row r has the wires ``first[r]`` to ``first[r + 1] - 1``.
    row, start, end
        (n_wires,) int32 each: the row, and the first and last step of the wire (inclusive).
    zone_time
        (n_zones,) int32, ascending.
    zone_ptr
        (n_zones + 1,) int64 into the next two arrays.
    member
        (n_memberships,) int32: rows that meet.
    before
        (n_memberships,) int64: the wire on which the row comes to the zone; it leaves on the
        next one, ``before + 1``.
    """

    n_rows: int
    horizon: int
    first: npt.NDArray[np.int64]
    row: npt.NDArray[np.int32]
    start: npt.NDArray[np.int32]
    end: npt.NDArray[np.int32]
    zone_time: npt.NDArray[np.int32]
    zone_ptr: npt.NDArray[np.int64]
    member: npt.NDArray[np.int32]
    before: npt.NDArray[np.int64]

    @classmethod
    def of(cls, zones: MixZones) -> WireNetwork:
        """Network of all ``zones``."""
        n_rows, horizon = zones.n_users, zones.axis.steps
        member = zones.members
        time = np.repeat(zones.time, zones.sizes)
        order = np.argsort(member, kind="stable")  # zones are in order of time already
        events = np.bincount(member, minlength=n_rows)
        first = np.zeros(n_rows + 1, np.int64)
        np.cumsum(events + 1, out=first[1:])
        row = np.repeat(np.arange(n_rows, dtype=np.int32), events + 1)
        start = np.zeros(len(row), np.int32)
        after = np.arange(len(member)) + member[order] + 1
        start[after] = time[order]
        end = np.empty(len(row), np.int32)
        end[:-1] = start[1:] - 1
        end[first[1:] - 1] = horizon
        before = np.empty(len(member), np.int64)
        before[order] = after - 1
        return cls(n_rows, horizon, first, row, start, end, zones.time, zones.ptr, member, before)

    @property
    def n_wires(self) -> int:
        """Number of wires: one per row and one more per membership."""
        return len(self.row)

    @property
    def n_zones(self) -> int:
        """Number of zones."""
        return len(self.zone_time)

    @cached_property
    def comes_from(self) -> npt.NDArray[np.int64]:
        """(n_wires,) zone at the start of each wire, NOWHERE at step 0."""
        zone = np.full(self.n_wires, NOWHERE, np.int64)
        zone[self.before + 1] = self.zone_of_entry
        return zone

    @cached_property
    def leads_to(self) -> npt.NDArray[np.int64]:
        """(n_wires,) zone at the end of each wire, NOWHERE at the horizon."""
        zone = np.full(self.n_wires, NOWHERE, np.int64)
        zone[self.before] = self.zone_of_entry
        return zone

    @property
    def zone_of_entry(self) -> npt.NDArray[np.int64]:
        """(n_memberships,) zone of each entry of ``member`` and ``before``."""
        return np.repeat(np.arange(self.n_zones), np.diff(self.zone_ptr))

    @cached_property
    def wires(self) -> Wires:
        """The network for compiled functions, always of one type: each is compiled once."""
        return Wires(
            *(np.require(getattr(self, name), requirements=("C", "W")) for name in Wires._fields)
        )

    def wire_at(self, row: npt.ArrayLike, time: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Wire of each (row, step) pair; the value after the exchange of that step."""
        span = np.int64(self.horizon) + 1
        key = self.row * span + self.start
        asked = np.asarray(row, np.int64) * span + np.asarray(time, np.int64)
        return np.searchsorted(key, asked, side="right") - 1
