"""The parts that a contestant may swap: each is one plain class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.contest.base.score import Score
from mixsafe.errors import InputError
from mixsafe.model.mobility.trace_matrix import TraceMatrix
from mixsafe.model.release.cells import Cells
from mixsafe.model.release.id_table import IdTable

AnswerKind = Literal["ids", "traces"]
"""What an attacker guesses."""


class Random(Protocol):
    """What mechanisms need of randomness: a Generator, or a RandomState for compatible runs."""

    def random(self, size: int, /) -> npt.NDArray[np.float64]:
        """Uniform numbers in [0, 1)."""

    def shuffle(self, x: npt.NDArray[np.int64], /) -> None:
        """Shuffle in place."""


class Method(Protocol):
    """What has a name and numbers: a frozen record whose fields are its parameters, in order."""

    short: ClassVar[str]
    long: ClassVar[str]


class Anonymiser(Method, Protocol):
    """Turns users' traces into released cells."""

    def anonymise(self, original: TraceMatrix, rules: Rules, random: Random) -> Cells:
        """Cells of the same users and times."""


class Pseudonymizer(Protocol):
    """Decides whose cells each pseudonym carries."""

    def __call__(self, cells: Cells, random: np.random.Generator | None) -> IdTable:
        """Table for ``cells``; without ``random``, from the system's cryptographic source."""


class Attacker(Method, Protocol):
    """Guesses from reference traces and a release.

    ``answers`` says what: ``ids``, the user from 0 of each pseudonym, (n,), or of each pseudonym
    at each time, (n, n_steps); or ``traces``, the region of each user at each time, (n, n_steps).
    """

    answers: ClassVar[AnswerKind]

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """The answer, int32."""


@dataclass(frozen=True)
class ToldOfExchanges:
    """An attacker who is told whether pseudonyms are exchanged: base of those that use it.

    Parameters
    ----------
    exchanged
        1: pseudonyms may be exchanged wherever users show the same cell; 0: they never are, and
        the same evidence weighs whole tracks.

    Raises
    ------
    InputError
        Neither 0 nor 1.
    """

    short: ClassVar[str]
    exchanged: int = 1

    def __post_init__(self) -> None:
        if self.exchanged not in (0, 1):
            raise InputError(f"{self.short} takes 0 or 1, not {self.exchanged}")


class Scorer(Protocol):
    """Says how little an attacker's answer has found."""

    def __call__(
        self,
        original: TraceMatrix,
        table: IdTable,
        answer: npt.NDArray[np.int32],
        rules: Rules,
    ) -> Score:
        """The score, 0 to 1, higher is better for the publisher."""


def label(method: Method) -> str:
    """Name with parameters as in the organizers' tables: ``A2-0-0-0.1``."""
    numbers = [format(getattr(method, field.name), "g") for field in fields(method)]  # type: ignore[arg-type]
    return "-".join([method.short, *numbers])
