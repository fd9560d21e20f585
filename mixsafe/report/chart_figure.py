"""Charts of documents as pictures, with labels of points that overlap nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path as Outline
from matplotlib.ticker import (
    FixedLocator,
    LogLocator,
    MaxNLocator,
    NullFormatter,
    PercentFormatter,
)

from mixsafe.documents.document import Axis, Chart, Panel, Series
from mixsafe.errors import printable
from mixsafe.report import colours
from mixsafe.report.drawing import legend_above, legible, moment_ticks, plain, save, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis as MatplotlibAxis


SIZE = 8
"""Of the letters, points."""

_WIDE, _HIGH, _MARK = 0.62 * SIZE, 1.15 * SIZE, 4.5  # a letter's width, a line, half a mark
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0))


def name_points(axes: Axes, names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> int:
    """Write labels next to their points, in order of priority.

    Call it when the limits of the axes are final: where names have room depends on them.

    Parameters
    ----------
    names, x, y
        (n,) each, in the order of importance.

    Returns
    -------
    int
        How many names had no room.
    """
    if not len(names):
        return 0
    figure = axes.figure.canvas.figure  # get_figure(root=True) is of matplotlib 3.10
    legible(figure)
    figure.draw_without_rendering()
    to_points = 72 / figure.dpi
    spot = axes.transData.transform(np.column_stack([x, y])) * to_points
    frame = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    inside = np.array([frame.x0, frame.y0, frame.x1, frame.y1]) * 72
    taken = np.hstack([spot - _MARK, spot + _MARK])
    left_out = 0
    for number, name in enumerate(map(printable, names)):
        # Its own point is no obstacle: the name stands beside it.
        others = np.delete(taken, number, axis=0)
        for side in _SIDES:
            box = _box(spot[number], name, side)
            if _within(box, inside) and not _covers(box, others):
                taken = np.vstack([taken, box])
                at = (box[0] - spot[number][0], box[1] - spot[number][1] + 0.2 * SIZE)
                axes.annotate(
                    name, (x[number], y[number]), xytext=at, textcoords="offset points",
                    fontsize=SIZE,
                )  # fmt: skip
                break
        else:
            left_out += 1
    return left_out


def _box(
    spot: npt.NDArray[np.float64], name: str, side: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """Left, lower, right and upper edge of a name on a side of its point, points."""
    width = _WIDE * len(name)
    left = spot[0] + _MARK if side[0] > 0 else spot[0] - _MARK - width
    low = spot[1] - _HIGH / 2 + side[1] * (_HIGH / 2 + 1)
    return np.array([left, low, left + width, low + _HIGH])


def _within(box: npt.NDArray[np.float64], frame: npt.NDArray[np.float64]) -> bool:
    """Whether a box is inside another."""
    return bool(np.all(box[:2] >= frame[:2]) and np.all(box[2:] <= frame[2:]))


def _covers(box: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> bool:
    """Whether a box covers a part of another one."""
    apart = (box[2:] <= others[:, :2]) | (box[:2] >= others[:, 2:])
    return bool(np.any(~apart.any(axis=1)))


Floats = npt.NDArray[np.float64]

WIDTH = 9.6
"""Inches."""

_LEGEND_ROW, _HANDLE = 100, 6
"""Letters in a row of a legend, and the room of a mark with its spaces, letters."""

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
    for axes, panel in zip(drawn[:, 0], panels, strict=True):  # legends no longer move the axes
        _name_marks(axes, panel)
    return figure


def save_charts(charts: Sequence[Chart], path: Path) -> None:
    """Draw charts into a file: as :func:`draw_charts` and :func:`mixsafe.report.drawing.save`.

    Raises
    ------
    InputError
        The file is neither PNG nor SVG, or cannot be written.
    """
    save(draw_charts(charts), path)


def save_releases(charts: Sequence[Chart], path: Path, without: Sequence[str] = ()) -> list[str]:
    """Draw the privacy of a contest's releases into a file, and return notes on the picture.

    Parameters
    ----------
    without
        Contests that have no chart.

    Raises
    ------
    InputError
        As :func:`save_charts`.
    """
    empty = "no release is valid, or none was attacked in both ways"
    if not charts:
        return [f"no {path.name}: {empty}"]
    save_charts(charts, path)
    return [f"{path.name} without {name}: {empty}" for name in without]


def _draw(axes: Axes, panel: Panel) -> None:
    """A panel: scales first, because limits that follow the data are singular for one point."""
    axes.set(xlabel=panel.x.label, ylabel=panel.y.label)
    for scaled, axis in ((axes.xaxis, panel.x), (axes.yaxis, panel.y)):
        if axis.log:
            axes.set(**{f"{scaled.axis_name}scale": "log"})
        _label(scaled, axis)
    for series in panel.series:
        _draw_series(axes, series, len(panel.x.moments))
    if not (panel.y.log or panel.y.ticks or panel.y.names) and _whole(panel):
        axes.yaxis.set_major_locator(MaxNLocator("auto", integer=True))
    _limit(axes, panel)
    if panel.y.names:
        names = map(printable, panel.y.names)  # labels of ticks are made anew when they are drawn
        shown = {row: "\n".join(wrap(name, 32)) for row, name in enumerate(names) if name}
        axes.set_yticks(list(shown), list(shown.values()))
        axes.set_ylim(len(panel.y.names) - 0.5, -0.5)
    labels = [series.label for series in panel.series if series.label]
    if labels:
        one_row = sum(len(label) + _HANDLE for label in labels) <= _LEGEND_ROW
        legend_above(axes, columns=None if one_row else 3, title=panel.legend or None)
    plain(axes)


def _label(scaled: MatplotlibAxis, axis: Axis) -> None:
    """Where an axis has labels."""
    if axis.log:
        scaled.grid(color=colours.FAINT, alpha=0.3, which="major")
        scaled.set_major_locator(LogLocator(subs=(1, 2, 5)))
        scaled.set_major_formatter(lambda value, _: f"{value:g}")
        scaled.set_minor_formatter(NullFormatter())
    if axis.ticks:
        scaled.set_major_locator(FixedLocator(axis.ticks))
    if axis.label.startswith("share"):
        scaled.set_major_formatter(PercentFormatter(1))


def _limit(axes: Axes, panel: Panel) -> None:
    """The ends of the axes."""
    x, y = panel.x, panel.y
    if x.moments:
        axes.set_xlim(0, len(x.moments))
        moment_ticks(axes, x.moments)
    elif x.low is not None or x.high is not None:
        axes.set_xlim(x.low, x.high)
    if y.low is not None or y.high is not None:
        axes.set_ylim(y.low, None if y.high is None else y.high * 1.02)
    if panel.equal:
        axes.set_aspect("equal", adjustable="datalim" if x.high is None else "box", anchor="W")


def _whole(panel: Panel) -> bool:
    """Whether all values are whole numbers, and so the ticks beside them."""
    return all(isinstance(one, int) for series in panel.series for one in series.y)


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
    if series.look == "spans":
        _draw_spans(axes, series, y)
        return
    if len(series.low):
        ends = [np.array(side, float) for side in (series.low, series.high)]
        axes.errorbar(
            x, y, [y - ends[0], ends[1] - y], capsize=3, fmt="none", **look | {"label": None}
        )
    if series.look == "bars":
        _draw_bars(axes, series, x, y, look)
    elif series.look == "squares":
        _draw_squares(axes, series, x, y)
    elif series.look in _MARKS:
        _scatter(axes, x, y, series, look)
    else:
        dash = "--" if series.look == "dashes" else "-"
        steps = "steps-post" if series.look == "steps" else "default"
        axes.plot(x, y, dash, linewidth=series.size, drawstyle=steps, **look)


def _name_marks(axes: Axes, panel: Panel) -> None:
    """Names beside the marks that have some."""
    marks = [
        (name, x, y)
        for series in panel.series
        for name, x, y in zip(series.names, series.x, series.y, strict=False)
    ]
    if marks:
        name_points(axes, *zip(*marks, strict=True))


def _draw_bars(axes: Axes, series: Series, x: Floats, y: Floats, look: Mapping[str, Any]) -> None:
    """Bars of width 1; those that touch each other as one outline, which shows no seams."""
    bottom = np.array(series.bottom, float) if len(series.bottom) else np.zeros(len(y))
    if len(x) and np.all(np.diff(x) == 1):
        edges = np.append(x, x[-1] + 1) - 0.5
        top = bottom + np.nan_to_num(y)
        axes.stairs(top, edges, baseline=bottom, fill=True, linewidth=0, **look)
    else:
        axes.bar(x, y, 1, bottom, linewidth=0, **look)


def _draw_spans(axes: Axes, series: Series, y: Floats) -> None:
    """Rows filled from left to right, as one outline: few and small, however many they are."""
    left, right = np.array(series.low, float), np.array(series.high, float)
    top, bottom = y - series.size / 2, y + series.size / 2  # type: ignore[operator]
    x = np.stack([left, right, right, left, left], axis=1)
    corners = np.stack([x, np.stack([top, top, bottom, bottom, top], axis=1)], axis=2)
    codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    outline = Outline(corners.reshape(-1, 2), np.tile(codes, len(y)))
    shade = _SHADES[series.colour]
    # Not add_patch, which would measure every corner to find limits that are known.
    axes.add_artist(PathPatch(outline, facecolor=shade, linewidth=0))
    axes.scatter([], [], 60, marker="s", color=shade, label=series.label or None)


def _draw_squares(
    axes: Axes, series: Series, x: npt.NDArray[np.float64], y: npt.NDArray[np.float64]
) -> None:
    """Squares as large as the axes say, each around a point."""
    corners = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)]) * (np.max(series.size) / 2)
    squares = np.stack([x, y], axis=1)[:, None, :] + corners
    shade = _SHADES[series.colour]
    axes.add_collection(PolyCollection(list(squares), facecolors=shade, edgecolors="none"))
    axes.scatter([], [], 60, marker="s", color=shade, label=series.label or None)


def _scatter(axes: Axes, x: Floats, y: Floats, series: Series, look: Mapping[str, Any]) -> None:
    """Marks without a line."""
    mark, edge, width = _MARKS[series.look]
    shade = look["color"]
    face = colours.PAPER if series.look.startswith("hollow") else shade
    shades = {"c": shade} if mark == "x" else {"facecolors": face, "edgecolors": edge or shade}
    how: dict[str, Any] = {
        "marker": mark,
        "linewidths": width,
        "zorder": 3,
        "alpha": look["alpha"] or (0.85 if series.look == "discs" else None),
        **shades,
    }
    area = np.square(np.array(series.size, float))
    axes.scatter(x, y, area, **how)
    if look["label"] is not None:  # one mark, however large those of the picture are
        axes.scatter([], [], min(float(area.max(initial=0)), 60.0), label=look["label"], **how)


_MARKS = {
    "dots": ("o", None, 0),
    "discs": ("o", colours.INK, 0.6),
    "hollow": ("o", None, 1.2),
    "triangles": ("^", None, 0),
    "hollow triangles": ("^", None, 1.2),
    "crosses": ("x", None, 1.2),
}
"""Mark of each look, the colour of its edge (None: its own), and the edge's width."""
