"""Pictures of the contest, drawn as on its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.report.figures.contest_figure import Point


def draw_releases(points: Sequence[Point], path: Path, corner: str = "") -> list[str]:
    """Draw the privacy of releases, and return what there is to say about the picture."""
    return draw_contests([("", points, corner)], path)


def draw_contests(contests: Sequence[tuple[str, Sequence[Point], str]], path: Path) -> list[str]:
    """Draw the privacy of releases of several contests: title, points, what is said in the corner.

    Those without points are left out; returns what there is to say about the picture.
    """
    from mixsafe.report.base.drawing import save
    from mixsafe.report.figures.contest_figure import stacked

    panels = [contest for contest in contests if contest[1]]
    empty = "no release is valid, or none was attacked in both ways"
    if not panels:
        return [f"no {path.name}: {empty}"]
    notes = [f"{path.name} without {title}: {empty}" for title, points, _ in contests if not points]
    figure, left_out = stacked(panels)
    save(figure, path)
    if left_out:
        drawn = sum(len(points) for _, points, _ in panels)
        notes.append(f"{path.name}: {left_out} of {drawn} names have no room")
    return notes
