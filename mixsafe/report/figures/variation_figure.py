"""Protection under different rules of exchange, as a picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, plain, style

MARKERS = "os^Dv"


@style
def draw_variants(found: pd.DataFrame) -> Figure:
    """Share of time at which people are protected, by rotation or by limit of movement.

    Parameters
    ----------
    found
        A row per variant, as :func:`mixsafe.tasks.varying.vary` returns them.
    """
    rotations, limits = found["rotation"].unique(), found["limit"].unique()
    by_limit = len(rotations) == 1 and len(limits) > 1
    panels = [np.nan] if by_limit else list(limits)
    figure = Figure(figsize=(max(6.4, 4.8 * len(panels)), 4.2), layout="constrained")
    all_axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for axes, limit in zip(all_axes, panels, strict=True):
        shown = found if by_limit else found[_is(found["limit"], limit)]
        names = [_name(one) for one in limits] if by_limit else list(rotations)
        _draw(axes, shown, names, by_limit)
        axes.set_xlabel("no faster than (km/h), or further (regions per step)" if by_limit
                        else "all pseudonyms change")  # fmt: skip
        if len(panels) > 1:
            axes.set_title(f"limit: {_name(limit)}", fontsize=10, loc="right")
    all_axes[0].set_ylabel("share of time protected")
    legend_above(all_axes[0], columns=2)
    return figure


def _draw(axes: Axes, shown: pd.DataFrame, names: list[str], by_limit: bool) -> None:
    """A line for each adversary, with and without exchange at mix zones."""
    groups = shown.groupby(["adversary", "meetings"], sort=False)
    adversaries = list(shown["adversary"].unique())
    for (adversary, meetings), rows in groups:
        number = adversaries.index(adversary)
        column = rows["limit"].map(_name) if by_limit else rows["rotation"]
        place = [names.index(one) for one in column]
        also = "also in mix zones" if meetings else "at no other time"
        axes.plot(
            place,
            rows["safe_share"],
            color=colours.SERIES[number % len(colours.SERIES)],
            marker=MARKERS[number % len(MARKERS)],
            linestyle="-" if meetings else "--",
            fillstyle="full" if meetings else "none",
            label=f"{adversary}, {also}",
        )
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.3, len(names) - 0.7)
    axes.set_ylim(0, 1.02)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    plain(axes)


def _is(column: pd.Series[float], limit: float) -> pd.Series[bool]:
    return column.isna() if np.isnan(limit) else column == limit


def _name(limit: float) -> str:
    return "any" if np.isnan(limit) else f"{limit:g}"
