"""Charts of documents as pictures.

Names beside points: none covers another.
"""

from __future__ import annotations

from typing import Any

import matplotlib.figure
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch

from mixsafe.documents.document import Axis, Chart, Look, Panel, Series
from mixsafe.report import colours
from mixsafe.report.chart_figure import draw_charts, name_points


def drawn(y: Axis, *series: Series) -> matplotlib.figure.Figure:
    return draw_charts([Chart("a title", "a-name", "a caption", (Panel(series, Axis(), y),))])


def ticks(figure: matplotlib.figure.Figure) -> list[str]:
    figure.canvas.draw()
    low, high = figure.axes[0].get_ylim()
    axis = figure.axes[0].yaxis
    shown = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
    return [text.get_text() for place, text in shown if low <= place <= high]


def test_whole_numbers_have_ticks_at_whole_numbers() -> None:
    assert ticks(drawn(Axis(), Series("", "ink", (0, 1)))) == ["0", "1"]
    assert "0.2" in ticks(drawn(Axis(), Series("", "ink", (0.0, 1.0))))


def test_a_logarithmic_axis_has_ticks_within_a_factor_of_ten() -> None:
    assert ticks(drawn(Axis(low=2, high=60, log=True), Series("", "ink", (2, 60)))) == [
        "2", "5", "10", "20", "50",
    ]  # fmt: skip


def test_labels_stand_where_they_are_wanted() -> None:
    assert ticks(drawn(Axis(log=True, ticks=(3, 30)), Series("", "ink", (3, 30)))) == ["3", "30"]
    assert ticks(drawn(Axis(ticks=(0, 1)), Series("", "ink", (0.0, 0.9)))) == ["0"]


@pytest.mark.parametrize(("look", "edge"), [("dots", 0), ("discs", 0.6)])
def test_discs_have_an_edge_and_their_own_sizes(look: str, edge: float) -> None:
    marks = Series("all", "safe", (1, 2), (0, 1), look, size=(3, 5))  # type: ignore[arg-type]
    found: Any = drawn(Axis(), marks).axes[0].collections[0]
    assert found.get_sizes().tolist() == [9, 25]
    assert found.get_linewidths() == [edge]


@pytest.mark.parametrize("look", ["hollow", "hollow triangles", "dots", "triangles"])
def test_marks_are_hollow_or_filled(look: Look) -> None:
    marks: Any = drawn(Axis(), Series("all", "safe", (1.0, 2.0), (0, 1), look, size=6)).axes[0]
    (inside,) = marks.collections[0].get_facecolors()
    filled = to_hex(inside) != colours.PAPER
    assert filled is not look.startswith("hollow")


def test_names_stand_beside_marks_where_there_is_room_the_first_ones_first() -> None:
    names = ("first", *["other"] * 20)
    marks = Series("", "safe", [0.5] * 21, [0.5] * 21, "dots", names=names)
    figure = draw_charts([Chart("", "a", "", (Panel((marks,), Axis(), Axis()),) * 2)])
    for axes in figure.axes:
        found = [text.get_text() for text in axes.texts]
        assert found[0] == "first"
        assert len(found) < 21


def test_a_series_without_values_is_in_the_legend_alone() -> None:
    axes = drawn(Axis(), Series("kind", "faint", (), look="triangles"), Series("", "ink", (0, 1)))
    (legend,) = [one.get_legend() for one in axes.axes]
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["kind"]


def test_spans_fill_rows_with_names_and_rows_without_have_no_label() -> None:
    y = Axis(names=("first", "", "last"))
    spans = Series("safe", "safe", (0, 2), look="spans", low=(1, 0), high=(3, 2.5), size=1.0)
    figure = drawn(y, spans)
    (axes,) = figure.axes
    assert [one.get_text() for one in axes.get_yticklabels()] == ["first", "last"]
    assert axes.get_ylim() == (2.5, -0.5)
    (outline,) = (one for one in axes.patches if isinstance(one, PathPatch))
    corners = outline.get_path().vertices.reshape(2, 5, 2)
    assert corners.min(axis=1).tolist() == [[1, -0.5], [0, 1.5]]
    assert corners.max(axis=1).tolist() == [[3, 0.5], [2.5, 2.5]]


def boxes(figure: Figure) -> list[tuple[float, float, float, float]]:
    """Edges of all names that were written, as they are drawn."""
    figure.draw_without_rendering()
    return [text.get_window_extent().extents for text in figure.axes[0].texts]


@pytest.mark.parametrize("seed", range(3))
def test_names_never_cover_each_other_and_stay_in_the_frame(seed: int) -> None:
    random = np.random.default_rng(seed)
    x, y = random.random((2, 60))
    figure = Figure(figsize=(6, 4))
    axes = figure.subplots()
    axes.set(xlim=(-0.1, 1.1), ylim=(-0.1, 1.1))
    names = [f"A{number}-4-1" for number in range(60)]
    left_out = name_points(axes, names, x.tolist(), y.tolist())
    found = boxes(figure)
    assert len(found) == 60 - left_out
    assert 0 < left_out < 60
    frame = axes.get_window_extent().extents
    for number, one in enumerate(found):
        assert frame[0] <= one[0]
        assert one[2] <= frame[2]
        for other in found[:number]:
            apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1]
            assert apart or other[3] <= one[1]


def test_the_first_names_have_their_place() -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set(xlim=(0, 1), ylim=(0, 1))
    left_out = name_points(axes, ["first", *(["other"] * 20)], [0.5] * 21, [0.5] * 21)
    assert left_out > 0
    assert axes.texts[0].get_text() == "first"


def test_no_points_have_no_names() -> None:
    assert name_points(Figure().subplots(), [], [], []) == 0


def test_shares_are_percent_on_axes_as_in_sentences() -> None:
    series = (Series("", "ink", [0.0, 1.0], [0.0, 1.0]),)
    panel = Panel(series, Axis("belief", low=0, high=1), Axis("share of rides", low=0, high=1))
    (axes,) = draw_charts([Chart("a", "b", "c", (panel,))]).axes
    axes.figure.draw_without_rendering()
    assert [label.get_text() for label in axes.get_yticklabels()][::5] == ["0%", "100%"]
    assert [label.get_text() for label in axes.get_xticklabels()][::5] == ["0.0", "1.0"]
