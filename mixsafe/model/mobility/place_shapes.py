"""Places with names and outlines in which people mix: stations, shops, car parks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError


@dataclass(frozen=True, eq=False)
class PlaceShapes:
    """Places with outlines.

    Parameters
    ----------
    names
        Names of the places.
    outlines
        (n_places,) Shapely polygons in degrees: x is the longitude.
    elsewhere
        True: people also mix outside the places, in the cells of a grid.
    sensitive
        (n_places,) bool: whether it says much about people that they are there, such as hospitals;
        None: nothing says so.

    Raises
    ------
    InputError
        There is no place, or the number of names or marks differs from that of places.
    """

    names: tuple[str, ...]
    outlines: npt.NDArray[Any]
    elsewhere: bool = False
    sensitive: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        if not len(self.outlines) or len(self.names) != len(self.outlines):
            raise InputError(f"{len(self.names)} names for {len(self.outlines)} places")
        if self.sensitive is not None and len(self.sensitive) != len(self.outlines):
            raise InputError(f"{len(self.sensitive)} marks for {len(self.outlines)} places")

    def number_of(
        self, lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        """Place that contains each point, (n,), the first one if places overlap; -1: none."""
        import shapely

        # An index of points queried with polygons is fast, because polygons are prepared.
        tree = shapely.STRtree(shapely.points(lon, lat))
        place, point = tree.query(self.outlines, predicate="intersects")
        found = np.full(len(lat), len(self.names), np.int64)
        np.minimum.at(found, point, place)
        return np.where(found == len(self.names), -1, found)

    def place_of(
        self,
        lat: npt.NDArray[np.float64],
        lon: npt.NDArray[np.float64],
        cells: npt.NDArray[np.int64],
    ) -> npt.NDArray[np.int64]:
        """Place id of each point, (n,): negative for these places, else the id of its cell."""
        number = self.number_of(lat, lon)
        return np.where(number >= 0, -1 - number, cells)

    @staticmethod
    def number(place: int) -> int | None:
        """Number of a place by its id in positions; None: it is a cell."""
        return -1 - place if place < 0 else None

    def polygons(self, number: int) -> list[list[list[tuple[float, float]]]]:
        """Polygons of a place: closed rings of longitudes and latitudes, the outer ring first."""
        import shapely

        parts = [shapely.get_rings(part) for part in shapely.get_parts(self.outlines[number])]
        return [
            [list(map(tuple, shapely.get_coordinates(one).tolist())) for one in part]
            for part in parts
        ]

    @property
    def middles(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Latitude and longitude of a point inside each place, (n_places,) each."""
        import shapely

        inside = shapely.point_on_surface(self.outlines)
        return shapely.get_y(inside), shapely.get_x(inside)
