"""Building blocks of terminal output: console, columns, coloured verdicts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.documents import document
from mixsafe.errors import printable
from mixsafe.model.answer.headline import Headline, standing
from mixsafe.model.answer.verdict import Verdict
from mixsafe_cli.standard_streams import discard

if TYPE_CHECKING:
    pass

SHOWN = 10
"""Users, or problems, that are listed."""

STYLES = {
    "plain": "bold",
    "safe": "bold green",
    "weak pass": "bold magenta",
    "undecided": "bold yellow",
    "unsafe": "bold red",
}
"""Of the word of an answer, by its tone."""

WORDS = {one: (document.WORDS[one.value].upper(), STYLES[one.value]) for one in Verdict}
"""Word and style of the overall verdict."""

APART = {
    "no_data": (
        ("user has no data in the period", "users have no data in the period"),
        "Nothing of them is published: they neither pass nor fail.",
    ),
    "no_zone": (
        ("user is in no mix zone", "users are in no mix zone"),
        "No pseudonym exchange can protect them: remove them, or use larger cells.",
    ),
}
"""Users whom exchanges do not concern: one of them or many, and the consequence."""

WORST_FIRST = [Verdict.UNSAFE.value, Verdict.UNDECIDED.value, Verdict.SAFE.value]


Part = str | Text | Table
"""A line or a table of the output."""


class Unbroken(str):
    """A line that is longer than the terminal if need be: a command, to be copied."""

    __slots__ = ()


class Written(NamedTuple):
    """Files that an answer was written to; None for those that were not asked for.

    Parameters
    ----------
    output
        The table.
    json
        The result.
    """

    output: Path | None = None
    json: str | None = None

    def where(self, table: str, example: str) -> str:
        """The file of the table, or the option that writes it."""
        return f"{table}: {f'--output {example}' if self.output is None else self.output}"

    def page(self, example: str = "result.json") -> str:
        """The commands that make a page of the answer."""
        asked = f"add --json {example}, then run " if self.json is None else ""
        return f"HTML page: {asked}{command('report', self.json or example)}"


def command(*words: object) -> str:
    """A command of mixsafe as one types it: names with blanks or marks are quoted."""
    return shlex.join(["mixsafe", *map(str, words)])


class PlainConsole(Console):
    """A console that prints control characters of the data as escape sequences."""

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print texts and tables with control characters escaped."""
        super().print(*map(_plain, objects), **settings)

    def on_broken_pipe(self) -> None:
        """Stay silent on a closed pipe, as after ``head``; files are still to be written."""
        self.quiet = True
        discard(sys.stdout)


def _plain(shown: Any) -> Any:  # noqa: ANN401 -- whatever rich shows
    """Escape control characters of a text or a table."""
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
    """Print the parts of an answer."""
    out = console()
    for part in parts:
        whole = isinstance(part, Unbroken)
        out.print(Text(part) if isinstance(part, str) else part, soft_wrap=whole)


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
    """The verdict, the exposure, and the numbers by the rule, a line each."""
    word, style = WORDS[found.verdict]
    yield Text.assemble((word, style), f": {found.sentence}")
    yield Text(found.exposure)
    rule, total = found.asked.rule, sum(found.counts.values())
    default = " (default)" if rule.by_default else ""
    yield Text(f"Rule '{rule}'{default}, {total:,} {noun}: {passes(found.counts)}.")


def passes(counts: Mapping[Verdict, int]) -> str:
    """Numbers of users by verdict."""
    words = {Verdict.SAFE: "pass", Verdict.UNSAFE: "fail", Verdict.UNDECIDED: "undecided"}
    return ", ".join(f"{counts[verdict]:,} {word}" for verdict, word in words.items())


def what_next(steps: Sequence[str]) -> Table:
    """Advice, a paragraph per step."""
    return facts(("" if place else "Next", step) for place, step in enumerate(steps))


def apart_rows(apart: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Users without data or in no mix zone, as facts: their number, names and the consequence."""
    name = "Note"
    for kind, ((one, many), follows) in APART.items():
        total, users = apart[kind]["count"], apart[kind]["users"]
        if total:
            some = ", ".join(users[:SHOWN]) + (", …" if total > SHOWN else "")
            yield name, f"{total:,} {one if total == 1 else many} ({some}). {follows}"
            name = ""


def more_than_shown(count: int) -> Iterator[str]:
    """Number of problems, or rows, that are not listed, if any."""
    if count > SHOWN:
        yield f"and {count - SHOWN:,} more (all with --json FILE)"


def rounded(value: object) -> str:
    """A value as text, floats with four decimals."""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


def facts(rows: Iterable[tuple[str, str]]) -> Table:
    """Names and values in two columns."""
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
        All users; of equal ones the first are shown first. No table without users.
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
