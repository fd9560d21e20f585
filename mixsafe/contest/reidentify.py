"""The organizers' re-identification attacks I1 to I3 (contest paper, 4.1; sample programs, 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from mixsafe.contest.rules import Rules
from mixsafe.contest.visits import VisitModel
from mixsafe.errors import InputError
from mixsafe.model.cells import Cells
from mixsafe.model.trace_matrix import TraceMatrix

USED_SHARE = 0.1
"""P: the share of the cells that the program of I2 and T2 looks at."""

MOST_REGIONS = 10
"""L: the regions of a generalized cell that the programs look at."""


def check_same_users(reference: TraceMatrix, release: Cells) -> None:
    """Refuse reference traces and a release of different numbers of users.

    Raises
    ------
    InputError
        They differ.
    """
    if reference.n_users != release.n_rows:
        raise InputError(
            f"the reference traces have {reference.n_users} users,"
            f" the release {release.n_rows} pseudonyms",
            hint="both must come from one data set",
        )


def visit_scores(
    reference: TraceMatrix, release: Cells, rules: Rules, random: np.random.Generator
) -> Iterator[npt.NDArray[np.float64]]:
    """Log-likelihoods of the VisitProb attacks, in blocks (n_tracks, n_users).

    The program looks at a tenth of the cells and at ten regions of a set; the paper at all.
    """
    check_same_users(reference, release)
    model = VisitModel.learn(reference, rules.regions.count)
    if rules.variant == "paper":
        used = np.ones(release.code.shape, bool)
        return model.scores(release, used, random, most=None)
    used = random.random(release.code.shape) < USED_SHARE
    return model.scores(release, used, random, MOST_REGIONS)


def home_scores(
    reference: TraceMatrix, release: Cells, rules: Rules, random: np.random.Generator
) -> Iterator[npt.NDArray[np.float64]]:
    """Log-likelihoods of the HomeProb attacks, in blocks (n_tracks, n_users)."""
    check_same_users(reference, release)
    at_home = rules.is_home_time(reference.time_ids)
    model = VisitModel.learn(reference, rules.regions.count, at_home)
    times = np.arange(release.first_time, release.first_time + release.n_steps)
    used = np.broadcast_to(rules.is_home_time(times), release.code.shape)
    most = None if rules.variant == "paper" else MOST_REGIONS
    return model.scores(release, used, random, most)


def likeliest(scores: Iterator[npt.NDArray[np.float64]]) -> npt.NDArray[np.int32]:
    """User with the highest score of each track, the first of equals, (n_tracks,)."""
    return np.concatenate([block.argmax(axis=1) for block in scores]).astype(np.int32)


@dataclass(frozen=True)
class RandomIds:
    """I1: a random permutation of the users; reads nothing."""

    short: ClassVar[str] = "I1"
    long: ClassVar[str] = "I1-rand"
    answers: ClassVar[Literal["ids"]] = "ids"

    def attack(
        self, reference: TraceMatrix, release: Cells, rules: Rules, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym, none twice."""
        check_same_users(reference, release)
        return random.permutation(release.n_rows).astype(np.int32)


@dataclass(frozen=True)
class VisitProbIds:
    """I2, VisitProb-R: the user under whose visit probabilities a track is likeliest."""

    short: ClassVar[str] = "I2"
    long: ClassVar[str] = "I2-VisitProb"
    answers: ClassVar[Literal["ids"]] = "ids"

    def attack(
        self, reference: TraceMatrix, release: Cells, rules: Rules, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym; user 0 where a track has no usable cell."""
        return likeliest(visit_scores(reference, release, rules, random))


@dataclass(frozen=True)
class HomeProbIds:
    """I3, HomeProb-R: as I2, but from the home hours of both halves only."""

    short: ClassVar[str] = "I3"
    long: ClassVar[str] = "I3-HomeProb"
    answers: ClassVar[Literal["ids"]] = "ids"

    def attack(
        self, reference: TraceMatrix, release: Cells, rules: Rules, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym."""
        return likeliest(home_scores(reference, release, rules, random))
