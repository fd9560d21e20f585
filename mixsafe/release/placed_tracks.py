"""At how many distinct places the tracks of known users are, step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.model.question.track_places import TrackPlaces
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.verify.auditor.paths import FIRST
from mixsafe.verify.auditor.presence import rows_of_tokens
from mixsafe.verify.auditor.whereabouts import Whereabouts
from mixsafe.verify.place_counts import PlaceCounter, PlaceCounts, PlaceStretches

Small = npt.NDArray[np.int32]

_AT_ONCE = 1 << 23  # words of sets of tracks


@dataclass(frozen=True, eq=False)
class PlacedTracks:
    """Where tracks are, and the steps of the data that each step of the question stands for.

    Parameters
    ----------
    places
        Where tracks are.
    n_tracks, n_known
        Numbers of tracks and of known users.
    begins, ends
        (steps,) each: first and last step of the data of each step of the question.
    workers
        Threads; 0 means one per core.
    """

    places: TrackPlaces
    n_tracks: int
    n_known: int
    begins: npt.NDArray[np.integer]
    ends: npt.NDArray[np.integer]
    workers: int = 0

    def count(
        self,
        proven: TokenSets,
        possible: TokenSets,
        spans: tuple[Small, Small, Small],
        which: npt.NDArray[np.bool_] | None = None,
    ) -> PlaceCounts:
        """Places of each known user's tracks at each step, (n_known * steps,) each.

        Parameters
        ----------
        proven, possible
            (n_wires, words) each: tokens on pieces of tracks.
        spans
            (n_wires,) each: first step, last step and track of each piece.
        which
            (n_known, steps): the others are left at 0; None: all.
        """
        steps, words = len(self.begins), (self.n_tracks + 63) // 64
        nothing = np.zeros(self.n_known * steps, np.int32)
        found = PlaceCounts.before(nothing, nothing)
        at_once = max(1, _AT_ONCE // max(1, self.n_known * words))
        counter = PlaceCounter(self.places, self.n_tracks, self.workers)
        for first in range(FIRST, steps, at_once):
            some = min(at_once, steps - first)
            shape = (self.n_known, first, some, words)
            sets = (rows_of_tokens(one, *spans, *shape) for one in (proven, possible))
            user, step = np.divmod(np.arange(self.n_known * some), some)
            asked = np.ones(len(user), bool) if which is None else which[user, first + step]
            index = np.flatnonzero(asked)
            user, step = user[index], first + step[index]
            of = PlaceStretches(
                self._int32(self.begins[step]),
                self._int32(self.ends[step]),
                index,
                np.full(len(index), -1, np.int32),
            )
            found.put(user * steps + step, counter.count(of, *sets))
        return found

    @staticmethod
    def _int32(steps: npt.NDArray[np.integer]) -> Small:
        return steps.astype(np.int32)


def settle_placed(
    asked: Whereabouts, tracks: PlacedTracks, least: int, settle: Callable[[], None]
) -> PlaceCounts:
    """Count places of tracks whose number is decided, and ask for more tracks where they matter.

    As :func:`mixsafe.verify.distinct_places.settle_places`: twice as many tracks each time, until
    they are at ``least`` places or are all of them.

    Parameters
    ----------
    settle
        Settles the questions of ``asked``, as far as it can.
    """
    k, spans = asked.k, (asked.paths.begin, asked.paths.end, asked.paths.track)
    shape = asked.decided_by.shape

    def count(which: npt.NDArray[np.bool_] | None = None) -> PlaceCounts:
        return tracks.count(asked.answers.proven, asked.answers.possible, spans, which)

    counts = count()
    while True:
        few = (counts.lower < least) & (counts.upper >= least)
        known = asked.lower.count.copy(), asked.upper.count.copy()
        is_open = few.reshape(shape) & (known[0] >= k) & (known[0] < known[1])
        is_open[:, :FIRST] = False
        if not is_open.any():
            asked.k = k
            return counts
        asked.ask(is_open, np.minimum(np.maximum(2 * known[0], least), known[1]))
        settle()
        rows = np.flatnonzero(is_open)
        counts.put(rows, PlaceCounts._make(column[rows] for column in count(is_open)))
        change = (asked.lower.count > known[0]) | (asked.upper.count < known[1])
        if not change[is_open].any():
            asked.k = k
            return counts
