"""POST, MATCH, POST-T and GUESS: the answers that are expected to find most.

They are read off what is believed of people and steps. What counts in re-identification is how many
are found: so the user most believed is named for each pseudonym, and may be named twice, or
everybody once. In trace inference a near guess finds a part and hospitals count more: so the region
is named that is expected to find most in the score's own measure.

If nobody is named twice, an assignment problem is left at each step. Few users are believed to be
on a track, and beliefs are known to a few digits only, so an auction solves it (Bertsekas 1979):
each track in turn bids for the user that is worth most to it, and may lose that user to a later
bid.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.base.habits import gains
from mixsafe.contest.base.parts import AnswerKind, Believer, ToldOfExchanges
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.beliefs import (
    in_order,
    noise_in,
    posterior,
    ratios_of,
    smoothed,
    tells_nothing,
)
from mixsafe.contest.posterior.shown_cells import shown_share
from mixsafe.contest.posterior.smoothing import SmoothedTracks, shown_likelihood, user_regions
from mixsafe.contest.posterior.whereabouts import (
    LEAST,
    BelievedPlaces,
    BelievedUsers,
    Floats,
    Posterior,
    StepBelief,
)
from mixsafe.contest.posterior.whole_tracks import best_guesses
from mixsafe.machinery.compiled import compiled
from mixsafe.model.release import Cells

STEP = LEAST / 64
"""What a bid raises a price by at least.

The sum of beliefs is at most so much for each track below the largest that there is. On the
preliminary data, exchanged, sums of 46 to 275 at a step are 0.002 below it at most.
"""

Near = tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]
"""What naming each region finds of each content, as :func:`best_guesses` takes it."""


def assigned(users: BelievedUsers) -> npt.NDArray[np.int32]:
    """A user for each track, (n_tracks,), none twice.

    The sum of what is believed of the pairs is the largest that there is, but for ``STEP`` for each
    track; beliefs below ``LEAST`` count as none, so that who is left over takes what is left over,
    in order.
    """
    named = np.full(len(users.of_track), -1, np.int32)
    _auction(users.of_track, users.ptr, users.user, users.mass, np.float32(STEP), named)
    alone = named < 0
    named[alone] = np.setdiff1d(np.arange(len(named)), named[~alone])
    return named


@compiled
def _auction(
    of_track: npt.NDArray[np.int64],
    ptr: npt.NDArray[np.int64],
    user: npt.NDArray[np.int32],
    mass: Floats,
    step: float,
    named: npt.NDArray[np.int32],
) -> None:
    """Let tracks bid for users until nobody does better with another one.

    Parameters
    ----------
    of_track, ptr, user, mass
        Ways of tracks, and the users believed to be on each way with their masses.
    step
        The least bid.
    named
        (n_tracks,) filled: the user of each track; stays -1 where all users cost too much.
    """
    price = np.zeros(len(named), np.float32)
    holder = np.full(len(named), -1)
    for first in range(len(named)):
        track = first
        while track >= 0:
            best, second, wanted = np.float32(0), np.float32(0), -1
            for entry in range(ptr[of_track[track]], ptr[of_track[track] + 1]):
                worth = mass[entry] - price[user[entry]]
                if worth > best:
                    best, second, wanted = worth, best, user[entry]
                elif worth > second:
                    second = worth
            if wanted < 0:
                break
            price[wanted] += best - second + step
            # Whoever is outbid bids next, until somebody takes a free user or stays alone.
            track, holder[wanted] = holder[wanted], track
    for one in range(len(holder)):
        if holder[one] >= 0:
            named[holder[one]] = one


@dataclass(frozen=True, eq=False)
class PosteriorAnswers:
    """All answers about a release whose tracks are in order; each is found when it is asked for.

    Parameters
    ----------
    reference
        What the attacker knows.
    release
        The tracks in order: cells of :func:`mixsafe.contest.posterior.beliefs.in_order`.
    exchanged
        Whether pseudonyms may be exchanged, 0 or 1.
    """

    reference: Reference
    release: Cells
    exchanged: int

    @cached_property
    def whereabouts(self) -> Posterior:
        """What says most of where users are."""
        return posterior(self.reference, self.release, self.exchanged, raised=False)

    @cached_property
    def identities(self) -> Posterior:
        """What finds most users: weak evidence counts more."""
        if self.exchanged and noise_in(self.reference, self.release).none:
            return self.whereabouts
        return posterior(self.reference, self.release, self.exchanged, raised=True)

    @cached_property
    def one_to_one(self) -> npt.NDArray[np.int32]:
        """(n_tracks, n_steps) or (n_tracks, 1) users, none twice at a step."""
        return np.stack([assigned(one) for one in self.identities.users], axis=1)

    @cached_property
    def regions(self) -> npt.NDArray[np.int32]:
        """(n_users, n_steps) the regions that are expected to find most."""
        if tells_nothing(self.reference, self.release):
            return usual_regions(self.reference)[:, self._step]
        tracks = None if self.exchanged else smoothed(self.reference, self.release)
        if tracks is None:
            places, near = self._by_cells(), _near_contents(self.reference, self.release)
        else:
            places, near = self._by_tracks(tracks), _near_regions(self.reference)
        believed = places.ptr, places.content, places.mass
        guess = np.empty(self.release.code.shape, np.int32)
        best_guesses(believed, self._step, self.reference.people.gain, near, guess)
        return guess

    @property
    def _step(self) -> npt.NDArray[np.int64]:
        """(n_steps,) the step of the day of each column."""
        return self.reference.rules.step_of_day(self.release.time_ids)

    def _by_tracks(self, tracks: SmoothedTracks) -> BelievedPlaces:
        """Regions, where cells hide something: by all cells of the tracks that may be a user's."""
        people, users = self.reference.people, self.whereabouts.users[0]
        shape = len(users.of_track), self.release.n_rows
        pairs = sparse.csr_array((users.mass, users.user, users.ptr), shape).T.tocsr()
        pairs_of = pairs.indptr.astype(np.int64), pairs.indices, pairs.data
        found: dict[int, StepBelief] = {}
        for step, more in enumerate(people.more()):
            for at in np.flatnonzero(self._step == step).tolist():
                found[at] = user_regions(pairs_of, tracks.regions[at], more)
        return BelievedPlaces.of_steps([found[at] for at in sorted(found)])

    def _by_cells(self) -> BelievedPlaces:
        """Contents, where cells are believed one by one."""
        reference, release, places = self.reference, self.release, self.whereabouts.places
        share = shown_share(reference.habits, release, ratios_of(reference, release, 1), places)
        if noise_in(reference, release).none:
            # Cells that disagree although nothing looks like noise were moved so that the crowd
            # stays as it is. Then others agree by chance.
            share **= 2
        return replace(places, mass=np.float32(share) * places.mass)


