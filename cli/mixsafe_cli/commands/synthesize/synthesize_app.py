"""``mixsafe synthesize``: its commands."""

from __future__ import annotations

from typing import ClassVar

import typer

from mixsafe_cli.on_demand import CommandsOnDemand

HERE = "mixsafe_cli.commands.synthesize"


class SynthesizeCommands(CommandsOnDemand):
    """The commands that make traces, and where they are."""

    places: ClassVar[dict[str, str]] = {
        "train": f"{HERE}.train:train",
        "sample": f"{HERE}.sample:sample",
        "ppmtf": f"{HERE}.ppmtf:ppmtf",
        "sgd": f"{HERE}.sgd:sgd",
        "uniform": f"{HERE}.uniform:uniform",
        "town": f"{HERE}.town:town",
        "cabs": f"{HERE}.cabs:cabs",
        "metro": f"{HERE}.metro:metro",
    }


app = typer.Typer(
    cls=SynthesizeCommands,
    no_args_is_help=True,
    help="Make synthetic traces: nobody's data, the same ones for the same seed on one machine.",
)
