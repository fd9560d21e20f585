"""CELL, POST, MATCH, POST-T and GUESS: the answers that are expected to find most.

What counts in re-identification is how many are found: so the user most believed is named for each
pseudonym, and may be named twice; MATCH names everybody once. In trace inference a near guess finds
a part and hospitals count more: so the region is named that is expected to find most in the score's
own measure.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from mixsafe.contest.base.habits import gains
from mixsafe.contest.base.parts import AnswerKind, ToldOfExchanges
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.posterior.beliefs import (
    belief,
    belief_of_users,
    in_order,
    matched_users,
    noise_in,
    ratios_of,
)
from mixsafe.contest.posterior.loops import best_guesses
from mixsafe.contest.posterior.shown import shown_share
from mixsafe.contest.posterior.whereabouts import BelievedPlaces, ratios
from mixsafe.model.csr import pointers, ranges
from mixsafe.model.release.cells import Cells


@dataclass(frozen=True)
class PerCellIds:
    """CELL, re-identification: for each cell the user for whom it speaks most, without links."""

    short: ClassVar[str] = "CELL"
    long: ClassVar[str] = "CELL-Evidence"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym and time, (n, n_steps)."""
        reference.check_fits(release)
        habits, step = reference.habits, reference.rules.step_of_day(release.time_ids)
        surest = habits.surest
        if len(release.ptr) > 1:
            cells, _ = in_order(release, 0)
            plain = noise_in(reference, cells).none
            table = ratios_of(reference, cells) if plain else ratios(habits, cells)
            surest = np.stack([one.argmax(axis=1) for one in table])
        return np.asarray(surest[step, release.code], dtype=np.int32)


@dataclass(frozen=True)
class PosteriorIds(ToldOfExchanges):
    """POST, re-identification: the likeliest user of each cell over all histories."""

    short: ClassVar[str] = "POST"
    long: ClassVar[str] = "POST-Ids"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym and time, (n, n_steps); (n,) where none are exchanged."""
        return belief_of_users(reference, release, self.exchanged)


@dataclass(frozen=True)
class MatchedIds(ToldOfExchanges):
    """MATCH, re-identification: users one to one at each step, as beliefs have them."""

    short: ClassVar[str] = "MATCH"
    long: ClassVar[str] = "MATCH-Ids"
    answers: ClassVar[AnswerKind] = "ids"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A user for each pseudonym and time, (n, n_steps), none twice at one time.

        For each pseudonym alone, (n,), where none are exchanged.
        """
        return matched_users(reference, release, self.exchanged)


@dataclass(frozen=True)
class PosteriorTraces(ToldOfExchanges):
    """POST-T, trace inference: the region that is expected to find most of each user."""

    short: ClassVar[str] = "POST-T"
    long: ClassVar[str] = "POST-Traces"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        return _best(reference, in_order(release, self.exchanged)[0], self.exchanged).copy()


@dataclass(frozen=True)
class HabitTraces:
    """GUESS, trace inference: what habits alone are expected to find; reads no release."""

    short: ClassVar[str] = "GUESS"
    long: ClassVar[str] = "GUESS-Habits"
    answers: ClassVar[AnswerKind] = "traces"

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """A region for each user and time."""
        reference.check_fits(release)
        step = reference.rules.step_of_day(release.time_ids)
        return _usual(reference)[:, step]


@lru_cache(maxsize=2)
def _best(reference: Reference, release: Cells, exchanged: int) -> npt.NDArray[np.int32]:
    """(n_users, n_steps) the regions that are expected to find most."""
    found = belief(reference, release, exchanged, raised=False)
    share = shown_share(reference.habits, release, ratios_of(reference, release), found.places)
    step = reference.rules.step_of_day(release.time_ids)
    guess = np.empty(release.code.shape, np.int32)
    ptr, region, mass = _regions(found.places, release)
    habit, near = reference.habits.gain, _near(reference)
    best_guesses(ptr, region, np.float32(share) * mass, step, habit, near, guess)
    return guess


@lru_cache(maxsize=1)
def _usual(reference: Reference) -> npt.NDArray[np.int32]:
    """(n_users, steps_per_day) the region that habits alone expect to find most."""
    return np.asarray(reference.habits.gain.argmax(axis=2), dtype=np.int32)


@lru_cache(maxsize=1)
def _near(
    reference: Reference,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """What naming regions near a true one finds, as CSR by true region."""
    found = sparse.csr_array(gains(reference.rules))
    return found.indptr.astype(np.int64), found.indices.astype(np.int32), found.data


def _regions(
    places: BelievedPlaces, release: Cells
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Places as regions: nothing for deleted cells, each region of a set by its part."""
    size = np.ones(release.n_contents, np.int64)
    size[release.deleted] = 0
    size[release.deleted + 1 :] = release.set_sizes
    count = size[places.content]
    begin = np.concatenate([np.arange(release.n_regions), [0], release.ptr[:-1]])
    members = np.concatenate([np.arange(release.n_regions, dtype=np.int32), release.member])
    begin[release.deleted + 1 :] += release.n_regions
    total = pointers(count)
    entry = ranges(begin[places.content], count)
    mass = np.repeat(places.mass / np.maximum(count, 1), count)
    return total[places.ptr], members[entry], mass.astype(np.float32)
