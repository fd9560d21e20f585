"""Decided questions in one form for verifications and audits: stretches of users, with bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.machinery.compiled import tiered
from mixsafe.machinery.spill import blocks
from mixsafe.model.answer.verdict import DECISIONS, UNSAFE
from mixsafe.model.csr import begins_of
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones

Ints = npt.NDArray[np.int64]
Small = npt.NDArray[np.int32]
AnyInts = npt.NDArray[np.integer]
Flags = npt.NDArray[np.bool_]

KNOWN = len(DECISIONS)
"""Code of a stretch that is known by assumption, beside those of verdicts."""


class NamedCandidates(NamedTuple):
    """The candidates of a question.

    Parameters
    ----------
    names
        Of proven ones, all of them or as many as were asked for.
    proven, possible
        How many there are, at least and at most.
    """

    names: list[str]
    proven: int
    possible: int


Naming = Callable[[int, int], NamedCandidates]
"""Returns candidates, given a question and the largest number of names to list."""


class Sighted(NamedTuple):
    """Sightings: who, by row of the questions, and when, (n_sightings,) each."""

    row: AnyInts
    step: AnyInts


def _nobody() -> Sighted:
    """No sighting."""
    return Sighted(np.zeros(0, np.int64), np.zeros(0, np.int64))


def _never(row: int) -> Ints:
    """No meeting."""
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False)
class Decided:
    """Questions about users and times, with proven bounds on the number of candidates.

    Parameters
    ----------
    zones
        Where users meet.
    row, start, end
        (n,) each, sorted by row and start: the user, and the first and last step of the question.
        Those of one user do not overlap, unless a step is asked about twice.
    k, lower, upper
        (n,) each: what was asked, and bounds on the number of candidates.
    meeting
        (n,) mix zone at which the stretch that the question lies in begins; -1: there is none
        before it.
    candidates
        Names the candidates of a question, as many as are asked for.
    whole
        Every user was asked about at every time, not only at some.
    others
        Names of the users where they are not the rows of ``zones``: to an auditor those are
        published tracks, and meetings of users are unknown.
    placed
        (n,) codes of verdicts where candidates must be at several places, too; None: their number
        decides.
    known
        (n,) questions that are known by assumption; None: none is.
    seen
        Sightings of the users.
    meets
        Returns the steps at which a user, or a track that can be the user's, is in a mix zone.

    Raises
    ------
    InputError
        Lengths that differ.
    """

    zones: MixZones
    row: Ints
    start: Ints
    end: Ints
    k: Ints
    lower: Ints
    upper: Ints
    meeting: Ints
    candidates: Naming
    whole: bool
    others: Names | None = None
    placed: npt.NDArray[np.int8] | None = None
    known: Flags | None = None
    seen: Sighted = field(default_factory=_nobody)
    meets: Callable[[int], AnyInts] = _never

    def __post_init__(self) -> None:
        columns = (self.start, self.end, self.k, self.lower, self.upper, self.meeting)
        if any(len(column) != len(self.row) for column in columns):
            raise InputError("the columns of what was decided differ in length")

    @property
    def users(self) -> Names:
        """Names of the users, by row of the questions."""
        return self.zones.users if self.others is None else self.others

    @cached_property
    def verdict(self) -> npt.NDArray[np.int8]:
        """(n,) codes of verdicts."""
        if self.placed is not None:
            return self.placed
        return ((self.lower < self.k) * (1 + (self.upper >= self.k))).astype(np.int8)

    @cached_property
    def standing(self) -> npt.NDArray[np.int8]:
        """(n,) codes of verdicts, :data:`KNOWN` where an unsafe one is known by assumption."""
        if self.known is None:
            return self.verdict
        return np.where(self.known & (self.verdict == UNSAFE), np.int8(KNOWN), self.verdict)

    @cached_property
    def weight(self) -> Small:
        """(n,) steps that a question stands for: those in which something is published.

        To an auditor, whose users are not the rows of ``zones``, all of them.
        """
        found = np.ones(len(self.row), np.int32)
        for part in blocks(len(found) if self.whole else 0):
            row, start, end = self.row[part], self.start[part], self.end[part]
            if self.others is None:
                found[part] = self.zones.time_of(row, start, end)
            else:
                found[part] = end - np.maximum(start, 1) + 1
        return found

    @property
    def gaps(self) -> PublishedSteps | None:
        """Published steps of the users where they may lack some; None: every step asked counts."""
        return self.zones.published if self.whole and self.others is None else None

    @cached_property
    def ptr(self) -> Ints:
        """(n_users + 1,) first question of each user."""
        return begins_of(self.row, len(self.users))

    def at(self, row: AnyInts, step: AnyInts) -> Ints:
        """Number of the question about each (user, step), -1: none; broadcasts."""
        row, step = np.broadcast_arrays(row, step)
        found = np.empty(row.shape, np.int64)
        asked = self.ptr, self.start, self.end
        _question_at(asked, np.ravel(row), np.ravel(step), found.reshape(-1))
        return found

    def known_at(self, row: AnyInts, step: AnyInts) -> Decided:
        """The same with a question of its own for each of these steps, known by assumption.

        Parameters
        ----------
        row, step
            (n_steps,) each: users, and steps at which too few candidates are known by assumption.
        """
        span = np.int64(self.zones.axis.steps + 2)
        question = self.at(row, step)
        row, step, question = (
            column[question >= 0].astype(np.int64) for column in (row, step, question)
        )
        cut, after = row * span + step, step < self.end[question]
        old = self.row * span + self.start
        key = np.unique(np.concatenate([old, cut, cut[after] + 1]))
        source = np.searchsorted(old, key, side="right") - 1
        end = self.end[source]
        more = source[1:] == source[:-1]
        start = key - self.row[source] * span
        end[:-1][more] = start[1:][more] - 1
        columns: dict[str, Any] = {
            name: getattr(self, name)[source] for name in ("row", "k", "lower", "upper", "meeting")
        }
        return replace(
            self, **columns, start=start, end=end,
            placed=None if self.placed is None else self.placed[source],
            candidates=lambda question, most: self.candidates(int(source[question]), most),
            known=np.isin(key, cut) & (columns["upper"] < columns["k"]),
        )  # fmt: skip


@tiered
def _question_at(  # pragma: no cover - compiled
    asked: tuple[Ints, AnyInts, AnyInts], row: AnyInts, step: AnyInts, found: Ints
) -> None:
    """The last question of each row that begins by the step, unless it has ended; -1: none.

    Parameters
    ----------
    asked
        Offsets of the rows, and the first and last step of each question.
    row, step, found
        (n,) each; the last is filled.
    """
    ptr, start, end = asked
    for one in range(len(row)):
        found[one] = -1
        if row[one] + 1 >= len(ptr):
            continue
        first = low = ptr[row[one]]
        high = ptr[row[one] + 1]
        while low < high:
            middle = (low + high) // 2
            if start[middle] <= step[one]:
                low = middle + 1
            else:
                high = middle
        if low > first and end[low - 1] >= step[one]:
            found[one] = low - 1


def verdict_word(code: int) -> str:
    """Word of a verdict's code."""
    return DECISIONS[code].value
