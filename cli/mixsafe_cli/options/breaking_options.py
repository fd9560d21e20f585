"""Options of ``mixsafe breaking``: what is to be broken, by which sightings, in what time."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.checks import check_file, check_positive, refuse_together
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.records import offering, one_of, panel

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

    k: Annotated[
        int | None, _asked("--k", help="Pseudonyms that each user might carry, at least.")
    ] = None
    target: Annotated[
        str | None,
        _asked(
            "--target",
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
    requirements: Annotated[
        Path | None, _asked("--requirements", help="Instead of --k: CSV user_id,time_id,k.")
    ] = None
    draw: Annotated[
        int | None, _asked("--draw", metavar="N", help="N targets only, drawn by --seed.")
    ] = None
    at_most: Annotated[
        int, _seen("--at-most", metavar="M", help="No more than M further sightings. Default: 4.")
    ] = 4
    sightings: Annotated[
        str,
        _seen(
            "--sightings",
            **one_of(OF, "FILE"),
            help="Of the user, of anybody, or those of a CSV user_id,time_id. Default: self.",
        ),
    ] = "self"
    away: Annotated[
        int | None,
        _seen(
            "--away",
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
            "--draws",
            metavar="N",
            help="Instead of numbers: shares singled out by the worst and by random sightings,"
            " drawn N times, without and with exchanges. Needs traces.",
        ),
    ] = None
    reference: Annotated[
        Path | None,
        _curves("--reference", help="Traces of habits that sightings are taken from instead."),
    ] = None
    time_limit: Annotated[
        float | None,
        _search("--time-limit", help="Seconds for the whole run; then bounds. Default: none."),
    ] = None
    workers: Annotated[
        int, _search("--workers", help="Threads and processes; 0: one per core. Default: 0.")
    ] = 0
    resume: Annotated[
        Path | None,
        _search("--resume", metavar="DIR", help="Keep what is found, or go on from there."),
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
            given: dict[str, object] = {
                "--target": self.target,
                "--requirements": self.requirements,
            }
            refuse_together(given, "--per-wire asks about each stretch by itself")
        check_positive("--draws", self.draws)
        check_file("--reference", self.reference)
        self._check_curves()
        if self.target is not None:
            from mixsafe.breaking.targets import WantedTargets

            WantedTargets.parse(self.target, self.k)
        for option, least in (("--at-most", self.at_most), ("--away", self.away)):
            if least is not None and least < 0:
                raise InputError(f"{option} {least} is negative")
        if self.workers < 0:
            raise InputError(f"--workers {self.workers} is negative")
        check_positive("--draw", self.draw)
        check_positive("--time-limit", self.time_limit)
        if self.file is not None:
            if not self.file.exists():
                raise InputError(
                    f"--sightings '{self.sightings}' is neither a known word nor a file",
                    hint="use self, anybody, or a CSV file with user_id,time_id",
                )
            check_file("--sightings", self.file)
        if self.resume is not None:
            from mixsafe.journal import checkpoint

            checkpoint.check_folder(self.resume)

    def _check_curves(self) -> None:
        """Refuse options that curves know nothing of, or that are for curves only."""
        if self.draws is None:
            refuse_together({"--reference": self.reference}, "there is no --draws")
            return
        given: dict[str, object] = {
            "--target": self.target,
            "--per-wire": self.per_wire,
            "--requirements": self.requirements,
            "--draw": self.draw,
            "--away": self.away,
            "--suppress": self.suppress,
            "--resume": self.resume,
            "--sightings": None if self.sightings == "self" else self.sightings,
        }
        refuse_together(given, "--draws asks for curves of single persons")
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
