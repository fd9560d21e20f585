"""A published study: the cases it goes over, its table and its picture; one loop for all."""

from __future__ import annotations

import csv
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from matplotlib.figure import Figure

from mixsafe.report.drawing import save


class Table(NamedTuple):
    """Rows under the names of their columns."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]

    def write(self, path: Path) -> None:
        """Write the table as CSV, with all digits."""
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([self.columns, *self.rows])

    def show(self, first: int | None = None) -> None:
        """Print the first rows in Markdown, with four decimals; None: all."""
        print(f"| {' | '.join(self.columns)} |")
        print("| --- " * len(self.columns) + "|")
        for row in self.rows[:first]:
            cells = (f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in row)
            print(f"| {' | '.join(cells)} |")


class Argument(NamedTuple):
    """A file or an option of a study, as ``ArgumentParser.add_argument`` takes it."""

    names: Sequence[str]
    settings: dict[str, Any]

    def add_to(self, parser: ArgumentParser) -> None:
        """Let a parser take the argument."""
        parser.add_argument(*self.names, **self.settings)


def argument(*names: str, **settings: object) -> Argument:
    """An argument by its names, and the settings of ``ArgumentParser.add_argument``."""
    return Argument(names, settings)


@dataclass(frozen=True)
class Study:
    """A study that somebody published.

    Parameters
    ----------
    name, about
        For the command line: one word, and a sentence with the figure that is repeated.
    arguments
        Files and options.
    cases
        What the loop goes over: lengths, obfuscations, teams or cities, with their data.
    findings
        Of one case, given its number from 0.
    table
        The table of all findings.
    draw
        The picture of all findings.
    conclude
        Lines below the table.
    first
        Rows that are printed; None: all.
    """

    name: str
    about: str
    arguments: Sequence[Argument]
    cases: Callable[[Namespace], Sequence[Any]]
    findings: Callable[[Namespace, int, Any], Iterable[Any]]
    table: Callable[[Namespace, list[Any]], Table]
    draw: Callable[[Namespace, list[Any]], Figure]
    conclude: Callable[[Namespace, list[Any]], Iterable[str]] = lambda options, found: ()
    first: int | None = None

    def look(self, options: Namespace, cases: Sequence[Any]) -> list[Any]:
        """Findings of all cases in their order; tells on standard error how many are done."""
        found: list[Any] = []
        for number, case in enumerate(cases):
            found += self.findings(options, number, case)
            print(f"{self.name}: {number + 1} of {len(cases)}", file=sys.stderr)
        return found

    def repeat(self, options: Namespace) -> None:
        """Repeat the study: write and print its table, and draw its picture if one is wanted."""
        found = self.look(options, self.cases(options))
        table = self.table(options, found)
        table.write(options.output)
        table.show(self.first)
        for line in self.conclude(options, found):
            print(line)
        if options.plot is not None:
            save(self.draw(options, found), options.plot)


def table_of(findings: Sequence[dict[str, object]]) -> Table:
    """Findings that are rows already."""
    return Table(list(findings[0]), [list(row.values()) for row in findings])
