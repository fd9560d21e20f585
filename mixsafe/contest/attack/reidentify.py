"""The organizers' re-identification attacks I1 to I3 (contest paper, 4.1; sample programs, 2.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.attack.tracks import TrackScores
from mixsafe.contest.base.parts import AnswerKind, Believer
from mixsafe.contest.base.reference import Reference
from mixsafe.model.release import Cells

USED_SHARE = 0.1
"""P: the share of the cells that the program of I2 and T2 looks at."""

MOST_REGIONS = 10
"""L: the regions of a generalized cell that the programs look at."""


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
