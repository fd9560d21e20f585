"""A metric grid of square cells over a city, and how wrong it is.

Points are projected by the equirectangular projection whose standard parallel is the latitude of
the data's centre, on a sphere of the earth's mean radius. North-south lengths are exact on that
sphere everywhere. East-west lengths are exact at the centre's latitude and off by the factor
``cos(center) / cos(lat)`` elsewhere: at 37.77 degrees (San Francisco) +0.61% at 50 km north of
the centre and -0.60% at 50 km south, that is 0.6 m in a cell of 100 m. The sphere itself differs
from the WGS 84 ellipsoid by at most 0.6% in either direction.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

EARTH_RADIUS = 6_371_008.8
"""Mean radius of the earth (IUGG), metres."""

MOST_OFF = 0.05
"""Share by which cells may be wider or narrower than they should be without a word about it."""

SMALLEST_CELL = 0.05
"""Metres; with it, cell ids still fit in 63 bits."""

Degrees = npt.NDArray[np.float64]
Metres = npt.NDArray[np.float64]

Ring = list[tuple[float, float]]
"""Corners, the first one again at the end: longitude, latitude."""

CellSize = float | str
"""Side of a square cell, metres; or ``h3:9``, H3 cells of a resolution."""


class CellGrid(Protocol):
    """Cells in which people with coordinates meet: squares, or hexagons."""

    @property
    def center(self) -> tuple[float, float]:
        """Latitude and longitude of the data's centre, degrees."""

    @property
    def side(self) -> float:
        """Side of a square as large as a cell, metres."""

    @property
    def squares(self) -> bool:
        """Whether cells are squares side by side."""

    @property
    def words(self) -> str:
        """Names of cells."""

    def cell(self, lat: Degrees, lon: Degrees) -> npt.NDArray[np.int64]:
        """Id of the cell of each point, (n,), >= 0."""

    def cell_center(self, cell: npt.NDArray[np.int64]) -> tuple[Degrees, Degrees]:
        """Latitude and longitude of the middle of each cell, degrees, (n,) each."""

    def ring(self, cell: int) -> Ring:
        """Corners of a cell, degrees, longitude first, the first one again at the end."""

    def label(self, cell: int) -> int | str:
        """The cell's id as tables have it."""


def plane(center: tuple[float, float], lat: Degrees, lon: Degrees) -> tuple[Metres, Metres]:
    """East and north of points, metres from a centre, by the projection above; (n,) each."""
    per_degree = math.radians(1) * EARTH_RADIUS
    off = (lon - center[1] + 180) % 360 - 180
    east = off * (per_degree * math.cos(math.radians(center[0])))
    return east, (lat - center[0]) * per_degree


def way_between(
    lat: Degrees | float, lon: Degrees | float, other_lat: Degrees, other_lon: Degrees
) -> Metres:
    """Lengths of the shortest ways on the sphere between points, metres, (n,).

    By half the angle's sine, which is exact for small distances, too.
    """
    here, there = np.radians(lat), np.radians(other_lat)
    off = np.radians(other_lon - lon)
    half = np.sin((there - here) / 2) ** 2
    half = half + np.cos(here) * np.cos(there) * np.sin(off / 2) ** 2
    ways: Metres = 2 * EARTH_RADIUS * np.arcsin(np.sqrt(np.minimum(half, 1.0)))
    return ways


def plane_note(grid: CellGrid, parts: Iterable[Degrees]) -> tuple[str, ...]:
    """A note that the data reach too far for square cells on a plane, with advice; else empty.

    Parameters
    ----------
    parts
        Latitudes of all points, (n,) each, degrees.
    """
    if not grid.squares:
        return ()
    ends = [(float(lat.min()), float(lat.max())) for lat in parts if len(lat)]
    if not ends:
        return ()
    south, north = min(end[0] for end in ends), max(end[1] for end in ends)
    widest = min(max(south, 0.0), north)  # the latitude nearest to the equator
    sizes = [math.cos(math.radians(lat)) for lat in (south, north, widest, grid.center[0])]
    low, high = min(sizes) / sizes[-1], max(sizes) / sizes[-1]
    if high - 1 <= MOST_OFF and 1 - low <= MOST_OFF:
        return ()
    reach = math.radians(north - south) * EARTH_RADIUS / 1000
    side = grid.side
    return (
        f"the data reach over {reach:,.0f} km from south to north, too far for the grid's plane:"
        f" cells of {side:g} m are {side * low:.3g} to {side * high:.3g} m wide; take a part of the"
        " data, or cells of H3 (--cells h3:9)",
    )


