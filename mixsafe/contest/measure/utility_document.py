"""What a comparison of statistics says: how alike releases, or traces, are to the originals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mixsafe.contest.measure.measures import MEASURES
from mixsafe.documents.document import Column, Document, Fact, Table, Unit
from mixsafe.model.answer.wording import plural

Row = Mapping[str, Any]

CORRELATION = "correlation with s_T"


def utility_document(answer: Row) -> Document:
    """The document of a comparison.

    Parameters
    ----------
    answer
        ``original``; ``others``, for each its ``file`` and measures by name; ``diversity`` and
        ``expected_error``, if they were asked for.
    """
    others = answer["others"]
    measures = plural(len(others[0]) - 1, "measure", "measures")
    return Document(
        title="Usefulness for statistics",
        word="Compared",
        tone="plain",
        sentence=(
            f"{plural(len(others), 'file is', 'files are')} compared with {answer['original']} by"
            f" {measures}."
        ),
        meaning=(
            "Statistics of releases, or of synthetic traces, are compared with those of the"
            " original traces. Where traces were trained on, the measures also say what they tell"
            " about the people in them."
        ),
        facts=(*_diversity(answer), *_correlations(answer)),
        parts=(_table("Measures", "Measures of each file", others), *_errors(answer), _meanings()),
    )


def _unit(value: object) -> Unit:
    """Whether a measure counts something."""
    return "count" if isinstance(value, int) else "score"


def _table(title: str, caption: str, rows: Sequence[Row]) -> Table:
    """A row per file, a column per measure."""
    names = [name for name in rows[0] if name != "file"]
    columns = [Column(name, _unit(rows[0][name])) for name in names]
    values = [[row["file"], *(row[name] for name in names)] for row in rows]
    return Table(title, caption, (Column("file"), *columns), values)


def _diversity(answer: Row) -> Iterator[Fact]:
    for name, value in answer.get("diversity", {}).items():
        yield Fact(f"Diversity of the first two, {name}", value, _unit(value))


def _correlations(answer: Row) -> Iterator[Fact]:
    for name, value in answer.get("expected_error", {}).get(CORRELATION, {}).items():
        yield Fact(f"Correlation of the expected error with s_T, {name}", value, "score")


def _errors(answer: Row) -> Iterator[Table]:
    """Expected errors of attacks."""
    errors = {
        f"expected error, {name}": values
        for name, values in answer.get("expected_error", {}).items()
        if name != CORRELATION
    }
    if errors:
        files = list(next(iter(errors.values())))
        rows = [
            {"file": file, **{name: values[file] for name, values in errors.items()}}
            for file in files
        ]
        yield _table("Attacks", "Expected errors of attacks", rows)


def _meanings() -> Table:
    rows = [(measure.name, measure.about) for measure in MEASURES]
    columns = Column("measure"), Column("meaning", wide=True)
    return Table("Names", "What the measures mean", columns, rows, pages_only=True)
