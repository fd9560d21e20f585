"""The organizers' re-identification attacks I1 to I3 (contest paper, 4.1; sample programs, 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.reference import Reference
from mixsafe.model.release.cells import Cells

USED_SHARE = 0.1
"""P: the share of the cells that the program of I2 and T2 looks at."""

MOST_REGIONS = 10
"""L: the regions of a generalized cell that the programs look at."""


def visit_scores(
    reference: Reference, release: Cells, random: np.random.Generator
) -> Iterator[npt.NDArray[np.float64]]:
    """Log-likelihoods of the VisitProb attacks, in blocks (n_tracks, n_users).

    The program looks at a tenth of the cells and at ten regions of a set; the paper at all.
    """
    reference.check_fits(release)
    if reference.rules.variant == "paper":
        used = np.ones(release.code.shape, bool)
        return reference.visits.scores(release, used, random, most=None)
    used = random.random(release.code.shape) < USED_SHARE
    return reference.visits.scores(release, used, random, MOST_REGIONS)


def home_scores(
    reference: Reference, release: Cells, random: np.random.Generator
) -> Iterator[npt.NDArray[np.float64]]:
    """Log-likelihoods of the HomeProb attacks, in blocks (n_tracks, n_users)."""
    reference.check_fits(release)
    rules = reference.rules
    used = np.broadcast_to(rules.is_home_time(release.time_ids), release.code.shape)
    most = None if rules.variant == "paper" else MOST_REGIONS
    return reference.homes.scores(release, used, random, most)


def likeliest(scores: Iterator[npt.NDArray[np.float64]]) -> npt.NDArray[np.int32]:
    """User with the highest score of each track, the first of equals, (n_tracks,)."""
    return np.concatenate([block.argmax(axis=1) for block in scores]).astype(np.int32)


@dataclass(frozen=True)
class RandomIds:
    """I1: a random permutation of the users; reads nothing."""

    short: ClassVar[str] = "I1"
    long: ClassVar[str] = "I1-rand"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym, none twice."""
        reference.check_fits(release)
        return random.permutation(release.n_rows).astype(np.int32)


@dataclass(frozen=True)
class VisitProbIds:
    """I2, VisitProb-R: the user under whose visit probabilities a track is likeliest."""

    short: ClassVar[str] = "I2"
    long: ClassVar[str] = "I2-VisitProb"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym; user 0 where a track has no usable cell."""
        return likeliest(visit_scores(reference, release, random))


@dataclass(frozen=True)
class HomeProbIds:
    """I3, HomeProb-R: as I2, but from the home hours of both halves only."""

    short: ClassVar[str] = "I3"
    long: ClassVar[str] = "I3-HomeProb"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym."""
        return likeliest(home_scores(reference, release, random))
