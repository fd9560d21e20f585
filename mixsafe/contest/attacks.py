"""The organizers' attacks I1 to I3 and T1 to T3, and team 004's: they weigh whole tracks.

The organizers' re-identification and trace inference are those of the contest paper, 4.1, and of
the sample programs, 2.2 and 2.3. Team 004's are fuzzy visit vectors (IF) and frequent regions (TS):
the team's slides and the contest paper's section 5.3 ("Best Attack Algorithms") describe them;
where both are silent the docstrings say what is assumed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.base.parts import AnswerKind, Believer
from mixsafe.contest.base.reference import Reference, visit_counts
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.release import Cells

USED_SHARE = 0.1
"""P: the share of the cells that the program of I2 and T2 looks at."""

MOST_REGIONS = 10
"""L: the regions of a generalized cell that the programs look at."""

Floats = npt.NDArray[np.float64]

PRINTED = (5, 6)
"""Schemes as the paper prints them, with TF log(1 + U / users who visited)."""


def likeliest_free(scores: Iterator[npt.NDArray[np.float64]]) -> npt.NDArray[np.int32]:
    """Likeliest user of each track among those whom no earlier track has, (n_tracks,).

    Tracks choose in order of their pseudonyms, the first user of equals: a permutation.
    """
    taken: npt.NDArray[np.bool_] | None = None
    chosen = []
    for block in scores:
        taken = np.zeros(block.shape[1], bool) if taken is None else taken
        for track in block:
            # Each choice narrows the next, so there is no array form.
            user = int(np.where(taken, -np.inf, track).argmax())
            taken[user] = True
            chosen.append(user)
    return np.array(chosen, np.int32)


def guess_regions(cells: Cells, random: np.random.Generator) -> npt.NDArray[np.int32]:
    """A region for each cell: the one shown, one of the set shown, or any region at all."""
    code = cells.code
    guess = code.copy()
    deleted = code == cells.deleted
    guess[deleted] = random.integers(cells.n_regions, size=deleted.sum())
    is_set = code > cells.deleted
    chosen = code[is_set].astype(np.int64) - cells.n_regions - 1
    guess[is_set] = cells.member[cells.ptr[chosen] + random.integers(cells.set_sizes[chosen])]
    return guess


@dataclass(frozen=True, eq=False)
class TrackScores:
    """How well each track fits each user.

    Parameters
    ----------
    blocks
        Scores, (n_tracks, n_users), in blocks of consecutive tracks; an answer uses them up.
    release
        Its tracks.
    random
        Guesses what cells do not show.
    """

    blocks: Iterator[npt.NDArray[np.float64]]
    release: Cells
    random: np.random.Generator

    def users(self) -> npt.NDArray[np.int32]:
        """User with the highest score of each track, the first of equals, (n_tracks,)."""
        return np.concatenate([block.argmax(axis=1) for block in self.blocks]).astype(np.int32)

    def regions(self) -> npt.NDArray[np.int32]:
        """What the tracks show that are taken for the users' own, none twice, (n, n_steps)."""
        user = likeliest_free(self.blocks)
        traces = np.empty_like(self.release.code)
        traces[user] = guess_regions(self.release, self.random)
        return traces


@dataclass(frozen=True, eq=False)
class NoBelief:
    """Anybody may be anywhere."""

    release: Cells
    random: np.random.Generator

    def users(self) -> npt.NDArray[np.int32]:
        """A user for each pseudonym, none twice."""
        return self.random.permutation(self.release.n_rows).astype(np.int32)

    def regions(self) -> npt.NDArray[np.int32]:
        """A uniform region for each user and time."""
        n_regions, shape = self.release.n_regions, self.release.code.shape
        return self.random.integers(n_regions, size=shape, dtype=np.int32)


class RandomGuess(Believer):
    """Attackers who read nothing."""

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> NoBelief:
        """Nothing."""
        return NoBelief(release, random)


