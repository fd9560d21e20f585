"""Where places are, what they are called, and what else is known of an answer beside the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mixsafe.extract.positions import grid_of, positions
from mixsafe.extract.zones import Extraction
from mixsafe.geometry.grid import CellGrid, CellSize, Outlines, Ring, plane
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.places import PlaceShapes, place_name
from mixsafe.model.mobility.traces import Positions, Traces
from mixsafe.model.question.mix_zones import EVERYWHERE, MixZones

Ints = npt.NDArray[np.int64]

PLACES = 300
"""Places on the map, at most."""

ROTATION = "everywhere, at a scheduled time"
"""Name of the place at which all pseudonyms change."""


@dataclass(frozen=True, eq=False)
class Atlas:
    """Coordinates and names of places: cells of a grid, or regions.

    Parameters
    ----------
    grid
        Of the cells; None: places are regions. Without ``names`` they are the 32 x 32 of the
        contest, numbered from 1, and place 0 is where tracks show several of them.
    where
        Where people were; None: that is not known, only where they met.
    shapes
        Places with outlines and names, beside or instead of cells.
    names
        Names of regions 1 to n; it is not known where they are.
    """

    grid: CellGrid | None = None
    where: Positions | None = None
    shapes: PlaceShapes | None = None
    names: tuple[str, ...] | None = None

    def __repr__(self) -> str:
        return f"<Atlas: {'no places' if self.where is None else self.where}>"

    @classmethod
    def of(
        cls, traces: Traces, cell_size: CellSize = 100.0, time_step: int | None = None
    ) -> Atlas | None:
        """Atlas for some traces; None where regions have numbers, and it is not known how they lie.

        With ``time_step``, the one with which the problem was posed, in seconds, it also knows
        where people were.

        Regions of data that number their times and have no number above 1,024 are taken for the
        contest's; pages say so.
        """
        if traces.region is None:
            where = _where(traces, cell_size, time_step)
            return cls(grid_of(traces, cell_size), where, traces.shapes)
        if traces.place_names is None and not _in_contest(traces.clock, traces.region):
            return None
        where = _where(traces, cell_size, time_step)
        return cls(None, where, names=traces.place_names)

    @classmethod
    def of_extraction(cls, found: Extraction) -> Atlas | None:
        """Places of traces too large for memory, by those of their mix zones."""
        if found.grid is not None:
            return cls(found.grid, found.positions)
        place, names = found.zones.place, found.zones.place_names
        if names is not None:
            return cls(None, found.positions, names=names)
        known = place is not None and _in_contest(found.traces.clock, place)
        return cls(None, found.positions) if known else None

    @property
    def drawn(self) -> bool:
        """Whether it is known where places are."""
        return self.names is None

    @property
    def words(self) -> str | None:
        """Base of the map; None: there is none."""
        if not self.drawn:
            return None
        if self.grid is None:
            return "Regions as in the contest's grid of 32 by 32, north up."
        if self.shapes is not None:
            return "Places with names, each at its middle, north up, in kilometres."
        return (
            f"{self.grid.words}, north up, in kilometres from the centre of the data; tables name"
            " each by the latitude and longitude of its middle."
        )

    def position(self, place: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """East and north of places, (n,) each: kilometres from the centre, or regions.

        Those of several regions, and of all places together, are NaN.
        """
        if self.grid is None:
            row, column = np.divmod(place - 1, Regions.of_contest().columns)
            known = place > 0
            return np.where(known, column, np.nan), np.where(known, row, np.nan)
        lat, lon = np.full(len(place), np.nan), np.full(len(place), np.nan)
        one = place != EVERYWHERE
        named = one & (place < 0) & (self.shapes is not None)
        cells = one & ~named
        lat[cells], lon[cells] = self.grid.cell_center(place[cells])
        if self.shapes is not None:
            middles = self.shapes.middles
            lat[named], lon[named] = (middle[-1 - place[named]] for middle in middles)
        east, north = plane(self.grid.center, lat, lon)
        return east / 1000, north / 1000

    @property
    def outlines(self) -> Outlines | None:
        """Outlines of places; None: they are regions."""
        return None if self.grid is None else Outlines(self.grid, self.shapes)

    def corners(self, place: Ints) -> list[list[Ring] | None] | None:
        """Rings of corners of each place, metres east and north of the centre.

        None where it is a square that the side of a cell describes; None for all if all are.
        """
        if self.grid is None or (self.grid.squares and self.shapes is None):
            return None
        found, squares = Outlines(self.grid, self.shapes), self.grid.squares
        return [
            None
            if squares and PlaceShapes.number(one) is None
            else [_on_plane(self.grid, ring) for part in found.polygons(one) for ring in part]
            for one in place.tolist()
        ]

    def label(self, place: int) -> int | str:
        """The id of a place as JSON has it."""
        if place == EVERYWHERE:
            return "everywhere"
        if self.grid is None or place < 0:
            return place_name(place, self.names)
        return self.grid.label(place)

    def name(self, place: int) -> str:
        """Name of a place: its name, its centre in degrees, or its region's number."""
        if place == EVERYWHERE:
            return ROTATION
        if self.names is not None:
            return self.names[place - 1]
        if self.grid is None:
            return str(place) if place > 0 else "several regions"
        number = PlaceShapes.number(place)
        if self.shapes is not None and number is not None:
            return self.shapes.names[number]
        lat, lon = self.grid.cell_center(np.array([place]))
        return f"{lat[0]:.5f}, {lon[0]:.5f}"


