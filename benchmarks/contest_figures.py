"""Studies of the contest as pictures: scores by length, boxes over teams, error against score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mixsafe.contest.run import Outcome
from mixsafe.contest.run_document import Point, release_panel
from mixsafe.documents.document import Chart
from mixsafe.errors import printable
from mixsafe.report import colours
from mixsafe.report.chart_figure import draw_charts
from mixsafe.report.drawing import canvas, legend_above, plain, style

MARKERS = "os^Dv"
SCORES = (("I", "re-identification privacy, s_R"), ("T", "trace inference privacy, s_T"))


@style
def draw_lengths(days: Sequence[int], outcomes: Sequence[Outcome]) -> Figure:
    """Scores by the length of traces: re-identification to the left, trace inference to the right.

    The sample programs' document, figure 5.
    """
    figure = Figure(figsize=(9.6, 4.6), layout="constrained")
    for axes, (letter, name) in zip(figure.subplots(1, 2), SCORES, strict=True):
        attacks = [attack for attack in outcomes[0].privacy if attack.startswith(letter)]
        for place, attack in enumerate(attacks):
            values = [outcome.privacy[attack].value for outcome in outcomes]
            look = {"color": colours.SERIES[place], "marker": MARKERS[place % len(MARKERS)]}
            axes.plot(days, values, label=attack, **look)
        axes.set(xlabel="days of reference traces, and of original ones", ylabel=name)
        axes.set_ylim(0, 1.02)
        axes.set_xlim(0, max(days) * 1.03)
        legend_above(axes)
        plain(axes)
    return figure


def draw_grid(outcomes: Sequence[Outcome], corner: str) -> Figure:
    """s_R,min and s_T,min of releases, hollow where they are not useful enough.

    The sample programs' document, figures 4 and 6; the contest paper's figure 9.

    Parameters
    ----------
    outcomes
        Of one pseudonymization, with attacks of both kinds.
    corner
        Title of the legend.
    """
    points = []
    for outcome in outcomes:
        reid, trace = outcome.strongest("reid"), outcome.strongest("trace")
        if reid is not None and trace is not None:
            name, pseudonyms = outcome.anonymiser, outcome.pseudonymization
            family, valid = name.partition("-")[0], bool(outcome.utility.valid)
            points.append(Point(name, pseudonyms, family, reid.value, trace.value, valid))
    return draw_charts([Chart("", "grid", "", (release_panel(points, corner),))])


@style
def draw_boxes(panels: Mapping[str, Mapping[str, Sequence[float]]], unit: str) -> Figure:
    """Boxes over teams: quartiles, whiskers to the outermost values, the median as a line.

    The contest paper's figure 13.

    Parameters
    ----------
    panels
        By what is measured, the values of all teams by the name of their release.
    unit
        What a point stands for.
    """
    names = list(next(iter(panels.values())))
    height = 0.9 + len(panels) * (0.7 + 0.34 * len(names))
    figure = Figure(figsize=(9.6, height), layout="constrained")
    grid = figure.subplots(len(panels), squeeze=False)[:, 0]
    for axes, (measure, values) in zip(grid, panels.items(), strict=True):
        _boxes(axes, values)
        axes.set_xlabel(measure)
        plain(axes)
    many = max(len(one) for values in panels.values() for one in values.values())
    figure.suptitle(
        f"{many} {unit}; box: quartiles, whiskers: all", fontsize=10, x=0.99, ha="right"
    )
    return figure


def _boxes(axes: Axes, values: Mapping[str, Sequence[float]]) -> None:
    """A box for each name, the first on top."""
    drawn = axes.boxplot(
        list(values.values()),
        orientation="horizontal",
        whis=(0, 100),
        widths=0.6,
        patch_artist=True,
        tick_labels=[printable(name) for name in values],
    )
    for box in drawn["boxes"]:
        box.set(facecolor=colours.AMOUNTS[1], edgecolor=colours.INK)
    for line in (*drawn["whiskers"], *drawn["caps"]):
        line.set_color(colours.INK)
    for line in drawn["medians"]:
        line.set(color=colours.UNSAFE[0], linewidth=2)
    axes.invert_yaxis()


@style
def draw_errors(
    scores: Mapping[str, Sequence[tuple[float, float]]], correlation: Mapping[float, float]
) -> Figure:
    """Expected error against s_T, and how R goes with the hospitals' weight.

    The contest paper's figure 12.

    Parameters
    ----------
    scores
        s_T and the expected error, km, of all releases by their obfuscation.
    correlation
        R by the weight of hospitals.
    """
    figure, (left, right) = canvas(9.6, 4.6, 1, 2)
    for place, (name, points) in enumerate(scores.items()):
        left.plot(
            *zip(*points, strict=True),
            MARKERS[place // len(colours.SERIES) % len(MARKERS)],
            color=colours.SERIES[place % len(colours.SERIES)],
            label=name,
        )
    left.set(xlabel="trace inference privacy, s_T", ylabel="expected error, km")
    left.legend(loc="upper left", fontsize="small")
    right.plot(list(correlation), list(correlation.values()), "o-", color=colours.SERIES[0])
    for weight, value in correlation.items():
        right.annotate(f"{value:.3f}", (weight, value), (4, 6), textcoords="offset points")
    right.set(xscale="log", xlabel="weight of hospitals", ylabel="correlation coefficient R")
    right.set_xticks(list(correlation), [f"{weight:g}" for weight in correlation])
    right.set_xticks([], minor=True)
    right.set_xlim(min(correlation) / 1.6, max(correlation) * 3)
    right.set_ylim(min(0.0, *correlation.values()), 1.05)
    for axes in (left, right):
        plain(axes)
    return figure


@style
def draw_homes(shares: npt.NDArray[np.float64]) -> Figure:
    """Share of users at home by the time of the day, (n_teams, steps_per_day): mean and range.

    The contest paper's figure 19.
    """
    figure, axes = canvas(6.4, 3.8)
    step = np.arange(1, shares.shape[1] + 1)
    if len(shares) > 1:
        ends = shares.min(axis=0), shares.max(axis=0)
        axes.fill_between(step, *ends, color=colours.AMOUNTS[1], label=f"{len(shares)} teams")
    axes.plot(step, shares.mean(axis=0), "o-", color=colours.SERIES[0], label="mean")
    axes.set(xlabel="step of the day", ylabel="share of users at home")
    axes.set_ylim(0, 1.02)
    axes.set_xlim(0.5, shares.shape[1] + 0.5)
    axes.set_xticks(step[:: max(1, len(step) // 10)])
    axes.legend(loc="upper right", fontsize="small")
    plain(axes)
    return figure


def draw_rotations(found: Sequence[npt.NDArray[np.floating]], required: float) -> Figure:
    """s_U by the share of users who have the nearest other's track, a line for each team."""
    figure, axes = canvas(6.4, 3.8)
    for number, lost in enumerate(found):
        share = np.arange(len(lost) + 1) / len(lost)
        kept = 1 - np.append(0, np.cumsum(lost)) / len(lost)
        label = None if number else "nearest others"
        axes.plot(share, kept, color=colours.SERIES[0], label=label)
    axes.axhline(required, color=colours.AMOUNTS[3], linestyle="--", label="required")
    axes.set(xlabel="share of users with another one's track", ylabel="s_U, at the most")
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1.02)
    axes.legend(loc="upper right", fontsize="small")
    plain(axes)
    return figure


