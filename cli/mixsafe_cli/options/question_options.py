"""Options of commands that decide: the adversary, the question and the engine."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe.solver.registry import ENGINES, Engine
from mixsafe_cli.options.checks import (
    check_asked_k,
    check_choice,
    check_file,
    check_moments,
    check_not_negative,
    check_positive,
    refuse,
)
from mixsafe_cli.options.records import offering, one_of, panel

_adversary = panel("Adversary")
_asked = panel("Question")
_engine = panel("Solver")


@dataclasses.dataclass(frozen=True)
class AdversaryOptions:
    """Options of the adversary's knowledge."""

    adversary: str | None = _adversary(
        lambda: f"{ADVERSARIES.help()}; FILE: CSV user_id,time_id. Default: {DEFAULT}.",
        metavar="NAME|FILE",
        autocompletion=offering(ADVERSARIES.names),
    )
    sealed: bool = _adversary(
        "Everybody is seen at the last step, too: what is safe then stays safe, whatever is"
        " published and learned later.",
        default=False,
    )

    @property
    def name(self) -> str:
        """The adversary named by the option, or the default one."""
        return DEFAULT if self.adversary is None else self.adversary

    @property
    def file(self) -> Path | None:
        """File of sightings; None for a built-in adversary."""
        return None if self.name in ADVERSARIES else Path(self.name)

    @property
    def called(self) -> str:
        """The name of the adversary, or of its file without the folder."""
        return self.name if self.file is None else self.file.name

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            The adversary is neither a known one nor a file.
        """
        if self.file is not None and not self.file.exists():
            raise InputError(
                f"--adversary '{self.name}' is neither a known one nor a file",
                hint=f"use {', '.join(ADVERSARIES.names())}, or a CSV file with user_id,time_id",
            )
        check_file("--adversary", self.file)


@dataclasses.dataclass(frozen=True)
class RuleOptions:
    """Whether users pass."""

    k: int | None = _asked("Candidates a user needs, at least 2.")
    at: str | None = _asked("Only these times. Default: all.", metavar="T1,T2")
    requirements: Path | None = _asked("Instead of --k: CSV user_id,time_id,k.")
    rule: str | None = _asked(
        "When a user must be safe. Default: every with --at or --requirements, else some.",
        **one_of(("every", "some"), "share:P"),
    )

    def check(self) -> None:
        """Refuse questions that cannot be asked.

        Raises
        ------
        InputError
            A k below 2, or options that contradict each other.
        """
        check_asked_k(self.k)
        if self.requirements is not None:
            refuse(self, "--requirements contains the question", "k", "at")
            check_file("--requirements", self.requirements)
        if self.at is not None:
            check_moments(self.at)
            if self.k is None:
                raise InputError("--at needs --k")
        if self.rule is not None:
            from mixsafe.model.question.requirement import Rule

            Rule.parse(self.rule)


DistinctPlaces = Annotated[
    int | None,
    typer.Option(
        rich_help_panel="Question",
        metavar="L",
        help="The candidates of a user must be at L distinct places at the same time, too; 1 only"
        " counts the places.",
    ),
]
"""Number of places at which candidates must be."""


@dataclasses.dataclass(frozen=True)
class PlacedRuleOptions(RuleOptions):
    """Whether users pass, at distinct places."""

    distinct_places: DistinctPlaces = None

    def check(self) -> None:
        """Refuse questions that cannot be asked.

        Raises
        ------
        InputError
            As for the question without places; or fewer than one place.
        """
        super().check()
        check_positive(self, "distinct_places")


@dataclasses.dataclass(frozen=True)
class QuestionOptions(RuleOptions):
    """The question about users and times."""

    exhaustive: bool = _asked("List all candidates of every user and time.", default=False)


@dataclasses.dataclass(frozen=True)
class PlacedQuestionOptions(PlacedRuleOptions, QuestionOptions):
    """The question about users, times and places."""


def encoded() -> list[Engine]:
    """Engines that have a choice of encodings."""
    return [engine for engine in ENGINES.within("verify") if engine.encodings]


@dataclasses.dataclass(frozen=True)
class EngineOptions:
    """The engine and its limits."""

    engine: str = _engine(
        lambda: f"{ENGINES.help('verify')}.",
        default="auto",
        **one_of(lambda: ENGINES.names("verify")),
    )
    encoding: str | None = _engine(
        lambda: f"Encoding of {' or '.join(one.name for one in encoded())}. Default: flow.",
        **one_of(lambda: (one for engine in encoded() for one in engine.encodings)),
    )
    time_limit: float | None = _engine("Seconds for the whole run. Default: none.")
    workers: int = _engine("Threads and processes; 0: one per core.", default=0)

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An unknown engine, a limit out of range, an encoding for an engine that has none.
        """
        check_choice("--engine", self.engine, ENGINES.names("verify"))
        chosen = ENGINES[self.engine]
        if not chosen.encodings:
            who = " and ".join(engine.name for engine in encoded())
            refuse(self, f"only engine {who} has encodings", "encoding")
        check_choice("--encoding", self.encoding, chosen.encodings)
        check_positive(self, "time_limit")
        check_not_negative(self, "workers")
