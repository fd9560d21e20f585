"""Options of ``mixsafe breaking``: targets, sightings, limits."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

from mixsafe.errors import InputError
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import check_file
from mixsafe_cli.options.declaring import (
    CheckedOptions,
    a_file,
    above_zero,
    excludes,
    needs,
    not_negative,
)
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.records import offering, one_of, panel
from mixsafe_cli.options.targets import check_journal

_asked = panel("Target")
_seen = panel("Sightings")
_curves = panel("Curves")
_search = panel("Solver")

OF = ("self", "anybody")


@dataclasses.dataclass(frozen=True)
class BreakingOptions(CheckedOptions):
    """The targets, and the further sightings that may break them."""

    k: Annotated[int | None, shared.K.said(panel="Target")] = None
    target: str | None = _asked(
        "Property of a user to break. lost: some safe time; every: all times safe; share:P: that"
        " share of the time safe; followed: no single pseudonym is the user's all the time."
        " Default: lost; with requirements each of them.",
        metavar="TARGET",
        autocompletion=offering(("lost", "every", "share:", "followed")),
    )
    per_wire: bool = _asked(
        "Break each wire (between two mix zones) by itself.",
        default=False,
        constraints=(excludes("target", "requirements", why="--per-wire has its own targets"),),
    )
    requirements: Annotated[Path | None, shared.REQUIREMENTS.said(panel="Target")] = None
    draw: int | None = _asked("Random sample of N targets.", metavar="N", constraints=(above_zero,))
    at_most: int = _seen(
        "Search up to M further sightings.", default=4, metavar="M", constraints=(not_negative,)
    )
    sightings: str = _seen(
        "Sightings of the user, of anybody, or in a CSV user_id,time_id.",
        default="self",
        **one_of(OF, "FILE"),
    )
    away: int | None = _seen(
        "Ignore sightings within STEPS of the wire asked about. Default: 0 with --per-wire, else"
        " none is ignored.",
        metavar="STEPS",
        constraints=(not_negative,),
    )
    draws: int | None = _curves(
        "Compute unicity curves instead: share of users singled out by the worst and by N random"
        " draws of sightings, without and with exchanges. Needs traces.",
        metavar="N",
        constraints=(
            above_zero,
            excludes(
                *("target", "per_wire", "requirements", "draw", "away", "resume", "sightings"),
                why="--draws computes curves",
            ),
            excludes("adversary", why="--draws draws what she knows"),
            excludes(
                *("max_speed", "max_step", "rotate", "believable"),
                why="curves are about places, not about exchanges",
            ),
        ),
    )
    reference: Path | None = _curves(
        "Traces to take sightings from instead (habits).",
        constraints=(a_file, needs("draws", "there is no --draws")),
    )
    time_limit: Annotated[
        float | None,
        shared.TIME_LIMIT.said("Seconds for the run; then bounds are given. Default: none."),
    ] = None
    workers: Annotated[int, shared.WORKERS] = 0
    resume: Path | None = _search("Keep findings in DIR; continue from them.", metavar="DIR")

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A value out of range, an unknown word, or options that contradict each other.
        """
        super().check()
        if self.draws is not None and self.k is None:
            raise InputError("nothing is asked", hint="say --k 2, or more")
        if self.target is not None:
            from mixsafe.breaking.targets import WantedTargets

            WantedTargets.parse(self.target, self.k)
        if self.file is not None:
            if not self.file.exists():
                raise InputError(
                    f"--sightings '{self.sightings}' is neither a known word nor a file",
                    hint="use self, anybody, or a CSV file with user_id,time_id",
                )
            check_file("--sightings", self.file)
        check_journal(self.resume)

    @property
    def question(self) -> QuestionOptions:
        """The question, as for verify."""
        return QuestionOptions(k=self.k, requirements=self.requirements)

    @property
    def file(self) -> Path | None:
        """File of sightings; None for ``self`` and ``anybody``."""
        return None if self.sightings in OF else Path(self.sightings)

    @property
    def files(self) -> dict[str, Path | None]:
        """Files that are read in addition to source and requirements, by role."""
        return {"sightings": self.file, "reference": self.reference}
