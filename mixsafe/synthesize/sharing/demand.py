"""Who wants to ride where and when: demand by hour and place in an invented city.

The scenario is ours: plausible, but not fitted to data. People ride to the centres in the morning,
between them at noon, and away from them in the evening; at weekends they ride later and less.
"""

from __future__ import annotations

from dataclasses import dataclass

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
