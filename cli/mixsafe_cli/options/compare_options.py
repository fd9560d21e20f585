"""Options of ``mixsafe compare`` alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_WHOLE, integer_of
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import given, refuse, refuse_together
from mixsafe_cli.options.declaring import CheckedOptions, above_zero, excludes, one_among
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.records import one_of, panel

TASKS = ("verify", "optimize")
KNOWN = ("asked", "everyone")

_option = panel("Comparison")


@dataclass(frozen=True)
class CompareOptions(CheckedOptions):
    """The engines to compare, and the number of questions."""

    engines: str = _option(
        lambda: f"Among {', '.join(ENGINES.names('compare'))}.", default="auto,cpsat,dp"
    )
    task: str = _option(
        "Verify, or find a minimum set of mix zones.",
        default="verify",
        constraints=(one_among(lambda: TASKS),),
        **one_of(TASKS),
    )
    sizes: str | None = _option(
        "Numbers of users in random samples.",
        metavar="N1,N2",
        constraints=(excludes("users", "user_list", why="--sizes takes random samples"),),
    )
    seeds: int = _option("Samples of each size.", default=3, constraints=(above_zero,))
    per_run: int | None = _option(
        "To optimize: number of random requirements. Default: 5.",
        "--requirements-per-run",
        constraints=(above_zero,),
    )
    known: str | None = _option(
        "To optimize: users whom the adversary sees, those with a requirement or all. Default:"
        " asked.",
        constraints=(one_among(lambda: KNOWN),),
        **one_of(KNOWN),
    )
    time_limit: Annotated[
        float,
        shared.TIME_LIMIT.said(
            "Seconds for each run. Default: 60.",
            panel="Comparison",
        ),
    ] = 60.0
    workers: Annotated[
        int,
        shared.WORKERS.said(
            "Threads and processes of a run; 0: one per core.",
            panel="Comparison",
        ),
    ] = 1

    @property
    def what(self) -> Literal["verify", "optimize"]:
        """The task of the engines."""
        return "optimize" if self.task == "optimize" else "verify"

    @property
    def names(self) -> list[str]:
        """The engines, in order."""
        return [name.strip() for name in self.engines.split(",") if name.strip()]

    @property
    def numbers(self) -> list[int]:
        """The sizes, ascending, each once; none where they were not given.

        Raises
        ------
        InputError
            One is not a whole number above 0.
        """
        if self.sizes is None:
            return []
        found = [integer_of(word) for word in self.sizes.split(",")]
        sizes = {one for one in found if one is not None and 0 < one <= MOST_WHOLE}
        if len(sizes) < len(set(found)):
            raise InputError(f"--sizes '{self.sizes}' are no numbers of users", hint="as in 10,25")
        return sorted(sizes)

    def check_with(self, question: QuestionOptions) -> None:
        """Refuse values that contradict others.

        Raises
        ------
        InputError
            Says which, and why.
        """
        self.check()
        _ = self.numbers
        why = "compare asks for verdicts on requirements only"
        refuse(question, why, "rule", "exhaustive")
        drawing = {"--requirements-per-run": self.per_run, **given(self, "known")}
        if self.task == "verify":
            refuse_together(drawing, "only --task optimize draws requirements")
            return
        refuse(question, "--task optimize draws the times", "at")
        if question.requirements is not None:
            refuse_together(drawing | {"--sizes": self.sizes}, "--requirements says what is asked")
