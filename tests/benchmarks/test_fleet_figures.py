"""Pictures of what rotating identifiers protect: what is measured is what is drawn."""

from __future__ import annotations

import pytest

from benchmarks.fleet_figures import draw_by_demand, draw_by_fields


def test_medians_are_left_and_shares_right_with_one_line_for_each_adversary() -> None:
    series = {"all fields": [(1.0, 2.0, 0.5), (10.0, 20.0, 0.1)], "closed": [(1.0, 1.0, 0.9)]}
    left, right = draw_by_demand(series).axes
    for place, points in enumerate(series.values()):
        at, median, one = (list(column) for column in zip(*points, strict=True))
        assert list(left.lines[place].get_xdata()) == list(right.lines[place].get_xdata()) == at
        assert list(left.lines[place].get_ydata()) == median
        assert list(right.lines[place].get_ydata()) == one
    assert [text.get_text() for text in left.get_legend().get_texts()] == list(series)


def test_bars_of_a_feed_add_up_and_the_first_feed_is_on_top() -> None:
    (axes,) = draw_by_fields({"place and time": (0.1, 0.7), "a deep link": (0.5, 0.2)}).axes
    widths = [bar.get_width() for bar in axes.patches]
    assert widths[0::2] == pytest.approx([0.1, 0.2, 0.7])
    assert widths[1::2] == pytest.approx([0.5, 0.3, 0.2])
    assert axes.yaxis_inverted()
