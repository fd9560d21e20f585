"""Cells of a grid over a city, squares or hexagons, how wrong they are, and outlines of places.

Square cells are metric. Points are projected by the equirectangular projection whose standard
parallel is the latitude of the data's centre, on a sphere of the earth's mean radius. North-south
lengths are exact on that sphere everywhere. East-west lengths are exact at the centre's latitude
and off by the factor ``cos(center) / cos(lat)`` elsewhere: at 37.77 degrees (San Francisco) +0.61%
at 50 km north of the centre and -0.60% at 50 km south, that is 0.6 m in a cell of 100 m. The sphere
itself differs from the WGS 84 ellipsoid by at most 0.6% in either direction.

H3 (https://h3geo.org) divides the earth into hexagons, and twelve pentagons, in 16 resolutions: at
9 a cell has some 0.1 square kilometres. Unlike square cells they do not depend on the data's
centre, so that zones of two data sets can be compared, and joined with tables by H3 cell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import repeat
from types import ModuleType
from typing import Protocol

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.places import PlaceShapes

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


@dataclass(frozen=True)
class Outlines:
    """Coordinates and outlines of places.

    Parameters
    ----------
    grid
        Of the cells.
    shapes
        Places with outlines, beside or instead of cells.
    """

    grid: CellGrid
    shapes: PlaceShapes | None = None

    def place(self, lat: Degrees, lon: Degrees) -> npt.NDArray[np.int64]:
        """Id of the place of each point, (n,), as positions have it."""
        cells = self.grid.cell(lat, lon)
        return cells if self.shapes is None else self.shapes.place_of(lat, lon, cells)

    def label(self, place: int) -> int | str:
        """Name of a place in tables: its own, or its cell's id."""
        number = self._number(place)
        if self.shapes is None or number is None:
            return self.grid.label(place)
        return self.shapes.names[number]

    def polygons(self, place: int) -> list[list[Ring]]:
        """Polygons of a place: rings each, the outer one first."""
        number = self._number(place)
        if self.shapes is None or number is None:
            return [[self.grid.ring(place)]]
        return self.shapes.polygons(number)

    def circles(self, place: npt.NDArray[np.int64]) -> tuple[Degrees, Degrees, Metres]:
        """Circle that holds each place: latitude and longitude of its centre, and its radius.

        Parameters
        ----------
        place
            (n,) ids of places, none twice.

        Returns
        -------
        (n,) degrees, (n,) degrees, and (n,) metres.
        """
        lat, lon, radius = np.empty((3, len(place)))
        for one, polygons in enumerate(map(self.polygons, place.tolist())):
            corners = np.array([corner for rings in polygons for ring in rings for corner in ring])
            lon[one], lat[one] = (corners.min(axis=0) + corners.max(axis=0)) / 2
            east, north = corners.T
            radius[one] = way_between(lat[one], lon[one], north, east).max()
        return lat, lon, radius

    def _number(self, place: int) -> int | None:
        return None if self.shapes is None else PlaceShapes.number(place)
