"""Beliefs about releases whose pseudonyms are exchanged at mix zones.

Between two steps a track leads from a place to a place. Tracks that do so together are one *way*,
as wide as they are many: nobody can tell them apart. A user goes from place to place along ways,
and at each place all tracks that leave it are equally likely. With her habits as weights, a sweep
backward and one forward give how likely she is on each way over all her assignments
(forward-backward, Baum et al. 1970).

Users do not go alone: a way is taken by just as many as it is wide. So each way has a price, which
makes that so in the mean over all users (iterative scaling: Sinkhorn's, with a chain of matrices in
place of one). Prices are found while the sweep goes forward, from what is left of the others.

For a few users beliefs are exact, by all assignments. At each step one says which user is on each
track. All assignments under which the same users are at the same places come out of a step equally
likely; so beliefs go from step to step as means over these, forward and backward.

How much evidence counts is found by attacking oneself. Weights of habits
(:func:`mixsafe.contest.base.held_out.evidence_weights`) are what tells whole tracks of a day apart
best, and where one time of the day says it all, others count nothing. Pieces between exchanges are
short, and most do not have that time. So the attacker exchanges the last reference day, attacks it
with what the other days tell, and lets the steps count as finds most.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise, permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.habits import MOST_ENTRIES
from mixsafe.contest.base.held_out import HeldOut
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.link_attack import MeetingPlaces
from mixsafe.contest.posterior.sweeps import TINY, arrive, expected_users, meet, surest_users, tell
from mixsafe.contest.posterior.whereabouts import (
    LEAST,
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    StepBelief,
    believed,
)
from mixsafe.model.csr import batches, pointers
from mixsafe.model.release import Cells
from mixsafe.release.exchange import exchanged_table

ENUMERATED = 6
"""Users of the largest release whose assignments are enumerated: 720 at each step."""

Doubles = npt.NDArray[np.float64]

Longs = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.int32]

PathEnds = tuple[Longs, Longs, Longs]
"""Ways of each place as CSR, and the place at the other end of each way."""

EVENLY = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
"""How far weights are drawn towards 1, at which all evidence counts as it is."""

MORE_EVENLY = 0.1
"""How much farther than the held-out day says.

