"""The cells of H3, hexagons that are the same ones for everybody, as another grid.

H3 (https://h3geo.org) divides the earth into hexagons, and twelve pentagons, in 16 resolutions: at
9 a cell has some 0.1 square kilometres. Unlike square cells they do not depend on the data's
centre, so that zones of two data sets can be compared, and joined with tables by H3 cell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import repeat
from types import ModuleType

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import CellGrid, CellSize, Degrees, Grid, Ring

FINEST = 15
"""Resolution of H3's smallest cells, of less than a square metre."""


@dataclass(frozen=True)
class HexGrid:
    """Cells of H3, numbered as there.

    Parameters
    ----------
    center
        Latitude and longitude of the data's centre, degrees, for maps.
    resolution
        0 to 15.

    Raises
    ------
    InputError
        There is no such resolution, or the package h3 is not installed.
    """

    center: tuple[float, float]
    resolution: int

    def __post_init__(self) -> None:
        if not 0 <= self.resolution <= FINEST:
            raise InputError(f"the H3 resolution {self.resolution} is outside 0 to {FINEST}")
        _h3()

    @property
    def side(self) -> float:
        """Side of a square as large as a cell is on average, metres."""
        return math.sqrt(_h3().average_hexagon_area(self.resolution, unit="m^2"))

    @property
    def squares(self) -> bool:
        """Cells are hexagons."""
        return False

    @property
    def words(self) -> str:
        """Names of cells."""
        return f"H3 cells of resolution {self.resolution}"

    def cell(self, lat: Degrees, lon: Degrees) -> npt.NDArray[np.int64]:
        """Id of the cell of each point, (n,), > 0; H3 ids have 63 bits.

        Parameters
        ----------
        lat, lon
            (n,) degrees.
        """
        # H3 has no function of arrays; called by map it takes a million points in a second.
        numbers = map(_h3().latlng_to_cell, lat.tolist(), lon.tolist(), repeat(self.resolution))
        return np.fromiter(numbers, np.int64, len(lat))

    def cell_center(self, cell: npt.NDArray[np.int64]) -> tuple[Degrees, Degrees]:
        """Latitude and longitude of the middle of each cell, degrees, (n,) each."""
        middle = np.array(list(map(_h3().cell_to_latlng, cell.tolist()))).reshape(-1, 2)
        return middle[:, 0], middle[:, 1]

    def ring(self, cell: int) -> Ring:
        """Corners of a cell, degrees, counterclockwise, the first one again at the end.

        Across the 180th meridian longitudes go on beyond 180 degrees.
        """
        around = _h3().cell_to_boundary(cell)
        east = around[0][1]
        return [(east + (lon - east + 180) % 360 - 180, lat) for lat, lon in (*around, around[0])]

    def label(self, cell: int) -> int | str:
        """The cell's id as H3 writes it; as a number it is too long for JavaScript."""
        return f"{cell:x}"


def resolution_of(cells: str) -> int:
    """The resolution that ``h3:9`` names.

    Raises
    ------
    InputError
        It names none, or the package h3 is not installed.
    """
    kind, _, number = cells.partition(":")
    known = kind.lower() == "h3" and number.isascii() and number.isdecimal()
    if not known or len(number) > 2 or int(number) > FINEST:
        raise InputError(
            f"unknown cells '{cells}'", hint=f"use h3:0 to h3:{FINEST}, or a size in metres"
        )
    _h3()
    return int(number)


def grid_at(center: tuple[float, float], cell_size: CellSize) -> CellGrid:
    """Square cells of a size in metres, or those of H3.

    Parameters
    ----------
    center
        Latitude and longitude of the data's centre, degrees.

    Raises
    ------
    InputError
        There are no such cells, or the package h3 is not installed.
    """
    if isinstance(cell_size, str):
        return HexGrid(center, resolution_of(cell_size))
    return Grid(center, cell_size)


def _h3() -> ModuleType:
    """H3 with ids that are integers.

    Raises
    ------
    InputError
        It is not installed, or older than version 4.
    """
    hint = "pip install 'h3>=4'"
    try:
        from h3.api import basic_int
    except ModuleNotFoundError:
        raise InputError("H3 cells need the package h3", hint=hint) from None
    if not hasattr(basic_int, "latlng_to_cell"):
        raise InputError("H3 cells need version 4 or later of the package h3", hint=hint)
    found: ModuleType = basic_int
    return found
