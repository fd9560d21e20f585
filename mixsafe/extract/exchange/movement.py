"""How far people get in a given time: which pairs of fixes one person can have made.

A person can go from one fix to another if the straight way between them, less the error of both
fixes, is no longer than the greatest speed allows. Times are cut off to whole units, so that the
true time between two fixes is less than one unit longer than it says. A straight way is the
shortest one, so no way that somebody could make is excluded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.mobility.complete_traces import Regions
from mixsafe.model.mobility.places import check_numbered
from mixsafe.model.mobility.traces import Traces
from mixsafe.model.numerals import check_most

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

METRES_PER_SECOND = 1 / 3.6
"""A kilometre per hour."""


class PlacedFixes(NamedTuple):
    """Some fixes, one in each place of an array; -1 in ``day``: no fix.

    Parameters
    ----------
    time
        (n,) as in the traces.
    point
        (n, 2 or 3): column and row of a region, or metres from the centre of the earth.
    day
        (n,) number of the day where days are apart, else 0; -1: there is no fix.
    """

    time: Ints
    point: Floats
    day: Ints

    def at(self, number: Ints) -> PlacedFixes:
        """The fixes with these numbers."""
        return PlacedFixes(self.time[number], self.point[number], self.day[number])

    def within(self, bounds: tuple[Ints, Ints]) -> PlacedFixes:
        """The same without those before the first time of each, or from the second one on."""
        since, until = bounds
        inside = (self.time >= since) & (self.time < until)
        return self._replace(day=np.where(inside, self.day, -1))


class Speed(NamedTuple):
    """How far somebody gets: a way per unit of time, and what is added to it, (n,) each."""

    per_unit: Floats
    spare: Floats


@dataclass(frozen=True, eq=False)
class Movement:
    """The fixes of all people, and how far they get.

    Parameters
    ----------
    user
        (n_fixes,) row of the user of each fix, ascending.
    fixes
        The fixes, ascending in time within a user.
    per_unit
        (n_users,) the longest way per unit of time, as ``fixes.point`` measures it; inf: any.
    spare
        Added to each way: for the error of both fixes, and for times cut off to whole units,
        (n_users,).
    straight
        Whether ways are straight; else the longer of the two directions counts, as for regions.
    """

    user: npt.NDArray[np.int32]
    fixes: PlacedFixes
    per_unit: Floats
    spare: Floats
    straight: bool

    def __repr__(self) -> str:
        return f"<Movement: {len(self.per_unit):,} users, {len(self.user):,} fixes>"

    def last_before(self, row: Ints, time: Ints) -> PlacedFixes:
        """The last fix of each row before a time, (n,) each."""
        found = self.first_number(row, time) - 1
        return self.chosen(row, found, found >= 0)

    def first_from(self, row: Ints, time: Ints) -> PlacedFixes:
        """The first fix of each row at a time or later, (n,) each."""
        found = self.first_number(row, time)
        return self.chosen(row, found, found < len(self.user))

    def first_number(self, row: Ints, time: Ints) -> Ints:
        """Number of the first fix of each row at a time or later, or of the one after its last."""
        if not len(self.user):
            return np.zeros(len(row), np.int64)
        begin, end, keys = self._keys
        asked = row * np.int64(end - begin + 1) + (np.clip(time, begin, end) - begin)
        return np.searchsorted(keys, asked).astype(np.int64)

    @cached_property
    def _keys(self) -> tuple[int, int, Ints]:
        """First time, the time after the last one, and user and time of each fix as one number."""
        moments = self.fixes.time
        begin, end = int(moments.min()), int(moments.max()) + 1
        return begin, end, self.user * np.int64(end - begin + 1) + (moments - begin)

    def chosen(self, row: Ints, number: Ints, exists: npt.NDArray[np.bool_]) -> PlacedFixes:
        """These fixes, as long as they are the row's own."""
        if not len(self.user):
            return PlacedFixes(np.zeros_like(row), np.zeros((len(row), 2)), np.full_like(row, -1))
        number = np.where(exists, number, 0)
        found = self.fixes.at(number)
        own = exists & (self.user[number] == row)
        return found._replace(day=np.where(own, found.day, -1))

    def possible(
        self, before: PlacedFixes, after: PlacedFixes, rows: tuple[Ints, Ints]
    ) -> npt.NDArray[np.bool_]:
        """Whether one person can have made each pair of fixes.

        Parameters
        ----------
        before, after
            (n,) fixes each. Where one of them is none, everything is possible.
        rows
            The users whose fixes they are, (n,) each; the faster one counts.
        """
        return self.within(before, after, self.fastest(rows[0], self, rows[1]))

    def fastest(self, row: Ints | int, other: Movement, other_row: Ints) -> Speed:
        """How far the faster one of two gets."""
        return Speed(
            np.maximum(self.per_unit[row], other.per_unit[other_row]),
            np.maximum(self.spare[row], other.spare[other_row]),
        )

    def within(self, one: PlacedFixes, other: PlacedFixes, speed: Speed) -> npt.NDArray[np.bool_]:
        """Whether one person with a speed can have made each pair of fixes, in any order."""
        reach = speed.per_unit * np.maximum(np.abs(other.time - one.time), 1) + speed.spare
        free = (one.day < 0) | (other.day < 0) | (one.day != other.day)
        possible: npt.NDArray[np.bool_] = free | (self.ways(one, other) <= reach)
        return possible

    def ways(self, before: PlacedFixes, after: PlacedFixes) -> Floats:
        """Lengths of the ways between fixes, (n,)."""
        gap = before.point - after.point
        way: Floats = np.linalg.norm(gap, axis=1) if self.straight else np.abs(gap).max(axis=1)
        return way


