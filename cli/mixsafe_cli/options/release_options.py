"""Options of ``mixsafe pseudonymize``: the release, the secret table, the goal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options import shared
from mixsafe_cli.options.checks import given, refuse, refuse_together
from mixsafe_cli.options.declaring import CheckedOptions, one_among
from mixsafe_cli.options.question_options import AdversaryOptions
from mixsafe_cli.options.records import offering, one_of, panel

if TYPE_CHECKING:
    from mixsafe.extract.exchange.rules import ExchangeRules

_option = panel()

METHODS = ("shuffle", "mixzone", "rotate")
ZONES = ("all", "minimum")


@dataclass(frozen=True)
class MixOptions(CheckedOptions):
    """Which exchanges are possible, and their goal."""

    k: Annotated[
        int | None,
        shared.K.said(
            "Fewest candidate pseudonyms of a user. Default: 3.",
            panel=None,
        ),
    ] = None
    rule: Annotated[str | None, shared.RULE.said("As in verify. Default: some.", panel=None)] = None
    zones: str | None = _option(
        "Zones of exchange: all visible ones, or the fewest with which the same users pass."
        " Default: all.",
        constraints=(one_among(lambda: ZONES),),
        **one_of(ZONES),
    )
    max_step: Annotated[float | None, shared.MAX_STEP] = None
    rotate: Annotated[str | None, shared.ROTATE] = None
    keep_together: Annotated[
        bool,
        shared.KEEP_TOGETHER.said(
            "Users who are always together are different people. Default: refused, as they may be"
            " one person twice.",
            panel=None,
        ),
    ] = False
    enforce: bool = _option("Suppress unsafe cells until all users pass.", default=False)
    engine: Annotated[
        str | None,
        shared.ENGINE.said(
            "Engine that verifies; bounds is fast. Default: auto.",
            panel=None,
        ),
    ] = None
    time_limit: Annotated[float | None, shared.TIME_LIMIT.said(panel=None)] = None
    workers: Annotated[int, shared.WORKERS.said(panel=None)] = 0

    def settings(self, adversary: AdversaryOptions) -> dict[str, Any]:
        """Values of the options, with defaults."""
        return {
            "k": 3 if self.k is None else self.k,
            "adversary": adversary.adversary or "endpoints",
            "rule": self.rule or "some",
            "engine": self.engine or "auto",
            "exchange_in": self.zones or "all",
            "rotate": self.rotate,
            "max_step": self.max_step,
            "enforced": self.enforce,
        }

    def rules(self, method: str) -> ExchangeRules:
        """Which exchanges are possible by a method, other than a shuffle."""
        from mixsafe.extract.exchange.rules import ExchangeRules

        return ExchangeRules(
            max_step=self.max_step, rotate=self.rotate, meetings=method == "mixzone"
        )

    def check_with(self, method: str, adversary: AdversaryOptions) -> None:
        """Refuse options without effect on the method.

        Raises
        ------
        InputError
            Names them.
        """
        if method == "shuffle":
            why = "a static shuffle exchanges nothing; use --method mixzone"
            names = (
                *("k", "rule", "zones", "enforce", "engine", "time_limit", "max_step", "rotate"),
                "keep_together",
            )
            refuse_together({**given(self, *names), **given(adversary, "adversary")}, why)
        if method == "rotate":
            if self.rotate is None:
                hint = "say --rotate daily"
                raise InputError("--method rotate needs the times of rotation", hint=hint)
            refuse(self, "--method rotate exchanges in no mix zones", "zones")

    def check(self) -> None:
        """Refuse values that cannot be right.

        Raises
        ------
        InputError
            A k below 2, an unknown word, no schedule, or suppression that would change the zones.
        """
        super().check()
        if self.zones == "minimum":
            refuse(self, "--zones minimum chooses among mix zones only", "rotate")
        if self.zones == "minimum" and self.enforce:
            raise InputError(
                "--enforce cannot be used with --zones minimum: suppression changes the zones",
                hint="use --zones all",
            )


@dataclass(frozen=True)
class PseudonymizeOptions:
    """Source, output and method of a release."""

    source: Annotated[
        Path,
        typer.Argument(
            metavar="SOURCE", help="Original traces by region, or released cells (ANO)."
        ),
    ]
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File to publish, or folder for all files.")
    ]
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=offering(METHODS),
            help="shuffle: once; mixzone: exchanged in mix zones; rotate: by --rotate.",
        ),
    ]


@dataclass(frozen=True)
class SecretOptions:
    """The secret table and the seed."""

    table: Path | None = _option("Secret table. In a folder: secret/ptable.csv.")
    original: Path | None = _option("Original traces of SOURCE.", metavar="ORG")
    seed: int | None = _option(
        "Make a test repeatable. Never use it for a publication: the seed undoes the release."
        " Without it, randomness is cryptographic.",
        min=0,
        max=MOST_SEED,
    )

    def random(self) -> Any:  # noqa: ANN401 -- NumPy is not loaded here
        """Random numbers of the seed; None for cryptographic ones of the system."""
        if self.seed is None:
            return None
        import numpy as np

        return np.random.default_rng(self.seed)
