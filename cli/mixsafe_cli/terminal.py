"""Answers at a terminal: documents in lines, columns and coloured verdicts."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from mixsafe.documents.document import NUMBERS, Document, printed, several
from mixsafe.documents.document import Table as Rows
from mixsafe.documents.document import Text as Paragraphs
from mixsafe.errors import printable
from mixsafe_cli.standard_streams import discard

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


def what_next(steps: Sequence[str]) -> Table:
    """Advice, a paragraph per step."""
    return facts(("" if place else "Next", step) for place, step in enumerate(steps))


def more_than_shown(count: int) -> Iterator[str]:
    """Number of problems, or rows, that are not listed, if any."""
    if count > SHOWN:
        yield f"and {count - SHOWN:,} more (all in the JSON)"


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


def document_lines(documents: Sequence[Document]) -> Iterator[Part]:
    """The answers of a command: one whole, or a line for each of several."""
    if len(documents) != 1:
        yield from _lines(several(documents))
    else:
        yield from _lines(documents[0])


def _lines(document: Document) -> Iterator[Part]:
    """An answer."""
    yield headline(document.word.upper(), STYLES[document.tone], document.sentence)
    yield facts((fact.label, printed(fact.value, fact.unit)) for fact in document.facts)
    for part in document.parts:
        if part.pages_only:
            continue
        yield ""
        if isinstance(part, Rows):
            yield from (*part.text, Text.assemble((part.caption, "bold")), _table(part))
            yield from more_than_shown(len(part.rows))
        elif isinstance(part, Paragraphs):
            yield from part.paragraphs
    yield ""
    if any("mixsafe " in step for step in document.next_steps):  # a command, to be copied
        yield from (Unbroken(f"Next: {step}") for step in document.next_steps)
    elif document.next_steps:
        yield what_next(document.next_steps)


def _table(part: Rows) -> Part:
    """The first rows of a table."""
    heads = [f"{'>' if one.unit in NUMBERS else ''}{one.name}" for one in part.columns]
    rows = (
        [printed(value, column.unit) for value, column in zip(row, part.columns, strict=True)]
        for row in part.rows[:SHOWN]
    )
    return table(heads, rows)
