"""Pictures of the contest, drawn as on its pages."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mixsafe.documents.document import Chart


def draw_releases(charts: Sequence[Chart], path: Path, without: Sequence[str] = ()) -> list[str]:
    """Draw the privacy of releases, and return what there is to say about the picture.

    Parameters
    ----------
    without
        Contests that have no chart.
    """
    from mixsafe.report.chart_figure import draw_charts
    from mixsafe.report.drawing import save

    empty = "no release is valid, or none was attacked in both ways"
    if not charts:
        return [f"no {path.name}: {empty}"]
    save(draw_charts(charts), path)
    return [f"{path.name} without {name}: {empty}" for name in without]
