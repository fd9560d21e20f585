"""Tracks that may belong to whoever was seen at a place, and the strictest reading by which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.gaps import Gaps
from mixsafe.model.csr import pointers, ranges

Ints = npt.NDArray[np.int64]
Levels = npt.NDArray[np.int8]

_NONE = np.int8(len(Gaps))


@dataclass(frozen=True, eq=False)
class PossibleTracks:
    """Tracks of sightings, CSR; a track that is possible by no reading is no entry.

    Parameters
    ----------
    ptr
        (n + 1,) int64: sighting s has the tracks ``rows[ptr[s]:ptr[s + 1]]``.
    rows
        (n_entries,) int32, ascending within a sighting.
    shown
        (n_entries,) bool: the track is possible by every reading; else it has a gap then.
    reachable
        Tells of entries, (m,) numbers, whether their gaps may hide the person by the reading
        *reachable*; called once, and only if that matters.
    """

    ptr: Ints
    rows: npt.NDArray[np.int32]
    shown: npt.NDArray[np.bool_]
    reachable: Callable[[Ints], npt.NDArray[np.bool_]]

    def __len__(self) -> int:
        return len(self.ptr) - 1

    @cached_property
    def sighting(self) -> Ints:
        """(n_entries,) sighting of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.ptr))

    @cached_property
    def level(self) -> Levels:
        """(n_entries,) the strictest reading by which each entry is possible."""
        found = np.where(self.shown, Gaps.ABSENT.level, Gaps.ANYWHERE.level).astype(np.int8)
        gaps = np.flatnonzero(~self.shown)
        if len(gaps):
            found[gaps[self.reachable(gaps)]] = Gaps.REACHABLE.level
        return found

    @cached_property
    def strictest(self) -> Levels:
        """(n,) the strictest reading that leaves each sighting a track; 3: none does."""
        found = np.where(np.bincount(self.sighting[self.shown], minlength=len(self)) > 0, 0, _NONE)
        found = found.astype(np.int8)
        if np.any((found == _NONE) & (np.diff(self.ptr) > 0)):
            np.minimum.at(found, self.sighting, self.level)
        return found

    def by(self, level: Levels) -> tuple[Ints, npt.NDArray[np.int32]]:
        """Tracks of each sighting by a reading each, (n,): CSR, as ``ptr`` and ``rows``."""
        if np.all(level == Gaps.ABSENT.level):
            kept = self.shown
        elif np.all(level == Gaps.ANYWHERE.level):
            return self.ptr, self.rows
        else:
            kept = self.level <= level[self.sighting]
        return pointers(kept)[self.ptr], self.rows[kept]

    def those(self, chosen: Ints) -> PossibleTracks:
        """Select sightings by their numbers, in any order."""
        sizes = np.diff(self.ptr)[chosen]
        entry = ranges(self.ptr[chosen], sizes)
        among = partial(_of_entries, self.reachable, entry)
        return PossibleTracks(pointers(sizes), self.rows[entry], self.shown[entry], among)

    def on_rows(self, row: Ints) -> PossibleTracks:
        """The same on other rows: ``row[r]`` for track r."""
        moved = row[self.rows]
        order = np.lexsort((moved, self.sighting))
        among = partial(_of_entries, self.reachable, order)
        return PossibleTracks(self.ptr, moved[order].astype(np.int32), self.shown[order], among)

    @classmethod
    def joined(cls, parts: Sequence[PossibleTracks]) -> PossibleTracks:
        """Sightings of several releases, one after the other."""
        level = np.concatenate([one.level for one in parts])
        return cls(
            pointers(np.concatenate([np.diff(one.ptr) for one in parts])),
            np.concatenate([one.rows for one in parts]),
            level == Gaps.ABSENT.level,
            partial(np.take, level <= Gaps.REACHABLE.level),
        )


def _of_entries(
    reachable: Callable[[Ints], npt.NDArray[np.bool_]], entry: Ints, asked: Ints
) -> npt.NDArray[np.bool_]:
    """What is known of entries that are numbered anew: ``entry[n]`` for n."""
    return reachable(entry[asked])


def no_gap(entry: Ints) -> npt.NDArray[np.bool_]:
    """No gap hides anybody who gets there and back in time."""
    return np.zeros(len(entry), bool)
