"""Remedies as documents: each is where its cost is, and those that another one beats are apart."""

from __future__ import annotations

from itertools import product
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mixsafe.documents.document import Chart
from mixsafe.model.question.requirement import Rule
from mixsafe.remedies.protection_document import measures, remedies_chart
from mixsafe.remedies.remedy import frontier

ROW = {
    "number": 1, "remedy": "as it is", "verdict": "unsafe", "left_out": 0,
    "share_of_time_hidden": 0.0, "share_of_fixes_left_out": 0.0, "share_of_fixes_lost": 0.1,
    "metres": 30.0, "minutes": 0.5, "cell_size": 100.0, "time_step": 60, "rotate": None,
    "users": {"safe": 3, "unsafe": 1, "undecided": 0}, "share_of_time_safe": 0.5,
}  # fmt: skip


def rows(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**ROW, **change} for change in changes]


def points(chart: Chart) -> set[tuple[float, float, str]]:
    """Cost, row and look of each remedy."""
    (panel,) = chart.panels
    return {
        (x, y, series.look)
        for series in panel.series
        for x, y in zip(series.x, series.y, strict=True)
    }


def test_remedies_are_placed_by_form_and_cost() -> None:
    chart = remedies_chart(rows(
        {},
        {"number": 2, "remedy": "leave out", "verdict": "safe", "share_of_fixes_lost": 0.4},
        {"number": 5, "remedy": "larger cells", "verdict": "weak pass", "cell_size": 200.0},
        {"number": 9, "remedy": "rotations, hide stretches", "rotate": "daily",
         "verdict": "undecided", "share_of_fixes_lost": 0.2},
    ))  # fmt: skip
    assert points(chart) == {
        (0.1, 0, "hollow"), (0.4, 0, "dots"), (0.1, 1, "dots"), (0.2, 2, "hollow"),
    }  # fmt: skip
    (panel,) = chart.panels
    assert panel.y.names == ("as it is", "cells of 200 m (off by 30 m)", "all change daily")
    assert sorted(name for series in panel.series for name in series.names) == ["2", "5"]


def test_without_traces_time_or_people_are_the_cost() -> None:
    none = {"share_of_fixes_lost": None, "metres": None, "minutes": None}
    chart = remedies_chart(rows(
        {**none, "remedy": "leave out", "left_out": 1},
        {**none, "remedy": "hide stretches", "share_of_time_hidden": 0.25},
    ))  # fmt: skip
    assert {x for x, _, _ in points(chart)} == {0.2, 0.25}


@given(
    st.lists(
        st.tuples(
            st.sampled_from([0.0, 0.1, 0.2]),
            st.sampled_from(["safe", "unsafe", "undecided"]),
            st.integers(0, 4),
            st.sampled_from([None, "daily"]),
        ),
        max_size=8,
    )
)
def test_whoever_is_not_on_the_frontier_is_beaten_by_one_that_is(
    drawn: list[tuple[float, str, int, str | None]],
) -> None:
    tried = [
        {**ROW, "number": number, "share_of_fixes_lost": lost, "verdict": verdict,
         "rotate": rotate, "users": {"safe": safe, "unsafe": 4 - safe, "undecided": 0}}
        for number, (lost, verdict, safe, rotate) in enumerate(drawn)
    ]  # fmt: skip
    kept = frontier(tried)
    assert bool(kept) == bool(tried)
    for row in tried:
        assert row in kept or any(no_worse(one, row) for one in kept)
    assert not any(no_worse(*pair) for pair in product(kept, kept) if pair[0] is not pair[1])


def no_worse(one: dict[str, Any], other: dict[str, Any]) -> bool:
    rank = {"unsafe": 0, "undecided": 1, "safe": 2}
    return bool(
        one["share_of_fixes_lost"] <= other["share_of_fixes_lost"]
        and (one["rotate"] is not None) <= (other["rotate"] is not None)
        and rank[one["verdict"]] >= rank[other["verdict"]]
        and one["users"]["safe"] >= other["users"]["safe"]
    )


def test_an_officer_sees_all_remedies_the_beaten_ones_folded() -> None:
    said = measures(
        rows({}, {"number": 4, "share_of_fixes_lost": 0.2}, {"number": 7, "verdict": "safe"}),
        Rule.parse("some"),
    )
    shown = [(table.folded, [row[0] for row in table.rows]) for table in said.tables]
    assert shown == [(False, [7]), (True, [1, 4])]
