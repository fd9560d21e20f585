"""The organizers' trace inference attacks T1 to T3 (contest paper, 4.1; sample programs, 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mixsafe.contest.attack.reidentify import home_scores, visit_scores
from mixsafe.contest.base.parts import AnswerKind
from mixsafe.contest.base.reference import Reference
from mixsafe.model.release.cells import Cells


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
            track[taken] = -np.inf
            user = int(track.argmax())
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


def read_off(
    user: npt.NDArray[np.int32], release: Cells, random: np.random.Generator
) -> npt.NDArray[np.int32]:
    """Traces of the users, (n_users, n_steps), from the tracks that are taken for theirs.

    Parameters
    ----------
    user
        (n_tracks,) user of each track, a permutation.
    """
    traces = np.empty_like(release.code)
    traces[user] = guess_regions(release, random)
    return traces


@dataclass(frozen=True)
class RandomTraces:
    """T1: any region, everywhere."""

    short: ClassVar[str] = "T1"
    long: ClassVar[str] = "T1-rand"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A uniform region for each user and time."""
        reference.check_fits(release)
        return random.integers(release.n_regions, size=release.code.shape, dtype=np.int32)


@dataclass(frozen=True)
class VisitProbTraces:
    """T2, VisitProb-T: re-identify as I2, no user twice, and read her track."""

    short: ClassVar[str] = "T2"
    long: ClassVar[str] = "T2-VisitProb"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        user = likeliest_free(visit_scores(reference, release, random))
        return read_off(user, release, random)


@dataclass(frozen=True)
class HomeProbTraces:
    """T3, HomeProb-T: re-identify as I3, no user twice, and read her track."""

    short: ClassVar[str] = "T3"
    long: ClassVar[str] = "T3-HomeProb"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        user = likeliest_free(home_scores(reference, release, random))
        return read_off(user, release, random)
