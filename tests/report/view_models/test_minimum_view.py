"""A minimum set of zones, as the page and the picture tell it."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from mixsafe.documents.atlas import Atlas
from mixsafe.model.mobility.time_axis import TimeAxis
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.problem import Problem
from mixsafe.model.question.requirement import Requirements
from mixsafe.optimize.answer import MinimumZones
from mixsafe.optimize.minimum import minimum_zones
from mixsafe.report.base.drawing import inline_svg
from mixsafe.report.figures.minimum_figure import draw_minimum
from mixsafe.report.pages.minimum_page import minimum_page
from mixsafe.report.view_models.minimum_view import minimum_view


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


@pytest.fixture
def shown() -> dict[str, Any]:
    return minimum_view(solved(2), adversary="The adversary has seen nobody", atlas=Atlas())


def test_zones_requirements_and_places_are_counted_where_they_are(shown: dict[str, Any]) -> None:
    over = shown["over_time"]
    assert over["moments"] == [1, 2, 3, 4, 5, 6]
    assert list(zip(over["column"], over["size"], strict=True)) == [(1, 2), (4, 2)]
    assert sum(over["chosen"]) == len(shown["chosen"]) == 1
    assert over["asked"] == [0, 0, 0, 0, 0, 1]
    assert sum(over["unmet"]) == 0
    assert sorted(shown["places"]["chosen"]) == [0, 1]
    assert shown["k"] == [2, 2]


@pytest.mark.parametrize("steps", [199, 200, 201, 450, 1441])
def test_long_data_have_columns_that_together_hold_everything(steps: int) -> None:
    answer = solved(2, steps)
    shown = minimum_view(answer)
    over = shown["over_time"]
    assert len(over["moments"]) == len(over["asked"]) <= 200
    assert sum(over["asked"]) == 1
    assert max(over["column"]) < len(over["moments"])
    # A zone stands in the column that begins at it or before it.
    begins = over["moments"]
    for column, time in zip(over["column"], answer.problem.zones.time.tolist(), strict=True):
        assert begins[column] <= time
        assert column + 1 == len(begins) or time < begins[column + 1]


def test_the_page_says_what_was_assumed_and_draws_the_zones(shown: dict[str, Any]) -> None:
    page = minimum_page({**solved(2).to_dict(), "report": shown})
    assert "The adversary has seen nobody." in page
    assert "at least k = 2 candidate pseudonyms" in page
    assert "&lt;i&gt;ann" in page
    assert "<i>ann" not in page
    assert len(re.findall(r'<svg role="img"', page)) == 1


def test_what_cannot_be_met_is_counted_in_the_sentence_and_drawn() -> None:
    answer = solved(3)
    view_model = minimum_view(answer)
    assert answer.status == "infeasible"
    assert sum(view_model["over_time"]["unmet"]) == 1
    page = minimum_page({**answer.to_dict(), "report": view_model})
    assert "1 of 1 requirement cannot be met, not even with all mix zones together." in page
    assert "that cannot be met" in inline_svg(draw_minimum(view_model), "a", "b")


def test_the_digest_is_json_and_gives_the_same_picture_every_time(shown: dict[str, Any]) -> None:
    again = json.loads(json.dumps(shown))
    pictures = [inline_svg(draw_minimum(one), "zones", "t") for one in (shown, again)]
    assert pictures[0] == pictures[1]
