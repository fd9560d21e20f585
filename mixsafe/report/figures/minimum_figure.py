"""Figure of a minimum set of mix zones: the chosen zones, and requirements over time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, legend_mark, moment_ticks, plain, style
from mixsafe.report.figures.protection_figure import WIDTH, draw_discs, has_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ViewModel = Mapping[str, Any]
CHOSEN, OTHER, UNMET = colours.SAFE, colours.UNDECIDED, colours.UNSAFE[0]


@style
def draw_minimum(view_model: ViewModel) -> Figure:
    """All zones over time with those that are enough, the requirements, and where the zones are.

    Parameters
    ----------
    view_model
        Of :func:`mixsafe.report.view_models.minimum_view.minimum_view`.
    """
    heights = [3.6, 1.6] + ([5.2] if has_map(view_model) else [])
    figure = Figure(figsize=(WIDTH, sum(heights) + 0.4), layout="constrained")
    panels = figure.subplots(len(heights), 1, height_ratios=heights)
    _zones(panels[0], view_model)
    _requirements(panels[1], view_model)
    if has_map(view_model):
        _map(panels[2], view_model)
    return figure


def _zones(axes: Axes, view_model: ViewModel) -> None:
    """A dot for the zones of each size in each column."""
    over = view_model["over_time"]
    column, size, chosen = (np.array(over[name], np.int64) for name in ("column", "size", "chosen"))
    for hit, shade, mark, layer in ((chosen == 0, OTHER, 4, 1), (chosen > 0, CHOSEN, 7, 2)):
        axes.plot(column[hit] + 0.5, size[hit], "o", color=shade, ms=mark, mew=0, zorder=layer)
    top = int(size.max()) if len(size) else 2
    if top > 20:
        axes.set_yscale("log")
        ticks = [tick for tick in (2, 5, 10, 20, 50, 100, 200, 500, 1000) if tick <= top]
        axes.set_yticks(ticks, [str(tick) for tick in ticks])
        axes.set_yticks([], minor=True)
    axes.set(xlim=(0, len(over["moments"])), ylabel="people in the zone")
    axes.set_xticks([])
    shown = [legend_mark("all mix zones", OTHER, ms=4, mew=0)]
    if chosen.any():
        shown.insert(0, legend_mark("zones that are enough together", CHOSEN, ms=7, mew=0))
    legend_above(axes, shown)
    plain(axes)


def _requirements(axes: Axes, view_model: ViewModel) -> None:
    """Requirements per column, those that cannot be met on top."""
    over = view_model["over_time"]
    asked, unmet = (np.array(over[name], np.int64) for name in ("asked", "unmet"))
    place = np.arange(len(asked)) + 0.5
    axes.bar(place, asked - unmet, 1, color=colours.FAINT, linewidth=0)
    axes.bar(place, unmet, 1, asked - unmet, color=UNMET, linewidth=0)
    axes.set(xlim=(0, len(asked)), ylim=(0, max(1, int(asked.max()))), ylabel="requirements")
    axes.locator_params(axis="y", integer=True, nbins=3)
    moment_ticks(axes, over["moments"])
    shown = [Patch(facecolor=colours.FAINT, label="requirements at that time")]
    if unmet.any():
        shown.append(Patch(facecolor=UNMET, label="that cannot be met"))
    legend_above(axes, shown)
    plain(axes)


def _map(axes: Axes, view_model: ViewModel) -> None:
    """A disc for each place: its area for people, its colour for whether a zone there is chosen."""
    places = view_model["places"]
    chosen = [count > 0 for count in places["chosen"]]
    shades = [CHOSEN if one else OTHER for one in chosen]
    area = draw_discs(axes, places, shades, "people who meet", chosen, alpha=0.8)
    used = [Patch(facecolor=CHOSEN, label="where zones that are enough are")]
    shown = [*used * any(chosen), Patch(facecolor=OTHER, label="where mix zones are"), area]
    legend_above(axes, shown)
    plain(axes)
