"""Figures of a view model: protection by user, over time, and by place."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.figure import Figure
from matplotlib.patches import Patch, PathPatch
from matplotlib.path import Path as Outline

from mixsafe.errors import InputError
from mixsafe.model.mobility.regions import Regions
from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, legend_mark, moment_ticks, plain, style
from mixsafe.report.base.words import THINGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ViewModel = Mapping[str, Any]
WIDTH = 9.6
"""Inches."""

COLUMNS = Regions.of_contest().columns
"""Of the map of regions, and its rows."""


@style
def timeline(view_model: ViewModel) -> Figure:
    """Lower bounds of users over time: a row per user (or band of users), a column per moment."""
    rows = len(view_model["timeline"]["level"])
    figure = Figure(figsize=(WIDTH, 1.4 + min(4.2, 0.25 * rows)), layout="constrained")
    draw_timeline(figure.subplots(), view_model)
    return figure


@style
def over_time(view_model: ViewModel) -> Figure:
    """Share of the users by their number of candidates, over time."""
    figure = Figure(figsize=(WIDTH, 3.2), layout="constrained")
    draw_over_time(figure.subplots(), view_model)
    return figure


@style
def zones_map(view_model: ViewModel) -> Figure:
    """Places of mix zones: size for people, colour for the safety that begins there.

    Raises
    ------
    InputError
        It is not known where the places are.
    """
    if not has_map(view_model):
        raise InputError("it is not known where the mix zones are: there is no map")
    figure = Figure(figsize=(WIDTH, 6.2), layout="constrained")
    draw_map(figure.subplots(), view_model)
    return figure


@style
def overview(view_model: ViewModel) -> Figure:
    """All pictures of a view model, one below the other."""
    panels: list[tuple[Callable[[Axes, ViewModel], None], float]] = [
        (draw_timeline, 4.2),
        (draw_over_time, 2.8),
    ]
    if has_map(view_model):
        panels.append((draw_map, 6.0))
    heights = [height for _, height in panels]
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.6), layout="constrained")
    drawn = figure.subplots(len(panels), 1, height_ratios=heights, squeeze=False)
    for axes, (draw, _) in zip(drawn[:, 0], panels, strict=True):
        draw(axes, view_model)
    return figure


def has_map(view_model: ViewModel) -> bool:
    """Whether it is known where the places are."""
    return bool(view_model["places"]) and view_model["places"]["x"] is not None


def draw_timeline(axes: Axes, view_model: ViewModel) -> None:
    """Draw rectangles, one outline for each level: few and small, whatever the data."""
    line, names = view_model["timeline"], view_model["over_time"]["names"]
    level = np.array(line["level"])
    shades = colours.of_levels(names)
    for code, shade in enumerate(shades):
        outline = _rectangles(level == code)
        if outline is not None:
            # Not add_patch, which would measure every corner to find limits that are known.
            axes.add_artist(PathPatch(outline, facecolor=shade, linewidth=0))
    axes.set(xlim=(0, level.shape[1]), ylim=(level.shape[0], 0))
    axes.set_yticks([0, level.shape[0]], ["least\nprotected", "best\nprotected"])
    upper, lower = axes.get_yticklabels()
    upper.set_verticalalignment("top")
    lower.set_verticalalignment("bottom")
    moment_ticks(axes, line["moments"])
    _legend(axes, view_model)
    plain(axes)


def _rectangles(hit: np.ndarray[Any, np.dtype[np.bool_]]) -> Outline | None:
    """Outline of the cells that are hit, runs of a row joined; None if there is none."""
    padded = np.zeros((hit.shape[0], hit.shape[1] + 2), np.int8)
    padded[:, 1:-1] = hit
    change = np.diff(padded, axis=1)
    row, begin = np.nonzero(change == 1)
    _, end = np.nonzero(change == -1)
    if not len(row):
        return None
    corner = np.stack(
        [begin, row, end, row, end, row + 1, begin, row + 1, begin, row], axis=1
    ).reshape(-1, 2)
    codes = [Outline.MOVETO, Outline.LINETO, Outline.LINETO, Outline.LINETO, Outline.CLOSEPOLY]
    return Outline(corner.astype(float), np.tile(codes, len(row)))


def draw_over_time(axes: Axes, view_model: ViewModel) -> None:
    """Draw shares upon each other, the safe ones at the bottom."""
    over = view_model["over_time"]
    share = np.array(over["share"])[::-1]
    shades = colours.of_levels(over["names"])[::-1]
    edge = np.arange(share.shape[1] + 1)
    top = np.cumsum(share, axis=0)
    low = np.zeros(share.shape[1])
    for part, shade in zip(top, shades, strict=True):
        if np.any(part > low):
            axes.fill_between(
                edge,
                np.append(low, low[-1]),
                np.append(part, part[-1]),
                step="post",
                facecolor=shade,
                linewidth=0,
            )
        low = part
    axes.set(xlim=(0, share.shape[1]), ylim=(0, 1), ylabel="share of people")
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0%", "25%", "50%", "75%", "100%"])
    moment_ticks(axes, over["from"])
    _legend(axes, view_model)
    plain(axes)


def draw_map(axes: Axes, view_model: ViewModel) -> None:
    """Draw a disc for each place, the large ones first so that none hides another."""
    places = view_model["places"]
    names, code = amounts(places["safe"])
    who = THINGS[view_model["view"]]["who"]
    area = draw_discs(axes, places, [colours.AMOUNTS[place] for place in code], who)
    shown: list[Artist] = [
        Patch(facecolor=colours.AMOUNTS[place], edgecolor=colours.INK, linewidth=0.6, label=name)
        for place, name in enumerate(names)
    ]
    legend_above(axes, [*shown, area], title=places["meaning"], gap=0)
    plain(axes)


def draw_discs(
    axes: Axes,
    places: ViewModel,
    shades: Sequence[str],
    who: str,
    above: Sequence[bool] | None = None,
    alpha: float = 0.9,
) -> Artist:
    """A disc for each place: its area for people, the large ones first so that none hides another.

    Parameters
    ----------
    places
        ``x``, ``y`` and ``people``: (n,) each; ``unit``: ``km``, or ``regions`` of the contest.
    shades
        (n,) colours.
    who
        Whom areas stand for.
    above
        (n,) which are drawn after the others.
    alpha
        How much a disc covers, 0 to 1.

    Returns
    -------
    Artist
        What explains areas in a legend.
    """
    x, y, people = (np.array(places[name], float) for name in ("x", "y", "people"))
    area = 16 + 700 * people / max(people.max(), 1)
    order = np.lexsort((-area, np.zeros(len(area)) if above is None else np.asarray(above)))
    axes.scatter(
        x[order],
        y[order],
        s=area[order],
        c=[shades[place] for place in order],
        edgecolors=colours.INK,
        linewidths=0.6,
        alpha=alpha,
    )
    _lay_map(axes, places["unit"])
    label = f"area: {who} (largest: {int(people.max()):,})"
    return legend_mark(label, colours.FAINT, ms=10, mfc="none")


def _lay_map(axes: Axes, unit: str) -> None:
    """Axes of a map in ``km``, or in ``regions`` of the contest."""
    if unit == "regions":
        axes.set(xlim=(-0.8, COLUMNS - 0.2), ylim=(-0.8, COLUMNS - 0.2))
        axes.set_aspect("equal", adjustable="box", anchor="W")
    else:
        axes.set_aspect("equal", adjustable="datalim")
        axes.margins(0.08)
    axes.set(xlabel=f"west to east ({unit})", ylabel=f"south to north ({unit})")


def amounts(shares: list[float]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    """Names of four classes of shares, and the class of each share.

    The classes are 0 and three more that suit the largest share, each up to about three times
    the one before.
    """
    scale = np.array([0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0])
    top = int(np.clip(np.searchsorted(scale, max(shares)), 2, len(scale) - 1))
    edges = scale[top - 2 : top]
    code = np.where(np.array(shares) > 0, 1 + np.searchsorted(edges, shares, side="right"), 0)
    low, high = (f"{edge:.3%}".rstrip("0%").rstrip(".") + "%" for edge in edges)
    end = f"{scale[top]:.3%}".rstrip("0%").rstrip(".") + "%" if scale[top] < 1 else "100%"
    return ["none", f"below {low}", f"{low} to {high}", f"{high} to {end}"], code


def _legend(axes: Axes, view_model: ViewModel) -> None:
    """Levels that occur and their colours, above the picture."""
    names, share = view_model["over_time"]["names"], view_model["over_time"]["share"]
    shown = [
        Patch(facecolor=shade, label=name)
        for shade, name, part in zip(colours.of_levels(names), names, share, strict=True)
        if any(part)
    ]
    title = "possible tracks" if view_model["view"] == "auditor" else "possible pseudonyms"
    legend_above(axes, shown, len(names), title)
