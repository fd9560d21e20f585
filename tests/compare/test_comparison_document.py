"""The document of a comparison: the same facts on terminal, page and picture."""

from __future__ import annotations

import io
from typing import Literal

import numpy as np
import pytest

from mixsafe.compare.comparison import Comparison, EngineRun
from mixsafe.compare.comparison_document import comparison_document
from mixsafe.compare.engine_runs import AnswerBounds
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.document_page import document_page
from mixsafe.report.drawing import picture_of
from mixsafe_cli.terminal import PlainConsole, document_lines
from tests.support.strategies import problem


@pytest.fixture
def comparison() -> Comparison:
    """Two engines on two sizes; one of them answers nothing in time."""
    bounds = AnswerBounds("optimal", np.array([1.0]), np.array([1.0]), {})
    runs = []
    for number, size in enumerate((3, 30)):
        question = Question(problem(size, 1, [(1, [0, 1])], [], [(0, 1, 2)]), 0)
        ended = Ended("returned", bounds, 0.5 * size, 0.5 * size)
        runs.append(EngineRun(question, number, "auto", "optimal", ended, bounds))
        runs.append(EngineRun(question, number, "dp", "timeout", Ended("killed", None, 20.0), None))
    return Comparison("optimize", ("auto", "dp"), 20.0, tuple(runs))


def test_all_engines_the_limit_and_the_sizes_are_named(comparison: Comparison) -> None:
    picture = picture_of(draw_charts(comparison_document(comparison).charts), "svg").decode()
    for text in ("auto: 2 of 2 runs", "dp: 0 of 2 runs", "limit: 20 s", ">3<", ">30<", "seconds"):
        assert text in picture


@pytest.mark.parametrize(("kind", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_runs_make_the_same_bytes(
    comparison: Comparison, kind: Literal["png", "svg"], head: bytes
) -> None:
    picture = picture_of(draw_charts(comparison_document(comparison).charts), kind)
    assert picture.startswith(head)
    assert picture_of(draw_charts(comparison_document(comparison).charts), kind) == picture


def test_terminal_and_page_say_the_same_of_engines_that_did_not_finish(
    comparison: Comparison,
) -> None:
    document = comparison_document(comparison)
    assert (document.word, document.tone) == ("Not compared", "undecided")
    console = PlainConsole(width=120, file=io.StringIO(), record=True)
    for line in document_lines([document]):
        console.print(line)
    said, page = console.export_text(), document_page(document)
    for text in (comparison.sentence, "> 20.0 s", "0 of 1"):
        assert text in " ".join(said.split())
        assert text.replace(">", "&gt;") in page


def test_an_officer_is_told_what_was_compared_and_no_contradiction(comparison: Comparison) -> None:
    (said,) = comparison_document(comparison).evidence
    assert said.criterion == "validity"
    assert said.sentences[0].startswith("2 engines were asked the same questions, in 4 runs. ")
    assert "No bound contradicts another." in said.sentences[0]
