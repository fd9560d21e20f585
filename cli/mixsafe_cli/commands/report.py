"""``mixsafe report``: results as a page for people."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from mixsafe.errors import InputError
from mixsafe.report.officer.editions import EDITIONS
from mixsafe.report.page_kinds import page_sources
from mixsafe_cli.options.declaring import CheckedOptions, needs, one_among
from mixsafe_cli.options.records import panel, takes_records
from mixsafe_cli.options.targets import Quiet, check_target

_option = panel()
_officer = panel("The page of --for officer")

READERS = ("officer",)
"""Readers with a page of their own."""


_OF_OFFICER = needs("reader", "it is for --for officer")


@dataclass(frozen=True)
class OfficerOptions(CheckedOptions):
    """Who the page is for, and what the controller states."""

    reader: str | None = _officer(
        "One page of all RESULTs of one data set, for a data protection officer.",
        "--for",
        metavar="|".join(READERS),
        constraints=(one_among(lambda: READERS),),
    )
    controller: str | None = _officer(
        "Who publishes the data.", metavar="TEXT", constraints=(_OF_OFFICER,)
    )
    purpose: str | None = _officer(
        "What the data are published for.", metavar="TEXT", constraints=(_OF_OFFICER,)
    )
    recipient: str | None = _officer(
        "Who gets the data.", metavar="TEXT", constraints=(_OF_OFFICER,)
    )
    secrets: str | None = _officer(
        "Where secret tables are, who reads them, when they are deleted.",
        metavar="TEXT",
        constraints=(_OF_OFFICER,),
    )
    edition: str | None = _officer(
        f"{EDITIONS.help()}.",
        metavar="|".join(EDITIONS.names()),
        constraints=(_OF_OFFICER, one_among(EDITIONS.names)),
    )

    def usual_target(self, result: Path) -> Path:
        """Where the page goes by default: beside the first result."""
        if self.reader is None:
            return result.with_suffix(".html")
        return result.with_name(f"{self.reader}{'_external' * (self.edition == 'external')}.html")


@takes_records
def report(
    result: Annotated[
        list[Path],
        typer.Argument(
            metavar="RESULT",
            help=f"Results: {page_sources()}.",
        ),
    ],
    officer: OfficerOptions,
    output: Path | None = _option(
        "The page. Default: RESULT with the ending .html; for an officer, officer.html.",
        "--output",
        "-o",
    ),
    quiet: Quiet = False,
) -> None:
    """Write a result as one self-contained HTML page.

    The page opens in any browser without a network, in light and dark mode, and prints. The same
    result gives the same bytes. --for officer makes one page of several results of one data set,
    under the headings that a data protection officer needs.

    For example:

      mixsafe verify --k 3 --json result.json

      mixsafe report result.json -o report.html

      mixsafe report results -o contest.html

      mixsafe report result.json weigh.json --for officer --purpose "bus lines" -o officer.html
    """
    officer.check()
    if officer.reader is None and len(result) > 1:
        raise InputError("a page is of one result", hint="give one, or --for officer")
    target = officer.usual_target(result[0]) if output is None else output
    if output is None and target.exists():
        raise InputError("the file exists", file=target, hint=f"replace it with -o {target}")
    check_target("--output", target)

    from mixsafe.machinery.files import write_text

    write_text(target, _page(result, officer))
    if not quiet:
        typer.echo(f"{target}: open it in a browser")


def _page(results: list[Path], officer: OfficerOptions) -> str:
    """The page of a result, or the officer's page of all."""
    if officer.reader is None:
        from mixsafe.report.result import page_of, read_result

        return page_of(read_result(results[0]))
    from mixsafe.report.officer.officer_page import Statements, officer_report

    said = Statements(officer.controller, officer.purpose, officer.recipient, officer.secrets)
    return officer_report(results, said, edition=officer.edition or "internal")
