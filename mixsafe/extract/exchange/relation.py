"""The relation of mix zones: who can come to one on one track and leave it on another.

Whoever comes in on the track of a may leave on that of b only if one person can have made the last
fix of a before the zone and the first fix of b after it (:mod:`mixsafe.extract.exchange.movement`).
Fixes in the step of the zone do not count: they are in the zone. A rotation happens between two
steps, so all fixes count there. Fixes before the row's last zone, or after its next one, do not
count either: who is on the track here need not have been on it there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.extract.exchange.movement import Movement, PlacedFixes
from mixsafe.extract.exchange.rotation import Rotated
from mixsafe.machinery.spill import whole_stretches
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.mix_zones import MixZones, Relation, packed, words_of
from mixsafe.network.relations import zones_apart_by

Ints = npt.NDArray[np.int64]

MOST_PAIRS = 1 << 34
"""Pairs of members of all zones: their bits take 2 GiB."""

_PAIRS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class Jump:
    """A way that the data contain although nobody can make it.

    Parameters
    ----------
    row, step
        Whose way, and the step of the mix zone that it leads through.
    way, time
        Its length, as the movement measures it, and its time.
    """

    row: int
    step: int
    way: float
    time: int


@dataclass(frozen=True, eq=False)
class Related:
    """Mix zones with a relation, and what it does.

    Parameters
    ----------
    zones
        The mix zones, with what they allow.
    n_restricted, n_apart
        Zones that do not allow all exchanges, and those of them that fall apart: that have members
        between whom no exchange is possible, even by way of others.
    n_alone
        Memberships in these of members who can exchange with nobody.
    n_jumps, fastest
        Memberships whose own way is impossible, and the worst of them; None: there is none.
    possible
        The same zones and rotations with what is possible, believable or not; None: it is what
        ``zones`` allow, and there are no rotations.
    """

    zones: MixZones
    n_restricted: int = 0
    n_apart: int = 0
    n_alone: int = 0
    n_jumps: int = 0
    fastest: Jump | None = None
    possible: Rotated | None = None

    @classmethod
    def of(cls, zones: MixZones, relation: Relation | None) -> Related:
        """Mix zones with this relation; None: all exchanges are possible."""
        zones = replace(zones, relation=relation)
        if relation is None:
            return cls(zones)
        return cls(zones, len(relation.zones), *zones_apart_by(zones.ptr, relation))


def related(
    found: Rotated, movement: Movement, *, tracks: bool = False, jumpers_stay: bool = False
) -> Related:
    """Say what mix zones and rotations allow, by how people move.

    A row's own way is always allowed: where the data contain one that nobody can make, it is
    counted.

    Parameters
    ----------
    tracks
        Rows are published tracks; else people. A fix of a track in a mix zone may be that of
        another person who is there. In a region they are all at one place; a cell has an extent,
        so there such a fix is nobody's next one.
    jumpers_stay
        Whoever has an impossible way through a mix zone exchanges with nobody there. Otherwise the
        truth would be impossible for those who see the released tracks.

    Raises
    ------
    InputError
        Too many pairs of members.
    """
    zones = found.zones
    size = zones.sizes
    if int((size * size).sum()) > MOST_PAIRS:
        largest = int(size.argmax())
        raise InputError(
            f"{size[largest]} users in one mix zone at time"
            f" {zones.axis.label(int(zones.time[largest]))} have too many pairs to compare",
            hint="use smaller cells or fewer users, or leave out --max-speed or --max-step",
        )
    zone = zones.zone_of_member
    begin, end = bounds(zones.axis, zones.time[zone])
    row = zones.members.astype(np.int64)
    between = stretches(found, begin, end, exact=not (tracks and movement.straight))
    before = movement.last_before(row, begin).within(between)
    after = movement.first_from(row, np.where(found.rotation[zone], begin, end)).within(between)
    own = movement.possible(before, after, (row, row))
    ptr = pointers(size * words_of(size))
    words = np.zeros(ptr[-1], np.uint64)
    lacks = np.zeros(len(zones), bool)
    stays = ~own if jumpers_stay else np.zeros(len(own), bool)
    pairs = _Pairs(zones, before, after, row, found.met, stays, movement)
    filled = 0
    for some in whole_stretches(pointers(size[zone]), _PAIRS_AT_ONCE):
        bits, missing = pairs.allowed(some, zone)
        words[filled : filled + len(bits)] = bits
        filled += len(bits)
        lacks[missing] = True
    whole = Relation(ptr, words)
    fastest = _fastest(zones, movement, before, after, np.flatnonzero(~own))
    n_jumps = int(np.count_nonzero(~own))
    return replace(Related.of(zones, _restricted(whole, lacks)), n_jumps=n_jumps, fastest=fastest)


def bounds(axis: TimeAxis, step: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
    """First time of each step, and the first time after it, as traces have them."""
    length = axis.step_seconds or 1
    begin = axis.first + (step.astype(np.int64) - 1) * length
    return begin, begin + length


def stretches(found: Rotated, begin: Ints, end: Ints, *, exact: bool) -> tuple[Ints, Ints]:
    """Time from which, and up to which, the fixes of each membership's row count.

    That is from the step of the row's last zone, whose fixes are made after the exchange, to the
    step of its next one. If that is a mix zone and fixes in it are ``exact``, these still count.
    """
    zones = found.zones
    order = np.argsort(zones.members, kind="stable")
    same = np.diff(zones.members[order]) == 0
    one, following = order[:-1][same], order[1:][same]
    since = np.full(len(order), np.iinfo(np.int64).min)
    until = np.full(len(order), np.iinfo(np.int64).max)
    since[following] = begin[one]
    rotation = found.rotation[zones.zone_of_member[following]]
    until[one] = np.where(rotation | (not exact), begin[following], end[following])
    return since, until


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Pairs of members of zones; arrays have an entry for each membership."""

    zones: MixZones
    before: PlacedFixes
    after: PlacedFixes
    row: Ints
    met: Ints
    stays: npt.NDArray[np.bool_]
    movement: Movement

    def allowed(self, come: slice, zone: Ints) -> tuple[npt.NDArray[np.uint64], Ints]:
        """Words of the memberships ``come``, and the zones that lack a pair of theirs."""
        mine = zone[come]
        size, head = self.zones.sizes[mine], self.zones.ptr[mine]
        one = np.repeat(np.arange(come.start, come.stop), size)
        other = ranges(head, size)
        possible = self.movement.possible(
            self.before.at(one), self.after.at(other), (self.row[one], self.row[other])
        )
        possible |= one == other
        met = self.met[one]
        possible |= (met >= 0) & (met == self.met[other])
        possible &= ~(self.stays[one] | self.stays[other]) | (one == other)
        words = packed(possible, other - np.repeat(head, size))
        return words, np.unique(np.repeat(mine, size)[~possible])


def _restricted(whole: Relation, lacks: npt.NDArray[np.bool_]) -> Relation | None:
    """The relation of the zones that lack a pair; None: no zone does."""
    if not lacks.any():
        return None
    n_words = np.where(lacks, np.diff(whole.ptr), 0)
    return Relation(pointers(n_words), whole.words[ranges(whole.ptr[:-1], n_words)])


def _fastest(
    zones: MixZones, movement: Movement, before: PlacedFixes, after: PlacedFixes, jumps: Ints
) -> Jump | None:
    """The worst of the own ways that nobody can make."""
    if not len(jumps):
        return None
    ways = movement.ways(before.at(jumps), after.at(jumps))
    time = after.time[jumps] - before.time[jumps]
    worst = int((ways / np.maximum(time, 1)).argmax())
    zone = int(zones.zone_of_member[jumps[worst]])
    row, step = int(zones.members[jumps[worst]]), int(zones.time[zone])
    return Jump(row, step, float(ways[worst]), int(time[worst]))
