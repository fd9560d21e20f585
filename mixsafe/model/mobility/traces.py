"""Location traces: fixes as read, and positions per user and time step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.instant import DateOrder
from mixsafe.model.mobility.place_shapes import PlaceShapes
from mixsafe.model.mobility.premises import Premises
from mixsafe.model.mobility.published_steps import PublishedSteps
from mixsafe.model.mobility.time_axis import TimeAxis

Names = npt.NDArray[np.int64] | npt.NDArray[np.object_]


@dataclass(frozen=True)
class PlacedTime:
    """A time in a source, with its line.

    Parameters
    ----------
    time
        Unix seconds (UTC), or a time_id.
    error
        Returns the error that names its line, given a message and a hint.
    """

    time: int
    error: Callable[[str, str | None], InputError]


@dataclass(frozen=True, eq=False)
class Traces:
    """The fixes of some users, sorted by user and time.

    Parameters
    ----------
    users
        Names, (n_users,): integers if every name is one, else strings. A user may have no fix.
    user
        Row of the user of each fix, (n_fixes,) int32, ascending.
    time
        (n_fixes,) int64, ascending within a user: Unix seconds (UTC), or time_ids.
    clock
        Meaning of ``time``.
    lat, lon
        (n_fixes,) float64, degrees (EPSG:4326); None if places are regions.
    region
        (n_fixes,) int64 numbers of regions; None if places are coordinates.
    tz
        Zone in which the data's days begin and end: an IANA name, or an offset such as ``+09:00``.
    order
        What comes first in dates whose year comes last, in files about the data.
    window
        First and last+1 ``time`` of the data, with or without a fix; None: from the first fix to
        the last.
    center
        Mean latitude and longitude of the whole source, degrees. Selections keep it, so that
        samples of one source share one grid.
    notes
        What the reader merged, dropped or assumed: one sentence with counts each.
    shapes
        Places with outlines in which people mix; None: grid cells or regions.
    ends
        First and last time of the source, with their lines; empty if unknown.
    premises
        Rows that are no data, and people who may be one.
    place_names
        Names of regions 1 to n, sorted, none twice; None: regions are called by their numbers.
    stay_step
        Seconds between the fixes of stays: time steps must not be shorter; None: no stays.
    """

    users: Names
    user: npt.NDArray[np.int32]
    time: npt.NDArray[np.int64]
    clock: Literal["unix", "time_id"]
    lat: npt.NDArray[np.float64] | None = None
    lon: npt.NDArray[np.float64] | None = None
    region: npt.NDArray[np.int64] | None = None
    tz: str = "UTC"
    order: DateOrder | None = None
    window: tuple[int, int] | None = None
    center: tuple[float, float] | None = None
    notes: tuple[str, ...] = ()
    shapes: PlaceShapes | None = None
    ends: tuple[PlacedTime, ...] = ()
    premises: Premises = field(default_factory=Premises)
    place_names: tuple[str, ...] | None = None
    stay_step: int | None = None

    @property
    def in_cells(self) -> bool:
        """Whether people mix in cells of a grid, and not at regions or given places alone."""
        return self.region is None and (self.shapes is None or self.shapes.elsewhere)

    def __repr__(self) -> str:
        return f"<Traces: {len(self.users):,} users, {len(self.user):,} fixes>"


@dataclass(frozen=True, eq=False)
class Positions:
    """Positions of users in time steps: at most one place per (user, step).

    Parameters
    ----------
    users
        Names, (n_users,).
    axis
        The time steps.
    row, step, place
        (n_positions,) each, sorted by (row, step): the user's row (int32), the step
        1..t* (int32), the id of the region or grid cell (int64); -1, -2, … are the places of
        ``Traces.shapes``. No entry: the position is unknown.
    notes
        What was merged or dropped, with counts.
    all_published
        Steps with a fix, also where people do not mix at its place; None: those of the positions.
    premises, place_names
        Rows that are no data, and people who may be one; names of regions 1 to n, None: numbers.
    cells
        Whether people mix in cells of a grid, whose size can be chosen.
    """

    users: Names
    axis: TimeAxis
    row: npt.NDArray[np.int32]
    step: npt.NDArray[np.int32]
    place: npt.NDArray[np.int64]
    notes: tuple[str, ...] = ()
    all_published: PublishedSteps | None = None
    premises: Premises = field(default_factory=Premises)
    place_names: tuple[str, ...] | None = None
    cells: bool = True

    def __repr__(self) -> str:
        users, steps = len(self.users), self.axis.steps
        return f"<Positions: {len(self.row):,} of {users:,} users, {steps:,} steps>"

    @cached_property
    def published(self) -> PublishedSteps:
        """Steps in which something of each user is published."""
        if self.all_published is not None:
            return self.all_published
        return PublishedSteps.of(self.row, self.step, len(self.users))

    @property
    def absent(self) -> npt.NDArray[np.int64]:
        """Ascending rows of the users without data."""
        return np.flatnonzero(self.published.counts == 0)

    def only(self, counts: npt.NDArray[np.bool_]) -> Positions:
        """The positions selected by a mask, (n_positions,); the others stay published."""
        return replace(
            self,
            row=self.row[counts],
            step=self.step[counts],
            place=self.place[counts],
            all_published=self.published,
        )
