"""Where fixes are, as a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from mixsafe.geometry.grid import plane
from mixsafe.report.base import colours
from mixsafe.report.base.drawing import canvas, legend_above, plain, style

_MIDDLE = 0.99
"""Share of the fixes that the picture reaches to in each direction: one far-off fix must not make a
dot of a city."""


@style
def draw_fixes(found: Mapping[str, Any]) -> Figure:
    """Map of the squares with fixes, darker where there are more.

    Parameters
    ----------
    found
        ``map`` of a description.
    """
    figure, axes = canvas(6.4, 5.4)
    fixes, side = np.array(found["fixes"]), found["side"] / 1000
    lat, lon = np.array(found["lat"]), np.array(found["lon"])
    center = float(np.average(lat, weights=fixes)), float(lon[int(fixes.argmax())])
    east, north = (one / 1000 for one in plane(center, lat, lon))
    low, high = east - side / 2, north - side / 2
    corners = [(0, 0), (side, 0), (side, side), (0, side)]
    squares = np.stack([low, high], axis=1)[:, None, :] + np.array(corners)
    ends = _classes(int(fixes.max()))
    shades = [colours.AMOUNTS[-len(ends) :][place] for place in np.searchsorted(ends, fixes)]
    axes.add_collection(PolyCollection(list(squares), facecolors=shades, edgecolors="none"))
    axes.set(xlim=_reach(east, fixes, side), ylim=_reach(north, fixes, side))
    axes.set(xlabel="west to east (km)", ylabel="south to north (km)")
    axes.set_aspect("equal", adjustable="box", anchor="W")
    names = [f"{'up to' if not place else 'to'} {end:,}" for place, end in enumerate(ends)]
    patches = [
        Patch(facecolor=shade, edgecolor=colours.INK, linewidth=0.6, label=name)
        for shade, name in zip(colours.AMOUNTS[-len(ends) :], names, strict=True)
    ]
    legend_above(axes, patches, title=f"fixes in a square of {found['side']:,g} m", gap=0)
    plain(axes)
    return figure


def _classes(most: int) -> list[int]:
    """Up to four classes, each reaching about three times as far as the one before."""
    return sorted({-(-most // 3**power) for power in range(4)})


def _reach(
    at: np.ndarray[Any, np.dtype[np.float64]], fixes: np.ndarray[Any, Any], side: float
) -> tuple[float, float]:
    """From where to where the middle ``_MIDDLE`` of the fixes reach."""
    order = np.argsort(at)
    share = np.cumsum(fixes[order]) / fixes.sum()
    off = (1 - _MIDDLE) / 2
    low, high = np.searchsorted(share, (off, 1 - off))
    return float(at[order][low] - side), float(at[order][min(high, len(at) - 1)] + side)
