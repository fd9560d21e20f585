"""The document of several answers of one command."""

from __future__ import annotations

from collections.abc import Sequence

from mixsafe.documents.document import Column, Document, Fact, Table, Tone, Value
from mixsafe.documents.printed import NUMBERS

_WORST_FIRST: tuple[Tone, ...] = ("unsafe", "undecided", "weak pass", "safe", "plain")


def several(documents: Sequence[Document]) -> Document:
    """A row for each answer, the worst first, with the numbers that all of them have.

    The word and the tone are those of the worst.
    """
    words = [document.word for document in documents]
    counts = ", ".join(f"{words.count(word):,} {word.lower()}" for word in dict.fromkeys(words))
    ordered = sorted(documents, key=lambda one: _WORST_FIRST.index(one.tone))
    many = f"{len(documents):,} answers"
    numbers = [_numbers(document) for document in ordered]
    shared = [name for name in numbers[0] if all(name in one for one in numbers)] if numbers else []
    rows: list[tuple[Value, ...]] = [
        (one.title, one.word, one.sentence, *(found[name].value for name in shared))
        for one, found in zip(ordered, numbers, strict=True)
    ]
    return Document(
        title=many,
        word=ordered[0].word if ordered else many,
        tone=ordered[0].tone if ordered else "plain",
        sentence=f"{counts}.".capitalize() if documents else "There is no problem.",
        meaning=ordered[0].meaning if ordered else "",
        parts=(
            Table(
                "Problems",
                f"{many}, the worst first",
                (
                    Column("problem"),
                    Column("answer", filter="Answer"),
                    Column("in a sentence", wide=True),
                    *(Column(name.lower(), numbers[0][name].unit) for name in shared),
                ),
                rows,
            ),
        ),
    )


def _numbers(document: Document) -> dict[str, Fact]:
    """Facts that are numbers, by their label."""
    return {fact.label: fact for fact in document.facts if fact.unit in NUMBERS}
