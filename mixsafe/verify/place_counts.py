"""At how many distinct places the candidates of rows of a result are, step by step.

Between two mix zones the candidates stay the same, but they move: so places are counted at every
step, and a row has the fewest over its steps (docs/develop/facts.md, places of candidates). A
candidate whose track shows no place at a step is somewhere: it adds nothing to what is proven, and
may be at a place of its own in what is possible.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import inner, side_by_side, tiered
from mixsafe.model.question.track_places import TrackPlaces
from mixsafe.solver.state.tokens import TokenSets, add, size

Small = npt.NDArray[np.int32]

_PARTS = 16  # of the rows, for threads


class Stretches(NamedTuple):
    """Rows of a result: stretches of time in which the candidates stay the same.

    Parameters
    ----------
    start, end
        (n,) int32 each: first and last step; step 0 is before the data, and has no places.
    sets
        (n,) int64: number of the row's sets of candidates.
    """

    start: Small
    end: Small
    sets: npt.NDArray[np.int64]


class PlaceCounts(NamedTuple):
    """Places of the candidates of rows, (n,) int32 each.

    Parameters
    ----------
    lower, upper
        Bounds on the number of distinct places: the fewest over the steps of the row.
    one, one_undecided
        Steps at which all candidates are at one place, and at which that is not decided.
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

    def count(self, of: Stretches, proven: TokenSets, possible: TokenSets) -> PlaceCounts:
        """Count places of proven and of possible candidates.

        Parameters
        ----------
        of
            The rows.
        proven, possible
            (n_sets, words) each: candidates, as numbers of tracks.
        """
        return self._count(of, proven, possible, None)

    def every_step(self, of: Stretches, proven: TokenSets, possible: TokenSets) -> EveryStep:
        """The same at every step by itself; steps from 1 on."""
        lengths = np.maximum(of.end - np.maximum(of.start, 1) + 1, 0)
        ptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        lower, upper = np.zeros((2, int(ptr[-1])), np.int32)
        found = EveryStep(ptr, lower, upper)
        self._count(of, proven, possible, found)
        return found

    def further(
        self, of: Stretches, proven: TokenSets, possible: TokenSets, least: int
    ) -> TokenSets:
        """(n, words): tokens that matter, for rows whose proven ones are at too few places.

        A row can be safe if possible tokens show ``least`` places at each of its steps. Then those
        matter that show a further place at a step at which the proven ones show too few. Else it
        can only be unsafe, at a step at which the proven ones, hidden ones included, are at too few
        places: there all matter that may be at a further one. If none does, nothing more can be
        decided.
        """
        found = np.zeros((len(of.sets), proven.shape[1]), np.uint64)
        last_seen = np.zeros(len(self.places.ids) + 1, np.int64)
        span = max(1, int(of.start.min(initial=1))), int(of.end.max(initial=0))
        can_be_safe = np.ones(len(of.sets), np.bool_)
        for first, place in self.places.blocks(self.n_rows, *span):
            _mark_unreachable(of, possible, first, place, least, last_seen, can_be_safe)
            last_seen[:] = 0
        for first, place in self.places.blocks(self.n_rows, *span):
            _further(of, proven, possible, first, place, least, last_seen, can_be_safe, found)
            last_seen[:] = 0
        return found

    def _count(
        self,
        of: Stretches,
        proven: TokenSets,
        possible: TokenSets,
        every: EveryStep | None,
    ) -> PlaceCounts:
        sizes = _sizes(of.sets, proven), _sizes(of.sets, possible)
        found = PlaceCounts.before(*sizes)
        marked = self.places.is_sensitive
        nothing = np.zeros(0, np.int32)
        by_step = every or EveryStep(np.zeros(1, np.int64), nothing, nothing)
        span = max(1, int(of.start.min(initial=1))), int(of.end.max(initial=0))
        for first, place in self.places.blocks(self.n_rows, *span):
            last = first + len(place) - 1
            here = np.flatnonzero((of.start <= last) & (of.end >= first))
            begun = np.maximum(of.start[here], first), np.minimum(of.end[here], last)
            work = (here, *begun, first, place, marked)
            shares = np.linspace(0, len(here), _PARTS + 1).astype(np.int64)
            parts = [pair for pair in pairwise(shares.tolist()) if pair[0] < pair[1]]
            run = partial(_run, of, proven, possible, work, found, by_step, every is not None)
            side_by_side(run, parts, self.workers)
        return found


