"""A comparison of engines, as a page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from mixsafe.report.base.page import cell, count_cell, heading, numbers, table
from mixsafe.report.base.sections import section, sections_page
from mixsafe.report.figures.comparison_figure import draw_times


def comparison_page(result: Mapping[str, Any]) -> str:
    """The page for what ``compare --json`` wrote."""
    engines, runs = result["engines"], result["runs"]
    methods = list(result.get("ways", {}).items())
    task = {
        "verify": "decide who is safe",
        "optimize": "find a minimum set of mix zones",
    }[result["task"]]
    figure = draw_times(
        pd.DataFrame(runs),
        pd.DataFrame(result["summary"]),
        engines,
        result["limit"],
        result["task"],
    )
    caption = (
        "Seconds by number of people, both on scales of powers of ten. Small marks are runs, lines"
        " join medians, bars reach from the lower to the upper quartile; crosses at the limit did"
        " not finish, and a hollow median lies above it."
    )
    return sections_page(
        "Engines side by side",
        [
            section("Times", figure=(figure, "times", caption), table=_summary(result)),
            section("Runs", table=_runs(runs)),
            *([section("Who was asked", facts=methods)] if methods else []),
        ],
        word=result["word"],
        sentence=result["sentence"],
        meaning=(
            f"{', '.join(engines)} were asked to {task}; each run had {result['limit']:g} s and a"
            " separate process. An engine that does not finish has proven less, but nothing"
            " different."
        ),
        provenance=result.get("provenance"),
    )


def _summary(result: Mapping[str, Any]) -> dict[str, Any]:
    """Table of medians."""
    times = ("lower_quartile", "median", "upper_quartile")
    rows = [
        [
            row["engine"],
            *(count_cell(row[name]) for name in ("users", "runs", "finished")),
            *(cell(f"{row[name]:.2f}", row[name]) for name in times),
        ]
        for row in result["summary"]
    ]
    names = ("people", "runs", "finished", "lower quartile, s", "median, s", "upper quartile, s")
    return table(
        f"Seconds; runs that did not finish count with the limit, {result['limit']:g} s",
        [heading("engine", filter="Engine"), *numbers(*names)],
        rows,
    )


def _runs(runs: list[Mapping[str, Any]]) -> dict[str, Any]:
    """Table of all runs."""
    columns = ("users", "zones", "seconds", "memory_mb")
    rows = [
        [
            run["name"],
            run["engine"],
            run["status"],
            *("" if run[name] is None else cell(f"{run[name]:,}", run[name]) for name in columns),
            run["note"],
        ]
        for run in runs
    ]
    return table(
        "All runs",
        [
            "question",
            heading("engine", filter="Engine"),
            "status",
            *numbers("people", "mix zones", "seconds", "memory, MB"),
            heading("note", wide=True),
        ],
        rows,
    )
