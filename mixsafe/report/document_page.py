"""Pages of documents, one function for all answers; and a frame for other pages.

Pages that others register have a sentence and some sections (docs/develop/adding.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from mixsafe.documents.document import NUMBERS, Chart, Column, Document, Map, Table, Value, printed
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.drawing import inline_svg
from mixsafe.report.page import cell, embedded, heading, render, table, tone
from mixsafe.report.provenance import step_in_no_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def section(
    title: str,
    *text: str,
    facts: Sequence[tuple[str, object]] = (),
    figure: tuple[Figure, str, str] | None = None,
    table: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """A section of a page.

    Parameters
    ----------
    text
        Paragraphs.
    facts
        Names, and what is to be said of them.
    figure
        A picture, its name (unique in the page) and its caption.
    table
        ``caption``, ``headings`` and ``rows``.
    """
    picture = caption = None
    if figure is not None:
        drawn, name, caption = figure
        picture = inline_svg(drawn, name, caption)
    return {
        "title": title,
        "text": text,
        "facts": facts,
        "figure": picture,
        "caption": caption,
        "table": table,
    }


def sections_page(
    title: str,
    sections: Sequence[Mapping[str, Any]],
    *,
    word: str,
    sentence: str,
    meaning: str,
    tone: str = "plain",
    provenance: Mapping[str, Any] | None = None,
) -> str:
    """A page: its answer in a word, a sentence and a paragraph, and then its sections."""
    return render(
        "sections.html",
        {
            "title": title,
            "tone": tone,
            "word": word,
            "sentence": sentence,
            "meaning": meaning,
            "sections": sections,
            "provenance": provenance,
        },
    )


def document_page(document: Document, provenance: Mapping[str, Any] | None = None) -> str:
    """The page of a document.

    Parameters
    ----------
    provenance
        Command, versions and inputs of the answer; None: unknown.
    """
    return render(
        "document.html",
        {
            "title": document.title,
            "document": document,
            "next_steps": [step_in_no_folder(step) for step in document.next_steps],
            "tone": tone(document.tone),
            "facts": [(fact.label, printed(fact.value, fact.unit)) for fact in document.facts],
            "parts": [_part(part) for part in document.parts],
            "provenance": provenance,
            "exposure": any(isinstance(part, Map) for part in document.parts),
        },
    )


def _part(part: Any) -> dict[str, Any]:  # noqa: ANN401 -- any part of a document
    """A part as the template shows it."""
    shown: dict[str, Any] = dict.fromkeys(("figure", "table", "map", "folded"))
    shown |= {"title": part.title, "text": ()}
    if isinstance(part, Map):
        chart = None if part.chart is None else _part(part.chart)
        drawn = {"chart": chart, "data": embedded(_map(part)), "exposure": part.exposure}
        return {**shown, "text": part.text, "map": drawn}
    if isinstance(part, Chart):
        picture: Markup = inline_svg(draw_charts([part]), part.name, part.caption)
        return {**shown, "figure": picture, "caption": part.caption}
    if isinstance(part, Table):
        return {**shown, "text": part.text, "table": table_of(part), "folded": part.folded}
    return {**shown, "text": part.paragraphs}


def _map(part: Map) -> dict[str, Any]:
    """What ``exposure_map.js`` draws."""
    ground, shown = part.background, part.exposure
    numbers = [[number] for number in part.numbers]
    return {
        "unit": part.unit,
        "side": part.side,
        "x": part.x,
        "y": part.y,
        "outline": part.outlines or None,
        "background": None if ground is None else vars(ground),
        "name": part.names,
        "slots": () if shown is None else shown.slots,
        "step_seconds": None if shown is None else shown.step_seconds,
        "risk": numbers if shown is None else shown.risk,
        "present": numbers if shown is None else shown.present,
        "safe": None if shown is None else shown.helps,
        "share_words": "" if shown is None else shown.share_words,
    }


def table_of(part: Table) -> dict[str, Any]:
    """A table, its numbers in columns that sort by them."""
    heads = [
        heading(
            column.name,
            number=column.unit in NUMBERS,
            filter=column.filter or None,
            names=column.unit == "name",
            tone=column.unit == "verdict",
            wide=column.wide,
            short=column.unit == "moment",
        )
        for column in part.columns
    ]
    rows = [
        [_cell(value, column) for value, column in zip(row, part.columns, strict=True)]
        for row in part.rows
    ]
    return table(part.caption, heads, rows)


def _cell(value: Value, column: Column) -> Any:  # noqa: ANN401 -- a text or a cell
    text = printed(value, column.unit)
    if column.unit not in NUMBERS or isinstance(value, str):
        return text
    return cell(text, -1 if value is None else value)  # what is not there comes first or last
