"""Beliefs about releases whose pseudonyms are exchanged at mix zones.

Between two steps a track leads from a place to a place. Tracks that do so together are one *way*,
as wide as they are many: nobody can tell them apart. A user goes from place to place along ways,
and at each place all tracks that leave it are equally likely. With her habits as weights, a sweep
backward and one forward give how likely she is on each way over all her assignments
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

from mixsafe.contest.attack.link import MeetingPlaces
from mixsafe.contest.base.habits import MOST_ENTRIES
from mixsafe.contest.posterior.sweeps import (
    TINY,
    arrive,
    expected_users,
    meet,
    surest_users,
    tell,
)
from mixsafe.contest.posterior.whereabouts import (
    LEAST,
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    believed,
)
from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.model.release.cells import Cells

Longs = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

PathEnds = tuple[Longs, Longs, Longs]
"""Ways of each place as CSR, and the place at the other end of each way."""


@dataclass(frozen=True, eq=False)
class TrackPaths:
    """Ways from the places of one step to those of the next.

    Parameters
    ----------
    source, target
        (n_ways,) places before and after; in order of these.
    width
        (n_ways,) tracks of each way.
    chance
        (n_ways,) that somebody at the source takes it, times its price; changed by the sweep.
    of_track
        (n_tracks,) the way of each track.
    leaving, coming
        The ways of each place before, and of each place after, as ``arrive`` takes them.
    """

    source: Longs
    target: Longs
    width: Floats
    chance: Floats
    of_track: Longs
    leaving: PathEnds
    coming: PathEnds

    @classmethod
    def between(cls, before: npt.NDArray[np.int32], after: npt.NDArray[np.int32]) -> TrackPaths:
        """Ways of tracks, from their places before and after."""
        n_after = int(after.max()) + 1
        key = before.astype(np.int64) * n_after + after
        found, of_track, width = np.unique(key, return_inverse=True, return_counts=True)
        source, target = np.divmod(found, n_after)
        size = np.bincount(before)
        wide = width.astype(np.float32)
        chance = wide / size[source].astype(np.float32)
        leaving = _paths_of(source, len(size)), np.arange(len(source)), target
        coming = _paths_of(target, n_after), np.argsort(target, kind="stable"), source
        return cls(source, target, wide, chance, of_track, leaving, coming)

    def balance(self, before: Floats, after: Floats) -> None:
        """Change prices so that each way is taken by as many users as it is wide."""
        users = np.empty(len(self.width), np.float32)
        expected_users(self.source, self.target, self.chance, before, after, users)
        self.chance[:] = self.width / np.maximum(users, TINY)
        # A common factor is nobody's business, and would leave the range of numbers in the end.
        self.chance[:] /= self.chance.mean()

    def users(self, before: Floats, after: Floats, scale: Floats) -> tuple[Numbers, BelievedUsers]:
        """The user most believed to be on each track, (n_tracks,); and all who are believed to be.

        Parameters
        ----------
        before, after
            (n_places, n_users) at both ends, whose product with the chance is believed.
        scale
            (n_users,) one over the sum of each user's beliefs.
        """
        one_track = self.chance / self.width
        surest, size = np.empty(len(self.width), np.int32), np.empty(len(self.width), np.int64)
        # Beliefs of a user sum to 1, but for rounding.
        most = len(scale) * (int(1 / LEAST) + 1)
        user, mass = np.empty(most, np.int32), np.empty(most, np.float32)
        least = np.float32(LEAST) / np.maximum(one_track, TINY)
        ends, found = (self.source, self.target), (size, user, mass)
        count = surest_users(ends, before, after, scale, least, surest, found)
        ptr = pointers(size)
        shares = mass[:count] * np.repeat(one_track, size)
        users = BelievedUsers(self.of_track, ptr, user[:count].copy(), shares)
        return surest[self.of_track], users


def _paths_of(place: Longs, n_places: int) -> Longs:
    """(n_places + 1,) where the ways of each place begin, in order of the places."""
    return pointers(np.bincount(place, minlength=n_places))


def exchanged_belief(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64]
) -> Posterior:
    """Beliefs about a release in which pseudonyms are exchanged wherever cells are the same.

    Raises
    ------
    InputError
        So many places and steps that what is kept between the sweeps would not fit in memory.
    """
    places, n_users = MeetingPlaces.of_release(release), release.n_rows
    if int(places.count.sum()) * n_users > MOST_ENTRIES:
        raise InputError(
            f"{int(places.count.sum())} places of all times are too many to weigh for"
            f" {n_users} users"
        )
    return _swept(_ZoneChain.of_places(places, ratio, weight, step))


@dataclass(frozen=True, eq=False)
class _ZoneChain:
    """Places and ways of all steps, and what being there tells."""

    places: MeetingPlaces
    paths: list[TrackPaths]
    table: Floats
    step: Longs

    @classmethod
    def of_places(
        cls, places: MeetingPlaces, ratio: Floats, weight: Floats, step: Longs
    ) -> _ZoneChain:
        """The chain of a release; after the last step everybody stays where she is."""
        place = [*places.of_track, places.of_track[-1]]
        paths = [TrackPaths.between(*pair) for pair in pairwise(place)]
        # Each is asked for three times, and by every day.
        table = weight[:, None, None] * ratio
        return cls(places, paths, np.exp(table, out=table), step)

    def told(self, at: int) -> tuple[npt.NDArray[np.int32], Floats]:
        """Content of each place of a step, and what contents tell."""
        return self.places.content[at, : self.places.count[at]], self.table[self.step[at]]

    def ends(self, at: int) -> tuple[Floats, Floats]:
        """What being at each place of a step tells, and one over each user's largest."""
        content, table = self.told(at)
        found = table[content]
        return found, 1 / np.maximum(found.max(axis=0), TINY)

    def arrive(
        self, at: int, ends: PathEnds, chance: Floats, come: Floats, scale: Floats
    ) -> Floats:
        """What comes to the places of a step over some ways, and what being there tells."""
        found = np.empty((self.places.count[at], come.shape[1]), np.float32)
        arrive(ends, chance, come, self.told(at), scale, found)
        return found


