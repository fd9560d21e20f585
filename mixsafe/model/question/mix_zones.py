"""Mix zones: users at the same place in the same time step, as CSR arrays; and their relations.

Whoever comes to a zone on the track of one member leaves it on the track of another only if the
zone's relation allows the pair. Staying on one's own track is always allowed: it is the truth.
Zones without a relation allow all pairs; they are *complete*. A permutation of the members is
allowed if all its pairs are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import batches, distinct, grouped, pointers, ranges
from mixsafe.model.mobility.places import PlaceName, place_name
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.likelihoods import PairLikelihoods

Ints = npt.NDArray[np.int64]

_WORDS_AT_ONCE = 1 << 18


def words_of(size: Ints) -> Ints:
    """Words of one member's bits in zones with ``size`` members."""
    return (size + 63) >> 6


def packed(allowed: npt.NDArray[np.bool_], place: Ints) -> npt.NDArray[np.uint64]:
    """Words of members, of all pairs of each.

    Parameters
    ----------
    allowed
        (n_pairs,) whether zones allow them, by zone, by the member who comes, and by the one on
        whose track she leaves.
    place
        (n_pairs,) place of the latter in the zone.
    """
    bit = allowed.astype(np.uint64) << (place & 63).astype(np.uint64)
    return np.bitwise_or.reduceat(bit, np.flatnonzero((place & 63) == 0))


@dataclass(frozen=True, eq=False)
class Relation:
    """Pairs of members that zones allow, one bit each.

    Parameters
    ----------
    ptr
        (n_zones + 1,) int64: zone z has the words ``ptr[z]`` to ``ptr[z + 1] - 1``; none: the zone
        is complete.
    words
        (n_words,) uint64: for each member of a zone with m members ``(m + 63) // 64`` words, whose
        bit j tells whether it may leave on the track of the j-th member.
    """

    ptr: Ints
    words: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, zone_ptr: Ints, zones: Ints, one: Ints, other: Ints) -> Relation:
        """Relation of some zones, from the pairs that they allow.

        Parameters
        ----------
        zone_ptr
            (n_zones + 1,) int64 offsets of the members of all zones.
        zones
            Zones with a relation; the others are complete.
        one, other
            (n_pairs,) int64 each: places of two members of one of these zones in the array of all
            members; whoever comes as the first may leave as the second. Pairs of a member with
            itself need not be given.
        """
        size = np.diff(zone_ptr)
        n_words = np.zeros(len(size), np.int64)
        n_words[zones] = size[zones] * words_of(size[zones])
        ptr = pointers(n_words)
        words = np.zeros(ptr[-1], np.uint64)
        own = ranges(zone_ptr[zones], size[zones])
        come, leave = np.concatenate([own, one]), np.concatenate([own, other])
        zone = np.searchsorted(zone_ptr, come, side="right") - 1
        place = leave - zone_ptr[zone]
        word = ptr[zone] + (come - zone_ptr[zone]) * words_of(size[zone]) + (place >> 6)
        np.bitwise_or.at(words, word, np.uint64(1) << (place & 63).astype(np.uint64))
        return cls(ptr, words)

    @property
    def zones(self) -> Ints:
        """Ascending numbers of the zones that are not complete."""
        return np.flatnonzero(np.diff(self.ptr))

    def those(self, zones: Ints) -> Relation | None:
        """The relation of some zones, in their order; None: all of them are complete."""
        n_words = np.diff(self.ptr)[zones]
        if not n_words.any():
            return None
        return Relation(pointers(n_words), self.words[ranges(self.ptr[zones], n_words)])

    def allows(self, zone: Ints, size: Ints, one: Ints, other: Ints) -> npt.NDArray[np.bool_]:
        """(n,) whether zones allow pairs of their members.

        Parameters
        ----------
        zone, size
            (n,) zones, and their numbers of members.
        one, other
            (n,) places of the members in their zones.
        """
        complete = self.ptr[zone] == self.ptr[zone + 1]
        number = self.ptr[zone] + one * words_of(size) + (other >> 6)
        words = self.words[np.where(complete, 0, number)]
        bit = (words >> (other & 63).astype(np.uint64)) & np.uint64(1)
        allowed: npt.NDArray[np.bool_] = complete | (bit > 0)
        return allowed

    def pairs(self, zone_ptr: Ints) -> tuple[Ints, Ints]:
        """Allowed pairs of different members, as :meth:`of` takes them, in ascending order."""
        size = np.diff(zone_ptr)
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for begin in range(0, len(self.words), _WORDS_AT_ONCE):
            octets = self.words[begin : begin + _WORDS_AT_ONCE].astype("<u8").view(np.uint8)
            bit = np.flatnonzero(np.unpackbits(octets, bitorder="little"))
            word = begin + (bit >> 6)
            zone = np.searchsorted(self.ptr, word, side="right") - 1
            member, part = np.divmod(word - self.ptr[zone], words_of(size[zone]))
            leaves = (part << 6) + (bit & 63)
            moved = member != leaves
            head = zone_ptr[zone[moved]]
            found.append((head + member[moved], head + leaves[moved]))
        return np.concatenate([one for one, _ in found]), np.concatenate([b for _, b in found])

    def reversed(self, zone_ptr: Ints) -> Relation:
        """The same pairs in the other direction: backward in time."""
        one, other = self.pairs(zone_ptr)
        return Relation.of(zone_ptr, self.zones, other, one)

    def matrix(self, zone: int, size: int) -> npt.NDArray[np.bool_]:
        """(size, size) bool: whether a zone of that size allows each pair."""
        words = self.words[self.ptr[zone] : self.ptr[zone + 1]]
        if not len(words):
            return np.ones((size, size), bool)
        octets = words.astype("<u8").view(np.uint8).reshape(size, -1)
        return np.unpackbits(octets, axis=1, bitorder="little", count=size).astype(bool)


