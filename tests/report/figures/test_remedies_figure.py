"""Pictures of remedies: each is where its cost is, and what passes is told apart."""

from __future__ import annotations

import pandas as pd

from mixsafe.report.base import colours
from mixsafe.report.figures.remedies_figure import draw_remedies

ROW = {
    "number": 1, "remedy": "as it is", "verdict": "unsafe", "left_out": 0,
    "share_of_time_hidden": 0.0, "share_of_fixes_lost": 0.1, "metres": 30.0, "minutes": 0.5,
    "cell_size": 100.0, "time_step": 60, "rotate": None, "safe": 3, "unsafe": 1, "undecided": 0,
}  # fmt: skip


def table(*rows: dict[str, object]) -> pd.DataFrame:
    return pd.DataFrame([{**ROW, **row} for row in rows])


def points(found: pd.DataFrame) -> list[tuple[float, float, bool]]:
    """Place of each remedy, and whether it is filled."""
    (axes,) = draw_remedies(found).axes
    return [
        (line.get_xdata()[0], line.get_ydata()[0], line.get_markerfacecolor() != colours.PAPER)
        for line in axes.get_lines()
    ]


def test_remedies_are_placed_by_form_and_cost() -> None:
    found = table(
        {},
        {"number": 2, "remedy": "leave out", "verdict": "safe", "share_of_fixes_lost": 0.4},
        {"number": 5, "remedy": "larger cells", "verdict": "weak pass", "cell_size": 200.0},
        {"number": 9, "remedy": "rotations, hide stretches", "rotate": "daily",
         "verdict": "undecided", "share_of_fixes_lost": 0.2},
    )  # fmt: skip
    assert points(found) == [
        (0.1, 0, False), (0.4, 0, True), (0.1, 1, True), (0.2, 2, False),
    ]  # fmt: skip
    (axes,) = draw_remedies(found).axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["as it is", "cells of 200 m (off by 30 m)", "all change daily"]
    assert [text.get_text() for text in axes.texts] == ["2", "5"]


def test_without_traces_time_or_people_are_the_cost() -> None:
    found = table(
        {"share_of_fixes_lost": None, "left_out": 4},
        {"share_of_fixes_lost": None, "share_of_time_hidden": 0.3, "remedy": "hide stretches"},
    )
    assert [one[0] for one in points(found)] == [0.5, 0.3]