@dataclass(frozen=True)
class Grid:
    """Square cells, numbered row by row from the south-west corner of the world's map.

    Parameters
    ----------
    center
        Latitude and longitude of the data's centre, degrees; a corner of four cells lies on it.
    cell_size
        Length of a cell's side, metres, at least 0.05.

    Raises
    ------
    InputError
        A cell size that is too small or no number, or a centre at a pole or off the map.
    """

    center: tuple[float, float]
    cell_size: float = 100.0

    def __post_init__(self) -> None:
        if not (math.isfinite(self.cell_size) and self.cell_size >= SMALLEST_CELL):
            raise InputError(f"the cell size, {self.cell_size} m, is below {SMALLEST_CELL} m")
        lat, lon = self.center
        if not (abs(lat) < 90 and abs(lon) <= 180):
            raise InputError(f"latitude {lat}, longitude {lon} cannot be the centre of a grid")

    @property
    def side(self) -> float:
        """Side of a cell, metres."""
        return self.cell_size

    @property
    def squares(self) -> bool:
        """Cells are squares."""
        return True

    @property
    def words(self) -> str:
        """Names of cells."""
        return f"Cells of {self.cell_size:g} m"

    @property
    def cells_per_half(self) -> int:
        """Cells from the centre to the map's edge, in either direction and on either axis."""
        return math.ceil(math.pi * EARTH_RADIUS / self.cell_size)

    def cell(self, lat: Degrees, lon: Degrees) -> npt.NDArray[np.int64]:
        """Id of the cell of each point.

        Parameters
        ----------
        lat, lon
            (n,) degrees; longitudes up to 180 degrees off the centre's, either way around.

        Returns
        -------
        (n,) ids, >= 0.
        """
        half = self.cells_per_half
        per_degree = math.radians(1) * EARTH_RADIUS / self.cell_size
        off = lon - self.center[1]
        # Across the 180th meridian the short way round is meant.
        if len(off) and max(off.max(), -off.min()) > 180:
            off = (off + 180) % 360 - 180
        shrink = math.cos(math.radians(self.center[0]))
        north = np.floor((lat - self.center[0]) * per_degree).astype(np.int64)
        east = np.floor(off * (per_degree * shrink)).astype(np.int64)
        cells: npt.NDArray[np.int64] = (north + half) * (2 * half) + (east + half)
        return cells

    @property
    def cell_degrees(self) -> tuple[float, float]:
        """Height and width of a cell, degrees of latitude and of longitude."""
        height = math.degrees(self.cell_size / EARTH_RADIUS)
        return height, height / math.cos(math.radians(self.center[0]))

    def cell_center(self, cell: npt.NDArray[np.int64]) -> tuple[Degrees, Degrees]:
        """Latitude and longitude of the middle of each cell, degrees, (n,) each."""
        half = self.cells_per_half
        north, east = np.divmod(cell, 2 * half)
        height, width = self.cell_degrees
        lat = self.center[0] + (north - half + 0.5) * height
        lon = self.center[1] + (east - half + 0.5) * width
        return lat, (lon + 180) % 360 - 180

    def ring(self, cell: int) -> Ring:
        """Corners of a cell, degrees, counterclockwise, the first one again at the end."""
        (lat,), (lon,) = self.cell_center(np.array([cell]))
        north, east = (size / 2 for size in self.cell_degrees)
        corners = ((-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1))
        return [(float(lon + x * east), float(lat + y * north)) for x, y in corners]

    def label(self, cell: int) -> int | str:
        """The cell's id as tables have it: a number."""
        return cell
