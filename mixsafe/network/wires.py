"""Wires: a row between two consecutive mix zones, the unit of every decision.

A *row* is what a *token* is on: a user who has a pseudonym or, for an auditor, a published track
that is a user's. In a mix zone the tokens of its *members*, the rows that meet, are permuted.
Between two of its zones the token on a row does not change (fact 3). So the token on user u after
step t, ``s(u, t)``, is one variable per wire. A wire begins with the step of a zone, or with step
0, and lasts until the step before the next zone, or until the horizon.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.compiled import compiled, inner, tiered
from mixsafe.machinery.spill import blocks, like, owners, spread
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.question.mix_zones import MixZones, Relation
from mixsafe.network.relations import is_set

NOWHERE = -1
"""Number in place of a zone at step 0 and at the horizon."""


MOST = np.iinfo(np.int32).max
"""Maximum number of memberships of mix zones: their places are 32-bit numbers."""

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]


def _by_row(member: Small, n_rows: int) -> Ints:
    """Places of memberships by row, those of a row in their order: of time, as zones are."""
    if n_rows <= 1 << 16:  # NumPy sorts short numbers by digits
        return np.argsort(member.astype(np.uint16), kind="stable")
    order = np.empty(len(member), np.int64)
    _put_by_row(member, pointers(np.bincount(member, minlength=n_rows))[:-1].copy(), order)
    return order


@compiled
def _put_by_row(member: Small, place: Ints, order: Ints) -> None:  # pragma: no cover - compiled
    """Fill ``order`` from where each row begins; a sort by counting."""
    for entry in range(len(member)):
        row = member[entry]
        order[place[row]] = entry
        place[row] += 1


@dataclass(frozen=True, eq=False)
class WireNetwork:
    """The wires of some mix zones; the wires of a row are numbered in order of time.

    Parameters
    ----------
    n_rows, horizon
        Number of users, and the last step t*.
    first
        (n_rows + 1,) int64: row r has the wires ``first[r]`` to ``first[r + 1] - 1``, one more than
        it has zones.
    row, start, end
        (n_wires,) int32 each: the row, and the first and last step of the wire (inclusive).
    zone_time
        (n_zones,) int32, ascending: step of each zone.
    zone_ptr
        (n_zones + 1,) int64: zone z has the places ``zone_ptr[z]`` to ``zone_ptr[z + 1] - 1`` of
        the next two arrays.
    member
        (n_memberships,) int32: rows that meet, ascending for each zone.
    before
        (n_memberships,) int64: the wire on which the row comes to the zone; it leaves on the
        next one, ``before + 1``.
    relation
        Which pairs of members each zone allows: who comes on the row of one may leave on the row of
        the other. None: all zones are complete, which means that they allow all pairs.
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
    relation: Relation | None = None

    @classmethod
    def of(cls, zones: MixZones) -> WireNetwork:
        """Network of all ``zones``; it is on disk if their members are."""
        return cls.joining(
            zones.n_users, zones.axis.steps, zones.time, zones.ptr, zones.members, zones.relation
        )

    @classmethod
    def joining(
        cls,
        n_rows: int,
        horizon: int,
        time: Small,
        ptr: Ints,
        member: Small,
        relation: Relation | None = None,
    ) -> WireNetwork:
        """Network of zones, given by the arrays of :class:`MixZones`; they are not validated."""
        first = np.zeros(n_rows + 1, np.int64)
        for part in blocks(len(member)):
            first[1:] += np.bincount(member[part], minlength=n_rows)
        first[1:] += 1
        np.cumsum(first, out=first)
        n_wires = int(first[-1])
        row, start, end = (like(member, n_wires, np.int32) for _ in range(3))
        before = like(member, len(member), np.int64)
        start[first[:-1]] = 0
        now = first[:-1].copy()  # wire of each row
        for part in blocks(len(member)):
            order = _by_row(member[part], n_rows)  # and for each row by time
            events = np.bincount(member[part], minlength=n_rows)
            wire = np.arange(len(order)) + (now - np.cumsum(events) + events)[member[part][order]]
            before[part][order] = wire
            start[wire + 1] = spread(time, ptr, part)[order]
            now += events
        for part in blocks(n_wires):
            row[part] = owners(first, part)
            following = start[part.start + 1 : part.stop + 1]
            end[part.start : part.start + len(following)] = following - 1
        end[first[1:] - 1] = horizon
        return cls(n_rows, horizon, first, row, start, end, time, ptr, member, before, relation)

    @property
    def n_wires(self) -> int:
        """Number of wires: one per row and one more per membership."""
        return len(self.row)

    @property
    def n_zones(self) -> int:
        """Number of zones."""
        return len(self.zone_time)

    @cached_property
    def leads_to(self) -> Small:
        """(n_wires,) zone at the end of each wire, NOWHERE at the horizon."""
        return self.zone_ahead()

    def zone_ahead(self) -> Small:
        """As :attr:`leads_to`, but not cached: for a large network that is soon dropped."""
        zone = like(self.before, self.n_wires, np.int32)
        zone.fill(NOWHERE)
        for part in blocks(len(self.before)):
            zone[self.before[part]] = owners(self.zone_ptr, part)
        return zone

    @property
    def comes_from(self) -> Small:
        """(n_wires,) zone at the start of each wire, NOWHERE at step 0."""
        return np.roll(
            self.leads_to, 1
        )  # the wire before a first one is a last one, which leads nowhere

    @property
    def zone_of_entry(self) -> npt.NDArray[np.int64]:
        """(n_memberships,) zone of each entry of ``member`` and ``before``."""
        return np.repeat(np.arange(self.n_zones), np.diff(self.zone_ptr))

    @cached_property
    def wires(self) -> Wires:
        """The network for compiled functions, with one type, so that each is compiled once.

        Raises
        ------
        InputError
            There are more memberships than 32-bit numbers allow.
        """
        if len(self.member) > MOST:
            raise InputError(
                f"{len(self.member)} memberships are more than {MOST}",
                hint="take fewer users (--users), fewer days (--days) or smaller cells",
            )
        entry = like(self.before, self.n_wires, np.int32)
        entry.fill(-1)
        for part in blocks(len(self.before)):
            entry[self.before[part]] = np.arange(part.start, part.stop, dtype=np.int32)
        return Wires(
            _plain(self.first),
            _plain(self.row),
            _plain(self.start),
            _plain(self.leads_to),
            entry,
            _plain(self.zone_time),
            _plain(self.zone_ptr),
            _plain(self.member),
            _plain(self.before),
            self.horizon,
            np.zeros(0, np.int64) if self.relation is None else _plain(self.relation.ptr),
            np.zeros(0, np.uint64) if self.relation is None else _plain(self.relation.words),
        )

    def wire_at(self, row: npt.ArrayLike, time: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Wire of each (row, step) pair; at the step of a zone, the one that leaves it."""
        return wires_at(self, row, time)


class Wires(NamedTuple):
    """A network as arguments of compiled functions; see :class:`WireNetwork` for shared fields.

    All arrays may be memory maps. None is written to, and all except ``member`` are read from front
    to back. Neither the end of a wire nor the zone at its start is stored: they follow from the
    next wire of the row, and from what the wire before it leads to (:func:`came_from`).
    """

    first: Ints
    row: Small
    start: Small
    leads_to: Small  # (n_wires,): zone at the end of each wire, NOWHERE at the horizon
    entry: Small  # (n_wires,): the wire's place in ``before``; -1 at the horizon
    zone_time: Small
    zone_ptr: Ints
    member: Small
    before: Ints
    horizon: int
    pair_ptr: Ints  # (n_zones + 1,) and pairs: the relation of zones; both are empty without one
    pairs: npt.NDArray[np.uint64]

    @property
    def relation(self) -> Relation | None:
        """The relation of zones; None: all are complete."""
        return Relation(self.pair_ptr, self.pairs) if len(self.pairs) else None


def _plain(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The array as C-contiguous and writable, so that compiled functions see one type."""
    return np.require(array, requirements=("C", "W"))


def wires_at(net: Wires | WireNetwork, row: npt.ArrayLike, time: npt.ArrayLike) -> Ints:
    """As :meth:`WireNetwork.wire_at`."""
    row, time = np.broadcast_arrays(row, time)
    low: Ints = net.first[row]
    high = net.first[row + np.int64(1)]
    for _ in range(int(np.max(high - low, initial=1) - 1).bit_length()):
        middle = (low + high) >> 1
        begun = net.start[middle] <= time
        low, high = np.where(begun, middle, low), np.where(begun, high, middle)
    return low


def wires_of(rows: Ints, first: Ints) -> Ints:
    """Wires of some rows, one row after the other."""
    return ranges(first[rows], first[rows + 1] - first[rows])


def row_of(wires: Ints, net: Wires) -> Ints:
    """Row of each of some wires."""
    return np.searchsorted(net.first, wires, side="right") - 1


@inner
def came_from(wire: int, net: Wires) -> int:  # pragma: no cover - compiled
    """Zone at the start of a wire, NOWHERE at step 0."""
    return net.leads_to[wire - 1] if net.start[wire] > 0 else NOWHERE


class PairedZones(Protocol):
    """Zones with the pairs that they allow: :class:`Wires`, or another record with these fields."""

    @property
    def zone_ptr(self) -> Ints:
        """(n_zones + 1,) offsets of members."""

    @property
    def pair_ptr(self) -> Ints:
        """(n_zones + 1,) offsets of words; no words: the zone is complete."""

    @property
    def pairs(self) -> npt.NDArray[np.uint64]:
        """(n_words,) bits of allowed pairs; empty: all zones are complete."""


@inner
def is_complete(zone: int, net: PairedZones) -> bool:  # pragma: no cover - compiled
    """Whether a zone allows all exchanges."""
    return len(net.pairs) == 0 or net.pair_ptr[zone] == net.pair_ptr[zone + 1]


@inner
def may_leave(
    one: int, other: int, zone: int, net: PairedZones
) -> bool:  # pragma: no cover - compiled
    """Whether who comes to a zone on one member's track may leave it on another's.

    ``one``, ``other``: places of the two members among the members of all zones.
    """
    if is_complete(zone, net):
        return True
    head = net.zone_ptr[zone]
    size = net.zone_ptr[zone + 1] - head
    return is_set(net.pairs, net.pair_ptr[zone], size, one - head, other - head)


@inner
def may_swap(one: int, other: int, zone: int, net: Wires) -> bool:  # pragma: no cover - compiled
    """Whether two members of a zone may leave it on each other's track (fact 7)."""
    return may_leave(one, other, zone, net) and may_leave(other, one, zone, net)


@tiered
def swappable(  # pragma: no cover - compiled
    one: Ints, other: Ints, zone: Ints, net: Wires
) -> npt.NDArray[np.bool_]:
    """(n,) as :func:`may_swap`, of members of several zones."""
    found = np.empty(len(one), np.bool_)
    for i in range(len(one)):
        found[i] = may_swap(one[i], other[i], zone[i], net)
    return found


@inner
def first_from(step: int, low: int, high: int, steps: Small) -> int:  # pragma: no cover - compiled
    """First place in ``low`` to ``high - 1`` with a step of at least ``step``, or ``high``."""
    while low < high:
        middle = (low + high) // 2
        if steps[middle] < step:
            low = middle + 1
        else:
            high = middle
    return low


@inner
def wire_from(row: int, step: int, net: Wires) -> int:  # pragma: no cover - compiled
    """First wire of a row that begins at ``step`` or later, or the end of its wires."""
    return first_from(step, net.first[row], net.first[row + 1], net.start)
