"""Labels of points without overlaps between labels or with points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mixsafe.errors import printable
from mixsafe.report.base.drawing import legible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIZE = 8
"""Of the letters, points."""

_WIDE, _HIGH, _MARK = 0.62 * SIZE, 1.15 * SIZE, 4.5  # a letter's width, a line, half a mark
_SIDES = ((1, 1), (1, -1), (-1, 1), (-1, -1), (1, 0), (-1, 0))


def name_points(axes: Axes, names: Sequence[str], x: Sequence[float], y: Sequence[float]) -> int:
    """Write labels next to their points, in order of priority.

    Call it when the limits of the axes are final: where names have room depends on them.

    Parameters
    ----------
    names, x, y
        (n,) each, in the order of importance.

    Returns
    -------
    int
        How many names had no room.
    """
    if not len(names):
        return 0
    figure = axes.figure.canvas.figure  # get_figure(root=True) is of matplotlib 3.10
    legible(figure)
    figure.draw_without_rendering()
    to_points = 72 / figure.dpi
    spot = axes.transData.transform(np.column_stack([x, y])) * to_points
    frame = axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
    inside = np.array([frame.x0, frame.y0, frame.x1, frame.y1]) * 72
    taken = np.hstack([spot - _MARK, spot + _MARK])
    left_out = 0
    for number, name in enumerate(map(printable, names)):
        # Its own point is no obstacle: the name stands beside it.
        others = np.delete(taken, number, axis=0)
        for side in _SIDES:
            box = _box(spot[number], name, side)
            if _within(box, inside) and not _covers(box, others):
                taken = np.vstack([taken, box])
                at = (box[0] - spot[number][0], box[1] - spot[number][1] + 0.2 * SIZE)
                axes.annotate(
                    name, (x[number], y[number]), xytext=at, textcoords="offset points",
                    fontsize=SIZE,
                )  # fmt: skip
                break
        else:
            left_out += 1
    return left_out


def _box(
    spot: npt.NDArray[np.float64], name: str, side: tuple[int, int]
) -> npt.NDArray[np.float64]:
    """Left, lower, right and upper edge of a name on a side of its point, points."""
    width = _WIDE * len(name)
    left = spot[0] + _MARK if side[0] > 0 else spot[0] - _MARK - width
    low = spot[1] - _HIGH / 2 + side[1] * (_HIGH / 2 + 1)
    return np.array([left, low, left + width, low + _HIGH])


def _within(box: npt.NDArray[np.float64], frame: npt.NDArray[np.float64]) -> bool:
    """Whether a box is inside another."""
    return bool(np.all(box[:2] >= frame[:2]) and np.all(box[2:] <= frame[2:]))


def _covers(box: npt.NDArray[np.float64], others: npt.NDArray[np.float64]) -> bool:
    """Whether a box covers a part of another one."""
    apart = (box[2:] <= others[:, :2]) | (box[:2] >= others[:, 2:])
    return bool(np.any(~apart.any(axis=1)))
