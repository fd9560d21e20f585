"""The ``mixsafe`` command: what it can do, and nothing of how."""

from __future__ import annotations

from typing import Annotated

import typer

from mixsafe_cli.commands import (
    audit,
    check,
    compare,
    datasets,
    optimize,
    pseudonymize,
    report,
    verify,
    zones,
)
from mixsafe_cli.commands.contest import files as contest
from mixsafe_cli.commands.synthesize import scenarios as synthesize
from mixsafe_cli.failures import OneLineErrors

EPILOG = """Exit status of verify, audit and check: 0 every user passes, 1 some user does not, 3
nobody fails but somebody is undecided; of any command: 2 bad usage or bad input."""

app = typer.Typer(
    cls=OneLineErrors,
    rich_markup_mode="rich",
    epilog=EPILOG,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    pretty_exceptions_enable=False,
)
app.command()(verify.verify)
app.command()(zones.zones)
app.command()(audit.audit)
app.command()(check.check)
app.command()(optimize.optimize)
app.command()(compare.compare)
app.command()(pseudonymize.pseudonymize)
app.command()(report.report)
app.add_typer(
    contest.app, name="contest", help="The contest: anonymize, attack, score, run the whole grid."
)
app.add_typer(synthesize.app, name="synthesize")
app.add_typer(datasets.app, name="datasets")


@app.callback(invoke_without_command=True)
def mixsafe(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks of errors.")] = False,
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
