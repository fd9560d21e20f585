"""What rotating identifiers protect from, on fleets whose truth is known, as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter, StrMethodFormatter

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, plain, style

MARKERS = "os^Dv"


@style
def draw_by_demand(series: Mapping[str, Sequence[tuple[float, float, float, float]]]) -> Figure:
    """Candidates of rides by how many rides there are in an hour.

    Parameters
    ----------
    series
        By what an adversary compares: rides per hour, and the tenth, the median and the ninetieth
        percentile of the candidates.
    """
    figure = Figure(figsize=(7.2, 4.0), layout="constrained")
    axes = figure.subplots()
    for place, (name, points) in enumerate(series.items()):
        at, low, middle, high = zip(*points, strict=True)
        colour = colours.SERIES[place]
        axes.plot(at, middle, MARKERS[place] + "-", color=colour, ms=5, label=name)
        axes.fill_between(at, low, high, color=colour, alpha=0.12, lw=0)
    axes.set(xscale="log", yscale="log", ylim=(0.9, None))
    axes.set(xlabel="rides per hour in the town", ylabel="candidates per ride")
    axes.axhline(3, color=colours.FAINT, lw=1)
    axes.annotate("3", (1, 3), xycoords=("axes fraction", "data"), xytext=(3, -3),
                  textcoords="offset points")  # fmt: skip
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(StrMethodFormatter("{x:g}"))
        axis.set_minor_formatter("")
    plain(axes)
    legend_above(axes)
    return figure


@style
def draw_by_fields(shares: Mapping[str, tuple[float, float]]) -> Figure:
    """Shares of rides with one candidate, with two, and with three or more, a bar for each feed.

    Parameters
    ----------
    shares
        By the name of the feed: share of rides with one candidate, and with three or more.
    """
    figure = Figure(figsize=(7.2, 0.42 * len(shares) + 1.0), layout="constrained")
    axes, names = figure.subplots(), list(shares)
    one = [shares[name][0] for name in names]
    many = [shares[name][1] for name in names]
    two = [1 - first - last for first, last in shares.values()]
    begin = [0.0] * len(names)
    kinds = (("one candidate", one, colours.SERIES[1]), ("two", two, colours.FAINT),
             ("three or more", many, colours.SERIES[0]))  # fmt: skip
    for label, values, colour in kinds:
        axes.barh(names, values, left=begin, color=colour, label=label, height=0.7)
        begin = [left + value for left, value in zip(begin, values, strict=True)]
    axes.invert_yaxis()
    axes.set(xlim=(0, 1), xlabel="share of rides")
    axes.xaxis.set_major_formatter(PercentFormatter(1))
    axes.tick_params(axis="y", length=0)
    plain(axes)
    legend_above(axes)
    return figure
