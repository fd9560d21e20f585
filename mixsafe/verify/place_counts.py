"""At how many distinct places the candidates of rows of a result are, step by step.

Between two mix zones the candidates stay the same, but they move: so places are counted at every
step, and a row has the fewest over its steps (docs/develop/facts.md, places of candidates). A
candidate whose track shows no place at a step is somewhere: it adds nothing to what is proven, and
may be at a place of its own in what is possible.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, side_by_side, tiered
from mixsafe.model.question.places import TrackPlaces
from mixsafe.solver.state.tokens import TokenSets, add, count, in_word, size

Small = npt.NDArray[np.int32]

_PARTS = 16  # of the rows, for threads


class PlaceStretches(NamedTuple):
    """Rows of a result: stretches of time in which the candidates stay the same.

    Parameters
    ----------
    start, end
        (n,) int32 each: first and last step; step 0 is before the data, and has no places.
    sets
        (n,) int64: number of the row's sets of candidates.
    owner
        (n,) int32: only steps at which this track shows a place are counted as time; -1: all are.
    """

    start: Small
    end: Small
    sets: npt.NDArray[np.int64]
    owner: Small


class PlaceCounts(NamedTuple):
    """Places of the candidates of rows, (n,) int32 each.

    Parameters
    ----------
    lower, upper
        Bounds on the number of distinct places: the fewest over the steps of the row.
    one, one_undecided
        Counted steps at which all candidates are at one place, and at which that is not decided.
    sensitive, sensitive_undecided
        Likewise, that all candidates are at places that are marked as sensitive.
    """

    lower: Small
    upper: Small
    one: Small
    one_undecided: Small
    sensitive: Small
    sensitive_undecided: Small

    @classmethod
    def before(cls, lower: Small, upper: Small) -> PlaceCounts:
        """Before any step is looked at: places are never more than candidates."""
        steps = np.zeros((4, len(lower)), np.int32)
        return cls(lower.astype(np.int32), upper.astype(np.int32), *steps)

    def put(self, rows: npt.NDArray[np.int64], counts: PlaceCounts) -> None:
        """Replace the counts of some rows."""
        for column, fresh in zip(self, counts, strict=True):
            column[rows] = fresh


class EveryStep(NamedTuple):
    """Bounds on the number of places at every step of rows, one row after the other.

    Parameters
    ----------
    ptr
        (n + 1,) int64: row r has the entries ``ptr[r]`` to ``ptr[r + 1] - 1``.
    lower, upper
        (n_entries,) int32 each.
    """

    ptr: npt.NDArray[np.int64]
    lower: Small
    upper: Small


@dataclass(frozen=True)
class PlaceCounter:
    """Counts places of candidates.

    Parameters
    ----------
    places
        Where tracks are.
    n_rows
        Number of tracks.
    workers
        Threads; 0 means one per core.
    """

    places: TrackPlaces
    n_rows: int
    workers: int = 0

    def count(
        self,
        of: PlaceStretches,
        proven: TokenSets,
        possible: TokenSets,
        every: EveryStep | None = None,
    ) -> PlaceCounts:
        """Count places of proven and of possible candidates.

        Parameters
        ----------
        of
            The rows.
        proven, possible
            (n_sets, words) each: candidates, as numbers of tracks.
        every
            Room for bounds at every step by itself; None: they are not wanted.
        """
        counts = PlaceCounts.before(*(count(sets)[of.sets] for sets in (proven, possible)))
        marked, nothing = self.places.is_sensitive, np.zeros(0, np.int32)
        by_step = every or EveryStep(np.zeros(1, np.int64), nothing, nothing)
        for first, place in self._blocks(of):
            here = np.flatnonzero((of.start < first + len(place)) & (of.end >= first))
            block = of, proven, possible, first, place, marked, counts, by_step
            parts = np.array_split(here, _PARTS)
            side_by_side(partial(_count_rows, *block), parts, self.workers)
        return counts

    def every_step(self, of: PlaceStretches, proven: TokenSets, possible: TokenSets) -> EveryStep:
        """The same at every step by itself; steps from 1 on."""
        lengths = np.maximum(of.end - np.maximum(of.start, 1) + 1, 0)
        ptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        lower, upper = np.zeros((2, int(ptr[-1])), np.int32)
        counts = EveryStep(ptr, lower, upper)
        self.count(of, proven, possible, counts)
        return counts

    def further(
        self, of: PlaceStretches, proven: TokenSets, possible: TokenSets, least: int
    ) -> TokenSets:
        """(n, words): tokens that matter, for rows whose proven ones are at too few places.

        A row can be safe if possible tokens show ``least`` places at each of its steps. Then those
        matter that show a further place at a step at which the proven ones show too few. Else it
        can only be unsafe, at a step at which the proven ones, hidden ones included, are at too few
        places: there all matter that may be at a further one. If none does, nothing more can be
        decided.
        """
        found = np.zeros((len(of.sets), proven.shape[1]), np.uint64)
        can_be_safe, n_places = np.ones(len(of.sets), np.bool_), len(self.places.ids)
        for first, place in self._blocks(of):
            _mark_unreachable(of, possible, first, place, least, n_places, can_be_safe)
        for first, place in self._blocks(of):
            _further(of, proven, possible, first, place, least, n_places, can_be_safe, found)
        return found

    def _blocks(self, of: PlaceStretches) -> Iterator[tuple[int, Small]]:
        """Where tracks are at the steps of some rows, some steps at a time."""
        begin, end = max(1, int(of.start.min(initial=1))), int(of.end.max(initial=0))
        return self.places.blocks(self.n_rows, begin, end)


@inner
def _distinct(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.uint64],
    place: Small,
    most: int,
    last_seen: npt.NDArray[np.int64],
    now: int,
) -> tuple[int, int]:
    """Places of some candidates, and how many show none; counting may end at ``most`` of both."""
    number, hidden = 0, 0
    for word in range(len(tokens)):
        for token in in_word(tokens[word], word):
            there = place[token]
            if there < 0:
                hidden += 1
            elif last_seen[there] != now:
                last_seen[there] = now
                number += 1
            if number >= most:
                return number, hidden
    return number, hidden


@tiered
def _mark_unreachable(  # pragma: no cover - compiled
    of: PlaceStretches,
    possible: TokenSets,
    first: int,
    place: Small,
    least: int,
    n_places: int,
    can_be_safe: npt.NDArray[np.bool_],
) -> None:
    """Mark rows that have too few places, shown ones, at a step of a block."""
    last_seen, now = np.zeros(n_places, np.int64), 0
    for r in range(len(of.sets)):
        begin, end = max(of.start[r], first), min(of.end[r], first + len(place) - 1)
        for t in range(begin, end + 1):
            now += 1
            if _distinct(possible[of.sets[r]], place[t - first], least, last_seen, now)[0] < least:
                can_be_safe[r] = False
                break


@tiered
def _further(  # pragma: no cover - compiled
    of: PlaceStretches,
    proven: TokenSets,
    possible: TokenSets,
    first: int,
    place: Small,
    least: int,
    n_places: int,
    can_be_safe: npt.NDArray[np.bool_],
    found: TokenSets,
) -> None:
    """Add the tokens that matter at the steps of a block."""
    last_seen, now = np.zeros(n_places, np.int64), 0
    for r in range(len(of.sets)):
        low, high = proven[of.sets[r]], possible[of.sets[r]]
        begin, end = max(of.start[r], first), min(of.end[r], first + len(place) - 1)
        for t in range(begin, end + 1):
            at = place[t - first]
            now += 1
            seen, hidden = _distinct(low, at, least, last_seen, now)
            if seen >= least or (not can_be_safe[r] and seen + hidden >= least):
                continue
            for word in range(len(low)):
                for token in in_word(high[word] & ~low[word], word):
                    there = at[token]
                    matters = not can_be_safe[r] if there < 0 else last_seen[there] != now
                    if matters:
                        add(found[r], token)


@inner
def _outside(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.uint64],
    place: Small,
    marked: npt.NDArray[np.bool_],
    hidden_too: bool,
) -> bool:
    """Whether some candidate is at a place without a mark, or (``hidden_too``) shows none."""
    for word in range(len(tokens)):
        for token in in_word(tokens[word], word):
            there = place[token]
            if (there < 0 and hidden_too) or (there >= 0 and not marked[there]):
                return True
    return False


@tiered
def _count_rows(  # pragma: no cover - compiled
    of: PlaceStretches,
    proven: TokenSets,
    possible: TokenSets,
    first: int,
    place: Small,
    marked: npt.NDArray[np.bool_],
    found: PlaceCounts,
    every: EveryStep,
    rows: npt.NDArray[np.int64],
) -> None:
    """Count places of some rows at the steps of a block."""
    last_seen, now = np.zeros(len(marked), np.int64), 0
    writes = len(every.lower) > 0
    for r in rows:
        low, high = proven[of.sets[r]], possible[of.sets[r]]
        n_low, n_high = size(low), size(high)
        begin, end = max(of.start[r], first), min(of.end[r], first + len(place) - 1)
        for t in range(begin, end + 1):
            at = place[t - first]
            enough = n_high if writes else max(2, found.lower[r], found.upper[r])
            now += 1
            least, _ = _distinct(low, at, enough, last_seen, now)
            least = max(least, min(1, n_low))
            now += 1
            seen, hidden = _distinct(high, at, enough, last_seen, now)
            most = min(n_high, seen + hidden)
            if writes:
                entry = every.ptr[r] + t - max(1, of.start[r])
                every.lower[entry] = least
                every.upper[entry] = most
            found.lower[r] = min(found.lower[r], least)
            found.upper[r] = min(found.upper[r], most)
            if of.owner[r] >= 0 and at[of.owner[r]] < 0:
                continue
            found.one[r] += most == 1
            found.one_undecided[r] += most > 1 and least < 2
            if not _outside(high, at, marked, True):
                found.sensitive[r] += 1
            elif n_low == 0 or not _outside(low, at, marked, False):
                found.sensitive_undecided[r] += 1
