"""Pictures of the contest, drawn as on its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.report.figures.contest_figure import Point


def draw_releases(points: Sequence[Point], path: Path, corner: str = "") -> list[str]:
    """Draw the privacy of releases, and return what there is to say about the picture."""
    from mixsafe.report.base.drawing import save
    from mixsafe.report.figures.contest_figure import scatter

    if not points:
        return [f"no {path.name}: no release is valid, or none was attacked in both ways"]
    figure, left_out = scatter(points, corner)
    save(figure, path)
    if left_out:
        return [f"{path.name}: {left_out} of {len(points)} names have no room"]
    return []
