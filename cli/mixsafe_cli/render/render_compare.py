"""A comparison of engines for people: whether they agree, and how long each took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from mixsafe_cli.render.printing import Written, console, page_of

if TYPE_CHECKING:
    from mixsafe.compare.comparison import Comparison


def show(comparison: Comparison, written: Written) -> None:
    """Print the table: a row per number of users, columns per engine."""
    out = console()
    n_questions = len({run.number for run in comparison.runs})
    out.print(
        Text.assemble(
            ("AGREE", "bold green"),
            f"  {', '.join(comparison.engines)} on {n_questions:,} questions, at most"
            f" {comparison.limit:g} s each",
        )
    )
    table = Table(box=None, pad_edge=False)
    table.add_column("users", justify="right")
    for engine in comparison.engines:
        table.add_column(f"{engine}: median s", justify="right")
        table.add_column("finished", justify="right")
    for users, rows in comparison.summary().groupby("users"):
        cells = []
        for engine in comparison.engines:
            row = rows[rows["engine"] == engine].iloc[0]
            late = row["finished"] * 2 <= row["runs"]
            cells += [
                f"{'> ' if late else ''}{row['median']:.2f}",
                f"{row['finished']} of {row['runs']}",
            ]
        table.add_row(str(users), *cells)
    out.print(table)
    out.print()
    out.print(
        "Next: every run is in --output runs.csv, the times as a picture in --plot times.svg."
    )
    out.print(Text(page_of(written, "times.json")))
