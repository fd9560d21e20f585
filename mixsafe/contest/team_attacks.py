"""Team 004's attacks: fuzzy visit vectors (IF) and frequent regions (TS), from print and program.

The team's slides and the contest paper's section 5.3 ("Best Attack Algorithms") describe IF and TS;
where both are silent the docstrings say what is assumed. IF-P and TS-P do what the programs do that
the team published after the contest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.attacks import TrackScores, guess_regions
from mixsafe.contest.base.parts import AnswerKind, Believer
from mixsafe.contest.base.reference import Reference, visit_counts
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.release import Cells

Floats = npt.NDArray[np.float64]

PRINTED = (5, 6)
"""Schemes as the paper prints them, with TF log(1 + U / users who visited)."""


def fuzzy_spread(
    regions: Regions, initial: float, decay: float, reach: int = 1
) -> sparse.csr_array:
    """What a visit to each region (row) counts for it and its neighbours (columns).

    ``initial * exp(-decay * d)``, d the distance in regions: 1 beside, the root of 2 diagonally.
    Neighbours are at most ``reach`` rows and columns away, those of 1 eight; the grid ends at its
    edges.
    """
    region = np.arange(regions.count)
    row, column = np.divmod(region, regions.columns)
    spread = sparse.csr_array((regions.count, regions.count))
    ways = range(-reach, reach + 1)
    for north in ways:
        for east in ways:
            inside = (row + north >= 0) & (row + north < regions.rows)
            inside &= (column + east >= 0) & (column + east < regions.columns)
            count = initial * math.exp(-decay * math.hypot(north, east))
            here = region[inside]
            there = here + north * regions.columns + east
            spread += sparse.csr_array((np.full(len(here), count), (here, there)), spread.shape)
    return spread


def shown_counts(release: Cells) -> Floats:
    """How often each track shows each region, (n_tracks, n_regions); sets share one visit."""
    table = np.bincount(
        (np.arange(release.n_rows)[:, None] * release.n_contents + release.code).reshape(-1),
        minlength=release.n_rows * release.n_contents,
    ).reshape(release.n_rows, release.n_contents)
    counts = table[:, : release.n_regions].astype(np.float64)
    if len(release.ptr) > 1:
        share = np.repeat(1 / release.set_sizes, release.set_sizes)
        shape = (len(release.ptr) - 1, release.n_regions)
        sets = sparse.csr_array((share, release.member, release.ptr), shape)
        counts += table[:, release.n_regions + 1 :] @ sets
    return counts


@lru_cache(maxsize=1)
def similarity(reference: Reference, release: Cells, method: FuzzyVisitVector) -> Floats:
    """Cosine of the angle between the feature vectors of tracks and users, (n_tracks, n_users).

    References are counted fuzzily, tracks as they are (paper). The sources do not name the
    distance of the nearest-neighbour search; angles do not depend on how many cells are deleted,
    and find more users than Euclidean distances. Kept, since IF and TS look at the same release.
    """
    users, rarity = _user_features(reference, method)
    tracks = _features(shown_counts(release), rarity, method.scheme)
    alike = np.asarray(tracks @ users.T)
    alike.flags.writeable = False
    return alike


@lru_cache(maxsize=1)
def _user_features(reference: Reference, method: FuzzyVisitVector) -> tuple[Floats, Floats]:
    """Feature vectors of users, (n_users, n_regions), and the rarity of each region."""
    regions = reference.rules.regions
    visits = visit_counts(reference.traces, regions.count)
    visitors = np.maximum((visits > 0).sum(axis=0), 1)
    rarity = (
        np.log(len(visits) / visitors) if method.scheme in (1, 4, 5) else np.ones(len(visitors))
    )
    if method.scheme in PRINTED:
        rarity = rarity * np.log1p(len(visits) / visitors)
    fuzzy = visits @ fuzzy_spread(regions, method.initial, method.decay)
    return _features(np.asarray(fuzzy), rarity, method.scheme), rarity


def _features(counts: Floats, rarity: Floats, scheme: int) -> Floats:
    """TF-IDF vectors of length 1 (0 where nothing is counted)."""
    if scheme in PRINTED:
        weighted = (counts > 0) * rarity
    else:
        weighted = (counts if scheme in (1, 3) else np.log1p(counts)) * rarity
    length = np.linalg.norm(weighted, axis=1, keepdims=True)
    return np.asarray(weighted / np.where(length > 0, length, 1.0))


def _check_spread(name: str, initial: float, decay: float) -> None:
    """Refuse numbers with which visits do not count fuzzily."""
    if not (initial > 0 and decay >= 0 and math.isfinite(initial)):
        raise InputError(f"{name} cannot count fuzzily with ({initial}, {decay})")


def _check_scheme(name: str, scheme: int) -> None:
    """Refuse a scheme that there is not."""
    if scheme not in (1, 2, 3, 4, *PRINTED):
        raise InputError(f"{name} has the schemes 1 to 6, not {scheme}")


@dataclass(frozen=True)
class FuzzyVisitVector(Believer):
    """IF: the user whose fuzzily counted reference visits look most like a track.

    Parameters
    ----------
    initial
        n_0, > 0: what a visit counts for its own region.
    decay
        lambda, >= 0: how fast that falls with distance; the team's best: (0.33, 1).
    scheme
        TF and IDF: 1 (count, log(U / users who visited)), 2 (log(1 + count), 1), 3 (count, 1),
        4 (log(1 + count), log(U / users who visited)). The slides' schemes 1 and 2; their table
        repeats these as 3 and 4, the paper has the other two combinations as well. 2 was best.
        Where the slides have log(1 + count) the paper prints log(1 + U / users who visited), which
        is one number for each region whoever was there. As printed, for regions that were
        visited at all: 5 in place of 4, and 6 in place of 2.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    initial: float = 0.33
    decay: float = 1.0
    scheme: int = 2

    short, long = "IF", "IF-FuzzyVisitVector"
    answers: ClassVar[AnswerKind] = "ids"

    def __post_init__(self) -> None:
        _check_spread("IF", self.initial, self.decay)
        _check_scheme("IF", self.scheme)

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """How alike tracks and users look."""
        return TrackScores(iter([similarity(reference, release, self)]), release, random)


