"""Releases of the contest as a picture: every one is there, and the same each time."""

from __future__ import annotations

from matplotlib.colors import to_hex

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import picture_of
from mixsafe.report.figures.contest_figure import Point, scatter

POINTS = (
    Point("A3-1", "shuffle", "A3", 0.4, 0.7),
    Point("A3-1", "mixzone", "A3", 0.6, 0.75),
    Point("$x^_", "shuffle", "A5", 0.9, 0.2, valid=False),
)


def spots(figure):
    return [line for line in figure.axes[0].lines if len(line.get_xdata()) == 1]


def test_every_release_is_a_point_at_its_scores() -> None:
    figure, left_out = scatter(POINTS)
    places = [(line.get_xdata()[0], line.get_ydata()[0]) for line in spots(figure)]
    assert places == [(point.reid, point.trace) for point in POINTS]
    assert left_out == 0


def test_releases_that_are_not_useful_enough_are_hollow_and_the_legend_says_so() -> None:
    figure, _ = scatter(POINTS)
    inside = [to_hex(line.get_markerfacecolor()) for line in spots(figure)]
    assert [one == colours.PAPER for one in inside] == [False, False, True]
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "hollow: not useful enough" in names
    alone, _ = scatter(POINTS[:2])
    names = [text.get_text() for text in alone.axes[0].get_legend().get_texts()]
    assert "hollow: not useful enough" not in names


def test_the_corner_says_what_it_is_told() -> None:
    figure, _ = scatter(POINTS, "R = 0.123")
    assert "R = 0.123" in [text.get_text() for text in figure.axes[0].texts]


def test_the_same_points_make_the_same_picture_whatever_the_names() -> None:
    pictures = {picture_of(scatter(POINTS, "R = 1")[0], "png") for _ in range(2)}
    assert len(pictures) == 1
    assert pictures.pop().startswith(b"\x89PNG")
