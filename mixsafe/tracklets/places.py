"""Cells in which tracklets begin or end; those whose place is not known are in none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import Grid
from mixsafe.model.tracklets import Moments

Ints = npt.NDArray[np.int64]

NOWHERE = -1
"""Number of the cell of a tracklet whose place is not known."""


@dataclass(frozen=True, eq=False)
class TrackletCells:
    """The cells that tracklets begin or end in.

    Parameters
    ----------
    number
        (n,) number of each tracklet's cell, or ``NOWHERE``.
    lat, lon
        (n_cells,) degrees of the middles of the cells.
    """

    number: Ints
    lat: npt.NDArray[np.float64]
    lon: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.lat)


def cells_of(moments: Moments, size: float) -> TrackletCells:
    """The cells of ``size`` metres in which tracklets begin or end."""
    placed = moments.placed
    number = np.full(len(moments), NOWHERE)
    lat, lon = moments.lat[placed], moments.lon[placed]
    if not len(lat):
        return TrackletCells(number, lat, lon)
    grid = Grid((float(np.median(lat)), float(np.median(lon))), size)
    cells, number[placed] = np.unique(grid.cell(lat, lon), return_inverse=True)
    return TrackletCells(number, *grid.cell_center(cells))