class VisitProb(Believer):
    """The VisitProb attacks: log-likelihoods of tracks under each user's visit probabilities."""

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """The program looks at a tenth of the cells and at ten regions of a set; the paper at all.

        Where a track has no usable cell, its users are equals.
        """
        used, most = np.ones(release.code.shape, bool), None
        if reference.rules.variant == "program":
            used, most = random.random(release.code.shape) < USED_SHARE, MOST_REGIONS
        return TrackScores(reference.visits.scores(release, used, random, most), release, random)


class HomeProb(Believer):
    """The HomeProb attacks: as VisitProb, but from the home hours of both halves only."""

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """All home hours; the program looks at ten regions of a set, the paper at all."""
        rules = reference.rules
        used = np.broadcast_to(rules.is_home_time(release.time_ids), release.code.shape)
        most = MOST_REGIONS if rules.variant == "program" else None
        return TrackScores(reference.homes.scores(release, used, random, most), release, random)


class RandomIds(RandomGuess):
    """I1: a random permutation of the users; reads nothing."""

    short, long = "I1", "I1-rand"
    answers: ClassVar[AnswerKind] = "ids"


class VisitProbIds(VisitProb):
    """I2, VisitProb-R: the user under whose visit probabilities a track is likeliest."""

    short, long = "I2", "I2-VisitProb"
    answers: ClassVar[AnswerKind] = "ids"


class HomeProbIds(HomeProb):
    """I3, HomeProb-R: as I2, but from the home hours of both halves only."""

    short, long = "I3", "I3-HomeProb"
    answers: ClassVar[AnswerKind] = "ids"


class RandomTraces(RandomGuess):
    """T1: any region, everywhere."""

    short, long = "T1", "T1-rand"
    answers: ClassVar[AnswerKind] = "traces"


class VisitProbTraces(VisitProb):
    """T2, VisitProb-T: re-identify as I2, no user twice, and read her track."""

    short, long = "T2", "T2-VisitProb"
    answers: ClassVar[AnswerKind] = "traces"


class HomeProbTraces(HomeProb):
    """T3, HomeProb-T: re-identify as I3, no user twice, and read her track."""

    short, long = "T3", "T3-HomeProb"
    answers: ClassVar[AnswerKind] = "traces"


def fuzzy_spread(regions: Regions, initial: float, decay: float) -> sparse.csr_array:
    """What a visit to each region (row) counts for it and its eight neighbours (columns).

    ``initial * exp(-decay * d)``, d the distance in regions: 1 beside, the root of 2 diagonally.
    """
    region = np.arange(regions.count)
    row, column = np.divmod(region, regions.columns)
    spread = sparse.csr_array((regions.count, regions.count))
    for north in (-1, 0, 1):
        for east in (-1, 0, 1):
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
        if not (self.initial > 0 and self.decay >= 0 and math.isfinite(self.initial)):
            raise InputError(f"IF cannot count fuzzily with ({self.initial}, {self.decay})")
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
        region, visits = _most_frequent(reference)
        step_of_day = reference.rules.step_of_day(release.time_ids)
        frequent = visits[:, step_of_day] > self.threshold
        return np.where(frequent, region[:, step_of_day], traces)

    def believe(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> TrackScores:
        """What IF believes."""
        return FuzzyVisitVector(scheme=self.scheme).believe(reference, release, random)


@lru_cache(maxsize=1)
def _most_frequent(reference: Reference) -> tuple[npt.NDArray[np.int32], Floats]:
    """Each user's most visited region at each time of the day, and her visits there.

    Returns
    -------
    region, visits
        (n_users, steps_per_day) each; at a time that no reference has, 0 visits.
    """
    traces, rules = reference.traces, reference.rules
    shape = (traces.n_users, rules.steps_per_day)
    region, most = np.zeros(shape, np.int32), np.zeros(shape)
    step_of_day = rules.step_of_day(traces.time_ids)
    for step in np.unique(step_of_day):
        visits = visit_counts(traces, rules.regions.count, step_of_day == step)
        region[:, step], most[:, step] = visits.argmax(axis=1), visits.max(axis=1)
    return region, most
