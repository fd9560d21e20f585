"""A frame for pages that others register: a sentence and some sections (docs/develop/adding.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from mixsafe.report.base.drawing import inline_svg
from mixsafe.report.base.page import render

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
