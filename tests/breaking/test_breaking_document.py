"""The document of breaking numbers: the same facts on terminal, page, picture and for officers."""

from __future__ import annotations

from dataclasses import replace

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.breaking_answer import BreakingNumbers, Number
from mixsafe.breaking.breaking_document import breaking_document, evidence
from mixsafe.documents.context import Context
from mixsafe.report.base.drawing import inline_svg
from mixsafe.report.document_page import document_page
from mixsafe.report.figures.chart_figure import draw_charts
from mixsafe_cli.terminal import document_lines
from tests.support.strategies import problem

MEETING = problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 0), (1, 0), (0, 4), (1, 4)])
KNOWN = Context("p.json", "The adversary saw both come and go")


def found() -> BreakingNumbers:
    """Either person is broken by one sighting between the meetings."""
    return breaking(MEETING, k=2)


def opened() -> BreakingNumbers:
    """Of the second, it is not known how many it takes."""
    answer = found()
    return replace(answer, numbers=(answer.numbers[0], Number(0, None, "undecided")))


def test_terminal_and_page_say_the_same_first_sentence() -> None:
    document = breaking_document(found(), KNOWN)
    assert (document.word, document.tone) == ("Exact", "plain")
    assert document.sentence == (
        "Of 2 people, 2 are broken by at most 4 further sightings (100%); 0 withstand any 4, 0 are"
        " undecided."
    )
    assert str(next(iter(document_lines([document])))).endswith(f"  {document.sentence}")
    assert document.sentence in document_page(document)


def test_what_is_undecided_is_said_and_drawn_apart() -> None:
    document = breaking_document(opened(), KNOWN)
    assert (document.word, document.tone) == ("Bounds", "undecided")
    assert "1 is broken" in document.sentence
    assert "1 are undecided" not in document.sentence
    assert "1 is undecided" in document.sentence
    assert "undecided" in inline_svg(draw_charts(document.charts), "a", "b")


def test_those_who_break_first_are_listed_with_their_sightings() -> None:
    *_, first = breaking_document(opened(), KNOWN).parts
    rows = first.rows  # type: ignore[union-attr]
    assert [row[:3] for row in rows] == [("1", 0, None), ("0", 1, 1)]
    assert rows[0][3] == "-"
    assert rows[1][3].startswith("0 at ")


def test_an_officer_hears_of_the_worst_and_names_stay_apart_from_sentences() -> None:
    for answer, stands in ((found(), "speaks against"), (opened(), "speaks against")):
        (said,) = breaking_document(answer, KNOWN).evidence
        assert (said.criterion, said.stands) == ("residual", stands)
        assert "0" in said.names
    asked, summary = {"k": 2, "at_most": 3, "sightings": "self"}, {
        "targets": 2, "broken": 0, "robust": 1, "never": 1, "undecided": 0, "broken_by": [0] * 4,
    }  # fmt: skip
    assert evidence(asked, summary, []).stands == "supports"
    assert evidence(asked, {**summary, "undecided": 1}, []).stands == "open"


def test_where_nothing_can_be_broken_the_document_says_so() -> None:
    nobody = replace(found(), targets=(), numbers=())
    document = breaking_document(nobody, KNOWN)
    assert (document.word, document.sentence) == ("Nothing asked", "There are no people to break.")
    assert not document.parts
