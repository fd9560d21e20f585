"""Pages of documents: one function for all answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from markupsafe import Markup

from mixsafe.documents.document import Chart, Column, Document, Map, Table, Value
from mixsafe.documents.printed import NUMBERS, printed
from mixsafe.report.base.drawing import inline_svg
from mixsafe.report.base.page import cell, embedded, heading, render, table, tone
from mixsafe.report.figures.chart_figure import draw_charts


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
