"""The document of a minimum set of zones, on the terminal, the page and in the picture."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from mixsafe.documents.atlas import Atlas, Context
from mixsafe.documents.document import Document
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.answer import Budget, MinimumZones
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.optimize.minimum_document import chosen_zones, minimum_document, over_time, places
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.document_page import document_page
from mixsafe.report.drawing import inline_svg
from mixsafe_cli.terminal import document_lines


def solved(k: int, steps: int = 6) -> MinimumZones:
    """Three users of whom two meet at step 2 and two, or all, at the last; the first is asked."""
    zones = MixZones(
        np.array(["<i>ann", "bob", "cy"], object),
        TimeAxis(steps),
        np.array([2, steps - 1], np.int32),
        np.array([0, 2, 4], np.int64),
        np.array([0, 1, 1, 2], np.int32),
        np.array([7, 8], np.int64),
    )
    asked = Requirements(*(np.array([value], np.int32) for value in (0, steps, k)))
    nobody = np.zeros(0, np.int32)
    return minimum_zones(Problem("p", zones, Knowledge(nobody, nobody), asked))


KNOWN = Context("p.json", "The adversary has seen nobody", Atlas())


def test_zones_requirements_and_places_are_counted_where_they_are() -> None:
    answer = solved(2)
    over = over_time(answer)
    assert over["moments"] == [1, 2, 3, 4, 5, 6]
    dots = [*over["other"]["at"], *over["chosen"]["at"]]
    assert sorted(dots) == [1.5, 4.5]
    assert (over["chosen"]["size"], over["other"]["size"]) == ([2], [2])
    assert len(chosen_zones(answer, None)) == 1
    assert over["met"] == [0, 0, 0, 0, 0, 1]
    assert sum(over["unmet"]) == 0
    where = places(answer, Atlas())
    assert where is not None
    assert [len(where[name]["x"]) for name in ("chosen", "other")] == [1, 1]


@pytest.mark.parametrize("steps", [199, 200, 201, 450, 1441])
def test_long_data_have_columns_that_together_hold_everything(steps: int) -> None:
    answer = solved(2, steps)
    over = over_time(answer)
    begins = over["moments"]
    assert len(begins) == len(over["met"]) <= 200
    assert sum(over["met"]) == 1
    # A zone stands in the middle of the column that begins at it or before it.
    columns = sorted(int(at) for name in ("other", "chosen") for at in over[name]["at"])
    for column, time in zip(columns, answer.problem.zones.time.tolist(), strict=True):
        assert begins[column] <= time
        assert column + 1 == len(begins) or time < begins[column + 1]


def test_the_page_says_what_was_assumed_and_draws_the_zones() -> None:
    page = document_page(minimum_document(solved(2), KNOWN))
    assert "The adversary has seen nobody" in page
    assert "at least as many candidate pseudonyms as required" in page
    assert "&lt;i&gt;ann" in page
    assert "<i>ann" not in page
    assert len(re.findall(r'<svg role="img"', page)) == 2


def test_what_cannot_be_met_is_counted_in_the_sentence_listed_and_drawn() -> None:
    answer = solved(3)
    assert answer.status == "infeasible"
    document = minimum_document(answer, KNOWN)
    assert document.sentence == (
        "1 of 1 requirement cannot be met, not even with all mix zones together."
    )
    assert document.tone == "unsafe"
    assert next(iter(document.parts)).rows == [("<i>ann", 6, 3)]  # type: ignore[union-attr]
    assert "that cannot be met" in inline_svg(draw_charts(document.charts), "a", "b")


def test_json_gives_the_same_pictures_every_time() -> None:
    document = minimum_document(solved(2), KNOWN)
    again = Document.from_dict(json.loads(json.dumps(document.to_dict())))
    pictures = [inline_svg(draw_charts(one.charts), "zones", "t") for one in (document, again)]
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({}, "1 mix zone is enough, and no fewer. This is proven."),
        (
            {"weight": "members", "minimum": 2, "bound": 2},
            "1 mix zone with 2 memberships is enough, and no fewer memberships. This is proven.",
        ),
        (
            {"status": "feasible", "minimum": 2, "zones": (0, 1)},
            "2 mix zones are enough; at least 1 mix zone is needed.",
        ),
        (
            {"status": "undecided", "minimum": None, "zones": ()},
            "No set was found; at least 1 mix zone is needed, if the requirements can be met at"
            " all.",
        ),
        (
            {"status": "undecided", "minimum": None, "zones": (), "bound": 3, "places": ()},
            "No set was found; a cost of at least 3 is needed, if the requirements can be met at"
            " all.",
        ),
        (
            {"places": ("P", "Q"), "minimum": 7, "bound": 7},
            "2 places are enough, with 1 mix zone, at a cost of 7, and nothing costs less. This is"
            " proven.",
        ),
        (
            {"places": ("P",), "minimum": 7, "bound": 5, "status": "feasible"},
            "1 place is enough, with 1 mix zone, at a cost of 7; nothing costs less than 5.",
        ),
        (
            {"budget": Budget(9, 5, 3, 3)},
            "3 of 5 people are protected at a cost of 1, and no more can be for 9. This is proven.",
        ),
        (
            {"budget": Budget(9, 5, 3, 4)},
            "3 of 5 people are protected at a cost of 1; no more than 4 can be for 9.",
        ),
    ],
)
def test_terminal_and_page_say_what_is_enough_and_what_is_proven(
    changes: dict[str, object], sentence: str
) -> None:
    document = minimum_document(replace(solved(2), **changes), KNOWN)  # type: ignore[arg-type]
    assert document.sentence == sentence
    assert document.evidence[0].sentences == (sentence,)
    assert str(next(iter(document_lines([document])))).endswith(f"  {sentence}")
    assert sentence in document_page(document)


def test_more_time_is_advised_only_where_time_ran_out() -> None:
    open_ended = replace(solved(2), status="feasible", minimum=2, zones=(0, 1))
    (said,) = minimum_document(open_ended, KNOWN).next_steps
    assert "--method auto" in said
    (said,) = minimum_document(replace(open_ended, out_of_time=True), KNOWN).next_steps
    assert "--time-limit" in said
