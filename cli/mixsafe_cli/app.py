"""The ``mixsafe`` command: what it can do, and nothing of how."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixsafe_cli.failures import OneLineErrors
from mixsafe_cli.on_demand import CommandsOnDemand

EPILOG = """Exit status of verify, audit and check: 0 every user passes, 1 some user does not, 3
nobody fails but somebody is undecided, 4 all pass, but only by the default rule 'some'; of any
command: 2 bad usage or bad input."""


class Commands(OneLineErrors, CommandsOnDemand):
    """All commands."""

    package = "mixsafe_cli.commands"
    names = (
        "verify zones audit check weigh optimize breaking compare pseudonymize report"
        " contest synthesize datasets"
    )


app = typer.Typer(
    cls=Commands,
    rich_markup_mode="rich",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)


@app.callback(invoke_without_command=True)
def mixsafe(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="Say what each stage took, with any command.")
    ] = False,
    spreadsheet: Annotated[
        bool,
        typer.Option("--spreadsheet", help="CSV with an apostrophe before formulas, any command."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Options in a TOML file, or the command of a result."),
    ] = None,
) -> None:
    """Decide exactly whether pseudonymized location traces are safe to publish.

    For example:

      mixsafe verify --k 3

      mixsafe verify traces.csv --k 3 --adversary home --output wires.parquet

      mixsafe zones cabspottingdata.tar.gz --days 1 -o zones.csv
    """
    if version:
        from mixsafe import __version__

        typer.echo(f"mixsafe {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
