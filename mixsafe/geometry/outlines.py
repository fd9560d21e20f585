"""Outlines and names of places: cells of a grid, and places with given shapes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.geometry.grid import CellGrid, Degrees, Metres, Ring, way_between
from mixsafe.model.mobility.places import PlaceShapes


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
