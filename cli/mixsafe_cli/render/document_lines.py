"""Documents on the terminal: one function for all answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from mixsafe.documents.document import NUMBERS, Document, Table, printed, several
from mixsafe.documents.document import Text as Paragraphs
from mixsafe_cli.render.printing import (
    SHOWN,
    STYLES,
    Part,
    Unbroken,
    facts,
    headline,
    more_than_shown,
    table,
    what_next,
)


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
        if isinstance(part, Table):
            yield from (*part.text, Text.assemble((part.caption, "bold")), _table(part))
            yield from more_than_shown(len(part.rows))
        elif isinstance(part, Paragraphs):
            yield from part.paragraphs
    yield ""
    if any("mixsafe " in step for step in document.next_steps):  # a command, to be copied
        yield from (Unbroken(f"Next: {step}") for step in document.next_steps)
    elif document.next_steps:
        yield what_next(document.next_steps)


def _table(part: Table) -> Part:
    """The first rows of a table."""
    heads = [f"{'>' if one.unit in NUMBERS else ''}{one.name}" for one in part.columns]
    rows = (
        [printed(value, column.unit) for value, column in zip(row, part.columns, strict=True)]
        for row in part.rows[:SHOWN]
    )
    return table(heads, rows)
