"""The document of curves: the same shares on terminal and page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.model.answer.wording import share
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.report.document_page import document_page
from mixsafe.unicity.curves import Curves, curves
from mixsafe.unicity.curves_document import curves_document
from mixsafe_cli.terminal import document_lines


def found() -> Curves:
    """Three people, of whom two stay together."""
    place = np.array([[1, 2], [1, 2], [3, 2]])
    row, step = (part.ravel() for part in np.indices(place.shape))
    kind = np.int32
    where = Positions(
        np.arange(3), TimeAxis(2), row.astype(kind), (step + 1).astype(kind),
        place.ravel().astype(np.int64),
    )  # fmt: skip
    return curves(where, 2, at_most=2, draws=3)


def test_terminal_and_page_say_the_same_shares() -> None:
    answer = found()
    document = curves_document(answer, "three")
    page = document_page(document)
    assert str(next(iter(document_lines([document])))).endswith(f"  {document.sentence}")
    assert document.sentence in page
    exchanged = answer.to_dict()["curves"]["exchanged"]
    assert share(exchanged["chance"][-1]["mean"]) in document.sentence
    assert share(exchanged["worst"][-1]) in document.meaning
    (said,) = document.evidence
    assert said.criterion == "singling_out"


def test_people_for_whom_there_was_no_time_are_counted() -> None:
    answer = found()
    assert "the time was up" not in str(curves_document(answer, "three").facts)
    short = replace(answer, static=replace(answer.static, drawn=2))
    assert "of 2 people with pseudonyms that never change" in str(
        curves_document(short, "three").facts
    )