TUNED = {
    "lambda": ("lambda of IF, n_0 = 0.33", "s_R"),
    "n_0": ("n_0 of IF, lambda = 1", "s_R"),
    "n": ("n of TS, days", "s_T"),
}
"""What is varied: names of the axes."""


@style
def draw_tuning(scores: Sequence[Mapping[str, Any]]) -> Figure:
    """IF and TS by their parameters: a row for each obfuscation, a column for each parameter.

    Team 004's slides; a curve for each scheme of IF.

    Parameters
    ----------
    scores
        With ``obfuscation``, ``varied``, ``parameter``, ``scheme`` and ``score``.
    """
    names = list(dict.fromkeys(score["obfuscation"] for score in scores))
    figure = Figure(figsize=(9.6, 0.5 + 2.7 * len(names)), layout="constrained")
    grid = figure.subplots(len(names), len(TUNED), squeeze=False, sharex="col")
    for row, name in zip(grid, names, strict=True):
        row[1].sharey(row[0])
        for axes, varied in zip(row, TUNED, strict=True):
            shown = [
                score
                for score in scores
                if (score["obfuscation"], score["varied"]) == (name, varied)
            ]
            for scheme in dict.fromkeys(score["scheme"] for score in shown):
                curve = [score for score in shown if score["scheme"] == scheme]
                axes.plot(
                    [score["parameter"] for score in curve],
                    [score["score"] for score in curve],
                    f"{MARKERS[scheme % len(MARKERS)]}-",
                    color=colours.SERIES[scheme - 1],
                    label=f"scheme {scheme}",
                    markersize=4,
                )
            if varied != "n":
                ticks = sorted({score["parameter"] for score in shown})
                axes.set_xscale("log")
                axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
                axes.set_xticks([], minor=True)
            axes.set_ylabel(TUNED[varied][1])
            plain(axes)
        row[0].set_title(name, loc="left", fontsize=10)
    for axes, (label, _) in zip(grid[-1], TUNED.values(), strict=True):
        axes.set_xlabel(label)
    figure.legend(
        *grid[0][0].get_legend_handles_labels(), loc="outside upper right", ncols=len(names) + 1
    )
    return figure


class Protection(NamedTuple):
    """What the strongest attacks leave of one obfuscation.

    Parameters
    ----------
    anonymiser
        Its name with parameters.
    valid
        Whether its utility is high enough.
    reid, trace
        The lowest score and its attack, of shuffled and of exchanged pseudonyms.
    """

    anonymiser: str
    valid: bool
    reid: Sequence[tuple[float, str]]
    trace: Sequence[tuple[float, str]]


@style
def draw_protection(releases: Sequence[Protection], guessed: float) -> Figure:
    """What the strongest attacks leave of releases, shuffled and exchanged; more is safer.

    Parameters
    ----------
    releases
        The first on top; hollow if they are not useful enough.
    guessed
        s_T of the attacker who needs no release.
    """
    figure, panels = canvas(9.6, 1.4 + 0.34 * len(releases), 1, 2, sharey=True)
    place = np.arange(len(releases))
    kinds = {
        "s_R,min": [release.reid for release in releases],
        "s_T,min": [release.trace for release in releases],
    }
    for axes, (name, left) in zip(panels, kinds.items(), strict=True):
        ends = np.array([[score for score, _ in both] for both in left])
        axes.hlines(place, *ends.T, color=colours.FAINT, zorder=1)
        for column, (label, mark) in enumerate((("shuffled", "o"), ("exchanged", "s"))):
            colour = colours.SERIES[column]
            inside = [colour if release.valid else colours.PAPER for release in releases]
            axes.scatter(
                ends[:, column], place, marker=mark, c=inside, edgecolors=colour, label=label
            )
        axes.set_xlabel(name)
        plain(axes)
    panels[1].axvline(guessed, color=colours.INK, linestyle="--", label="no release (GUESS)")
    panels[0].set_yticks(place, [printable(release.anonymiser) for release in releases])
    panels[0].invert_yaxis()
    legend_above(panels[1], gap=0.03)
    return figure
