"""What happens to vehicles: rides that people want, vans at night, and who leaves the fleet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.synthesize.sharing.demand import SECONDS_PER_DAY, Town, Wishes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

RIDE, VAN, RETIRE = 0, 1, 2

WALK = 300.0
"""Metres that people walk to a vehicle, at most."""

LOADED = 5
"""Vehicles that a van takes from one place to another."""


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
