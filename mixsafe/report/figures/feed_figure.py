"""Rides that can be followed through a feed, as pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter, StrMethodFormatter

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, legend_above, plain, style

Result = Mapping[str, Any]


@style
def draw_candidates(result: Result) -> Figure:
    """Share of rides that have at least so many candidates, if nobody or anybody may leave."""
    figure, axes = canvas(7.2, 3.4)
    curve = result["curve"]
    at = [one["candidates"] for one in curve]
    lines = {"upper": "if any vehicle may leave the fleet", "lower": "if none leaves"}
    styles = {"upper": (colours.SERIES[0], "o-"), "lower": (colours.SERIES[1], "s--")}
    for key in ("lower",) if result["closed"] else lines:
        colour, mark = styles[key]
        axes.plot(at, [one[key] for one in curve], mark, color=colour, ms=4, label=lines[key])
    axes.axvline(result["k"], color=colours.FAINT, lw=1)
    axes.annotate(
        f"k = {result['k']}", (result["k"], 0.02), xytext=(4, 0), textcoords="offset points"
    )
    axes.set(xscale="log", xlabel="candidates, at least", ylabel="share of rides", ylim=(0, 1.02))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    plain(axes)
    legend_above(axes)
    return figure


@style
def draw_areas(result: Result) -> Figure:
    """Map of where rides begin that can be followed."""
    figure, axes = canvas(6.4, 4.8)
    areas = result["areas"]
    most = max(one["rides"] for one in areas)
    drawn = axes.scatter(
        [one["lon"] for one in areas],
        [one["lat"] for one in areas],
        s=[8 + 160 * one["rides"] / most for one in areas],
        c=[one["followed"] / one["rides"] for one in areas],
        cmap="viridis_r",
        vmin=0,
        edgecolors=colours.INK,
        linewidths=0.4,
    )
    middle = np.mean([one["lat"] for one in areas])
    axes.set(xlabel="longitude", ylabel="latitude", aspect=1 / np.cos(np.radians(middle)))
    bar = figure.colorbar(drawn, ax=axes, label="share of rides with one candidate")
    bar.formatter = PercentFormatter(1)
    plain(axes)
    return figure


@style
def draw_remedies(result: Result) -> Figure:
    """Share of rides with k candidates, by how much is changed about the feed."""
    figure, axes = canvas(7.2, 3.4)
    tried = result["remedies"]["tried"]
    steps = [one["steps"] for one in tried]
    axes.plot(steps, [one["safe"] for one in tried], "o", color=colours.FAINT, ms=4, label="tried")
    best = {at: max(one["safe"] for one in tried if one["steps"] <= at) for at in sorted({*steps})}
    axes.step(list(best), list(best.values()), where="post", color=colours.SAFE, label="the best")
    axes.axhline(result["remedies"]["share"], color=colours.UNSAFE[0], lw=1, label="required")
    axes.set(xlabel="steps by which fields are coarser", ylabel="share of rides with k candidates")
    axes.set_ylim(0, 1.02)
    axes.set_xticks(sorted({*steps}))
    axes.yaxis.set_major_formatter(PercentFormatter(1))
    plain(axes)
    legend_above(axes)
    return figure