answers_about = lru_cache(maxsize=2)(PosteriorAnswers)
"""Kept, for all attacks on releases that show the same."""


@dataclass(frozen=True, eq=False)
class PosteriorReader:
    """What is believed of a release over all its assignments.

    Parameters
    ----------
    answers
        About the release, its tracks in order.
    where
        (n_tracks, n_steps) or (n_tracks, 1): which of them each of its tracks is.
    one_to_one
        Whether everybody is named once at each step.
    """

    answers: PosteriorAnswers
    where: npt.NDArray[np.int64]
    one_to_one: bool

    def users(self) -> npt.NDArray[np.int32]:
        """Users of pseudonyms at each time, (n, n_steps); (n,) where none are exchanged."""
        user = self.answers.one_to_one if self.one_to_one else self.answers.identities.user
        user, where = np.broadcast_arrays(user, self.where)
        found = np.take_along_axis(user, where, axis=0)
        return found if self.answers.exchanged else found[:, 0]

    def regions(self) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        return self.answers.regions.copy()


@lru_cache(maxsize=1)
def usual_regions(reference: Reference) -> npt.NDArray[np.int32]:
    """(n_users, steps_per_day) the region that is expected to find most without a release."""
    return np.asarray(reference.people.gain.argmax(axis=2), dtype=np.int32)


@lru_cache(maxsize=1)
def _near_regions(reference: Reference) -> Near:
    """What naming regions near a true one finds."""
    return _with_ends(gains(reference.rules))


def _near_contents(reference: Reference, release: Cells) -> Near:
    """What naming regions is expected to find of a shown content, which may hide the true one.

    A mean over the true regions behind it, by Bayes' rule with where everybody is at any time of
    the day.
    """
    usual = reference.habits.background.mean(axis=0)
    kernel = noise_in(reference, release).kernel(reference.rules.regions)
    behind = (
        shown_likelihood(release, kernel.T, np.arange(release.n_contents, dtype=np.int32)) * usual
    )
    behind /= behind.sum(axis=1, keepdims=True)
    found = behind @ gains(reference.rules)
    found[release.deleted] = 0
    return _with_ends(found)


def _with_ends(found: npt.NDArray[np.float32]) -> Near:
    """What regions find, and between which regions something is found."""
    some = found > 0
    first, after = some.argmax(axis=1), found.shape[1] - some[:, ::-1].argmax(axis=1)
    return found, np.stack([first, np.where(some.any(axis=1), after, 0)], axis=1)


class PosteriorAttacker(ToldOfExchanges):
    """The attackers who believe what all assignments say."""

    one_to_one: ClassVar[bool] = False

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> PosteriorReader:
        """Where everybody is, and who is on each track."""
        cells, where = in_order(release, self.exchanged)
        answers = answers_about(reference, cells, self.exchanged)
        return PosteriorReader(answers, where, self.one_to_one)


class PosteriorIds(PosteriorAttacker):
    """POST, re-identification: the likeliest user of each cell over all assignments."""

    short, long = "POST", "POST-Ids"
    answers: ClassVar[AnswerKind] = "ids"


class MatchedIds(PosteriorAttacker):
    """MATCH, re-identification: users one to one at each step, as beliefs have them."""

    short, long = "MATCH", "MATCH-Ids"
    answers: ClassVar[AnswerKind] = "ids"
    one_to_one = True


class PosteriorTraces(PosteriorAttacker):
    """POST-T, trace inference: the region that is expected to find most of each user."""

    short, long = "POST-T", "POST-Traces"
    answers: ClassVar[AnswerKind] = "traces"


class HabitTraces(Believer):
    """GUESS, trace inference: what habits alone are expected to find; reads no release."""

    short, long = "GUESS", "GUESS-Habits"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        reference.check_fits(release)
        step = reference.rules.step_of_day(release.time_ids)
        return usual_regions(reference)[:, step]
