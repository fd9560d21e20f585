"""The organizers' attacks I1 to I3 and T1 to T3: they weigh whole tracks.

Re-identification and trace inference are those of the contest paper, 4.1, and of the sample
programs, 2.2 and 2.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import AnswerKind, Believer
from mixsafe.contest.base.reference import Reference
from mixsafe.model.release import Cells

USED_SHARE = 0.1
"""P: the share of the cells that the program of I2 and T2 looks at."""

MOST_REGIONS = 10
"""L: the regions of a generalized cell that the programs look at."""


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
