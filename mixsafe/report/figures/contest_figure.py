"""Privacy of releases of the contest, as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mixsafe.report.base import colours
from mixsafe.report.base.drawing import legend_above, legend_mark, plain, style
from mixsafe.report.base.labels import name_points

MARKS = "o^sD"


class Point(NamedTuple):
    """A release in the picture.

    Parameters
    ----------
    name
        Of the release.
    kind, family
        Its mark, and its colour.
    reid, trace
        s_R and s_T that its strongest attacks leave.
    valid
        Whether it is useful enough to count; hollow if not.
    """

    name: str
    kind: str
    family: str
    reid: float
    trace: float
    valid: bool = True


@style
def scatter(points: Sequence[Point], corner: str = "") -> tuple[Figure, int]:
    """Privacy of releases: re-identification to the right, trace inference upwards.

    The contest paper's figures 8 and 9.

    Parameters
    ----------
    points
        One or more; where there is no room for all names, the first ones have theirs.
    corner
        What is said above, to the right.

    Returns
    -------
    Figure, int
        The picture, and how many points had no room for their names.
    """
    return stacked([("", points, corner)])


@style
def stacked(panels: Sequence[tuple[str, Sequence[Point], str]]) -> tuple[Figure, int]:
    """The same of several contests, one below the other.

    Parameters
    ----------
    panels
        One or more, of each its title (empty: none), its points, and what is said above, to the
        right.

    Returns
    -------
    Figure, int
        The picture, and how many points had no room for their names.
    """
    figure = Figure(figsize=(9.6, 6 * len(panels)), layout="constrained")
    grid = figure.subplots(len(panels), squeeze=False)[:, 0]
    left_out = sum(_panel(axes, *panel) for axes, panel in zip(grid, panels, strict=True))
    return figure, left_out


def _panel(axes: Axes, title: str, points: Sequence[Point], corner: str) -> int:
    """Draw the points of one contest, and return how many had no room for their names."""
    kinds = sorted({point.kind for point in points}, reverse=True)  # shuffle, then mixzone
    families = sorted({point.family for point in points})
    shade = {
        family: colours.SERIES[place % len(colours.SERIES)] for place, family in enumerate(families)
    }
    markers = {kind: MARKS[place % len(MARKS)] for place, kind in enumerate(kinds)}
    for point in points:
        colour = shade[point.family]
        inside = colour if point.valid else colours.PAPER
        spot = axes.plot(point.reid, point.trace, markers[point.kind], color=colour, alpha=0.9)
        spot[0].set_markerfacecolor(inside)
    axes.set(
        xlim=_span([point.reid for point in points]),
        ylim=_span([point.trace for point in points]),
        xlabel="re-identification privacy, s_R",
        ylabel="trace inference privacy, s_T",
    )
    said = ", ".join(word for word in (title, corner) if word)
    axes.text(1, 1.01, said, transform=axes.transAxes, ha="right", va="bottom")
    _explain(axes, points, shade, markers)
    plain(axes)
    return name_points(
        axes,
        [point.name for point in points],
        [point.reid for point in points],
        [point.trace for point in points],
    )


def _explain(
    axes: Axes, points: Sequence[Point], shade: Mapping[str, str], markers: Mapping[str, str]
) -> None:
    """The legend: marks of kinds, colours of families; one entry for both where they are one."""
    if list(shade) != list(markers)[::-1]:
        shown = [legend_mark(kind, colours.FAINT, marker) for kind, marker in markers.items()]
        shown += [legend_mark(family, colour, "s") for family, colour in shade.items()]
    else:
        shown = [legend_mark(kind, shade[kind], marker) for kind, marker in markers.items()]
    if not all(point.valid for point in points):
        shown.append(legend_mark("hollow: not useful enough", colours.FAINT, mfc=colours.PAPER))
    legend_above(axes, shown)


def _span(values: Sequence[float]) -> tuple[float, float]:
    """Limits of an axis: what there is, and some room for names."""
    low, high = min(values), max(values)
    room = max(0.12 * (high - low), 0.01)
    return low - room, high + room