def place_names(place: Ints, atlas: Atlas | None) -> list[str]:
    """Names of places; their numbers where coordinates are unknown."""
    if atlas is None:
        return [ROTATION if one == EVERYWHERE else str(one) for one in place.tolist()]
    return [atlas.name(one) for one in place.tolist()]


def zone_told(zones: MixZones, zone: int, atlas: Atlas | None, names: int) -> dict[str, Any]:
    """When and where a mix zone is, and the first ``names`` of its members."""
    rows = zones.members[zones.ptr[zone] : zones.ptr[zone + 1]]
    known = None if zones.place is None else place_names(zones.place[zone : zone + 1], atlas)
    return {
        "time": zones.axis.label(int(zones.time[zone])),
        "place": None if known is None else known[0],
        "people": [str(name) for name in zones.users[rows[:names]].tolist()],
    }


def ranks_in(known: Ints, place: Ints) -> Ints:
    """(n,) where each place is in ``known``, which is ascending, none twice; -1: nowhere."""
    at = np.searchsorted(known, place)
    there = known[np.minimum(at, len(known) - 1)] == place if len(known) else False
    return np.where(there, at, -1)


def _where(traces: Traces, cell_size: CellSize, time_step: int | None) -> Positions | None:
    """Positions of people, in steps of that length."""
    if time_step is None or not len(traces.user):
        return None
    return positions(traces, cell_size=cell_size, time_step=time_step)


def _on_plane(grid: CellGrid, ring: Ring) -> Ring:
    """A ring of longitudes and latitudes as metres east and north of the centre."""
    lon, lat = np.array(ring).T
    east, north = plane(grid.center, lat, lon)
    return list(zip(east.round(1).tolist(), north.round(1).tolist(), strict=True))


def _in_contest(clock: str, region: Ints) -> bool:
    """Whether regions can be those of a contest."""
    known = clock == "time_id" and len(region) > 0
    return known and bool(region.min() >= 1 and region.max() <= Regions.of_contest().count)


@dataclass(frozen=True)
class Context:
    """What an answer does not contain and its document shows.

    Parameters
    ----------
    source
        Name of the file that was read; empty: there is none.
    adversary
        What the adversary knows, in words.
    atlas
        Where places are; None: unknown.
    listed
        Whether the adversary's sightings are those of a file, which ``adversary`` names.
    sealed
        Whether everybody is taken to be seen at the last step.
    """

    source: str = ""
    adversary: str = ""
    atlas: Atlas | None = None
    listed: bool = False
    sealed: bool = False

    def data(self, zones: MixZones) -> str:
        """What was read: users, steps with their period and time zone, mix zones."""
        axis = zones.axis
        name = f"{self.source}: " if self.source else ""
        return (
            f"{name}{zones.n_users:,} users, {axis.steps:,} steps ({axis.period}),"
            f" {len(zones):,} mix zones"
        )
