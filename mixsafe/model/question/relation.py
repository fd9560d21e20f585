"""Relations of mix zones: on which tracks a member may leave.

Whoever comes to a zone on the track of one member leaves it on the track of another only if the
zone's relation allows the pair. Staying on one's own track is always allowed: it is the truth.
Zones without a relation allow all pairs; they are *complete*. A permutation of the members is
allowed if all its pairs are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.csr import pointers, ranges

Ints = npt.NDArray[np.int64]

_WORDS_AT_ONCE = 1 << 18


def words_of(size: Ints) -> Ints:
    """Words of one member's bits in zones with ``size`` members."""
    return (size + 63) >> 6


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