EVERYWHERE = -(2**62)
"""Place of a zone in which all pseudonyms change at a scheduled time, wherever people are."""

_BLOCK = 1 << 22
"""Zones or members per batch: those of a city may be larger than memory."""


class Crowds(NamedTuple):
    """Statistics of places that have a mix zone, (n_places,) each, ascending.

    Parameters
    ----------
    place
        Ids of the places.
    zones, memberships, people
        Numbers at each place; people are distinct users.
    """

    place: npt.NDArray[np.int64]
    zones: npt.NDArray[np.int64]
    memberships: npt.NDArray[np.int64]
    people: npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class MixZones:
    """All mix zones of a data set, in order of time (CSP paper, definitions 4 and 5).

    Parameters
    ----------
    users
        Names of the rows, (n_users,).
    axis
        The time steps.
    time
        Step of each zone, (n_zones,) int32, 1..t*, ascending.
    ptr
        (n_zones + 1,) int64: zone z has the members ``members[ptr[z]:ptr[z + 1]]``.
    members
        Rows, (n_memberships,) int32, ascending within a zone.
    place
        Region or cell of each zone, (n_zones,) int64, or ``EVERYWHERE``; None: unknown.
    notes
        What was merged or dropped, with counts.
    absent
        (n_absent,) ascending rows of users without data in the period: nothing of them is
        published, so they neither pass nor fail.
    relation
        On which tracks members may leave; None: all zones allow all exchanges.
    premises
        What the data were taken for.
    published
        Steps in which something of each user is published; None: in every step, or only the zones
        are known.
    place_names
        Names of regions 1 to n; None: places are called by their numbers, or are cells.
    cells
        Whether zones of clock times are in cells of a grid, whose size can be chosen.
    likelihoods
        How likely pairs of members are, by how people move; None: unknown. They are weighed, and
        change nothing else.

    Raises
    ------
    InputError
        A zone has fewer than two users, lies outside the horizon, is out of order or has an unknown
        row; two zones of one step share a user; or a user is absent and in a zone.
    """

    users: Names
    axis: TimeAxis
    time: npt.NDArray[np.int32]
    ptr: npt.NDArray[np.int64]
    members: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    absent: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    relation: Relation | None = None
    premises: Premises = field(default_factory=Premises)
    published: PublishedSteps | None = None
    place_names: tuple[str, ...] | None = None
    cells: bool = True
    likelihoods: PairLikelihoods | None = None

    def __repr__(self) -> str:
        return (
            f"<MixZones: {len(self):,} zones of {self.n_users:,} users, {self.axis.steps:,} steps>"
        )

    def __post_init__(self) -> None:
        self._check_zones()
        self._check_members()
        self._check_absent()
        self._check_published()

    def __len__(self) -> int:
        return len(self.time)

    @property
    def n_users(self) -> int:
        """Number of users, including those in no zone."""
        return len(self.users)

    @property
    def place_labels(self) -> list[PlaceName]:
        """What the place of each zone is called, (n_zones,); none if places are unknown."""
        place = [] if self.place is None else self.place.tolist()
        if self.place_names is None:
            return place
        return [one if one == EVERYWHERE else place_name(one, self.place_names) for one in place]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of members per zone, (n_zones,)."""
        return np.diff(self.ptr)

    @property
    def has_rotation(self) -> bool:
        """Whether pseudonyms change at scheduled times, too, wherever people are."""
        return self.place is not None and bool(np.any(self.place == EVERYWHERE))

    @property
    def alone(self) -> npt.NDArray[np.int64]:
        """Ascending rows of the users with data who are in no zone."""
        met = self._met()
        met[self.absent] = True
        return np.flatnonzero(~met)

    def time_of(
        self,
        row: npt.NDArray[np.integer],
        start: npt.NDArray[np.integer],
        end: npt.NDArray[np.integer],
    ) -> npt.NDArray[np.int64]:
        """(n,) steps from ``start`` to ``end`` in which something of a user is published.

        Of them shares are taken. Step 0 is before the data, and has none.

        Parameters
        ----------
        row, start, end
            (n,) each: a user, and the first and the last step.
        """
        if self.published is not None:
            return self.published.between(row, start, end)
        steps: npt.NDArray[np.int64] = end.astype(np.int64) - np.maximum(start, 1) + 1
        return steps

    @property
    def time_without_data(self) -> npt.NDArray[np.int64]:
        """(n_users,) number of steps in which nothing of each user is published."""
        if self.published is None:
            return np.zeros(self.n_users, np.int64)
        return self.axis.steps - self.published.counts

    def without_data_at(
        self, row: npt.NDArray[np.integer], step: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int64]:
        """(n_users,) how many of some pairs of a user and a step, (n,) each, are without data."""
        if self.published is None:
            return np.zeros(self.n_users, np.int64)
        empty = self.published.between(row, step, step) == 0
        return np.bincount(row[empty], minlength=self.n_users).astype(np.int64)

    def _met(self) -> npt.NDArray[np.bool_]:
        """(n_users,) True for users in a zone."""
        met = np.zeros(self.n_users, bool)
        met[self.members] = True
        return met

    @property
    def zone_of_member(self) -> npt.NDArray[np.int64]:
        """Zone of each membership, (n_memberships,)."""
        return np.repeat(np.arange(len(self.time)), self.sizes)

    def zones_at(self, place: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
        """Zones of some places in the array of all members, (n,)."""
        return np.searchsorted(self.ptr, place, side="right") - 1

    def places_of(
        self, zone: npt.NDArray[np.integer], row: npt.NDArray[np.integer]
    ) -> npt.NDArray[np.int64]:
        """Places of users in the array of all members; -1: the user is no member of the zone."""
        width = np.int64(self.n_users)
        member, key = self.zone_of_member * width + self.members, zone * width + row
        place = np.minimum(np.searchsorted(member, key), len(member) - 1)
        return np.where((row >= 0) & (row < width) & (member[place] == key), place, -1)

    @property
    def crowds(self) -> Crowds | None:
        """Statistics of places; None: places are unknown."""
        if self.place is None:
            return None
        place, rank = np.unique(self.place, return_inverse=True)
        order, first = grouped(rank, len(place))
        size = self.sizes[order]
        memberships = np.diff(np.append(0, np.cumsum(size))[first])
        people = np.zeros(len(place), np.int64)
        for begin, end in batches(memberships.cumsum(), _BLOCK):  # of places
            part = slice(first[begin], first[end])
            member = self.members[ranges(self.ptr[order[part]], size[part])]
            there = np.repeat(rank[order[part]] - begin, size[part])
            different = distinct(there * np.int64(self.n_users) + member)
            people[begin:end] = np.bincount(different // self.n_users, minlength=end - begin)
        return Crowds(place, np.diff(first), memberships, people)

    def _check_zones(self) -> None:
        if len(self.ptr) != len(self.time) + 1 or self.ptr[-1] != len(self.members):
            raise InputError("the offsets of zones do not fit their members")
        for zone in range(0, len(self), _BLOCK):
            small = np.flatnonzero(np.diff(self.ptr[zone : zone + _BLOCK + 1]) < 2)
            if len(small):
                label = self.axis.label(int(self.time[zone + small[0]]))
                raise InputError(f"a mix zone at time {label} has fewer than two users")
            time = self.time[zone : zone + _BLOCK + 1]
            if np.any(time[1:] < time[:-1]):  # differences could overflow
                raise InputError("mix zones are not in order of time")
        if len(self.time) and (self.time[0] < 1 or self.time[-1] > self.axis.steps):
            wrong = self.time[0] if self.time[0] < 1 else self.time[-1]
            raise InputError(
                f"a mix zone in step {wrong} is outside the steps 1 to {self.axis.steps}"
            )

    def _check_published(self) -> None:
        if self.published is not None and self.published.n_users != self.n_users:
            raise InputError("published steps are not those of the users of mix zones")

    def _check_absent(self) -> None:
        if not len(self.absent):
            return
        strange = (self.absent < 0) | (self.absent >= self.n_users)
        if strange.any() or np.any(np.diff(self.absent) <= 0):
            raise InputError("the absent users are not rows in ascending order")
        both = self.absent[self._met()[self.absent]]
        if len(both):
            raise InputError(f"user {self.users[both[0]]} is both absent and in a mix zone")

    def _check_members(self) -> None:
        for begin, end in self._stretches():
            self._check_stretch(begin, end)

    def _stretches(self) -> Iterator[tuple[int, int]]:
        """Yield zones ``begin`` to ``end - 1`` of whole steps, with a bounded number of members."""
        begin, n_zones = 0, len(self)
        while begin < n_zones:
            most = int(self.ptr[begin]) + _BLOCK
            zone = max(int(np.searchsorted(self.ptr, most, side="right")) - 1, begin + 1)
            end = zone
            if zone < n_zones:
                first = int(np.searchsorted(self.time, self.time[zone]))
                last = int(np.searchsorted(self.time, self.time[zone], side="right"))
                end = first if first > begin else last
            yield begin, end
            begin = end

    def _check_stretch(self, begin: int, end: int) -> None:
        """Refuse unknown users and users in two zones of a step, in a range of zones."""
        ptr = self.ptr[begin : end + 1]
        rows = self.members[ptr[0] : ptr[-1]]
        unknown = np.flatnonzero((rows < 0) | (rows >= self.n_users))
        if len(unknown):
            raise InputError(f"a mix zone contains the unknown user number {rows[unknown[0]]}")
        time = np.repeat(self.time[begin:end].astype(np.int64), np.diff(ptr))
        key = np.sort(time * self.n_users + rows)
        twice = np.flatnonzero(key[1:] == key[:-1])
        if len(twice):
            step, row = divmod(int(key[twice[0]]), self.n_users)
            raise InputError(
                f"user {self.users[row]} is in two places (or twice in one zone)"
                f" at time {self.axis.label(step)}",
                hint="zones of one step must be disjoint",
            )
