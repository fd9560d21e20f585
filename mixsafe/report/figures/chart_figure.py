"""Charts of documents as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from mixsafe.documents.document import Chart, Panel, Series
from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, moment_ticks, plain, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WIDTH = 9.6
"""Inches."""

_SHADES = {name: shade for shade, name in colours.VARIABLES.items()}


@style
def draw_charts(charts: Sequence[Chart]) -> Figure:
    """The panels of charts, one below the other."""
    panels = [panel for chart in charts for panel in chart.panels]
    heights = [panel.height for panel in panels]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.2 * (len(heights) - 1)), layout="constrained")
    drawn = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    for axes, panel in zip(drawn[:, 0], panels, strict=True):
        _draw(axes, panel)
    return figure


def _draw(axes: Axes, panel: Panel) -> None:
    """A panel: scales first, because limits that follow the data are singular for one point."""
    axes.set(xlabel=panel.x.label, ylabel=panel.y.label)
    for scaled, axis in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if axis.log:
            axes.set(**{f"{scaled.axis_name}scale": "log"})
            scaled.grid(color=colours.FAINT, alpha=0.3, which="major")
            scaled.set_major_formatter(lambda value, _: f"{value:g}")
    for series in panel.series:
        _draw_series(axes, series, len(panel.x.moments))
    if panel.x.moments:
        axes.set_xlim(0, len(panel.x.moments))
        moment_ticks(axes, panel.x.moments)
    elif (panel.x.low, panel.x.high) != (None, None):
        axes.set_xlim(panel.x.low, panel.x.high)
    if (panel.y.low, panel.y.high) != (None, None):
        axes.set_ylim(panel.y.low, None if panel.y.high is None else panel.y.high * 1.02)
    if panel.y.names:
        names = ["\n".join(wrap(name, 32)) for name in panel.y.names]
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.5, -0.5)
    if panel.equal:
        limited = panel.x.low is not None
        axes.set_aspect("equal", adjustable="box" if limited else "datalim", anchor="W")
    if any(series.label for series in panel.series):
        legend_above(axes, columns=3, title=panel.legend or None)
    plain(axes)


def _draw_series(axes: Axes, series: Series, columns: int) -> None:
    y = np.array([np.nan if one is None else one for one in series.y], float)
    if len(series.x):
        x = np.array(series.x, float)
    else:
        x = np.arange(len(y)) + (0.5 if columns else 0.0)
    look: dict[str, Any] = {
        "color": _SHADES[series.colour],
        "label": series.label or None,
        "alpha": 0.4 if series.faint else None,
    }
    if len(series.low):
        ends = [np.array(side, float) for side in (series.low, series.high)]
        axes.errorbar(
            x, y, [y - ends[0], ends[1] - y], capsize=3, fmt="none", **look | {"label": None}
        )
    if series.look == "bars":
        axes.bar(x, y, 1, np.array(series.bottom, float) if len(series.bottom) else 0,
                 linewidth=0, **look)  # fmt: skip
    elif series.look == "squares":
        _draw_squares(axes, series, x, y)
    elif series.look in _MARKS:
        size = np.square(np.array(series.size, float))
        mark, hollow = _MARKS[series.look]
        face = colours.PAPER if hollow else look["color"]
        shade = {"c": look.pop("color")} if mark == "x" else {
            "facecolors": face, "edgecolors": look.pop("color")}  # fmt: skip
        axes.scatter(x, y, size, marker=mark, linewidths=1.2 if hollow or mark == "x" else 0,
                     zorder=3, **shade, **look)  # fmt: skip
    else:
        dash = "--" if series.look == "dashes" else "-"
        steps = "steps-post" if series.look == "steps" else "default"
        axes.plot(x, y, dash, linewidth=series.size, drawstyle=steps, **look)
    for name, *at in zip(series.names, x, y, strict=bool(series.names)):
        axes.annotate(
            name, (at[0], at[1]), (0, 9), textcoords="offset points", ha="center", fontsize=9
        )


def _draw_squares(
    axes: Axes, series: Series, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> None:
    """Squares as large as the axes say, each around a point."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (np.max(series.size) / 2)
    squares = np.stack([x, y], axis=1)[:, None, :] + corners
    shade = _SHADES[series.colour]
    axes.add_collection(PolyCollection(list(squares), facecolors=shade, edgecolors="none"))
    axes.scatter([], [], 60, marker="s", color=shade, label=series.label or None)


_MARKS = {"dots": ("o", False), "hollow": ("o", True), "crosses": ("x", False)}
"""Mark of each look, and whether it is hollow."""