def at_speed(traces: Traces, kmh: float | Floats, error: float = 0.0) -> Movement:
    """Movement of people with coordinates.

    Parameters
    ----------
    traces
        Their fixes, with coordinates and moments.
    kmh
        Greatest speed, kilometres per hour, > 0; or that of each user, (n_users,), inf where it is
        not known.
    error
        Of the place of a fix, metres, >= 0.

    Raises
    ------
    InputError
        No coordinates, numbered times, a speed that is not positive or an error that is negative.
    """
    if traces.lat is None or traces.lon is None or traces.region is not None:
        raise InputError(
            "a greatest speed needs coordinates, and the data have none",
            hint="for regions of the contest say --max-step instead",
        )
    if traces.clock != "unix":
        raise InputError("a greatest speed needs a clock, and the data only number their times")
    speed = np.broadcast_to(np.asarray(kmh, np.float64), len(traces.users)) * METRES_PER_SECOND
    if not (speed > 0).all():
        raise InputError(f"the greatest speed {np.min(kmh):g} km/h is not above 0")
    check_most(np.max(np.where(np.isinf(kmh), 0, kmh), initial=0), "the greatest speed, km/h:")
    if not 0 <= error < np.inf:
        raise InputError(f"the error {error:g} m of a fix is not a distance")
    check_most(error, "the error of a fix, metres:")
    fixes = PlacedFixes(
        traces.time, on_sphere(traces.lat, traces.lon), np.zeros(len(traces.time), int)
    )
    return Movement(traces.user, fixes, speed, speed + 2 * error, straight=True)


def can_be_placed(traces: Traces) -> bool:
    """Whether it is known how far apart fixes are: by coordinates, or the contest's regions."""
    if traces.region is None:
        return traces.lat is not None and traces.lon is not None
    inside = traces.region.min(initial=1) >= 1
    inside &= traces.region.max(initial=1) <= Regions.of_contest().count
    return traces.clock == "time_id" and traces.place_names is None and bool(inside)


def placed(traces: Traces, steps_per_day: int = 20, *, option: str = "--believable") -> Movement:
    """Fixes of people who are limited by nothing.

    Parameters
    ----------
    traces
        Their fixes: coordinates, or the contest's regions.
    steps_per_day
        Length of a day where steps are numbered, >= 1.
    option
        What asks for it, for the message.

    Raises
    ------
    InputError
        Neither coordinates nor the contest's regions.
    """
    if traces.region is None and traces.lat is not None and traces.lon is not None:
        points = on_sphere(traces.lat, traces.lon)
        fixes = PlacedFixes(traces.time, points, np.zeros(len(traces.time), np.int64))
        n_users = len(traces.users)
        return Movement(traces.user, fixes, np.full(n_users, np.inf), np.zeros(n_users), True)
    if traces.clock != "time_id" or traces.place_names is not None:
        raise InputError(
            "beliefs need coordinates, or the contest's regions at numbered times, and the data"
            " have neither",
            hint=f"leave out {option}",
        )
    return in_steps(traces, Regions.of_contest().columns, steps_per_day)


def on_sphere(lat: Floats, lon: Floats) -> Floats:
    """(n, 3) metres from the centre of the earth, of degrees.

    The straight line between two points is shorter than the way on the sphere, by less than one
    part in a thousand up to 900 km.
    """
    phi, theta = np.radians(lat), np.radians(lon)
    across = np.cos(phi)
    unit = np.stack([across * np.cos(theta), across * np.sin(theta), np.sin(phi)], axis=1)
    return EARTH_RADIUS * unit


def in_steps(traces: Traces, regions: float, steps_per_day: int = 20) -> Movement:
    """Movement of people in the regions of the contest.

    From one day to the next everything is possible: between them lies a night.

    Parameters
    ----------
    traces
        Regions, numbered from 1, at numbered times.
    regions
        How many regions further north, south, east or west somebody gets in one step, > 0.
    steps_per_day
        Length of a day, >= 1.

    Raises
    ------
    InputError
        No such regions, a clock, or a number that is not positive.
    """
    if not 0 < regions < np.inf:
        raise InputError(f"the number of regions per step is not positive: {regions:g}")
    check_most(regions, "the number of regions per step:")
    grid = Regions.of_contest()
    region = traces.region
    if region is None or traces.clock != "time_id":
        raise InputError(
            "a number of regions per step needs regions and numbered times, as in the contest",
            hint="for coordinates say --max-speed instead",
        )
    check_numbered(traces.place_names)
    if len(region) and (region.min() < 1 or region.max() > grid.count):
        odd = region.max() if region.max() > grid.count else region.min()
        raise InputError(
            f"region {odd} is not one of the contest's 1 to {grid.count}, so nobody knows how far"
            " apart regions are"
        )
    row, column = np.divmod(region - 1, grid.columns)
    point = np.stack([column, row], axis=1).astype(np.float64)
    fixes = PlacedFixes(traces.time, point, (traces.time - 1) // steps_per_day)
    n_users = len(traces.users)
    return Movement(traces.user, fixes, np.full(n_users, regions), np.zeros(n_users), False)
