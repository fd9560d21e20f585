"""The parts that a contestant may swap: each is one plain class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.reference import Reference
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.release import Cells

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


@dataclass(frozen=True)
class RegionAnonymiser:
    """An anonymiser whose cells show a region each: base of those that say which."""

    short: ClassVar[str]
    long: ClassVar[str]

    def anonymise(self, original: TraceMatrix, rules: Rules, random: Random) -> Cells:
        """Cells of the same users and times."""
        shown = self.shown(original, rules, random)
        return Cells.of_regions(shown, rules.regions.count, original.first_time)

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """(n_users, n_steps) the regions that are shown."""
        raise NotImplementedError


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


class Belief(Protocol):
    """What an attacker believes of a release: one for all answers that are read off it."""

    def users(self) -> npt.NDArray[np.int32]:
        """The user from 0 of each pseudonym, (n,), or of each at each time, (n, n_steps)."""

    def regions(self) -> npt.NDArray[np.int32]:
        """The region of each user at each time, (n, n_steps)."""


@dataclass(frozen=True)
class Believer:
    """An attacker who forms a belief of a release, and reads it: base of those that do.

    A subclass says what is believed (``believe``), and which answer it reads (``answers``).
    """

    short: ClassVar[str]
    long: ClassVar[str]
    answers: ClassVar[AnswerKind]

    def attack(
        self, reference: Reference, release: Cells, random: np.random.Generator
    ) -> npt.NDArray[np.int32]:
        """The answer, as :class:`Attacker` has it.

        Raises
        ------
        InputError
            A release of other users, or of too many different sets.
        """
        reference.check_fits(release)
        belief = self.believe(reference, release, random)
        return belief.users() if self.answers == "ids" else belief.regions()

    def believe(self, reference: Reference, release: Cells, random: np.random.Generator) -> Belief:
        """What is believed of a release of the same users."""
        raise NotImplementedError


@dataclass(frozen=True)
class ToldOfExchanges(Believer):
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

    exchanged: int = 1

    def __post_init__(self) -> None:
        if self.exchanged not in (0, 1):
            raise InputError(f"{self.short} takes 0 or 1, not {self.exchanged}")


def label(method: Method) -> str:
    """Name with parameters as in the organizers' tables: ``A2-0-0-0.1``."""
    numbers = [format(getattr(method, field.name), "g") for field in fields(method)]  # type: ignore[arg-type]
    return "-".join([method.short, *numbers])
