"""Protection under different rules of exchange, as a picture."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, legend_above, plain, style

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
    if len(rotations) == 1 and len(limits) > 1:
        return _by_limit(found, [_name(one) for one in limits])
    figure = Figure(figsize=(max(6.4, 4.8 * len(limits)), 4.2), layout="constrained")
    all_axes = figure.subplots(1, len(limits), sharey=True, squeeze=False)[0]
    for axes, limit in zip(all_axes, limits, strict=True):
        shown = found[_is(found["limit"], limit)]
        _draw(axes, shown, shown["rotation"], list(rotations), "safe_share")
        axes.set_xlabel("all pseudonyms change")
        axes.set_ylim(0, 1.02)
        if len(limits) > 1:
            axes.set_title(f"limit: {_name(limit)}", fontsize=10, loc="right")
    all_axes[0].set_ylabel("share of time protected")
    legend_above(all_axes[0], columns=2)
    return figure


def _by_limit(found: pd.DataFrame, names: list[str]) -> Figure:
    """Time protected, and mix zones that fall apart, by how far people get."""
    figure, both = canvas(9.6, 4.2, 1, 2)
    shares = found.assign(apart_share=found["apart"] / found["zones"].clip(lower=1))
    words = ("share of time protected", "share of mix zones that fall apart")
    for axes, column, what in zip(both, ("safe_share", "apart_share"), words, strict=True):
        _draw(axes, shares, shares["limit"].map(_name), names, column)
        axes.set(xlabel="no faster than (km/h), or further (regions per step)", ylabel=what)
        axes.set_ylim(0, 1.02 if column == "safe_share" else None)
    legend_above(both[0], columns=2)
    return figure


def _draw(
    axes: Axes, shown: pd.DataFrame, place: pd.Series[str], names: list[str], column: str
) -> None:
    """A line for each adversary, with and without exchange at mix zones."""
    groups = shown.groupby(["adversary", "meetings"], sort=False)
    adversaries = list(shown["adversary"].unique())
    for (adversary, meetings), rows in groups:
        number = adversaries.index(adversary)
        also = "also in mix zones" if meetings else "at no other time"
        axes.plot(
            [names.index(one) for one in place.loc[rows.index]],
            rows[column],
            color=colours.SERIES[number % len(colours.SERIES)],
            marker=MARKERS[number % len(MARKERS)],
            linestyle="-" if meetings else "--",
            fillstyle="full" if meetings else "none",
            label=f"{adversary}, {also}",
        )
    axes.set_xticks(range(len(names)), names)
    axes.set_xlim(-0.3, len(names) - 0.7)
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    plain(axes)


def _is(column: pd.Series[float], limit: float) -> pd.Series[bool]:
    return column.isna() if np.isnan(limit) else column == limit


def _name(limit: float) -> str:
    return "any" if np.isnan(limit) else f"{limit:g}"
