"""What rotating identifiers protect from, on fleets whose truth is known, as pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter, StrMethodFormatter

from mixsafe.report import colours
from mixsafe.report.drawing import canvas, legend_above, plain, style

MARKERS = "os^Dv"


@style
def draw_by_demand(series: Mapping[str, Sequence[tuple[float, float, float]]]) -> Figure:
    """Candidates of rides, and rides with one candidate, by how many rides there are in an hour.

    Parameters
    ----------
    series
        By what an adversary knows: rides per hour, median of the candidates, and share of the rides
        that have one.
    """
    figure, (left, right) = canvas(9.6, 4.0, 1, 2)
    for place, (name, points) in enumerate(series.items()):
        at, median, one = zip(*points, strict=True)
        look = {"color": colours.SERIES[place], "marker": MARKERS[place], "ms": 5}
        left.plot(at, median, label=name, **look)
        right.plot(at, one, **look)
    left.set(yscale="log", ylim=(0.9, None), ylabel="candidates of a ride, median")
    left.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    right.set(ylim=(-0.01, 1), ylabel="share of rides with one candidate")
    right.yaxis.set_major_formatter(PercentFormatter(1))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="rides per hour in the town")
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
        plain(axes)
    legend_above(left, columns=2)
    return figure


@style
def draw_by_fields(shares: Mapping[str, tuple[float, float]]) -> Figure:
    """Shares of rides with one candidate, with two, and with three or more, a bar for each feed.

    Parameters
    ----------
    shares
        By the name of the feed: share of rides with one candidate, and with three or more.
    """
    figure, axes = canvas(7.2, 0.42 * len(shares) + 1.0)
    names = list(shares)
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
