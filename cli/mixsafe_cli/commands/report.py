"""``mixsafe report``: a result as a page for people."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.report.pages.kinds import page_sources
from mixsafe_cli.options.records import takes_records
from mixsafe_cli.options.targets import Quiet, check_target


@takes_records
def report(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help=f"W{page_sources()[1:]}.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page. Default: RESULT with the ending .html."),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a result as one self-contained HTML page.

    The page opens in any browser without a network, in light and dark mode, and prints. The same
    result gives the same bytes.

    For example:

      mixsafe verify --k 3 --json result.json

      mixsafe report result.json -o report.html

      mixsafe report results -o contest.html
    """
    target = result.with_suffix(".html") if output is None else output
    if output is None and target.exists():
        raise InputError("the file exists", file=target, hint=f"replace it with -o {target}")
    check_target("--output", target, (result,))

    from mixsafe.io.files.atomic import write_text
    from mixsafe.report.result import page_of, read_result

    write_text(target, page_of(read_result(result)))
    if not quiet:
        typer.echo(f"{target}: open it in a browser")