def _sizes(index: npt.NDArray[np.int64], sets: TokenSets) -> Small:
    """(n,) number of candidates of each row."""
    return np.bitwise_count(sets).sum(axis=1, dtype=np.int32)[index]


def _run(
    of: Stretches,
    proven: TokenSets,
    possible: TokenSets,
    work: tuple[Any, ...],
    found: PlaceCounts,
    every: EveryStep,
    writes: bool,
    part: tuple[int, int],
) -> None:
    """Count on one thread."""
    marked = work[-1]
    last_seen = np.zeros(len(marked) + 1, np.int64)
    _count_part(
        int(part[0]), int(part[1]), of, proven, possible, *work, found, every, writes, last_seen
    )


@inner
def _distinct(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.uint64],
    place: Small,
    most: int,
    last_seen: npt.NDArray[np.int64],
    now: int,
) -> tuple[int, int]:
    """Places of some candidates, and how many show none; counting may end at ``most`` of both."""
    one, number, hidden = np.uint64(1), 0, 0
    for word in range(len(tokens)):
        bits, token = tokens[word], word * 64
        while bits:
            if bits & one:
                there = place[token]
                if there < 0:
                    hidden += 1
                elif last_seen[there] != now:
                    last_seen[there] = now
                    number += 1
                if number >= most:
                    return number, hidden
            bits >>= one
            token += 1
    return number, hidden


@tiered
def _mark_unreachable(  # pragma: no cover - compiled
    of: Stretches,
    possible: TokenSets,
    first: int,
    place: Small,
    least: int,
    last_seen: npt.NDArray[np.int64],
    can_be_safe: npt.NDArray[np.bool_],
) -> None:
    """Mark rows that have too few places, shown ones, at a step of a block."""
    now = 0
    for r in range(len(of.sets)):
        begin, end = max(of.start[r], first), min(of.end[r], first + len(place) - 1)
        for t in range(begin, end + 1):
            now += 1
            if _distinct(possible[of.sets[r]], place[t - first], least, last_seen, now)[0] < least:
                can_be_safe[r] = False
                break


@tiered
def _further(  # pragma: no cover - compiled
    of: Stretches,
    proven: TokenSets,
    possible: TokenSets,
    first: int,
    place: Small,
    least: int,
    last_seen: npt.NDArray[np.int64],
    can_be_safe: npt.NDArray[np.bool_],
    found: TokenSets,
) -> None:
    """Add the tokens that matter at the steps of a block."""
    now = 0
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
                bits, token = high[word] & ~low[word], word * 64
                while bits:
                    if bits & np.uint64(1):
                        there = at[token]
                        if there < 0:
                            if not can_be_safe[r]:
                                add(found[r], token)
                        elif last_seen[there] != now:
                            add(found[r], token)
                    bits >>= np.uint64(1)
                    token += 1


@inner
def _outside(  # pragma: no cover - compiled
    tokens: npt.NDArray[np.uint64],
    place: Small,
    marked: npt.NDArray[np.bool_],
    hidden_too: bool,
) -> bool:
    """Whether some candidate is at a place without a mark, or (``hidden_too``) shows none."""
    one = np.uint64(1)
    for word in range(len(tokens)):
        bits, token = tokens[word], word * 64
        while bits:
            if bits & one:
                there = place[token]
                if (there < 0 and hidden_too) or (there >= 0 and not marked[there]):
                    return True
            bits >>= one
            token += 1
    return False


@tiered
def _count_part(  # pragma: no cover - compiled
    begin: int,
    end: int,
    of: Stretches,
    proven: TokenSets,
    possible: TokenSets,
    here: npt.NDArray[np.int64],
    starts: Small,
    ends: Small,
    first: int,
    place: Small,
    marked: npt.NDArray[np.bool_],
    found: PlaceCounts,
    every: EveryStep,
    writes: bool,
    last_seen: npt.NDArray[np.int64],
) -> None:
    """Count places of the rows ``here[begin:end]``, at the steps of a block."""
    now = 0
    for i in range(begin, end):
        r = here[i]
        low, high = proven[of.sets[r]], possible[of.sets[r]]
        n_low, n_high = size(low), size(high)
        for t in range(starts[i], ends[i] + 1):
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
            found.one[r] += most == 1
            found.one_undecided[r] += most > 1 and least < 2
            if not _outside(high, at, marked, True):
                found.sensitive[r] += 1
            elif n_low == 0 or not _outside(low, at, marked, False):
                found.sensitive_undecided[r] += 1
