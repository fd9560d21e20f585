"""What all answers for people are made of: the console, facts in columns, verdicts in colour."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.errors import printable
from mixsafe.model.answer.headline import Headline, standing
from mixsafe.model.answer.verdict import Verdict
from mixsafe_cli.standard_streams import to_nobody

if TYPE_CHECKING:
    import pandas as pd

SHOWN = 10
"""Users, or problems, that are listed."""

WORDS = {
    Verdict.SAFE: ("VALID", "bold green"),
    Verdict.UNSAFE: ("INVALID", "bold red"),
    Verdict.UNDECIDED: ("UNDECIDED", "bold yellow"),
    Verdict.WEAK_PASS: ("WEAK PASS", "bold magenta"),
}
"""What a verdict on everybody is called, and its style."""

APART = {
    "no_data": ("without data in the period", "nothing of them is published; they are not judged"),
    "no_zone": ("in no mix zone", "no exchange can protect them: leave them out, or generalize"),
}
"""People who are no matter of exchanges: what they are, and what follows."""

WORST_FIRST = [Verdict.UNSAFE.value, Verdict.UNDECIDED.value, Verdict.SAFE.value]


ASK_FOR_MORE = (
    "Next: the default rule asks for one safe moment. Ask for more (--rule share:0.9), or"
    " say --rule some if that is enough."
)
"""What to do about a weak pass."""

Part = str | Text | Table
"""What people read is made of: lines, and tables."""


class Written(NamedTuple):
    """Files that an answer went to, for what is said about them; None: nobody asked for one.

    Parameters
    ----------
    output
        The table.
    json
        The result.
    """

    output: Path | None = None
    json: str | None = None

    def where(self, said: str, otherwise: str) -> str:
        """Where the rows are, or what to say so that they are written."""
        return otherwise if self.output is None else f"{said} in {self.output}."

    def page(self, example: str = "result.json") -> str:
        """How to get a page of an answer, which may be in a file already."""
        asked = f"--json {example}, then " if self.json is None else ""
        return f"A page for people: {asked}'mixsafe report {self.json or example}'."


class PlainConsole(Console):
    """A console that no name in the data can give orders to."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print texts and tables with escape sequences in place of what has no shape."""
        super().print(*map(_plain, objects), **settings)

    def on_broken_pipe(self) -> None:
        """Go on when nobody reads any more, as after ``head``: files are still to be written."""
        self.quiet = True
        to_nobody(sys.stdout)


def _plain(shown: Any) -> Any:  # noqa: ANN401 -- whatever rich shows
    """A text or a table without what a terminal would obey."""
    if isinstance(shown, str):
        return printable(shown)
    if isinstance(shown, Text):
        plain = _plain(shown.plain)
        if plain != shown.plain:
            shown = Text(plain, shown.style)
    elif isinstance(shown, Table):
        for column in shown.columns:
            column._cells = [_plain(cell) for cell in column._cells]
    return shown


def console() -> Console:
    """Standard output, as wide as the terminal; in a pipe, lines are never cut."""
    found = PlainConsole(highlight=False)
    return found if found.is_terminal else PlainConsole(highlight=False, width=120, no_color=True)


def tell(parts: Iterable[Part]) -> None:
    """Print what people read."""
    out = console()
    for part in parts:
        out.print(Text(part) if isinstance(part, str) else part)


def headline(word: str, style: str, said: str) -> Text:
    """The first line: the answer in a word, and in a sentence."""
    return Text.assemble((word, style), f"  {said}")


def table(
    headings: Iterable[str], rows: Iterable[Iterable[str | Text]], title: str | None = None
) -> Table:
    """Rows under headings; a column whose heading begins with ``>`` is flush right."""
    shown = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for heading in headings:
        right = heading.startswith(">")
        shown.add_column(heading.removeprefix(">"), justify="right" if right else "left")
    for row in rows:
        shown.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return shown


def said_first(found: Headline, noun: str) -> Iterator[Part]:
    """The verdict, who can be followed, and who passes by the rule, in a line each."""
    word, style = WORDS[found.verdict]
    yield Text.assemble((word, style), f": {found.sentence}")
    yield Text(found.exposure)
    rule, total = found.asked.rule, sum(found.counts.values())
    by = "default rule" if rule.by_default else "rule"
    yield Text(f"By {by} '{rule}', of {total:,} {noun}: {passes(found.counts)}.")


def passes(counts: Mapping[Verdict, int]) -> str:
    """How many there are of each verdict."""
    words = {Verdict.SAFE: "pass", Verdict.UNSAFE: "fail", Verdict.UNDECIDED: "undecided"}
    return ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in words.items())


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a table as JSON objects; times as text, and null for what is missing."""
    found: list[dict[str, Any]] = json.loads(table.to_json(orient="records", date_format="iso"))
    return found


def told_apart(apart: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """People without data or in no mix zone, as facts: who they are, and what follows."""
    name = "Apart"
    for kind, (what, follows) in APART.items():
        total, users = apart[kind]["count"], apart[kind]["users"]
        if total:
            some = ", ".join(users[:SHOWN]) + (", …" if total > SHOWN else "")
            yield name, f"{total:,} {what} ({some}): {follows}"
            name = ""


def more_than_shown(count: int) -> Iterator[str]:
    """How many are not listed, if there are more than those that are."""
    if count > SHOWN:
        yield f"and {count - SHOWN:,} more; all of them: --json FILE"


def rounded(value: object) -> str:
    """A value as people read it."""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and what is to be said about them, in two columns."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold")
    grid.add_column(overflow="fold")
    for name, value in rows:
        grid.add_row(name, Text(value))
    return grid


class Protection(NamedTuple):
    """How well users are protected, (n_users,) each.

    Parameters
    ----------
    user, verdict
        Names, and words of their verdicts by the rule.
    safe_share, undecided_share, known_share
        Of the time, 0 to 1.
    best
        Largest number of candidates that is proven at some time.
    """

    user: npt.NDArray[Any]
    verdict: npt.NDArray[Any]
    safe_share: npt.NDArray[np.float64]
    undecided_share: npt.NDArray[np.float64]
    known_share: npt.NDArray[np.float64]
    best: npt.NDArray[np.integer]


_PASSING = {"safe": "passes", "unsafe": "fails", "undecided": "undecided"}


def least_protected(users: Protection, heading: str) -> Iterator[Part]:
    """Ten users: those who fail first, then by how little of the time they are safe.

    Parameters
    ----------
    users
        Of whom the ten are chosen; among equals those who come first. Nobody: no table.
    heading
        Of the column of the best.
    """
    if not len(users.user):
        return
    rank = np.array([WORST_FIRST.index(verdict) for verdict in users.verdict])
    order = np.lexsort((users.best, users.safe_share, rank))[:SHOWN]
    amounts = (">protected for", ">known by assumption", ">undecided for")
    rows = (
        (
            str(user),
            Text(f"{safe:.1%}", style=WORDS[standing(safe, undecided, known)][1]),
            f"{known:.1%}",
            f"{undecided:.1%}",
            _PASSING[str(verdict)],
            str(best),
        )
        for user, verdict, safe, undecided, known, best in zip(
            *(one[order] for one in users), strict=True
        )
    )
    yield table(("user", *amounts, "by the rule", f">{heading}"), rows, "Least protected")
    yield ""
