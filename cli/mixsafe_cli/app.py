"""The ``mixsafe`` command and its global options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from mixsafe_cli.failures import OneLineErrors
from mixsafe_cli.on_demand import CommandsOnDemand

EPILOG = "Exit status: 0 done, 2 bad usage or input; see also verify, audit and check."
COMPLETION = {
    "install_completion": "Install completion for this shell.",
    "show_completion": "Print completion for this shell.",
}


class Commands(OneLineErrors, CommandsOnDemand):
    """The commands in panels of the help.

    Each name is a module of ``mixsafe_cli.commands``, imported by :mod:`mixsafe_cli.on_demand`.
    """

    package = "mixsafe_cli.commands"
    # Names of commands by panel.
    panels: ClassVar[dict[str, str]] = {
        "Is it safe?": "verify audit weigh breaking links",
        "Prepare and publish": "zones optimize protect pseudonymize",
        "Results, data, contests": "check report compare datasets synthesize contest",
    }

    names = " ".join(panels.values())

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 -- as below
        """Resolve the command; of a file without one, say which command it is for."""
        if args and args[0] not in self.commands and Path(args[0]).is_file():
            ctx.fail(f"'{args[0]}' is a file, not a command: mixsafe verify {args[0]} --k 3")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:  # noqa: ANN401 -- of whichever click
        """Print the help, with short texts for the options that typer adds."""
        params: list[Any] = self.params
        for one in params:
            one.help = COMPLETION.get(one.name, one.help)
        super().format_help(ctx, formatter)


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
        bool, typer.Option("--verbose", help="Print the time of each stage.")
    ] = False,
    spreadsheet: Annotated[
        bool,
        typer.Option("--spreadsheet", help="Escape formulas in CSV files."),
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Read options from TOML or a result."),
    ] = None,
) -> None:
    """Decide exactly whether pseudonymized location traces are safe to publish.

    For example:

      mixsafe verify --k 3
      mixsafe verify traces.csv --k 3 --adversary home --output wires.parquet
    """
    if version:
        from mixsafe import __version__

        typer.echo(f"mixsafe {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