A release has more people and days than that, who are shared out among its ways, so that weak
evidence decides more. It was chosen on the truth of the preliminary data: A1 exchanged leaves
s_R = 0.9521 and s_T = 0.6951 with it; as the day says, 0.9542 and 0.6977.
"""


def enumerated(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64]
) -> Posterior:
    """Exact beliefs about an exchanged release of up to ``ENUMERATED`` users."""
    likely = user_of_track(release, ratio, weight, step, exchanged=1)
    user = likely.argmax(axis=2).T.astype(np.int32)
    shown = [
        believed(one.astype(np.float32), code)
        for one, code in zip(likely, release.code.T, strict=True)
    ]
    users = [BelievedUsers.of_tracks(one) for one in likely]
    return Posterior(user, BelievedPlaces.of_steps(shown), users)


def user_of_track(
    release: Cells, ratio: Floats, weight: Floats, step: npt.NDArray[np.int64], exchanged: int
) -> Doubles:
    """Probability of each user on each track after each step, (n_steps, n_tracks, n_users).

    All assignments that exchanges allow are equally likely before anything is seen; what is seen
    counts as the cells' ratios to the power of their steps' weights.

    Parameters
    ----------
    ratio, weight, step
        Log-ratios (steps_per_day, n_contents, n_users), weights (steps_per_day,), and the step of
        the day of each column.
    """
    n_users = release.n_rows
    track_of = np.array(list(permutations(range(n_users))))  # a row per assignment
    users = np.arange(n_users)
    place = MeetingPlaces.of_release(release, exchanged).of_track
    seen, same = [], []
    for at, moment in enumerate(step):
        evidence = weight[moment] * ratio[moment].astype(np.float64)
        seen.append(evidence[release.code[track_of, at], users].sum(axis=1))
        same.append(np.unique(place[at][track_of], axis=0, return_inverse=True)[1].reshape(-1))
    before = np.zeros((len(step), len(track_of)))
    after = np.zeros_like(before)
    for at in range(len(step)):
        came = before[at - 1] if at else before[0]
        before[at] = _mean_log(came, same[at]) + seen[at]
        before[at] -= before[at].max()
    for at in reversed(range(len(step) - 1)):
        after[at] = _mean_log(after[at + 1] + seen[at + 1], same[at + 1])
        after[at] -= after[at].max()
    found = np.zeros((len(step), n_users, n_users))
    for at, both in enumerate(before + after):
        chance = np.exp(both - both.max())
        np.add.at(found[at], (track_of, users), (chance / chance.sum())[:, None])
    return found


def _mean_log(value: Doubles, group: npt.NDArray[np.int64]) -> Doubles:
    """Logarithm of the mean of what each group's values are the logarithms of."""
    highest = np.full(group.max() + 1, -np.inf)
    np.maximum.at(highest, group, value)
    mean = np.bincount(group, np.exp(value - highest[group])) / np.bincount(group)
    return np.asarray((np.log(mean) + highest)[group])


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
    """Beliefs about a release in which pseudonyms are exchanged wherever cells are the same."""
    places = MeetingPlaces.of_release(release)
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

    def parts(self) -> list[range]:
        """The steps, in parts of which what is kept of all users fits in memory."""
        n_users = self.places.of_track.shape[1]
        until = np.cumsum(self.places.count * n_users, dtype=np.int64)
        ends = [begin_end[1] for begin_end in batches(until, MOST_ENTRIES)]
        return [range(*pair) for pair in pairwise([0, *ends])]

    def backward(self, part: range, later: _Passing | None) -> tuple[list[Floats], _Passing]:
        """What comes after each step of a part, its own evidence included; and after the first.

        Parameters
        ----------
        later
            The same after the first step that follows the part; None: nothing follows.
        """
        last = part[-1]
        first = _Passing(*self.ends(last)) if later is None else self._before(last, later)
        kept, found = [first.likely], first
        for at in part[-2::-1]:
            found = self._before(at, found)
            kept.append(found.likely)
        return kept[::-1], found

    def _before(self, at: int, later: _Passing) -> _Passing:
        """One step back, to a step, from what comes after the next."""
        paths, scale = self.paths[at], later.scale.copy()
        found = self.arrive(at, paths.leaving, paths.chance, later.likely, scale)
        return _Passing(found, scale)

    def forward(
        self, part: range, earlier: _Passing | None, after: list[Floats] | None = None
    ) -> tuple[list[Floats], _Passing]:
        """What comes before each step of a part, its own evidence included; and before the next.

        Parameters
        ----------
        earlier
            The same before the first step of the part; None: it is the first of all.
        after
            What comes after each step that follows one of the part, last first, from which prices
            are found; used up. None: prices stay as they are.
        """
        if earlier is None:
            found, scale = self.ends(0)
            found *= np.bincount(self.places.of_track[0]).astype(np.float32)[:, None]
            earlier = _Passing(found, scale)
        kept, now = [], earlier
        for at in part:
            kept.append(now.likely)
            if at + 1 == len(self.step):
                break
            paths, scale = self.paths[at], now.scale.copy()
            if after is not None:
                paths.balance(now.likely, after.pop())
            found = self.arrive(at + 1, paths.coming, paths.chance, now.likely, scale)
            now = _Passing(found, scale)
        return kept, now


class _Passing(NamedTuple):
    """What comes to the places of a step, (n_places, n_users), and one over each user's largest."""

    likely: Floats
    scale: Floats


