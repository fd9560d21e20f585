"""Names beside points: none covers another."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from mixsafe.report.chart_figure import name_points


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