@dataclass(frozen=True)
class SwapFrequentRegions(Believer):
    """TS: re-identify as IF, no user twice, read her track, but put her where she always is.

    For each user and time of the day, the region where the reference traces have her most often
    (the lowest id of equals) replaces what was read, if she was there more than so many times.

    Parameters
    ----------
    threshold
        n, >= 0. The team's best for 20 reference days is 5; of 2 days, 0 and 1 are of use.
    scheme
        TF and IDF of the re-identification, as those of IF.

    Raises
    ------
    InputError
        A negative threshold, or no such scheme.
    """

    threshold: int = 5
    scheme: int = 2

    short, long = "TS", "TS-SwapFrequentRegions"
    answers: ClassVar[AnswerKind] = "traces"

    def __post_init__(self) -> None:
        if self.threshold < 0:
            raise InputError(f"TS cannot have the threshold {self.threshold}")
        _check_scheme("TS", self.scheme)

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        traces = super().attack(reference, release, random)
        region, visits = _most_frequent(reference, "lowest")
        step_of_day = reference.rules.step_of_day(release.time_ids)
        frequent = visits[:, step_of_day] > self.threshold
        return np.where(frequent, region[:, step_of_day], traces)

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """What IF believes."""
        return FuzzyVisitVector(scheme=self.scheme).believe(reference, release, random)


@lru_cache(maxsize=1)
def nearness(reference: Reference, release: Cells, method: ProgramVisitVector) -> Floats:
    """How near the feature vectors of tracks and users are, (n_tracks, n_users).

    For the distance d of a track t and a user: (|t|^2 - d^2) / 2. Of two users the nearer one has
    more; users of the same distance differ by rounding at most. Kept, since IF-P and TS-P look at
    the same release.
    """
    regions = reference.rules.regions
    users = np.log1p(visit_counts(reference.traces, regions.count))
    if method.reach:
        users = np.asarray(
            users @ fuzzy_spread(regions, method.initial, method.decay, method.reach)
        )
    tracks = np.log1p(shown_counts(release))
    near = np.asarray(tracks @ users.T - (users**2).sum(axis=1) / 2)
    near.flags.writeable = False
    return near


