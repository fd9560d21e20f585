"""Options of ``mixsafe pseudonymize``: what is released, what is secret, what must be achieved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe.solver.registry import ENGINES
from mixsafe_cli.options.checks import (
    check_asked_k,
    check_choice,
    check_positive,
    given,
    refuse_together,
)
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import one_of

METHODS = ("shuffle", "mixzone")


@dataclass(frozen=True)
class MixOptions:
    """What exchange at mix zones must achieve."""

    k: Annotated[
        int | None, typer.Option(help="Pseudonyms that a user might carry. Default: 3.")
    ] = None
    rule: Annotated[
        str | None,
        typer.Option(**one_of(("every", "some"), "share:P"), help="As in verify. Default: some."),
    ] = None
    zones: Annotated[
        str | None,
        typer.Option(
            **one_of(("all", "minimum")),
            help="Where to exchange: wherever users are"
            " visibly together, or in as few zones as let the same users pass. Default: all.",
        ),
    ] = None
    enforce: Annotated[
        bool,
        typer.Option("--enforce", help="Suppress cells that are not private, until all pass."),
    ] = False
    engine: Annotated[
        str | None,
        typer.Option(
            **one_of(ENGINES.names("verify")),
            help="Who verifies; bounds is fast. Default: auto.",
        ),
    ] = None
    time_limit: Annotated[float | None, typer.Option(help="Seconds to verify. Default: none.")] = (
        None
    )
    workers: Annotated[int, typer.Option(min=0, help="Threads and processes; 0: one per core.")] = 0

    def settings(self, adversary: AdversaryOptions) -> dict[str, Any]:
        """What is asked, with the defaults filled in."""
        return {
            "k": 3 if self.k is None else self.k,
            "adversary": adversary.adversary or "endpoints",
            "rule": self.rule or "some",
            "engine": self.engine or "auto",
            "exchange_in": self.zones or "all",
            "enforced": self.enforce,
        }

    def check_with(self, method: str, adversary: AdversaryOptions) -> None:
        """Refuse values that the method has no use for.

        Raises
        ------
        InputError
            Names them.
        """
        if method == "shuffle":
            why = "a static shuffle exchanges nothing; use --method mixzone"
            names = ("k", "rule", "zones", "enforce", "engine", "time_limit")
            refuse_together({**given(self, *names), **given(adversary, "adversary")}, why)

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 2, an unknown word, or suppression that would change the zones.
        """
        check_asked_k(self.k)
        check_choice("--engine", self.engine, ENGINES.names("verify"))
        check_positive(self, "time_limit")
        check_choice("--zones", self.zones, ("all", "minimum"))
        if self.rule is not None:
            from mixsafe.model.question.requirement import Rule

            Rule.parse(self.rule)
        if self.zones == "minimum" and self.enforce:
            raise InputError(
                "--enforce cannot be used with --zones minimum: suppression changes the zones",
                hint="use --zones all",
            )


@dataclass(frozen=True)
class PseudonymizeOptions:
    """What is released, where to, and what pseudonyms do in it."""

    source: Annotated[
        Path, typer.Argument(metavar="SOURCE", help="Released cells (ANO), or original traces.")
    ]
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to publish, or a folder for all files.")
    ]
    method: Annotated[str, typer.Option(**one_of(METHODS), help="What pseudonyms do.")]


@dataclass(frozen=True)
class SecretOptions:
    """Who is who, and the chance that decided it."""

    table: Annotated[
        Path | None,
        typer.Option(help="Secret: who is who. In a folder: ptable.csv."),
    ] = None
    original: Annotated[
        Path | None, typer.Option(metavar="ORG", help="Whose cells SOURCE holds.")
    ] = None
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Repeat a test. By default randomness is cryptographic: whoever learns or guesses"
            " a seed undoes the release, so give none for what you publish.",
        ),
    ] = None

    def random(self) -> Any:  # noqa: ANN401 -- NumPy is not loaded here
        """The source of chance; None: the system's cryptographic one."""
        if self.seed is None:
            return None
        import numpy as np

        return np.random.default_rng(self.seed)
