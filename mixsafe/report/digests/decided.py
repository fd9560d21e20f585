"""What was decided, in one form for all who ask: stretches of time of users, with bounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.mobility.traces import Names
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.network.wires import WireNetwork
from mixsafe.verify.core import tokens
from mixsafe.verify.verification import Grounds, Verification

Ints = npt.NDArray[np.int64]
Candidates = Callable[[int], tuple[list[str], list[str]]]
"""Names of the proven and of all possible candidates of a question."""


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
        Names of the proven and of all possible candidates of a question.
    whole
        Every user was asked about at every time, not only at some.
    others
        Names of the users where they are not the rows of ``zones``: to an auditor those are
        published tracks, and nobody knows who met whom.

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
    candidates: Candidates
    whole: bool
    others: Names | None = None

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
        return ((self.lower < self.k) * (1 + (self.upper >= self.k))).astype(np.int8)

    @cached_property
    def weight(self) -> Ints:
        """(n,) steps that a question stands for; step 0 is before anything, and not counted."""
        if not self.whole:
            return np.ones(len(self.row), np.int64)
        return self.end - np.maximum(self.start, 1) + 1

    def at(self, row: Ints, step: Ints) -> Ints:
        """Question about each (user, step), -1 where nothing was asked; broadcasts."""
        span = self.zones.axis.steps + 1
        found = np.searchsorted(self.row * span + self.start, row * span + step, side="right") - 1
        hit = (found >= 0) & (self.row[found] == row) & (self.end[found] >= step)
        return np.where(hit, found, -1)


def decided(answer: Verification) -> Decided:
    """What ``verify`` decided.

    Parameters
    ----------
    answer
        Of ``verify(..., keep_grounds=True)``, without ``exhaustive`` alone.

    Raises
    ------
    InputError
        The answer has no grounds.
    """
    grounds = answer.grounds
    if grounds is None:
        raise InputError("the answer has no grounds", hint="verify(..., keep_grounds=True)")
    network = WireNetwork.of(answer.problem.zones)
    entered = np.full(network.n_wires, -1, np.int64)
    entered[network.before + 1] = answer.problem.zones.zone_of_member
    lower, upper = grounds.answers.lower[grounds.wire], grounds.answers.upper[grounds.wire]
    asked = grounds.requirements
    if asked is None:
        wires, order = np.arange(network.n_wires), np.arange(network.n_wires)
        row, start, end = network.row, network.start, network.end
        k = grounds.answers.k[grounds.wire]
    else:
        order = np.lexsort((asked.k, asked.time, asked.row))
        row, start, end, k = asked.row, asked.time, asked.time, asked.k
        wires = network.wire_at(row, start)

    def column(values: npt.NDArray[Any]) -> Ints:
        return np.asarray(values[order], np.int64)

    return Decided(
        answer.problem.zones,
        column(row),
        column(start),
        column(end),
        column(k),
        column(lower),
        column(upper),
        column(entered[wires]),
        _candidates(answer, grounds, order),
        whole=asked is None,
    )


def _candidates(answer: Verification, grounds: Grounds, order: Ints) -> Candidates:
    """Who tells the candidates of the questions, which are asked in this ``order``."""
    names = [str(name) for name in answer.problem.zones.users.tolist()]

    def candidates(question: int) -> tuple[list[str], list[str]]:
        wire = grounds.wire[order[question]]
        proven = tokens.members(grounds.answers.proven[wire]).tolist()
        possible = tokens.members(grounds.answers.possible[wire]).tolist()
        return [names[token] for token in proven], [names[token] for token in possible]

    return candidates


def verdict_word(code: int) -> str:
    """Word of a verdict's code."""
    return list(Verdict)[code].value