@dataclass(frozen=True)
class ProgramVisitVector(Believer):
    """IF-P: IF as team 004's program has it: the user nearest to a track by blurred log counts.

    Visits to a region weigh log(1 + count); every region that a user visited in the reference
    traces spreads its weight over its neighbours. Tracks are not blurred. Distances are Euclidean.
    IF blurs counts before it takes logarithms, and compares angles.

    Parameters
    ----------
    initial
        n_0, > 0: the share of its weight that a region keeps.
    decay
        lambda, >= 0: how fast that falls with distance. (0.33, 1) is the slides' best; the program
        has 0.5 by default.
    reach
        Regions that the weight spreads to each side, >= 0; 0: none, and n_0 does not count.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    initial: float = 0.33
    decay: float = 1.0
    reach: int = 1

    short, long = "IF-P", "IF-P-ProgramVisitVector"
    answers: ClassVar[AnswerKind] = "ids"

    def __post_init__(self) -> None:
        _check_spread(self.short, self.initial, self.decay)
        if self.reach < 0:
            raise InputError(f"{self.short} cannot spread over {self.reach} regions")

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """How near tracks and users are."""
        return TrackScores(iter([nearness(reference, release, self)]), release, random)


@dataclass(frozen=True)
class ProgramFrequentRegions(Believer):
    """TS-P: TS as team 004's program has it: the first track that IF-P names a user for.

    Users whom IF-P does not name get the tracks that are left, at random. The region where the
    reference traces have a user most often at a time of the day (the earliest of equals) replaces
    what the track shows, if the user was there so many times, and every deleted cell.

    Parameters
    ----------
    threshold
        n, >= 1: times. TS asks for more than its n.

    Raises
    ------
    InputError
        A threshold below 1.
    """

    threshold: int = 5

    short, long = "TS-P", "TS-P-ProgramFrequentRegions"
    answers: ClassVar[AnswerKind] = "traces"

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise InputError(f"{self.short} cannot have the threshold {self.threshold}")

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time; any region where neither half shows one."""
        reference.check_fits(release)
        named = ProgramVisitVector().attack(reference, release, random)
        track = first_named(named, random)
        region, visits = _most_frequent(reference, "earliest")
        step_of_day = reference.rules.step_of_day(release.time_ids)
        region, visits = region[:, step_of_day], visits[:, step_of_day]
        hidden = release.code[track] == release.deleted
        frequent = (visits >= self.threshold) | hidden & (visits > 0)
        return np.where(frequent, region, guess_regions(release, random)[track])


def first_named(named: npt.NDArray[np.int32], random: np.random.Generator) -> npt.NDArray[np.int64]:
    """The first track that each user is named for, (n_users,); to others what is left, at random.

    Parameters
    ----------
    named
        (n_tracks,) the user whom each track is taken for; as many tracks as users.
    """
    user, track = np.unique(named, return_index=True)
    every = np.arange(len(named))
    found = np.empty(len(named), np.int64)
    found[user] = track
    found[np.setdiff1d(every, user)] = random.permutation(np.setdiff1d(every, track))
    return found


@lru_cache(maxsize=2)
def _most_frequent(
    reference: Reference, of_equals: Literal["lowest", "earliest"]
) -> tuple[npt.NDArray[np.int32], Floats]:
    """Each user's most visited region at each time of the day, and her visits there.

    Parameters
    ----------
    of_equals
        Which of regions with equally many visits: that of the lowest id, or the first visited.

    Returns
    -------
    region, visits
        (n_users, steps_per_day) each; at a time that no reference has, 0 visits.
    """
    traces, rules = reference.traces, reference.rules
    shape = (traces.n_users, rules.steps_per_day)
    region, most = np.zeros(shape, np.int32), np.zeros(shape)
    step_of_day, user = rules.step_of_day(traces.time_ids), np.arange(traces.n_users)
    for step in np.unique(step_of_day):
        visits = visit_counts(traces, rules.regions.count, step_of_day == step)
        most[:, step] = visits.max(axis=1)
        if of_equals == "lowest":
            region[:, step] = visits.argmax(axis=1)
        else:
            shown = traces.region[:, step_of_day == step]
            first = visits[user[:, None], shown].argmax(axis=1)
            region[:, step] = shown[user, first]
    return region, most
