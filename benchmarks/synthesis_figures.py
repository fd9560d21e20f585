"""Synthetic traces as pictures: where people are, and synthesizers side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, PowerNorm
from matplotlib.figure import Figure

from benchmarks.synthesizers import REAL, Synthesized
from mixsafe.contest.measure.quality import Floats
from mixsafe.errors import printable
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.report import colours
from mixsafe.report.drawing import plain, style

DEVIATIONS = 0.1
"""Length of the error bars of diversity, standard deviations (figure 16)."""

MEASURES = (("TP-TV-Top50", "tp_tv_top50"), ("TM-EMD", "tm_emd"), ("VF-TV", "vf_tv"))


@style
def draw_populations(training: Floats, synthetic: Floats, regions: Regions, moment: str) -> Figure:
    """Population of each region in training and in synthetic traces, on one scale of colours.

    The contest paper's figure 4.

    Parameters
    ----------
    training, synthetic
        (n_regions,) shares of the training users, and of all virtual users.
    moment
        Time of the day.
    """
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    shade = LinearSegmentedColormap.from_list("amounts", colours.AMOUNTS)
    most = 100 * max(training.max(), synthetic.max())
    scale = PowerNorm(0.5, 0, most)  # a few stations would leave everything else white
    edges = (
        regions.west,
        regions.west + regions.columns * regions.width,
        regions.south,
        regions.south + regions.rows * regions.height,
    )
    shown = (("training traces", training), ("synthetic traces", synthetic))
    grid = figure.subplots(1, 2, sharey=True)
    for axes, (name, share) in zip(grid, shown, strict=True):
        image = axes.imshow(
            100 * share.reshape(regions.rows, regions.columns),
            cmap=shade,
            norm=scale,
            extent=edges,
            origin="lower",
            interpolation="nearest",
            aspect=np.divide(*regions.km_per_degree),
        )
        axes.set_title(f"{name}, {moment}", fontsize=10)
        axes.set_xlabel("longitude")
        axes.locator_params("x", nbins=4)
    grid[0].set_ylabel("latitude")
    figure.colorbar(image, ax=grid, label="share of people, %", shrink=0.8)
    return figure


@style
def draw_synthesizers(cities: Mapping[str, Sequence[Synthesized]]) -> Figure:
    """Diversity of two teams, and how well statistics are kept: bars by city.

    The contest paper's figures 16 and 17.
    """
    figure = Figure(figsize=(9.6, 6.6), layout="constrained")
    grid = figure.subplots(2, 2).reshape(-1)
    names = [one.synthesizer for one in next(iter(cities.values()))]
    for axes, (title, field) in zip(grid, MEASURES, strict=False):
        values = {
            name: [getattr(some[place].quality, field) for some in cities.values()]
            for place, name in enumerate(names)
        }
        _bars(axes, list(cities), values)
        axes.set_ylabel(f"{title}, lower is better")
    _diversity(grid[3], cities)
    handles = grid[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside upper left", ncols=4)
    return figure


def _bars(axes: Axes, cities: Sequence[str], values: Mapping[str, Sequence[float]]) -> None:
    """Bars of each name, by city."""
    width = 0.8 / len(values)
    for number, (name, heights) in enumerate(values.items()):
        place = np.arange(len(cities)) - 0.4 + (number + 0.5) * width
        colour = colours.FAINT if name == REAL else colours.SERIES[number % len(colours.SERIES)]
        axes.bar(place, heights, width, color=colour, label=name)
    _name_cities(axes, cities)


def _diversity(axes: Axes, cities: Mapping[str, Sequence[Synthesized]]) -> None:
    """Same-TV (full) and Diff-TV (hollow) of each synthesizer of teams; bars of a tenth SD."""
    count = len(next(iter(cities.values())))
    width = 0.8 / count / 2
    for city, some in enumerate(cities.values()):
        for number, one in enumerate(some):
            if one.diversity is None:
                continue
            colour = colours.SERIES[number % len(colours.SERIES)]
            start = city - 0.4 + 2 * number * width
            pairs = (
                (one.diversity.same, one.diversity.same_deviation, colour),
                (one.diversity.different, one.diversity.different_deviation, colours.PAPER),
            )
            for side, (height, deviation, inside) in enumerate(pairs):
                axes.bar(
                    start + (side + 0.5) * width,
                    height,
                    width,
                    yerr=DEVIATIONS * deviation,
                    color=inside,
                    edgecolor=colour,
                    error_kw={"ecolor": colours.INK, "elinewidth": 0.8},
                )
    axes.set_ylabel("Same-TV full, Diff-TV hollow; bars: 0.1 SD")
    _name_cities(axes, list(cities))


def _name_cities(axes: Axes, cities: Sequence[str]) -> None:
    """Cities below their bars."""
    axes.set_xticks(range(len(cities)), [printable(name) for name in cities], fontsize=9)
    plain(axes)
