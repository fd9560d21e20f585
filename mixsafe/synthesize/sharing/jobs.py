"""What happens to vehicles: rides that people want, vans at night, and who leaves the fleet.

Demand is by hour and place in an invented city. The scenario is ours: plausible, but not fitted to
data. People ride to the centres in the morning, between them at noon, and away from them in the
evening; at weekends they ride later and less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

SECONDS_PER_DAY = 86_400

_WORKDAY = (4, 2, 1, 1, 1, 3, 10, 26, 40, 28, 20, 22, 30, 28, 26, 30, 40, 50, 46, 34, 26, 20, 14, 8)
_WEEKEND = (8, 6, 4, 2, 1, 1, 3, 6, 12, 18, 24, 28, 32, 34, 34, 34, 33, 32, 30, 26, 22, 18, 16, 12)
"""Weights of the hours of a day."""

_FROM_CENTRES = (0.7, 0.2, 0.5, 0.75, 0.6)
_TO_CENTRES = (0.2, 0.9, 0.6, 0.25, 0.5)
"""Shares of rides that begin at centres, and pull of the centres on destinations: at night, in the
morning, at noon, in the evening, and all day at weekends."""

_CHOICES = 6
"""Destinations among which somebody chooses by what is there."""

RIDE, VAN, RETIRE = 0, 1, 2

WALK = 300.0
"""Metres that people walk to a vehicle, at most."""

LOADED = 5
"""Vehicles that a van takes from one place to another."""


@dataclass(frozen=True, eq=False)
class Town:
    """A square town with centres that draw people; lengths in metres.

    Parameters
    ----------
    side
        Of the square.
    centres
        (2, n) metres north and east of the corner in the south-west.
    spread
        Standard deviation of places around a centre.
    """

    side: float
    centres: Floats
    spread: float = 350.0

    @classmethod
    def of(cls, area: float, random: np.random.Generator) -> Town:
        """A town of an area in km², with a centre for each 6 km², and three at least."""
        side = float(np.sqrt(area)) * 1000
        count = max(3, round(area / 6))
        return cls(side, side * (0.1 + 0.8 * random.random((2, count))))

    def near_centres(self, count: int, random: np.random.Generator) -> Floats:
        """(2, count) places around the centres."""
        which = random.integers(self.centres.shape[1], size=count)
        places = self.centres[:, which] + random.normal(0, self.spread, (2, count))
        return self.inside(places)

    def anywhere(self, count: int, random: np.random.Generator) -> Floats:
        """(2, count) places all over the town."""
        return self.side * random.random((2, count))

    def inside(self, places: Floats) -> Floats:
        """Places, those outside the town moved to its border."""
        return np.clip(places, 0, self.side)

    def draw(self, places: Floats) -> Floats:
        """How near each place is to centres: (…) of (2, …), 0 to about 1."""
        pull = np.zeros(places.shape[1:])
        for centre in self.centres.T:
            apart = places - centre.reshape(2, *([1] * (places.ndim - 1)))
            pull += np.exp(-(apart**2).sum(axis=0) / (2 * (1.5 * self.spread) ** 2))
        return pull


@dataclass(frozen=True, eq=False)
class Wishes:
    """What people want, in order of time.

    Parameters
    ----------
    time
        (n,) seconds since the beginning at which they look for a vehicle.
    origin, goal
        (2, n) metres north and east.
    """

    time: Ints
    origin: Floats
    goal: Floats

    def __len__(self) -> int:
        return len(self.time)


def wishes(town: Town, per_day: float, days: int, random: np.random.Generator) -> Wishes:
    """Rides that people want in all days, of which the first is a Monday.

    Parameters
    ----------
    town
        Where.
    per_day
        Number on a day, in the mean over a week, > 0.
    days
        Number of days, >= 1.
    random
        Source of all chance.
    """
    hourly = np.array([_WEEKEND if day % 7 >= 5 else _WORKDAY for day in range(days)], float)
    hourly *= 7 * per_day / (5 * sum(_WORKDAY) + 2 * sum(_WEEKEND))
    counts = random.poisson(hourly.ravel())
    time = np.sort(np.repeat(np.arange(24 * days) * 3600, counts) + _within(counts.sum(), random))
    period = _period(time)
    count = len(time)
    central = random.random(count) < np.array(_FROM_CENTRES)[period]
    near, far = town.near_centres(count, random), town.anywhere(count, random)
    origin = np.where(central, near, far)
    return Wishes(time, origin, _goals(town, origin, np.array(_TO_CENTRES)[period], random))


def _within(count: int, random: np.random.Generator) -> Ints:
    """Seconds within an hour."""
    return random.integers(3600, size=count)


def _period(time: Ints) -> Ints:
    """Number of the part of the day, as in the tables above."""
    hour = time % SECONDS_PER_DAY // 3600
    weekend = time // SECONDS_PER_DAY % 7 >= 5
    workday = np.searchsorted([5, 11, 15, 21], hour, "right") % 4
    return np.where(weekend, 4, workday)


def _goals(town: Town, origin: Floats, to_centres: Floats, random: np.random.Generator) -> Floats:
    """(2, n) destinations, 1.9 km away in the mean, those at centres more or less likely."""
    count = origin.shape[1]
    length = 300 + random.gamma(2.0, 800.0, (_CHOICES, count))
    angle = random.random((_CHOICES, count)) * 2 * np.pi
    there = origin[:, None] + length * np.stack([np.cos(angle), np.sin(angle)])
    choices = town.inside(there)
    weight = 0.08 + to_centres * town.draw(choices)
    weight *= np.where((choices == there).all(axis=0), 1.0, 0.05)
    chosen = np.argmax(weight.cumsum(axis=0) >= random.random(count) * weight.sum(axis=0), axis=0)
    goals: Floats = choices[:, chosen, np.arange(count)]
    return goals


class Jobs(NamedTuple):
    """What takes the vehicle nearest to a place to another place, in order of time.

    Parameters
    ----------
    kind
        (n,) RIDE, VAN or RETIRE.
    time
        (n,) seconds since the beginning.
    origin, goal, depot_goal
        (2, n) metres: where a vehicle is looked for, where it is taken, and where it is put if the
        ride empties its battery and it is charged in a depot.
    radius
        (n,) metres from the origin to the vehicle, at most.
    detour
        (n,) length of the way as a multiple of the straight line, >= 1.
    pace
        (n,) logarithm of the speed as a multiple of the usual one of the type.
    pause
        (n,) seconds of the ride in which the vehicle stands, or is loaded.
    use
        (n,) battery that a metre takes, as a multiple of the usual one.
    reserves
        (n,) whether people reserve the vehicle before they walk to it.
    patience
        (n,) shares, 0 to 1, from which follows how long an empty vehicle waits for a battery.
    """

    kind: Ints
    time: Ints
    origin: Floats
    goal: Floats
    depot_goal: Floats
    radius: Floats
    detour: Floats
    pace: Floats
    pause: Ints
    use: Floats
    reserves: npt.NDArray[np.bool_]
    patience: Floats


def rides(town: Town, wanted: Wishes, random: np.random.Generator) -> Jobs:
    """Rides, with their ways and speeds."""
    count = len(wanted)
    stops = random.random(count) < 0.12
    pause = np.where(stops, np.minimum(random.exponential(480, count), 2400), 0) + 20
    return Jobs(
        kind=np.full(count, RIDE),
        time=wanted.time,
        origin=wanted.origin,
        goal=town.inside(wanted.goal + random.normal(0, 25, (2, count))),
        depot_goal=town.anywhere(count, random),
        radius=np.full(count, WALK),
        detour=np.minimum(1.15 + random.exponential(0.15, count), 2.5),
        pace=random.normal(0, 0.2, count),
        pause=pause.astype(np.int64),
        use=0.85 + 0.3 * random.random(count),
        reserves=random.random(count) < 0.5,
        patience=random.random(count),
    )


def vans(town: Town, per_night: float, days: int, random: np.random.Generator) -> Jobs:
    """Vehicles that vans take at night, 1:00 to 5:00, five from one place to one near a centre."""
    trips = random.poisson(per_night / LOADED, size=days)
    night = np.repeat(np.arange(days), trips) * SECONDS_PER_DAY
    begins = night + random.integers(3600, 5 * 3600, size=len(night))
    count = len(night) * LOADED
    each = np.repeat(np.arange(len(night)), LOADED)
    from_place, to_place = town.anywhere(len(night), random), town.near_centres(len(night), random)
    pause = np.repeat(random.integers(900, 2400, size=len(night)), LOADED)
    nothing = np.zeros(count)
    return Jobs(
        kind=np.full(count, VAN),
        time=begins[each] + random.integers(600, size=count),
        origin=from_place[:, each],
        goal=town.inside(to_place[:, each] + random.normal(0, 15, (2, count))),
        depot_goal=town.anywhere(count, random),
        radius=np.full(count, 800.0),
        detour=np.full(count, 1.3),
        pace=nothing,
        pause=pause,
        use=nothing,
        reserves=np.zeros(count, bool),
        patience=random.random(count),
    )


def retirements(town: Town, per_day: float, days: int, random: np.random.Generator) -> Jobs:
    """Vehicles that leave for good, at any time; another one comes within a day for each."""
    count = int(random.poisson(per_day * days))
    nothing = np.zeros(count)
    return Jobs(
        kind=np.full(count, RETIRE),
        time=random.integers(days * SECONDS_PER_DAY, size=count),
        origin=town.anywhere(count, random),
        goal=town.near_centres(count, random),
        depot_goal=town.anywhere(count, random),
        radius=np.full(count, np.inf),
        detour=nothing + 1,
        pace=nothing,
        pause=random.integers(3600, SECONDS_PER_DAY, size=count),
        use=nothing,
        reserves=np.zeros(count, bool),
        patience=nothing,
    )


def in_order(*several: Jobs) -> Jobs:
    """All jobs, in order of time."""
    order = np.argsort(np.concatenate([jobs.time for jobs in several]), kind="stable")
    columns = [np.concatenate(column, axis=-1) for column in zip(*several, strict=True)]
    return Jobs._make(np.ascontiguousarray(column[..., order]) for column in columns)
