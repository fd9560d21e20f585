"""Privacy of releases as a chart: who is found to the right, where they were upwards."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import NamedTuple

from mixsafe.documents.document import Axis, Look, Panel, Series

_MARKS: tuple[tuple[Look, Look], ...] = (
    ("dots", "hollow"),
    ("triangles", "hollow triangles"),
    ("crosses", "crosses"),
)
"""Of kinds: releases that are useful enough, and those that are not."""

_COLOURS = tuple(f"series-{number}" for number in range(7))
_SIZE = 6.0
"""Of a mark, points."""


class Point(NamedTuple):
    """A release in the chart.

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


def release_panel(points: Sequence[Point], legend: str = "") -> Panel:
    """Re-identification privacy to the right, trace inference privacy upwards.

    The contest paper's figures 8 and 9.

    Parameters
    ----------
    points
        One or more; where there is no room for all names, the most private ones have theirs.
    legend
        Its title.
    """
    ordered = sorted(points, key=lambda point: (not point.valid, -point.reid - point.trace))
    kinds = sorted({point.kind for point in points}, reverse=True)  # shuffle, then mixzone
    families = sorted({point.family for point in points})
    marks = dict(zip(kinds, cycle(_MARKS), strict=False))
    shades = dict(zip(families, cycle(_COLOURS), strict=False))
    alike: dict[tuple[str, str, bool], list[Point]] = {}
    for point in ordered:
        alike.setdefault((point.family, point.kind, point.valid), []).append(point)
    drawn = [
        Series(
            "",
            shades[family],
            [point.trace for point in some],
            [point.reid for point in some],
            marks[kind][not valid],
            size=_SIZE,
            names=[point.name for point in some],
        )
        for (family, kind, valid), some in alike.items()
    ]
    left, right = _ends([point.reid for point in points])
    bottom, top = _ends([point.trace for point in points])
    return Panel(
        [*drawn, *_explained(marks, shades, hollow=not all(point.valid for point in points))],
        Axis("re-identification privacy, s_R", low=left, high=right),
        Axis("trace inference privacy, s_T", low=bottom, high=top),
        height=6,
        legend=legend,
    )


def _explained(
    marks: dict[str, tuple[Look, Look]], shades: dict[str, str], *, hollow: bool
) -> list[Series]:
    """The legend: marks of kinds, colours of families; one entry for both where they are one."""
    if marks.keys() == shades.keys():
        shown = [Series(kind, shades[kind], (), look=marks[kind][0], size=_SIZE) for kind in marks]
    else:
        shown = [
            Series(kind, "faint", (), look=mark, size=_SIZE) for kind, (mark, _) in marks.items()
        ]
        shown += [
            Series(family, shade, (), look="dots", size=_SIZE) for family, shade in shades.items()
        ]
    if hollow:
        shown.append(Series("hollow: not useful enough", "faint", (), look="hollow", size=_SIZE))
    return shown


def _ends(values: Sequence[float]) -> tuple[float, float]:
    """Ends of an axis: what there is, and some room for names."""
    low, high = min(values), max(values)
    room = max(0.12 * (high - low), 0.01)
    return low - room, high + room
