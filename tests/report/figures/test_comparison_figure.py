"""The picture of a comparison."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from mixsafe.compare.comparison import Comparison, Run
from mixsafe.compare.engine_runs import AnswerBounds
from mixsafe.compare.experiment import Question
from mixsafe.compare.isolated import Ended
from mixsafe.report.base.drawing import picture_of
from mixsafe.report.figures.comparison_figure import comparison_figure
from tests.support.strategies import problem


@pytest.fixture
def comparison() -> Comparison:
    """Two engines on two sizes; one of them answers nothing in time."""
    bounds = AnswerBounds("optimal", np.array([1.0]), np.array([1.0]), {})
    runs = []
    for number, size in enumerate((3, 30)):
        question = Question(problem(size, 1, [(1, [0, 1])], [], [(0, 1, 2)]), 0)
        ended = Ended("returned", bounds, 0.5 * size, 0.5 * size)
        runs.append(Run(question, number, "auto", "optimal", ended, bounds))
        runs.append(Run(question, number, "dp", "timeout", Ended("killed", None, 20.0), None))
    return Comparison("optimize", ("auto", "dp"), 20.0, tuple(runs))


def test_all_engines_the_limit_and_the_sizes_are_named(comparison: Comparison) -> None:
    picture = picture_of(comparison_figure(comparison), "svg").decode()
    for text in ("auto: 2 of 2 runs", "dp: 0 of 2 runs", "limit: 20 s", ">3<", ">30<", "seconds"):
        assert text in picture


@pytest.mark.parametrize(("kind", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml")])
def test_the_same_runs_make_the_same_bytes(
    comparison: Comparison, kind: Literal["png", "svg"], head: bytes
) -> None:
    picture = picture_of(comparison_figure(comparison), kind)
    assert picture.startswith(head)
    assert picture_of(comparison_figure(comparison), kind) == picture