def _swept(chain: _ZoneChain) -> Posterior:
    """Beliefs after three sweeps: backward, forward with prices, backward."""
    last = len(chain.step) - 1
    # What comes after each step, its own evidence included; then, in its place, what came before.
    found, scale = chain.ends(last)
    kept = [found]
    for at in reversed(range(last)):
        paths = chain.paths[at]
        kept.append(chain.arrive(at, paths.leaving, paths.chance, kept[-1], scale))
    kept.reverse()
    before, scale = chain.ends(0)
    before *= np.bincount(chain.places.of_track[0]).astype(np.float32)[:, None]
    for at in range(last):
        paths = chain.paths[at]
        paths.balance(before, kept[at + 1])
        kept[at] = before
        before = chain.arrive(at + 1, paths.coming, paths.chance, before, scale)
    kept[last] = before
    return _answered(chain, kept)


def _answered(chain: _ZoneChain, kept: list[Floats]) -> Posterior:
    """The last sweep, backward: beliefs from what came before each step, which is used up."""
    n_users, steps = kept[0].shape[1], len(kept)
    user = np.empty((n_users, steps), np.int32)
    shown, users, after = [], [], np.ones_like(kept[-1])
    scale, sums = np.ones(n_users, np.float32), np.empty(n_users, np.float32)
    for at in reversed(range(steps)):
        paths, before = chain.paths[at], kept.pop()
        come = np.empty_like(before)
        meet(paths.leaving, paths.chance, after, before, come, sums)
        share = (1 / np.maximum(sums, TINY)).astype(np.float32)
        user[:, at], of_users = paths.users(before, after, share)
        users.append(of_users)
        shown.append(believed(before * come * share, chain.told(at)[0]))
        tell(chain.told(at), scale, come)
        after = come
    return Posterior(user, BelievedPlaces.of_steps(shown[::-1]), users[::-1])
