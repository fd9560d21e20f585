"""Beliefs about releases whose pseudonyms are exchanged at mix zones.

Between two steps a track leads from a place to a place. Tracks that do so together are one *way*,
as wide as they are many: nobody can tell them apart. A user goes from place to place along ways,
and at each place all tracks that leave it are equally likely. With her habits as weights, a sweep
backward and one forward give how likely she is on each way over all her histories
(forward-backward, Baum et al. 1970).

Users do not go alone: a way is taken by just as many as it is wide. So each way has a price, which
makes that so in the mean over all users (iterative scaling: Sinkhorn's, with a chain of matrices in
place of one). Prices are found while the sweep goes forward, from what is left of the others.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import as_python
from mixsafe.contest.attack.link import TrackPlaces
from mixsafe.contest.base.habits import MOST_ENTRIES
from mixsafe.contest.posterior.loops import expected_users, spread, surest_users
from mixsafe.contest.posterior.whereabouts import Belief, BelievedPlaces, Floats
from mixsafe.errors import InputError
from mixsafe.model.release.cells import Cells

Longs = npt.NDArray[np.int64]

TINY = np.float32(1e-30)


@dataclass(frozen=True, eq=False)
class TrackWays:
    """Ways from the places of one step to those of the next.

    Parameters
    ----------
    source, target
        (n_ways,) places before and after.
    width
        (n_ways,) tracks of each way.
    chance
        (n_ways,) that somebody at the source takes it, times its price; changed by the sweep.
    of_track
        (n_tracks,) the way of each track.
    """

    source: Longs
    target: Longs
    width: Floats
    chance: Floats
    of_track: Longs

    @classmethod
    def between(cls, before: npt.NDArray[np.int32], after: npt.NDArray[np.int32]) -> TrackWays:
        """Ways of tracks, from their places before and after."""
        n_after = int(after.max()) + 1
        key = before.astype(np.int64) * n_after + after
        found, of_track, width = np.unique(key, return_inverse=True, return_counts=True)
        source, target = np.divmod(found, n_after)
        size = np.bincount(before)[source]
        wide = width.astype(np.float32)
        return cls(source, target, wide, wide / size.astype(np.float32), of_track)

    def forward(self, before: Floats, n_places: int) -> Floats:
        """What comes to the places after, (n_places, n_users)."""
        after = np.empty((n_places, before.shape[1]), np.float32)
        spread(self.source, self.target, self.chance, before, after)
        return after

    def backward(self, after: Floats, n_places: int) -> Floats:
        """The same from after to before."""
        before = np.empty((n_places, after.shape[1]), np.float32)
        spread(self.target, self.source, self.chance, after, before)
        return before

    def balance(self, before: Floats, after: Floats) -> None:
        """Change prices so that each way is taken by as many users as it is wide."""
        come = self.backward(after, len(before))
        scale = 1 / np.maximum((before * come).sum(axis=0), TINY)
        users = np.empty(len(self.width), np.float32)
        expected_users(self.source, self.target, before, after, scale, users)
        self.chance[:] = self.width / np.maximum(users, TINY)
        # A common factor is nobody's business, and would leave the range of numbers in the end.
        self.chance[:] /= self.chance.mean()


def exchanged_belief(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64]
) -> Belief:
    """Beliefs about a release in which pseudonyms are exchanged wherever cells are the same.

    Raises
    ------
    InputError
        So many places and steps that what is kept between the sweeps would not fit in memory.
    """
    places, n_users = TrackPlaces.of_release(release), release.n_rows
    if int(places.count.sum()) * n_users > MOST_ENTRIES:
        raise InputError(
            f"{int(places.count.sum())} places of all times are too many to weigh for"
            f" {n_users} users"
        )
    with as_python(8 * release.code.size * n_users):
        return _swept(_ZoneChain.of_places(places, ratio, weight, step))


@dataclass(frozen=True, eq=False)
class _ZoneChain:
    """Places and ways of all steps, and what being there tells."""

    places: TrackPlaces
    ways: list[TrackWays]
    table: Floats
    step: Longs

    @classmethod
    def of_places(
        cls, places: TrackPlaces, ratio: Floats, weight: Floats, step: Longs
    ) -> _ZoneChain:
        """The chain of a release; after the last step everybody stays where she is."""
        place = [*places.of_track, places.of_track[-1]]
        ways = [TrackWays.between(*pair) for pair in pairwise(place)]
        # Each is asked for three times, and by every day.
        return cls(places, ways, np.exp(weight[:, None, None] * ratio), step)

    def content(self, at: int) -> npt.NDArray[np.int32]:
        """Content of each place of a step."""
        return self.places.content[at, : self.places.count[at]]

    def evidence(self, at: int) -> Floats:
        """How much more likely each user is at each place of a step, (n_places, n_users)."""
        return np.asarray(self.table[self.step[at]][self.content(at)])

    def backward(self, at: int, after: Floats) -> Floats:
        """What is to come, from the places of step ``at + 1`` to those of ``at``."""
        return self.ways[at].backward(after, int(self.places.count[at]))


def _swept(chain: _ZoneChain) -> Belief:
    """Beliefs after three sweeps: backward, forward with prices, backward."""
    last = len(chain.step) - 1
    # What comes after each step, its own evidence included; then, in its place, what came before.
    kept = [_scaled(chain.evidence(last))]
    for at in reversed(range(last)):
        kept.append(_scaled(chain.backward(at, kept[-1]) * chain.evidence(at)))
    kept.reverse()
    sizes = np.bincount(chain.places.of_track[0]).astype(np.float32)
    before = _scaled(sizes[:, None] * chain.evidence(0))
    for at in range(last):
        chain.ways[at].balance(before, kept[at + 1])
        kept[at] = before
        n_places = int(chain.places.count[at + 1])
        before = _scaled(chain.ways[at].forward(before, n_places) * chain.evidence(at + 1))
    kept[last] = before
    user = np.empty((before.shape[1], last + 1), np.int32)
    shown, after = [], np.ones_like(before)
    for at in reversed(range(last + 1)):
        ways, come = chain.ways[at], chain.backward(at, after)
        likely = kept[at] * come
        scale = 1 / np.maximum(likely.sum(axis=0), TINY)
        surest = np.empty(len(ways.width), np.int32)
        surest_users(ways.source, ways.target, kept[at], after, scale, surest)
        user[:, at] = surest[ways.of_track]
        shown.append((likely * scale, chain.content(at)))
        after = _scaled(come * chain.evidence(at))
    return Belief(user, BelievedPlaces.of_steps(shown[::-1]))


def _scaled(beliefs: Floats) -> Floats:
    """Beliefs of which each user's largest is 1."""
    beliefs /= np.maximum(beliefs.max(axis=0), TINY)
    return beliefs
