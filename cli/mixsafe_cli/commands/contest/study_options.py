"""What the studies have in common: whose traces, and where tables and pictures go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mixsafe.errors import InputError
from mixsafe_cli.options.contest_options import QuietButResult, say
from mixsafe_cli.options.records import panel
from mixsafe_cli.options.targets import PICTURE, PlotTarget, check_target

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mixsafe.contest.base.parts import Anonymiser
    from mixsafe.contest.base.rules import Rules
    from mixsafe.model.mobility.trace_matrix import TraceMatrix

_option = panel()

TeamFolder = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="Folder of orgtraces_team001_data01_IDP.csv and reftraces… for each team.",
    ),
]

Challenge = Annotated[str, typer.Option(help="Data sets of IDP or TRP.")]


@dataclass(frozen=True)
class TableTargets:
    """Where a table and its picture go."""

    output: Annotated[Path, typer.Option("--output", "-o", help="Table to write, .csv.")]
    plot: PlotTarget = None
    quiet: QuietButResult = False

    def check(self) -> None:
        """Refuse targets that could not be written."""
        check_target("--output", self.output)
        check_target("--plot", self.plot, PICTURE)

    def write(
        self,
        columns: Sequence[str],
        rows: Sequence[Sequence[object]],
        drawn: Callable[[], Figure],
        first: int | None = None,
    ) -> None:
        """Write the table, print it for people, and write the picture, where one is wanted.

        Parameters
        ----------
        first
            Rows that are printed; None: all.
        """
        import csv
        from io import StringIO

        from mixsafe.io.files.atomic import write_text

        text = StringIO()
        csv.writer(text, lineterminator="\n").writerows([columns, *rows])
        write_text(self.output, text.getvalue())
        if not self.quiet:
            from mixsafe_cli.render.printing import rounded, table, tell

            headings = (f">{column}" for column in columns)
            tell([table(headings, (map(rounded, row) for row in rows[:first]))])
        say(f"{self.output}: {len(rows)} rows", self.quiet)
        if self.plot is not None:
            from mixsafe.report.base.drawing import save

            save(drawn(), self.plot)


@dataclass(frozen=True)
class StudyTargets(TableTargets):
    """Where a study goes, and its chance."""

    seed: int = _option("Of everything.", default=1, min=0, max=2**32 - 1)


@dataclass(frozen=True)
class TeamOptions:
    """Whose traces, and how they are obfuscated."""

    challenge: Challenge = "IDP"
    anonymisers: str | None = _option("A list such as A1,A4-4-1. Default: those of the study.")


def chosen_anonymisers(names: str | None) -> list[Anonymiser] | None:
    """Anonymisers from ``A1,A4-4-1``; None: what the study has."""
    from mixsafe.contest.registry import anonymiser_labelled

    return None if names is None else [anonymiser_labelled(name) for name in names.split(",")]


def read_teams(folder: Path, challenge: str, rules: Rules) -> list[tuple[TraceMatrix, TraceMatrix]]:
    """Reference and original traces of each team.

    Raises
    ------
    InputError
        There are none, or they cannot be used.
    """
    from mixsafe.contest.tournament.challenges import CHALLENGES
    from mixsafe.io.contest.reading import read_traces
    from mixsafe.io.contest.submissions import find_sets
    from mixsafe_cli.data.holding.tournament_files import data_set_name

    if not folder.is_dir():
        raise InputError("there is no such folder", file=folder)
    name = data_set_name(CHALLENGES[challenge])
    found = find_sets(folder, name)
    if not found:
        raise InputError(f"there are no files {name.file('orgtraces', 1)} and so on", file=folder)
    count = rules.regions.count
    return [(read_traces(ref, count), read_traces(org, count)) for org, ref in found]
