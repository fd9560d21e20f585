"""What the contest's commands have in common: options, rules, a word at the end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError

if TYPE_CHECKING:
    from mixsafe.contest.base.rules import Rules

Original = Annotated[Path, typer.Argument(metavar="ORG", help="Original traces.")]
Reference = Annotated[Path, typer.Argument(metavar="REF", help="Reference traces.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
Parameters = Annotated[str, typer.Option("--param", help="Parameters of the method, such as 4,1.")]
Seed = Annotated[
    int | None,
    typer.Option(min=0, help="Make the result repeatable; default: different every time."),
]
RegionFile = Annotated[
    Path | None,
    typer.Option("--regions", help="The contest's info_region.csv; default: its 32 x 32 regions."),
]
StepsPerDay = Annotated[int, typer.Option(min=1, help="Times per day.")]
VariantName = Annotated[
    str, typer.Option("--variant", help="Where the two differ: program or paper.")
]
Required = Annotated[float, typer.Option(help="s_req: utility that a valid release reaches.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the result.")]


def read_rules(
    regions: Path | None, steps_per_day: int = 20, variant: str = "program", required: float = 0.7
) -> Rules:
    """The contest's rules from the options that change them."""
    from mixsafe.contest.base.rules import Rules
    from mixsafe.io.contest.reading import read_regions
    from mixsafe.model.mobility.regions import Regions

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


def make_folder(folder: Path) -> None:
    """Make the output folder, with the folders above it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = (error.strerror or "it cannot be made").lower()
        raise InputError(f"cannot make the folder: {reason}", file=folder) from None
