"""An answer, in memory or on disk, as a page for people."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from mixsafe.compare.comparison import Comparison
from mixsafe.compare.comparison_document import comparison_document
from mixsafe.documents.atlas import Atlas
from mixsafe.documents.context import Context
from mixsafe.documents.document import Document
from mixsafe.errors import InputError
from mixsafe.io.files.atomic import write_text
from mixsafe.model.arguments import of_kind
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum_document import minimum_document
from mixsafe.release.audit import Audit
from mixsafe.report.base.page import Page
from mixsafe.report.result import Result, page_of, read_result
from mixsafe.report.view_models.audit_view import audit_view
from mixsafe.report.view_models.verification_view import view_model
from mixsafe.verify.verification import Verification

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Answer = Verification | Audit | MinimumZones | Comparison


def report(
    answer: Answer | str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    *,
    adversary: str = "",
    atlas: Atlas | None = None,
) -> Page:
    """Make a page of an answer: one file that opens in any browser, without a network.

    Parameters
    ----------
    answer
        Of ``verify`` (with ``keep_candidates=True``; without, the page has the verdict alone),
        ``audit``, ``optimize`` or ``compare``; or a result that a command wrote, as
        :func:`mixsafe.report.result.read_result` reads it.
    output
        File for the page; None: it is only returned.
    adversary
        What she knows, in words, for the page; a file says it itself.
    atlas
        Where places are, for maps: ``Atlas.of(traces)``.

    Returns
    -------
    The page, as HTML; a notebook shows it.

    Raises
    ------
    InputError
        A file that is no result, or that cannot be written.

    Examples
    --------
    >>> import mixsafe
    >>> problem = mixsafe.pose(mixsafe.load(mixsafe.sample("town")))
    >>> answer = mixsafe.verify(problem, k=3, keep_candidates=True)  # doctest: +SKIP
    >>> page = mixsafe.report(answer, "report.html")  # doctest: +SKIP
    """
    kinds = (str, os.PathLike, *get_args(Answer))
    of_kind("answer", answer, kinds, "an answer or a file", "give what a question returned")
    if isinstance(answer, str | os.PathLike):
        page = page_of(read_result(answer))
    else:
        page = page_of(Result(Path("answer"), *_content(answer, adversary, atlas)))
    if output is not None:
        write_text(output, page)
    return Page(page)


def picture(
    answer: Answer,
    output: str | os.PathLike[str] | None = None,
    *,
    adversary: str = "",
    atlas: Atlas | None = None,
) -> Figure:
    """Draw an answer: the pictures of its page, in one.

    Parameters
    ----------
    answer, adversary, atlas
        Answer of ``verify``, ``audit``, ``optimize`` or ``compare``; what the adversary knows, in
        words; where places are.
    output
        File for it, ``.png`` or ``.svg``; None: it is only returned.

    Raises
    ------
    InputError
        There is nothing to draw, or the file cannot be written.
    """
    from mixsafe.report.base.drawing import save
    from mixsafe.report.figures.chart_figure import draw_charts
    from mixsafe.report.figures.protection_figure import overview

    kind, content = _content(answer, adversary, atlas)
    if kind == "privacy":
        figure = overview(content)
    elif kind == "document" and Document.from_dict(content["document"]).charts:
        figure = draw_charts(Document.from_dict(content["document"]).charts)
    else:
        hint = "verify(…, keep_candidates=True), audit, optimize and compare can be drawn"
        raise InputError("there is nothing to draw of this answer", hint=hint)
    if output is not None:
        save(figure, output)
    return figure


def _content(answer: Answer, adversary: str, atlas: Atlas | None) -> tuple[str, Any]:
    """The kind of page for an answer, and its input."""
    if isinstance(answer, Comparison):
        return "document", {"document": comparison_document(answer).to_dict()}
    if isinstance(answer, MinimumZones):
        document = minimum_document(answer, Context(adversary=adversary, atlas=atlas))
        return "document", {"document": document.to_dict()}
    if isinstance(answer, Audit):
        return "privacy", audit_view(answer, adversary=adversary, atlas=atlas)
    if answer.candidates is None:
        return "problems", [answer.to_dict()]
    return "privacy", view_model(answer, adversary=adversary, atlas=atlas)
