"""Paths of a person over published tracks that agree with sightings of her.

A person who was seen at some places and times is on a track that was there each time. Without
exchanges that is one and the same track; with exchanges she may have gone over to another one
wherever tracks meet. Others have no sightings, so each path is an assignment by itself (fact 5 is
exact here).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.mobility.traces import Positions

Whole = npt.NDArray[np.int32]
Places = npt.NDArray[np.int64]
Misfits = npt.NDArray[np.bool_]

NOWHERE = -(2**63)
"""No place has this number; those with outlines have negative ones, from -1 down."""
FAR = 1 << 20
"""More misses than any path can have."""


class PublishedTracks(NamedTuple):
    """Where tracks are, and where they meet.

    Parameters
    ----------
    place
        (n_steps, n_tracks) int64; NOWHERE: nothing is shown.
    group
        (n_steps, n_tracks) int32: the first of the tracks with which each may exchange then.
    """

    place: Places
    group: Whole

    @classmethod
    def of(cls, positions: Positions, *, exchanged: bool) -> PublishedTracks:
        """The tracks of positions; ``exchanged``: they may exchange wherever they meet."""
        shape = positions.axis.steps, len(positions.users)
        place = np.full(shape, NOWHERE, np.int64)
        place[positions.step - 1, positions.row] = positions.place
        group = np.tile(np.arange(shape[1], dtype=np.int32), (shape[0], 1))
        if exchanged:
            order = np.argsort(place, axis=1, kind="stable")
            there = np.take_along_axis(place, order, axis=1)
            new = np.ones(shape, bool)
            new[:, 1:] = (there[:, 1:] != there[:, :-1]) | (there[:, 1:] == NOWHERE)
            head = np.maximum.accumulate(np.where(new, np.arange(shape[1]), 0), axis=1)
            first = np.take_along_axis(order, head, axis=1).astype(np.int32)
            np.put_along_axis(group, order, first, axis=1)
        return cls(place, group)

    def misfits(self, seen: Places) -> Misfits:
        """(n_steps, n_tracks): where tracks differ from the places ``seen`` at each step."""
        return np.asarray((seen != NOWHERE)[:, None] & (self.place != seen[:, None]))


class PersonPaths(NamedTuple):
    """Minimum number of possible sightings missed by any path through each step and track.

    Parameters
    ----------
    before, after
        (n_steps, n_tracks) int32 each: misses up to each step, and after it, of the best path to
        a track, and from it; FAR or more: no path agrees with the sightings.
    """

    before: Whole
    after: Whole

    @classmethod
    def room(cls, group: Whole) -> PersonPaths:
        """Allocate the arrays for tracks that exchange in these groups."""
        return cls(np.empty(group.shape, np.int32), np.empty(group.shape, np.int32))


@tiered
def find_paths(  # pragma: no cover - compiled
    group: Whole, off: Misfits, seen: npt.NDArray[np.bool_], paths: PersonPaths
) -> None:
    """Find the paths that agree with what was ``seen`` and miss the fewest possible sightings.

    Parameters
    ----------
    group
        (n_steps, n_tracks) int32: the first of the tracks with which each may exchange then.
    off
        (n_steps, n_tracks): where a track is not where the person was, and might be seen.
    seen
        (n_steps,): whether she was seen there.
    paths
        Output.
    """
    steps, n = group.shape
    least = np.empty(n, np.int32)
    for t in range(steps):
        before = paths.before[t]
        if t == 0:
            for r in range(n):
                least[r] = 0
        else:
            _gather(paths.before[t - 1], group[t], least)
        for r in range(n):
            before[r] = least[group[t, r]] + _missed(off[t, r], seen[t])
    for r in range(n):
        paths.after[steps - 1, r] = 0
    ahead = np.empty(n, np.int32)
    for t in range(steps - 1, 0, -1):
        for r in range(n):
            ahead[r] = paths.after[t, r] + _missed(off[t, r], seen[t])
        _gather(ahead, group[t], least)
        for r in range(n):
            paths.after[t - 1, r] = least[group[t, r]]


@inner
def _gather(values: Whole, group: Whole, least: Whole) -> None:  # pragma: no cover - compiled
    """The least of the values of each group, at its first member."""
    for r in range(len(values)):
        least[r] = 2 * FAR
    for r in range(len(values)):
        if values[r] < least[group[r]]:
            least[group[r]] = min(values[r], FAR)


@inner
def _missed(off: bool, seen: bool) -> int:  # pragma: no cover - compiled
    """What a track misses at a step: nothing, what might be seen, or what was seen."""
    if not off:
        return 0
    return FAR if seen else 1


@tiered
def most_tracks(paths: PersonPaths) -> int:  # pragma: no cover - compiled
    """The largest number of tracks that a person may be on at one step."""
    most = 0
    for t in range(paths.before.shape[0]):
        count = 0
        for r in range(paths.before.shape[1]):
            if paths.before[t, r] + paths.after[t, r] < FAR:
                count += 1
        most = max(most, count)
    return most


@tiered
def missed_on(  # pragma: no cover - compiled
    t: int,
    r: int,
    group: Whole,
    off: Misfits,
    paths: PersonPaths,
    missed: npt.NDArray[np.bool_],
) -> None:
    """Write where the best path over a track at a step misses possible sightings, (n_steps,)."""
    steps, n = group.shape
    row = r
    for s in range(t, -1, -1):
        missed[s] = off[s, row]
        if s > 0:
            best = row
            for q in range(n):
                same = group[s, q] == group[s, row]
                if same and paths.before[s - 1, q] < paths.before[s - 1, best]:
                    best = q
            row = best
    row = r
    for s in range(t + 1, steps):
        best, least = row, 4 * FAR
        for q in range(n):
            if group[s, q] == group[s, row] and paths.after[s, q] + off[s, q] < least:
                best, least = q, paths.after[s, q] + off[s, q]
        row = best
        missed[s] = off[s, row]
