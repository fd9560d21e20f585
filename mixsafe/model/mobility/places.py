"""Places: what they are called, by a number or by a name, and the outlines in which people mix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

PlaceName = str | int


def place_name(region: int, names: tuple[str, ...] | None) -> PlaceName:
    """What a region is called, given the names of regions 1 to n; None: they are numbers."""
    return region if names is None else names[region - 1]


def regions_among(
    region: npt.NDArray[np.int64], own: tuple[str, ...] | None, names: tuple[str, ...] | None
) -> npt.NDArray[np.int64]:
    """The same places in other data, (n,): equal numbers are equal places only by equal names.

    Parameters
    ----------
    region, own
        (n,) regions, and the names of 1 to n; None: they are numbers.
    names
        Names of regions 1 to n in the other data; None: they are numbers.

    Returns
    -------
    Regions of the other data; a number below -1 of its own for each place that they do not name.
    """
    if own == names:
        return region
    known, of = np.unique(region, return_inverse=True)
    texts = [str(place_name(one, own)) for one in known.tolist()]
    if names is None:
        there = {text: one for text in texts if (one := _number(text)) is not None}
    else:
        there = {name: one for one, name in enumerate(names, start=1)}
    found = [there.get(text, -2 - at) for at, text in enumerate(texts)]
    return np.array(found, np.int64)[of]


def _number(text: str) -> int | None:
    """A region's number that is written as a number is; None: it is a name."""
    is_number = text.isdecimal() and text.isascii() and len(text) < 19 and str(int(text)) == text
    return int(text) if is_number else None


def names_note(names: tuple[str, ...] | None) -> tuple[str, ...]:
    """A note that places are names where most of them might be numbers; else empty.

    One slip among numbers makes names of all, and 7 and 07 are two places then.
    """
    odd = [name for name in names or () if _number(name) is None]
    if names is None or 2 * len(odd) >= len(names):
        return ()
    return (f"places are read as names, because '{odd[0]}' is no number as the others are",)


def check_numbered(names: tuple[str, ...] | None) -> None:
    """Refuse regions with names where only the contest's numbers tell where they are.

    Raises
    ------
    InputError
        They have names.
    """
    if names is not None:
        message = f"places have names, such as '{names[0]}', and the contest numbers its regions"
        raise InputError(message, hint="give traces whose reg_id is a number from 1")


class PlaceMeanings(NamedTuple):
    """What the codes of places in a source that is read in batches stand for.

    Parameters
    ----------
    of_name
        (n_names,) region of codes -1, -2, …
    numbers, of_number
        (n_numbers,) codes that are numbers, ascending, and the region of each.
    names
        Names of regions 1 to n; None: they are numbers.
    """

    of_name: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int64]
    of_number: npt.NDArray[np.int64]
    names: tuple[str, ...] | None

    def regions(self, code: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """(n,) regions of codes."""
        found = np.empty(len(code), np.int64)
        named = code < 0
        found[named] = self.of_name[-1 - code[named]]
        found[~named] = self.of_number[np.searchsorted(self.numbers, code[~named])]
        return found


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