def _swept(chain: _ZoneChain) -> Posterior:
    """Beliefs after three sweeps: backward, forward with prices, backward.

    Where what is kept of all steps would not fit in memory, it is found again part by part from
    what passes between parts (checkpoints, Griewank 1992), with the same numbers.
    """
    parts = chain.parts()
    later: list[_Passing | None] = [None]
    kept: list[Floats] = []
    for part in reversed(parts):
        kept, first = chain.backward(part, later[-1])
        later.append(first)
    later = later[-2::-1]
    earlier: list[_Passing | None] = [None]
    for number, part in enumerate(parts):
        if number:
            kept, _ = chain.backward(part, later[number])
        following, after = later[number], kept[:0:-1]
        if following is not None:
            after.insert(0, following.likely)
        kept = []  # as much memory as both sweeps need together
        kept, last = chain.forward(part, earlier[-1], after)
        earlier.append(last)
    answers = _Answers(chain)
    for number, part in reversed(list(enumerate(parts))):
        if number + 1 < len(parts):
            kept, _ = chain.forward(part, earlier[number])
        answers.add(part, kept)
    return answers.posterior


class _Answers:
    """The last sweep, backward: beliefs from what came before each step.

    Parameters
    ----------
    chain
        Places and ways, with their prices.
    """

    def __init__(self, chain: _ZoneChain) -> None:
        n_users = chain.places.of_track.shape[1]
        self._chain = chain
        self._after = np.ones((int(chain.places.count[-1]), n_users), np.float32)
        self._scale = np.ones(n_users, np.float32)
        self._user = np.empty((n_users, len(chain.step)), np.int32)
        self._shown: list[StepBelief] = []
        self._users: list[BelievedUsers] = []

    def add(self, part: range, kept: list[Floats]) -> None:
        """Answer a part, which no answered step precedes; what came before it is used up."""
        chain, sums = self._chain, np.empty_like(self._scale)
        for at in reversed(part):
            paths, before = chain.paths[at], kept.pop()
            come = np.empty_like(before)
            meet(paths.leaving, paths.chance, self._after, before, come, sums)
            share = (1 / np.maximum(sums, TINY)).astype(np.float32)
            self._user[:, at], of_users = paths.users(before, self._after, share)
            self._users.append(of_users)
            self._shown.append(believed(before * come * share, chain.told(at)[0]))
            tell(chain.told(at), self._scale, come)
            self._after = come

    @property
    def posterior(self) -> Posterior:
        """What is believed, once all parts are answered."""
        return Posterior(self._user, BelievedPlaces.of_steps(self._shown[::-1]), self._users[::-1])


@lru_cache(maxsize=1)
def piece_weights(reference: Reference) -> Floats:
    """How much the evidence of each step of the day counts for pieces, (steps_per_day,).

    Reference traces of one day cannot be attacked with another: weights stay as they are.
    """
    if reference.trained is not None:
        return reference.trained.pieces
    habits = reference.habits
    if habits.held is None:
        return habits.weight
    return weights_of_pieces(habits.weight, [(habits.held, habits.ratio_before)], reference.rules)


def weights_of_pieces(
    weight: Floats, teams: Sequence[tuple[HeldOut, Floats]], rules: Rules
) -> Floats:
    """Weights between some and 1, a little nearer to 1 than find most of held-out traces.

    No evidence counts more than it says.

    Parameters
    ----------
    weight
        (steps_per_day,) what tells whole tracks apart best.
    teams
        Held-out traces of each team, and (steps_per_day, n_regions + 1, n_users) log-ratios by what
        is known of its users.
    """
    weight, exchanged = np.minimum(weight, 1), []
    for held, ratio in teams:
        cells = Cells.of_regions(held.hidden, rules.regions.count)
        exchanged.append((cells, exchanged_table(cells, np.random.default_rng(1)), held, ratio))
    found = []
    for part in EVENLY:
        tried, right = weight + np.float32(part) * (1 - weight), 0
        for cells, table, held, ratio in exchanged:
            named = exchanged_belief(table.publish(cells), ratio, tried, held.step_hidden).user
            right += int(np.count_nonzero(named == table.user))
        found.append(right)
    best = min(EVENLY[int(np.argmax(found))] + MORE_EVENLY, 1)
    return np.asarray(weight + np.float32(best) * (1 - weight), dtype=np.float32)
