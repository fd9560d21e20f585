"""``mixsafe contest``: its commands, on the organizers' own files."""

from __future__ import annotations

from typing import ClassVar

import typer

from mixsafe_cli.on_demand import CommandsOnDemand

HERE = "mixsafe_cli.commands.contest"


class ContestCommands(CommandsOnDemand):
    """The commands of the contest, and where they are."""

    places: ClassVar[dict[str, str]] = {
        "anonymize": f"{HERE}.anonymize:anonymize",
        "attack": f"{HERE}.attack:attack",
        "run": f"{HERE}.run:run",
        "utility": f"{HERE}.utility:utility",
        "tournament": f"{HERE}.tournament:tournament",
        "score": f"{HERE}.score:app",
        "study": f"{HERE}.study:app",
    }


app = typer.Typer(
    cls=ContestCommands,
    no_args_is_help=True,
    help="The contest: anonymize, attack, score, run the whole grid.",
)
