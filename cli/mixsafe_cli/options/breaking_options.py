"""Options of ``mixsafe breaking``: what is to be broken, by which sightings, in what time."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import (
    check_file,
    check_not_negative,
    check_positive,
    refuse,
)
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.records import offering, one_of, panel
from mixsafe_cli.options.targets import check_journal

_asked = panel("What is to be broken")
_seen = panel("By which sightings")
_curves = panel("Curves")
_search = panel("How it is found out")

OF = ("self", "anybody")

FewestSightings = Annotated[
    int | None,
    typer.Option(
        "--fewest-sightings",
        metavar="M",
        help="Find out, too, how many sightings of its own single each track out, M at most.",
    ),
]


@dataclasses.dataclass(frozen=True)
class BreakingOptions:
    """What is to be broken, and by which further sightings."""

    k: Annotated[int | None, _asked(help="Pseudonyms that each user might carry, at least.")] = None
    target: Annotated[
        str | None,
        _asked(
            metavar="TARGET",
            autocompletion=offering(("lost", "every", "share:", "followed")),
            help="What is to fail for a user. lost: that she is lost at some time; every: that she"
            " is safe at every time; share:P: for that share of it; followed: that no one pseudonym"
            " follows her all the time."
            " Default: lost; with requirements each of them.",
        ),
    ] = None
    per_wire: Annotated[
        bool, _asked("--per-wire", help="Instead: each stretch between two mix zones by itself.")
    ] = False
    requirements: Annotated[Path | None, _asked(help="Instead of --k: CSV user_id,time_id,k.")] = (
        None
    )
    draw: Annotated[int | None, _asked(metavar="N", help="N targets only, drawn by --seed.")] = None
    at_most: Annotated[
        int, _seen(metavar="M", help="No more than M further sightings. Default: 4.")
    ] = 4
    sightings: Annotated[
        str,
        _seen(
            **one_of(OF, "FILE"),
            help="Of the user, of anybody, or those of a CSV user_id,time_id. Default: self.",
        ),
    ] = "self"
    away: Annotated[
        int | None,
        _seen(
            metavar="STEPS",
            help="Those within so many steps of a stretch that is asked about do not count for it."
            " Default: 0 for a single stretch, else all count.",
        ),
    ] = None
    suppress: Annotated[
        bool,
        _seen(
            "--suppress",
            help="Find out, too, what must not be seen at least, so that it takes one more.",
        ),
    ] = False
    draws: Annotated[
        int | None,
        _curves(
            metavar="N",
            help="Instead of numbers: shares singled out by the worst and by random sightings,"
            " drawn N times, without and with exchanges. Needs traces.",
        ),
    ] = None
    reference: Annotated[
        Path | None,
        _curves(help="Traces of habits that sightings are taken from instead."),
    ] = None
    time_limit: Annotated[
        float | None,
        _search(help="Seconds for the whole run; then bounds. Default: none."),
    ] = None
    workers: Annotated[int, _search(help="Threads and processes; 0: one per core. Default: 0.")] = 0
    resume: Annotated[
        Path | None,
        _search(metavar="DIR", help="Keep what is found, or go on from there."),
    ] = None

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A value out of range, an unknown word, or options that contradict each other.
        """
        self.question.check()
        if self.per_wire:
            why = "--per-wire asks about each stretch by itself"
            refuse(self, why, "target", "requirements")
        check_positive(self, "draws")
        check_file("--reference", self.reference)
        self._check_curves()
        if self.target is not None:
            from mixsafe.breaking.targets import WantedTargets

            WantedTargets.parse(self.target, self.k)
        check_not_negative(self, "at_most", "away", "workers")
        check_positive(self, "draw", "time_limit")
        if self.file is not None:
            if not self.file.exists():
                raise InputError(
                    f"--sightings '{self.sightings}' is neither a known word nor a file",
                    hint="use self, anybody, or a CSV file with user_id,time_id",
                )
            check_file("--sightings", self.file)
        check_journal(self.resume)

    def _check_curves(self) -> None:
        """Refuse options that curves know nothing of, or that are for curves only."""
        if self.draws is None:
            refuse(self, "there is no --draws", "reference")
            return
        names = ["target", "per_wire", "requirements", "draw", "away", "suppress", "resume"]
        if self.sightings != "self":
            names.append("sightings")
        refuse(self, "--draws asks for curves of single persons", *names)
        if self.k is None:
            raise InputError("nothing is asked", hint="say --k 2, or more")

    @property
    def question(self) -> QuestionOptions:
        """What is asked, as for verify."""
        return QuestionOptions(k=self.k, requirements=self.requirements)

    @property
    def file(self) -> Path | None:
        """File of sightings; None: they are told in a word."""
        return None if self.sightings in OF else Path(self.sightings)

    @property
    def files(self) -> dict[str, Path | None]:
        """What is read besides the source and the requirements, by what it is."""
        return {"sightings": self.file, "reference": self.reference}
