"""Options of ``mixsafe vary`` alone: the rules to compare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mixsafe.errors import InputError
from mixsafe.extract.adversaries import ADVERSARIES
from mixsafe.model.numerals import is_decimal
from mixsafe_cli.options.checks import check_choice, check_not_negative, check_positive, number
from mixsafe_cli.options.records import one_of, panel

if TYPE_CHECKING:
    from mixsafe.tasks.varying import Variants

_option = panel()
_rule = panel("Rules to compare")

MEETINGS = {"yes": (True,), "no": (False,), "both": (True, False)}


@dataclass(frozen=True)
class VaryOptions:
    """The rules to compare, the question and the time."""

    rotations: str = _rule(
        "When all pseudonyms change: never, or schedules as for --rotate of 'mixsafe verify'.",
        default="never",
        metavar="S1,S2",
    )
    limits: str = _rule(
        "How far people get: km/h, or regions per step where times are numbers; any: no limit.",
        default="any",
        metavar="L1,L2",
    )
    meetings: str = _rule(
        "Pseudonyms are exchanged at mix zones.", default="yes", **one_of(MEETINGS)
    )
    adversaries: str = _rule(lambda: f"{ADVERSARIES.help()}.", default="endpoints", metavar="A1,A2")
    k: int = _option("Candidates a user needs, at least 2.", default=3)
    time_limit: float | None = _option("Seconds for each variant. Default: none.")
    workers: int = _option("Threads and processes; 0: one per core.", default=0)

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
    if not is_decimal(text):
        raise InputError(f"--limits '{text}' is not above 0", hint="write km/h, or any")
    return number("--limits", text)
