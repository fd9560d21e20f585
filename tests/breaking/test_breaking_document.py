"""The document of breaking numbers: the same facts on terminal, page, picture and for officers.

It names the places of sightings that break somebody.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mixsafe.breaking.breaking import breaking
from mixsafe.breaking.breaking_answer import BreakingNumbers, Number
from mixsafe.breaking.breaking_document import breaking_document, evidence, with_places
from mixsafe.documents.atlas import Atlas, Context
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.mobility.traces import Positions
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.document_page import document_page
from mixsafe.report.drawing import inline_svg
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


# 0 and 1 meet at step 1 and again at step 3, and are known at the ends: one sighting between, or
# at a meeting, tells them apart. At step 2 user 0 is nowhere.
PLACES = {0: {1: 7, 3: 9, 4: 7}, 1: {1: 7, 2: 8, 3: 9, 4: 9}}


def _atlas() -> Atlas:
    told = [(row, step, place) for row, at in PLACES.items() for step, place in at.items()]
    row, step, place = np.array(told).T
    return Atlas(None, Positions(np.arange(2), TimeAxis(4), row, step, place))


def test_each_sighting_has_the_place_where_she_is() -> None:
    found = breaking(MEETING, k=2)
    told, atlas = found.to_dict(), _atlas()
    for row, number, before in zip(
        with_places(told, found, atlas)["breaking"], found.numbers, told["breaking"], strict=True
    ):
        assert number.sightings
        for one, (user, step) in zip(row["sightings"], number.sightings, strict=True):
            place = PLACES[user].get(step)
            assert one["place"] == (None if place is None else atlas.name(place))
        assert {**row, "sightings": 0} == {**before, "sightings": 0}
    assert "place" not in str(told["breaking"])


def test_who_is_nowhere_has_no_place_and_steps_before_anything_happens_have_none() -> None:
    found = breaking(problem(2, 4, [(1, [0, 1]), (3, [0, 1])], [(0, 4), (1, 4)]), k=2)
    told = with_places(found.to_dict(), found, _atlas())["breaking"]
    steps = [step for number in found.numbers for _, step in number.sightings]
    places = [one["place"] for row in told for one in row["sightings"]]
    assert 0 in steps
    assert all(place is None for step, place in zip(steps, places, strict=True) if step == 0)


def test_without_places_nothing_is_told_of_them() -> None:
    found = breaking(MEETING, k=2)
    told = found.to_dict()
    assert with_places(told, found, None) is told
    assert with_places(told, found, Atlas()) is told
