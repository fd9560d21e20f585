"""An answer, in memory or on disk, as a page for people."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, get_args

from mixsafe.compare.comparison import Comparison
from mixsafe.compare.comparison_document import comparison_document
from mixsafe.documents.atlas import Atlas, Context
from mixsafe.documents.document import Document
from mixsafe.errors import InputError
from mixsafe.machinery.files import write_text
from mixsafe.model.arguments import of_kind
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum_document import minimum_document
from mixsafe.release.audit import Audit
from mixsafe.release.audit_document import audit_document
from mixsafe.report.document_page import document_page
from mixsafe.report.page import Page
from mixsafe.report.result import page_of, read_result
from mixsafe.verify.verification import Verification
from mixsafe.verify.verification_document import verification_document

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
        Of ``verify`` (with ``keep_candidates=True`` its page names candidates), ``audit``,
        ``optimize`` or ``compare``; or a result that a command wrote, as
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
        page = document_page(document_of(answer, adversary, atlas))
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
    from mixsafe.report.chart_figure import draw_charts
    from mixsafe.report.drawing import save

    charts = document_of(answer, adversary, atlas).charts
    if not charts:
        hint = "verify, audit, optimize and compare can be drawn"
        raise InputError("there is nothing to draw of this answer", hint=hint)
    figure = draw_charts(charts)
    if output is not None:
        save(figure, output)
    return figure


def document_of(answer: Answer, adversary: str = "", atlas: Atlas | None = None) -> Document:
    """The document of an answer: ``adversary`` and ``atlas`` as for :func:`report`."""
    context = Context(adversary=adversary, atlas=atlas)
    if isinstance(answer, Comparison):
        return comparison_document(answer)
    if isinstance(answer, MinimumZones):
        return minimum_document(answer, context)
    if isinstance(answer, Audit):
        return audit_document(answer, context)
    return verification_document(answer, None, context)
