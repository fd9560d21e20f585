"""Teams of a tournament: what each is given, what it hands in, and how that is checked.

A team hands in code, or answers that it made in any other way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import Anonymiser, AnswerKind, Attacker
from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

Numbers = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class DataSet:
    """Traces of one team's users.

    Parameters
    ----------
    original
        What the team obfuscates; nobody else ever sees it.
    reference
        Earlier traces of the same users; given to everybody. Both become read-only.

    Raises
    ------
    InputError
        Traces of different numbers of users.
    """

    original: TraceMatrix
    reference: TraceMatrix

    def __post_init__(self) -> None:
        if self.original.n_users != self.reference.n_users:
            raise InputError(
                f"{self.original.n_users} users in the original traces,"
                f" but {self.reference.n_users} in the reference traces"
            )
        # No team's code changes what the judge or another team works with.
        for traces in (self.original, self.reference):
            traces.region.flags.writeable = False


@dataclass(frozen=True)
class Target:
    """Whose release a team attacks.

    Parameters
    ----------
    attacker, victim
        Numbers of the two teams, from 1; the judge's own release has the number after the last.
    """

    attacker: int
    victim: int


class Contestant(Protocol):
    """A team, as the judge sees it. None is what was not handed in."""

    @property
    def name(self) -> str:
        """The team's name."""

    def obfuscate(
        self, original: TraceMatrix, rules: Rules, random: np.random.Generator
    ) -> Cells | None:
        """Released cells of the team's own original traces, (n_users, n_steps)."""

    def attack(
        self,
        answers: AnswerKind,
        target: Target,
        reference: Reference,
        release: Cells,
        random: np.random.Generator,
    ) -> Numbers | None:
        """Users from 0 of pseudonyms (at each time), or regions from 0 of users."""


@dataclass(frozen=True)
class Team:
    """A team of algorithms.

    Parameters
    ----------
    name
        Not empty.
    anonymiser
        Obfuscates the team's traces; None: the team only attacks.
    identifier, inferrer
        Attack the others: one that answers ``ids`` and one that answers ``traces``; None: no
        such attack.

    Raises
    ------
    InputError
        No name, or an attacker in the other's place.
    """

    name: str
    anonymiser: Anonymiser | None = None
    identifier: Attacker | None = None
    inferrer: Attacker | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise InputError("a team needs a name")
        for attacker, answers in ((self.identifier, "ids"), (self.inferrer, "traces")):
            if attacker is not None and attacker.answers != answers:
                raise InputError(
                    f"team {self.name}: {attacker.short} answers {attacker.answers},"
                    f" where {answers} are asked for"
                )

    def obfuscate(
        self, original: TraceMatrix, rules: Rules, random: np.random.Generator
    ) -> Cells | None:
        """What the team's anonymiser makes."""
        if self.anonymiser is None:
            return None
        return self.anonymiser.anonymise(original, rules, random)

    def attack(
        self,
        answers: AnswerKind,
        target: Target,
        reference: Reference,
        release: Cells,
        random: np.random.Generator,
    ) -> Numbers | None:
        """What the team's attacker finds."""
        chosen = self.identifier if answers == "ids" else self.inferrer
        return None if chosen is None else chosen.attack(reference, release, random)


def receive_cells(
    team: Contestant, original: TraceMatrix, rules: Rules, random: np.random.Generator
) -> tuple[Cells | None, str | None]:
    """What a team releases, or why that is not valid: one team's fault is not the tournament's."""
    try:
        cells = team.obfuscate(original, rules, random)
        if cells is not None:
            check_cells(cells, original, rules)
    except Exception as error:  # noqa: BLE001 -- the code is the team's own
        return None, _reason(error)
    return cells, None


def receive_answer(
    team: Contestant,
    answers: AnswerKind,
    target: Target,
    reference: Reference,
    release: Cells,
    random: np.random.Generator,
) -> tuple[Numbers | None, str | None]:
    """What a team answers, or why that is not valid."""
    try:
        answer = team.attack(answers, target, reference, release, random)
        if answer is not None:
            check_answer(answer, answers, release)
            answer = answer.astype(np.int32)
    except Exception as error:  # noqa: BLE001 -- the code is the team's own
        return None, _reason(error)
    return answer, None


def _reason(error: Exception) -> str:
    """What went wrong, in one line."""
    text = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split())


def check_cells(cells: Cells, original: TraceMatrix, rules: Rules) -> None:
    """Refuse released cells that are not those of the original traces' users and times.

    Raises
    ------
    InputError
        Something else than cells, of other users or times, or of other regions.
    """
    if not isinstance(cells, Cells):
        raise InputError(f"released cells must be Cells, not {type(cells).__name__}")
    expected = (*original.region.shape, original.first_time, rules.regions.count)
    found = (*cells.code.shape, cells.first_time, cells.n_regions)
    if found != expected:
        raise InputError(
            "released cells of {} users, {} times from {} on and {} regions".format(*found)
            + " instead of {}, {}, {} and {}".format(*expected)
        )


def check_answer(answer: Numbers, answers: AnswerKind, release: Cells) -> None:
    """Refuse an attack's answer that is not about the release.

    Raises
    ------
    InputError
        Something else than whole numbers, of another shape, or out of range.
    """
    if not (isinstance(answer, np.ndarray) and np.issubdtype(answer.dtype, np.integer)):
        raise InputError("an answer must be an array of whole numbers")
    by_time = (release.n_rows, release.n_steps)
    fitting = [by_time, (release.n_rows,)] if answers == "ids" else [by_time]
    if answer.shape not in fitting:
        raise InputError(f"an answer of shape {answer.shape} instead of {fitting[0]}")
    count, what = (release.n_rows, "user") if answers == "ids" else (release.n_regions, "region")
    lowest, highest = int(answer.min()), int(answer.max())
    if lowest < 0 or highest >= count:
        number = lowest if lowest < 0 else highest
        raise InputError(f"an answer names {what} {number}, of 0 to {count - 1}")
