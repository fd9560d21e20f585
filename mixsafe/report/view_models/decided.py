"""Decided questions in one form for all view models: time stretches of users, with bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import DECISIONS
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.candidates import KnownCandidates
from mixsafe.verify.verification import Verification

Ints = npt.NDArray[np.int64]
AnyInts = npt.NDArray[np.integer]


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
    def weight(self) -> Ints:
        """(n,) steps that a question stands for: those in which something is published.

        To an auditor, whose users are not the rows of ``zones``, all of them.
        """
        if not self.whole:
            return np.ones(len(self.row), np.int64)
        if self.others is None:
            return self.zones.time_of(self.row, self.start, self.end)
        return self.end.astype(np.int64) - np.maximum(self.start, 1) + 1

    @property
    def gaps(self) -> PublishedSteps | None:
        """Published steps of the users where they may lack some; None: every step asked counts."""
        return self.zones.published if self.whole and self.others is None else None

    def at(self, row: AnyInts, step: AnyInts) -> Ints:
        """Number of the question about each (user, step), -1: none; broadcasts."""
        span = np.int64(self.zones.axis.steps + 1)
        found = np.searchsorted(self.row * span + self.start, row * span + step, side="right") - 1
        hit = (found >= 0) & (self.row[found] == row) & (self.end[found] >= step)
        return np.where(hit, found, -1)


def decided(answer: Verification) -> Decided:
    """The decided questions of a verification.

    Parameters
    ----------
    answer
        Of ``verify(..., keep_candidates=True)``, without ``exhaustive`` alone.

    Raises
    ------
    InputError
        The answer has no candidates.
    """
    if answer.candidates is None:
        raise InputError("the answer has no candidates", hint="verify(..., keep_candidates=True)")
    # The answer keeps the compressed network only, in which some of these zones are gone.
    found, network = answer.rows, WireNetwork.of(answer.problem.zones)
    entered = np.full(network.n_wires, -1, np.int32)
    entered[network.before + 1] = answer.problem.zones.zone_of_member
    if answer.every_wire:
        there = np.ones(answer.problem.zones.n_users, bool)
        there[answer.problem.zones.absent] = False
        wires = np.arange(network.n_wires)
        order = np.flatnonzero(there[network.row])
    else:
        order = np.lexsort((found.k, found.start, found.user))
        wires = network.wire_at(found.user, found.start)

    def column(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # Half the memory of int64: there is one number for every wire.
        return values[order].astype(np.int32, copy=False)

    return Decided(
        answer.problem.zones,
        column(found.user),
        column(found.start),
        column(found.end),
        column(found.k),
        column(found.lower),
        column(found.upper),
        column(entered[wires]),
        _naming(answer.problem.zones.users, answer.candidates, order),
        whole=answer.every_wire,
        placed=None if answer.places is None else found.verdict[order],
    )


def _naming(users: Names, known: KnownCandidates, order: Ints) -> Naming:
    """Lookup of the candidates of questions, which are requested in this ``order``."""

    def candidates(question: int, most: int) -> NamedCandidates:
        found = known.of_row(int(order[question]), most)
        names = [str(name) for name in users[found.tokens].tolist()]
        return NamedCandidates(names, found.proven, found.possible)

    return candidates


def verdict_word(code: int) -> str:
    """Word of a verdict's code."""
    return DECISIONS[code].value
