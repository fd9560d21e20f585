"""Options of ``mixsafe vary`` alone: the rules to compare."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe_cli.options.checks import check_choice, check_not_negative, check_positive
from mixsafe_cli.options.records import one_of

if TYPE_CHECKING:
    from mixsafe.tasks.varying import Variants

_rule = functools.partial(typer.Option, rich_help_panel="Rules to compare", show_default=False)

MEETINGS = {"yes": (True,), "no": (False,), "both": (True, False)}


@dataclass(frozen=True)
class VaryOptions:
    """The rules to compare, the question and the time."""

    rotations: Annotated[
        str,
        _rule(
            metavar="S1,S2",
            help="When all pseudonyms change: never, or schedules as for --rotate of 'mixsafe"
            " verify'. Default: never.",
        ),
    ] = "never"
    limits: Annotated[
        str,
        _rule(
            metavar="L1,L2",
            help="How far people get: km/h, or regions per step where times are numbers; any: no"
            " limit. Default: any.",
        ),
    ] = "any"
    meetings: Annotated[
        str,
        _rule(**one_of(MEETINGS), help="Pseudonyms are exchanged at mix zones. Default: yes."),
    ] = "yes"
    adversaries: Annotated[
        str, _rule(metavar="A1,A2", help=f"{ADVERSARIES.help()}. Default: endpoints.")
    ] = "endpoints"
    k: Annotated[int, typer.Option(help="Candidates a user needs, at least 2. Default: 3.")] = 3
    time_limit: Annotated[
        float | None, typer.Option(help="Seconds for each variant. Default: none.")
    ] = None
    workers: Annotated[
        int, typer.Option(help="Threads and processes; 0: one per core. Default: 0.")
    ] = 0

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            An unknown adversary, schedule or word, a limit or a number out of range.
        """
        from mixsafe.model.question.requirement import check_k

        check_k(self.k, "--k")
        check_choice("--meetings", self.meetings, tuple(MEETINGS))
        check_not_negative(self, "workers")
        check_positive(self, "time_limit")
        for name in self.adversaries.split(","):
            check_choice("--adversaries", name, ADVERSARIES.names())
        _ = self.variants

    @property
    def variants(self) -> Variants:
        """The rules; every combination is decided.

        Raises
        ------
        InputError
            A schedule that is none, or a limit that is not above 0.
        """
        from mixsafe.extract.exchange.rotation import Schedule
        from mixsafe.tasks.varying import NEVER, Variants

        rotations = self.rotations.split(",")
        for rotation in rotations:
            if rotation != NEVER:
                Schedule.parse(rotation)
        return Variants(
            self.adversaries.split(","),
            rotations,
            [_limit(text) for text in self.limits.split(",")],
            MEETINGS[self.meetings],
        )


def _limit(text: str) -> float | None:
    """A limit; None: any way is possible."""
    if text == "any":
        return None
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit < float("inf"):
        raise InputError(f"--limits '{text}' is not above 0", hint="write km/h, or any")
    return limit
