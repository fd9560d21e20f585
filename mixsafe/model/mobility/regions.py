"""The regions of a contest: a grid of cells with centres, distances and hospitals."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError

KM_PER_DEGREE_NORTH = 111.0
KM_PER_DEGREE_EAST = 91.0
"""Constants of the organizers' programs, km per degree; accurate to 1% at Tokyo and Osaka."""

HOSPITAL_IDS = (
    *(2, 43, 50, 147, 150, 152, 174, 183, 186, 205, 237, 296, 303, 326, 331, 344, 358, 420, 434),
    *(449, 471, 491, 497, 507, 522, 535, 550, 561, 628, 631, 708, 771, 782, 821, 871, 883, 995),
)
"""Ids (from 1) of the regions with hospitals in PWS Cup 2019, the same in both cities."""


@dataclass(frozen=True, eq=False)
class Regions:
    """A grid of regions, numbered from the south-west, west to east first (contest paper, 3.3).

    In memory regions are numbered from 0; ``reg_id`` in files is one higher.

    Parameters
    ----------
    rows, columns
        Regions from south to north and from west to east, >= 1 each.
    south, west
        The grid's south-west corner, degrees.
    height, width
        Extent of a region, degrees, > 0.
    hospital
        (rows * columns,) bool: regions whose visits are sensitive.

    Raises
    ------
    InputError
        The grid is empty, regions have no extent, or the number of hospital marks differs from that
        of regions.
    """

    rows: int
    columns: int
    south: float
    west: float
    height: float
    width: float
    hospital: npt.NDArray[np.bool_]

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1:
            raise InputError(f"a grid of {self.rows} x {self.columns} regions is empty")
        if not (self.height > 0 and self.width > 0):
            raise InputError(f"regions of {self.height} x {self.width} degrees have no extent")
        if self.hospital.shape != (self.count,):
            raise InputError(f"{len(self.hospital)} hospital marks for {self.count} regions")

    @classmethod
    def of_contest(cls) -> Regions:
        """The 32 x 32 regions of central Tokyo, as built into the organizers' programs."""
        hospital = np.zeros(1024, bool)
        hospital[np.array(HOSPITAL_IDS) - 1] = True
        return cls(32, 32, 35.65, 139.68, 0.1 / 32, 0.12 / 32, hospital)

    @property
    def count(self) -> int:
        """Number of regions."""
        return self.rows * self.columns

    @property
    def km_per_degree(self) -> tuple[float, float]:
        """Kilometres per degree of latitude and longitude, at the middle of the grid.

        The contest's constants where they are accurate to 1%, so that scores agree to the last
        digit; elsewhere the value at the grid's latitude.
        """
        middle = math.radians(self.south + self.rows * self.height / 2)
        east = KM_PER_DEGREE_NORTH * math.cos(middle)
        if abs(east / KM_PER_DEGREE_EAST - 1) <= 0.01:
            east = KM_PER_DEGREE_EAST
        return KM_PER_DEGREE_NORTH, east

    @property
    def region_km(self) -> tuple[float, float]:
        """Height and width of a region, kilometres."""
        north, east = self.km_per_degree
        return self.height * north, self.width * east

    def centres(self, region: npt.NDArray[np.int32]) -> tuple[npt.NDArray[np.float64], ...]:
        """Latitude and longitude of the regions' centres, degrees, shaped like ``region``."""
        row, column = np.divmod(region, self.columns)
        return self.south + (row + 0.5) * self.height, self.west + (column + 0.5) * self.width

    def nearest(
        self, lat: npt.NDArray[np.float64], lon: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int32]:
        """Region of each point; points outside go to the border region of their row or column."""
        row = np.clip(np.floor((lat - self.south) / self.height), 0, self.rows - 1)
        column = np.clip(np.floor((lon - self.west) / self.width), 0, self.columns - 1)
        return np.asarray(row * self.columns + column, dtype=np.int32)

    def distance_km(
        self, one: npt.NDArray[np.int32], other: npt.NDArray[np.int32]
    ) -> npt.NDArray[np.float64]:
        """Distance between the centres of regions, kilometres, on a flat plane; broadcasts."""
        row, column = np.divmod(one, self.columns)
        other_row, other_column = np.divmod(other, self.columns)
        height, width = self.region_km
        return np.hypot((row - other_row) * height, (column - other_column) * width)
