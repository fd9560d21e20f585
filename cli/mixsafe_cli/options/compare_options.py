"""Options of ``mixsafe compare`` that no other command has."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.options.checks import check_choice, check_positive, refuse_together
from mixsafe_cli.options.question_options import QuestionOptions
from mixsafe_cli.options.records import one_of
from mixsafe_cli.options.source_options import SourceOptions

TASKS = ("verify", "optimize")
KNOWN = ("asked", "everyone")

_option = functools.partial(typer.Option, rich_help_panel="What is compared", show_default=False)


@dataclass(frozen=True)
class CompareOptions:
    """Who is compared, on how many questions."""

    engines: Annotated[
        str,
        _option(
            "--engines", help=f"Of {', '.join(ENGINES.names('compare'))}. Default: auto,cpsat,dp."
        ),
    ] = "auto,cpsat,dp"
    task: Annotated[
        str,
        _option(
            "--task",
            **one_of(("verify", "optimize")),
            help="Decide who is safe, or find a minimum set of mix zones. Default: verify.",
        ),
    ] = "verify"
    sizes: Annotated[
        str | None,
        _option("--sizes", metavar="N1,N2", help="Random samples of so many users each."),
    ] = None
    seeds: Annotated[int, _option("--seeds", help="Samples of each size. Default: 3.")] = 3
    per_run: Annotated[
        int | None,
        _option(
            "--requirements-per-run", help="To optimize: users drawn with a time each. Default: 5."
        ),
    ] = None
    known: Annotated[
        str | None,
        _option(
            "--known",
            **one_of(("asked", "everyone")),
            help="To optimize: whom the adversary sees, users with a requirement, or all."
            " Default: asked.",
        ),
    ] = None
    time_limit: Annotated[
        float, _option("--time-limit", help="Seconds for each run; then it is ended. Default: 60.")
    ] = 60.0
    workers: Annotated[
        int,
        _option("--workers", help="Threads and processes of a run; 0: one per core. Default: 1."),
    ] = 1

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
        words = [word.strip() for word in self.sizes.split(",")]
        if not all(word.isascii() and word.isdigit() and int(word) > 0 for word in words):
            raise InputError(f"--sizes '{self.sizes}' are no numbers of users", hint="as in 10,25")
        return sorted({int(word) for word in words})

    def check(self, source: SourceOptions, question: QuestionOptions) -> None:
        """Refuse values that cannot be right, or that contradict others.

        Raises
        ------
        InputError
            Says which, and why.
        """
        check_choice("--task", self.task, TASKS)
        check_choice("--known", self.known, KNOWN)
        check_positive("--seeds", self.seeds)
        check_positive("--requirements-per-run", self.per_run)
        check_positive("--time-limit", self.time_limit)
        if self.workers < 0:
            raise InputError(f"--workers {self.workers} is negative")
        if self.numbers:
            refuse_together(
                {"--users": source.users, "--user-list": source.user_list},
                "--sizes takes random samples",
            )
        given: dict[str, object] = {"--rule": question.rule, "--exhaustive": question.exhaustive}
        refuse_together(given, "compare asks for verdicts on requirements only")
        drawing: dict[str, object] = {
            "--requirements-per-run": self.per_run,
            "--known": self.known,
        }
        if self.task == "verify":
            refuse_together(drawing, "only --task optimize draws requirements")
            return
        refuse_together({"--at": question.at}, "--task optimize draws the times")
        if question.requirements is not None:
            refuse_together(drawing | {"--sizes": self.sizes}, "--requirements says what is asked")
