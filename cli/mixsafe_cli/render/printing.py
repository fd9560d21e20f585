"""What all answers for people are made of: the console, facts in columns, verdicts in colour."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.model.answer.verdict import Verdict

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Users, or problems, that are listed."""

WORDS = {
    Verdict.SAFE: ("VALID", "bold green"),
    Verdict.UNSAFE: ("INVALID", "bold red"),
    Verdict.UNDECIDED: ("UNDECIDED", "bold yellow"),
}

WORST_FIRST = [Verdict.UNSAFE.value, Verdict.UNDECIDED.value, Verdict.SAFE.value]


def console() -> Console:
    """Standard output, as wide as the terminal; in a pipe, lines are never cut."""
    found = Console(highlight=False)
    return found if found.is_terminal else Console(highlight=False, width=120, no_color=True)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what is to be said about them, in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(value))
    return grid


def least_protected(users: pd.DataFrame, heading: str) -> Table:
    """Ten users: those who fail first, then by how little of the time they are safe.

    Parameters
    ----------
    users
        A row per user, by user: verdict, safe_share, undecided_share, best.
    heading
        Of the column ``best``.
    """
    users["rank"] = users["verdict"].map(WORST_FIRST.index)
    order = users.sort_values(["rank", "safe_share", "best"], kind="stable")
    shown = Table(title="Least protected", title_justify="left", box=None, pad_edge=False)
    shown.add_column("user")
    shown.add_column("verdict")
    for amount in ("safe for", "undecided for", heading):
        shown.add_column(amount, justify="right")
    for user in order.head(SHOWN).itertuples():
        shown.add_row(
            Text(str(user.Index)),
            Text(str(user.verdict), style=WORDS[Verdict(user.verdict)][1]),
            f"{user.safe_share:.1%}",
            f"{user.undecided_share:.1%}",
            str(user.best),
        )
    return shown
