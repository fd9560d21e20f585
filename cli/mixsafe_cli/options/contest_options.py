"""What the contest's commands have in common: options, rules, a word at the end."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.model.numerals import MOST_SEED
from mixsafe_cli.options.records import panel

if TYPE_CHECKING:
    from mixsafe.contest.base.parts import Random
    from mixsafe.contest.base.rules import Rules

_option = panel()

OriginalFile = Annotated[Path, typer.Argument(metavar="ORG", help="Original traces.")]
ReferenceFile = Annotated[Path, typer.Argument(metavar="REF", help="Reference traces.")]
ContestFolder = Annotated[Path, typer.Option("--output", "-o", help="Folder to write into.")]
RegionFile = Annotated[
    Path | None,
    typer.Option("--regions", help="The contest's info_region.csv. Default: its 32 x 32 regions."),
]
StepsPerDay = Annotated[int, typer.Option(min=1, help="Times per day.")]
VariantName = Annotated[
    str, typer.Option("--variant", help="Where the two differ: program or paper.")
]
TrainFolder = Annotated[
    Path | None,
    typer.Option(
        "--train",
        metavar="FOLDER",
        help="Train the weights of POST, MATCH and POST-T on the sample teams in FOLDER:"
        " orgtraces_team001_data01_IDP.csv and reftraces… of each. Default: on reference traces.",
    ),
]
Required = Annotated[float, typer.Option(help="s_req: utility that a valid release reaches.")]
Processes = Annotated[int, typer.Option(min=0, help="Processes; 0: one per core.")]
QuietButResult = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but the result.")
]


@dataclass(frozen=True)
class RegionOptions:
    """Where places are, and how long a day is."""

    regions: RegionFile = None
    steps_per_day: StepsPerDay = 20

    def read(self) -> Rules:
        """The contest's rules, with what was said of them.

        Raises
        ------
        InputError
            The file of regions cannot be used, or the variant is unknown.
        """
        return read_rules(**vars(self))


@dataclass(frozen=True)
class ReleaseRules(RegionOptions):
    """Rules of those who make or judge releases."""

    required: Required = 0.7


@dataclass(frozen=True)
class AttackRules(RegionOptions):
    """Rules of those who attack."""

    variant: VariantName = "program"


@dataclass(frozen=True)
class AllRules(AttackRules):
    """Rules of those who do everything."""

    required: Required = 0.7


@dataclass(frozen=True)
class MethodOptions:
    """Parameters of an algorithm, and its chance."""

    param: str = _option("Parameters of the method, such as 4,1.", default="")
    seed: int | None = _option(
        "Make the result repeatable. Default: different every time.", min=0, max=MOST_SEED
    )

    @property
    def entropy(self) -> int:
        """The seed, or an unpredictable one."""
        return secrets.randbits(128) if self.seed is None else self.seed


@dataclass(frozen=True)
class ObfuscationOptions(MethodOptions):
    """The same for obfuscations, of which the organizers published their own draws."""

    compatible: bool = _option(
        "Draw as the organizers' programs do; with --seed 1 (their own, and the default here) the"
        " file is theirs, line by line.",
        default=False,
    )

    def random(self) -> Random:
        """The organizers' legacy stream, or numpy's Generator.

        Raises
        ------
        InputError
            The seed is none that the organizers' stream takes.
        """
        import numpy as np

        if not self.compatible:
            return np.random.default_rng(self.entropy)
        if self.seed is not None and self.seed >= 2**32:
            raise InputError(f"--compatible takes seeds below 2^32, not {self.seed}")
        return np.random.RandomState(1 if self.seed is None else self.seed)


def read_rules(
    regions: Path | None, steps_per_day: int = 20, variant: str = "program", required: float = 0.7
) -> Rules:
    """The contest's rules from the options that change them.

    Raises
    ------
    InputError
        The file of regions cannot be used, or the variant is unknown.
    """
    from mixsafe.contest.base.rules import Rules
    from mixsafe.io.contest.reading import read_regions
    from mixsafe.model.mobility.complete_traces import Regions

    if variant not in ("program", "paper"):
        raise InputError(f"unknown variant '{variant}'", hint="use program or paper")
    return Rules(
        regions=Regions.of_contest() if regions is None else read_regions(regions),
        steps_per_day=steps_per_day,
        home_steps=min(2, steps_per_day),
        required_utility=required,
        variant="paper" if variant == "paper" else "program",
    )


def say(text: str, quiet: bool) -> None:
    """Tell what was done, on standard error."""
    if not quiet:
        typer.echo(text, err=True)
