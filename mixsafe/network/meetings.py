"""Meetings: all pairs of users who share a mix zone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.question.mix_zones import MixZones

MOST_PAIRS = 10_000_000
"""Maximum number of edges: NetworkX needs about 5 GB for them, and more to write the graph."""

_AT_ONCE = 1 << 22
"""Pairs that are processed at once; a zone with more pairs is processed alone."""


@dataclass(frozen=True, eq=False)
class MetPairs:
    """Distinct pairs of rows that meet, ordered by the lower row, then by the other.

    Parameters
    ----------
    n_users
        Number of rows.
    key
        (n_pairs,) int64: ``lower * n_users + other``, ascending.
    times
        (n_pairs,) int64: number of common zones, >= 1.
    first, last
        (n_pairs,) int32 each: steps of the first of those zones and of the last.
    """

    n_users: int
    key: npt.NDArray[np.int64]
    times: npt.NDArray[np.int64]
    first: npt.NDArray[np.int32]
    last: npt.NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.key)

    @property
    def rows(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The lower row of each pair, and the other, (n_pairs,) each."""
        lower, other = np.divmod(self.key, self.n_users)
        return lower, other

    @classmethod
    def none(cls, n_users: int) -> MetPairs:
        """No pair."""
        whole, step = np.zeros(0, np.int64), np.zeros(0, np.int32)
        return cls(n_users, whole, whole, step, step)

    @classmethod
    def of(cls, zones: MixZones, begin: int, end: int) -> MetPairs:
        """The pairs of zones ``begin`` to ``end - 1``: each member with all later ones."""
        ptr = zones.ptr[begin : end + 1]
        members = zones.members[ptr[0] : ptr[-1]].astype(np.int64)
        ends = np.repeat(ptr[1:] - ptr[0], np.diff(ptr))
        place = np.arange(len(members))
        later = ends - place - 1
        one = np.repeat(place, later)
        start = np.cumsum(later) - later
        other = one + 1 + np.arange(len(one)) - start[one]
        time = np.repeat(np.repeat(zones.time[begin:end], np.diff(ptr)), later)
        key = members[one] * zones.n_users + members[other]
        return cls._merged(zones.n_users, key, np.ones(len(key), np.int64), time, time)

    def joined(self, other: MetPairs) -> MetPairs:
        """The union with ``other`` pairs."""
        return self._merged(
            self.n_users,
            np.concatenate([self.key, other.key]),
            np.concatenate([self.times, other.times]),
            np.concatenate([self.first, other.first]),
            np.concatenate([self.last, other.last]),
        )

    @classmethod
    def _merged(
        cls,
        n_users: int,
        key: npt.NDArray[np.int64],
        times: npt.NDArray[np.int64],
        first: npt.NDArray[np.int32],
        last: npt.NDArray[np.int32],
    ) -> MetPairs:
        """Merge entries with the same key."""
        if not len(key):
            return cls.none(n_users)
        order = np.argsort(key, kind="stable")
        key = key[order]
        begin = np.flatnonzero(np.append(True, key[1:] != key[:-1]))
        return cls(
            n_users,
            key[begin],
            np.add.reduceat(times[order], begin),
            np.minimum.reduceat(first[order], begin),
            np.maximum.reduceat(last[order], begin),
        )


def meetings_of(zones: MixZones, most: int = MOST_PAIRS, at_once: int = _AT_ONCE) -> MetPairs:
    """All pairs of users who share a zone; ``at_once`` are looked at together, or those of a zone.

    Raises
    ------
    InputError
        There are more than ``most``.
    """
    sizes = zones.sizes
    until = np.cumsum(sizes * (sizes - 1) // 2)
    _check_number(int((sizes * (sizes - 1) // 2).max(initial=0)), most)
    found = MetPairs.none(zones.n_users)
    begin = 0
    while begin < len(zones):
        before = int(until[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(until, before + at_once, side="right")), begin + 1)
        found = found.joined(MetPairs.of(zones, begin, end))
        _check_number(len(found), most)
        begin = end
    return found


def _check_number(pairs: int, most: int) -> None:
    """Raise if there are too many pairs for a graph."""
    if pairs > most:
        raise InputError(
            f"more than {most:,} pairs of users meet",
            hint="take fewer users, a shorter time or smaller cells, or the graph of the wires",
        )
