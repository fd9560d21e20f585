"""Options of commands that decide: the adversary, the question and the engine."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES, DEFAULT
from mixsafe.solver.registry import ENGINES, Engine
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import check_choice, check_file, refuse
from mixsafe_cli.options.declaring import CheckedOptions
from mixsafe_cli.options.records import offering, one_of, panel

_adversary = panel("Adversary")
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
class RuleOptions(CheckedOptions):
    """Whether users pass."""

    k: Annotated[int | None, shared.K] = None
    at: Annotated[str | None, shared.AT] = None
    requirements: Annotated[Path | None, shared.REQUIREMENTS] = None
    rule: Annotated[str | None, shared.RULE] = None


@dataclasses.dataclass(frozen=True)
class PlacedRuleOptions(RuleOptions):
    """Whether users pass, at distinct places."""

    distinct_places: Annotated[int | None, shared.DISTINCT_PLACES] = None


@dataclasses.dataclass(frozen=True)
class QuestionOptions(RuleOptions):
    """The question about users and times."""

    exhaustive: Annotated[bool, shared.EXHAUSTIVE] = False


@dataclasses.dataclass(frozen=True)
class PlacedQuestionOptions(PlacedRuleOptions, QuestionOptions):
    """The question about users, times and places."""


def encoded() -> list[Engine]:
    """Engines that have a choice of encodings."""
    return [engine for engine in ENGINES.within("verify") if engine.encodings]


@dataclasses.dataclass(frozen=True)
class EngineOptions(CheckedOptions):
    """The engine and its limits."""

    engine: Annotated[str, shared.ENGINE] = "auto"
    encoding: str | None = _engine(
        lambda: f"Encoding of {' or '.join(one.name for one in encoded())}. Default: flow.",
        **one_of(lambda: (one for engine in encoded() for one in engine.encodings)),
    )
    time_limit: Annotated[float | None, shared.TIME_LIMIT] = None
    workers: Annotated[int, shared.WORKERS] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An unknown engine, a limit out of range, an encoding for an engine that has none.
        """
        super().check()
        chosen = ENGINES[self.engine]
        if not chosen.encodings:
            who = " and ".join(engine.name for engine in encoded())
            refuse(self, f"only engine {who} has encodings", "encoding")
        check_choice("--encoding", self.encoding, chosen.encodings)
