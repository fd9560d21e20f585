"""The document of several answers of one command."""

from __future__ import annotations

from collections.abc import Sequence

from mixsafe.documents.document import Column, Document, Table, Tone

_WORST_FIRST: tuple[Tone, ...] = ("unsafe", "undecided", "weak pass", "safe", "plain")


def several(documents: Sequence[Document]) -> Document:
    """A row for each answer; the word and the tone are those of the worst."""
    words = [document.word for document in documents]
    counts = ", ".join(f"{words.count(word):,} {word.lower()}" for word in dict.fromkeys(words))
    worst = min(documents, key=lambda one: _WORST_FIRST.index(one.tone), default=None)
    many = f"{len(documents):,} answers"
    return Document(
        title=many,
        word=many if worst is None else worst.word,
        tone="plain" if worst is None else worst.tone,
        sentence=f"{counts}.".capitalize() if documents else "There is no problem.",
        meaning="" if worst is None else worst.meaning,
        parts=(
            Table(
                "Problems",
                f"{many}, in the order of the file",
                (Column("problem"), Column("answer", filter="Answer"), Column("in a sentence")),
                [(document.title, document.word, document.sentence) for document in documents],
            ),
        ),
    )
