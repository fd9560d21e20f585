"""Complete traces, as in contests: the region of every user at every time.

The regions of a contest are the cells of a grid, with centres, distances and hospitals. Training
traces become a mobility model: the distribution of users, and parameters shared by all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.places import check_numbered
from mixsafe.model.mobility.traces import Traces

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


@dataclass(frozen=True, eq=False)
class TraceMatrix:
    """The region of each user at each time; users are numbered 1 to n in files.

    Parameters
    ----------
    region
        (n_users, n_steps) int32 region numbers, from 0.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        There is no user or no time, a region is negative, or the first time is below 1.
    """

    region: npt.NDArray[np.int32]
    first_time: int = 1

    def __repr__(self) -> str:
        return f"<TraceMatrix: {self.region.shape[0]:,} users, {self.region.shape[1]:,} times>"

    def __post_init__(self) -> None:
        if self.region.ndim != 2 or not self.region.size:
            raise InputError("traces need at least one user and one time")
        if self.region.min() < 0:
            raise InputError(f"region number {self.region.min()} is negative")
        if self.first_time < 1:
            raise InputError(f"time {self.first_time} is below 1")

    @classmethod
    def of_traces(cls, traces: Traces) -> TraceMatrix:
        """Convert traces of users 1 to n who are in a region, numbered from 1, at every time_id.

        Raises
        ------
        InputError
            The fixes have coordinates or timestamps, users or regions have other names, or a user
            has no region at some time.
        """
        if traces.region is None or traces.clock != "time_id":
            raise InputError(
                "the traces have coordinates or timestamps, not regions at time_ids",
                hint="use columns user_id,time_id,reg_id",
            )
        check_numbered(traces.place_names)
        n_users = len(traces.users)
        if not np.array_equal(traces.users, np.arange(1, n_users + 1)):
            raise InputError(f"the {n_users} users are not named 1 to {n_users}")
        first = int(traces.time.min(initial=1))
        steps = int(traces.time.max(initial=0)) - first + 1
        at = np.stack([traces.user, traces.time - first])
        whole = np.indices((n_users, steps)).reshape(2, -1)
        if not np.array_equal(at, whole):
            raise InputError(
                f"some users are not in one region at each of the {steps} times",
                hint="fill the gaps",
            )
        return cls((traces.region - 1).reshape(n_users, steps).astype(np.int32), first)

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.region)

    @property
    def n_steps(self) -> int:
        """Number of times per user."""
        return int(self.region.shape[1])

    @property
    def time_ids(self) -> npt.NDArray[np.int64]:
        """(n_steps,) time_id of each column."""
        return np.arange(self.first_time, self.first_time + self.n_steps)


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class TraceModel:
    """A trained PPMTF+ model (contest paper, appendix A); it contains no training user.

    A user is a feature vector of ``z`` numbers. ``sum_k user[k] location[i, k] destination[j, k]``
    is her transition count from region i to j, and ``sum_k user[k] location[i, k] slot[l, k]`` her
    visit count of region i in time slot l.

    Parameters
    ----------
    mean, covariance
        (z,) and (z, z): parameters of the normal distribution of feature vectors.
    location, destination
        (n_regions, z) each: factors of regions visited or left, and of destinations.
    slot
        (n_slots, z): factors of the time slots of a day.
    edge_ptr, edge_to
        (n_regions + 1,) and (n_edges,): CSR of the transitions of at least one training user,
        ascending within a region.
    visited
        (n_slots, n_regions) bool: regions visited by at least one training user in each slot.
    n_users
        Number of training users.

    Raises
    ------
    InputError
        The arrays have inconsistent shapes, or contain numbers that are not finite.
    """

    mean: Floats
    covariance: Floats
    location: Floats
    destination: Floats
    slot: Floats
    edge_ptr: npt.NDArray[np.int64]
    edge_to: npt.NDArray[np.int32]
    visited: npt.NDArray[np.bool_]
    n_users: int

    def __post_init__(self) -> None:
        z, n_regions, n_slots = len(self.mean), len(self.location), len(self.slot)
        fits = (
            z > 0
            and n_regions > 0
            and n_slots > 0
            and self.covariance.shape == (z, z)
            and self.location.shape == self.destination.shape == (n_regions, z)
            and self.slot.shape == (n_slots, z)
            and self.visited.shape == (n_slots, n_regions)
            and self.edge_ptr.shape == (n_regions + 1,)
            and self._edges_fit()
        )
        if not fits:
            raise InputError("the arrays of the model have inconsistent shapes")
        parts = (self.mean, self.covariance, self.location, self.destination, self.slot)
        if not all(np.isfinite(part).all() for part in parts):
            raise InputError("the model contains numbers that are not finite")

    def _edges_fit(self) -> bool:
        """True if the edges are a valid CSR of regions, ascending."""
        ptr, to = self.edge_ptr, self.edge_to
        if ptr[0] != 0 or ptr[-1] != len(to) or np.any(np.diff(ptr) < 0):
            return False
        if len(to) and not 0 <= to.min() <= to.max() < self.n_regions:
            return False
        source = np.repeat(np.arange(self.n_regions), np.diff(ptr))
        return bool(np.all(np.diff(source * self.n_regions + to) > 0))

    @property
    def n_regions(self) -> int:
        """Number of regions."""
        return len(self.location)

    @property
    def n_slots(self) -> int:
        """Number of time slots of a day."""
        return len(self.slot)

    @property
    def z(self) -> int:
        """Length of a feature vector."""
        return len(self.mean)
