"""Who takes which vehicle, and where each vehicle stands until then.

Jobs are done one after the other, each by the nearest vehicle that can. A ride's end is known when
it begins, so that nothing has to be waited for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.synthesize.sharing.jobs import RETIRE, RIDE, SECONDS_PER_DAY, VAN, Jobs

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

FREE, RESERVED, DISABLED = 0, 1, 2

LOW = 0.15
"""Share of a battery below which a vehicle is not rented any more."""

RESERVE = 0.02
"""Share of a battery with which nobody means to arrive."""

WALKED = 1.04
"""Seconds that people take for a metre of the straight line to a vehicle (1.3 m at 1.25 m/s)."""

VAN_SPEED = 5.0
"""Metres a second of a van, all stops at lights included."""

CHECKED = 600
"""Seconds for which a vehicle with another battery is checked before somebody can rent it."""

SLOWEST = 1.8
"""Metres a second of a rider, at least."""

HOUR = 3600

SHORTEST, LONGEST = 120, 6000
"""Seconds of a ride; who is still on the way after the longest does not pause."""


class Fleet(NamedTuple):
    """Vehicles where they are at first; changed by what happens.

    Parameters
    ----------
    place
        (2, n) metres north and east.
    battery
        (n,) share of a full one; 1 where there is none.
    kind
        (n,) number of the type.
    """

    place: Floats
    battery: Floats
    kind: Ints


class Abilities(NamedTuple):
    """Of each type: usual and greatest speed, m/s, and range, metres (infinite: no battery)."""

    speed: Floats
    fastest: Floats
    max_range: Floats


class Stays(NamedTuple):
    """Where vehicles are for rent, and in which state: (n,) each.

    Parameters
    ----------
    vehicle
        Number; one that leaves the fleet and the one that replaces it have different ones.
    appearance
        Number of the time that a vehicle came into the feed, which all its stays until it leaves
        the feed share; each number is of one vehicle.
    since, until
        Seconds since the beginning.
    place
        (2, n) metres north and east.
    battery
        Share of a full one.
    kind
        Number of the type.
    state
        FREE, RESERVED or DISABLED.
    """

    vehicle: Ints
    appearance: Ints
    since: Ints
    until: Ints
    place: Floats
    battery: Floats
    kind: Ints
    state: Ints


class _Now(NamedTuple):
    """What each vehicle is, and since when: (n,) each; changed by what happens."""

    vehicle: Ints
    appearance: Ints
    since: Ints


def stays(jobs: Jobs, fleet: Fleet, abilities: Abilities, seconds: int, *, depot: bool) -> Stays:
    """Where the vehicles of a fleet stand.

    Parameters
    ----------
    jobs
        What happens.
    fleet
        Vehicles; left as they are in the end.
    abilities
        Of their types.
    seconds
        How long it is watched.
    depot
        Whether empty vehicles are charged in a depot overnight; otherwise somebody puts another
        battery in, one to six hours later.

    Returns
    -------
    Stays
        In order of their beginnings.
    """
    n_vehicles = len(fleet.kind)
    room = 4 * len(jobs.kind) + n_vehicles
    made = Stays(
        **{name: np.zeros(room, np.int64) for name in ("vehicle", "appearance", "since", "until")},
        place=np.zeros((2, room)),
        battery=np.zeros(room),
        **{name: np.zeros(room, np.int64) for name in ("kind", "state")},
    )
    numbers = np.arange(n_vehicles)
    now = _Now(numbers, numbers.copy(), np.zeros(n_vehicles, np.int64))
    count = _do_all(jobs, fleet, abilities, now, made, seconds, depot)
    np.minimum(made.until, seconds, out=made.until)
    shown = np.flatnonzero(made.since[:count] < made.until[:count])
    order = shown[np.lexsort((made.vehicle[shown], made.since[shown]))]
    return Stays._make(column[..., order] for column in made)


@compiled
def _do_all(  # pragma: no cover - compiled
    jobs: Jobs,
    fleet: Fleet,
    abilities: Abilities,
    now: _Now,
    made: Stays,
    seconds: int,
    depot: bool,
) -> int:
    """Do all jobs. Fills ``made``; returns how many stays there are."""
    count, n_known, n_appearances = 0, len(now.vehicle), len(now.vehicle)
    for job in range(len(jobs.kind)):
        one = _nearest(job, jobs, fleet, abilities, now)
        if one < 0:
            continue
        start = jobs.time[job]
        if jobs.kind[job] == RIDE:
            start += int(WALKED * np.sqrt(_apart2(fleet.place, one, jobs.origin, job)))
        free_until = jobs.time[job] if jobs.reserves[job] else start
        count = _stand(one, free_until, FREE, fleet, now, made, count)
        if free_until < start:
            now.since[one] = free_until
            count = _stand(one, start, RESERVED, fleet, now, made, count)

        now.since[one] = start + _lasts(job, one, jobs, fleet, abilities)
        now.appearance[one] = n_appearances
        n_appearances += 1
        fleet.place[0, one], fleet.place[1, one] = jobs.goal[0, job], jobs.goal[1, job]
        if jobs.kind[job] == RETIRE:
            now.vehicle[one], fleet.battery[one] = n_known, 1.0
            n_known += 1

        if fleet.battery[one] < LOW:
            until = _served(now.since[one], jobs.patience[job], depot)
            count = _stand(one, until, DISABLED, fleet, now, made, count)
            fleet.battery[one], now.since[one] = 1.0, until
            if depot:
                now.since[one] += 3 * HOUR + int(3 * HOUR * jobs.patience[job])
                now.appearance[one] = n_appearances
                n_appearances += 1
                place = jobs.depot_goal
                fleet.place[0, one], fleet.place[1, one] = place[0, job], place[1, job]
            else:
                count = _stand(one, until + CHECKED, DISABLED, fleet, now, made, count)
                now.since[one] = until + CHECKED

    for one in range(len(now.vehicle)):
        count = _stand(one, max(now.since[one], seconds), FREE, fleet, now, made, count)
    return count


@inner
def _nearest(  # pragma: no cover - compiled
    job: int, jobs: Jobs, fleet: Fleet, abilities: Abilities, now: _Now
) -> int:
    """The nearest vehicle that is there and can make the way; -1: none is near enough."""
    best, nearest = -1, jobs.radius[job] ** 2
    for one in range(len(fleet.kind)):
        if now.since[one] > jobs.time[job]:
            continue
        apart2 = _apart2(fleet.place, one, jobs.origin, job)
        if apart2 < nearest:
            needs = _way(job, one, jobs, fleet) * jobs.use[job]
            if needs / abilities.max_range[fleet.kind[one]] + RESERVE <= fleet.battery[one]:
                best, nearest = one, apart2
    return best


@inner
def _apart2(  # pragma: no cover - compiled
    places: Floats, one: int, others: Floats, other: int
) -> float:
    """Square of the distance of two places."""
    north, east = places[0, one] - others[0, other], places[1, one] - others[1, other]
    return float(north * north + east * east)


@inner
def _way(job: int, one: int, jobs: Jobs, fleet: Fleet) -> float:  # pragma: no cover - compiled
    """Metres that a vehicle goes in a job."""
    return float(jobs.detour[job] * np.sqrt(_apart2(fleet.place, one, jobs.goal, job)))


@inner
def _lasts(  # pragma: no cover - compiled
    job: int, one: int, jobs: Jobs, fleet: Fleet, abilities: Abilities
) -> int:
    """Seconds that a job takes; its way is taken off the battery."""
    way, kind = _way(job, one, jobs, fleet), fleet.kind[one]
    pause = int(jobs.pause[job])
    if jobs.kind[job] == VAN:
        return pause + int(np.ceil(way / VAN_SPEED))
    if jobs.kind[job] == RETIRE:
        return pause
    fleet.battery[one] -= way * jobs.use[job] / abilities.max_range[kind]
    usual = abilities.speed[kind] * np.exp(jobs.pace[job])
    riding = int(np.ceil(way / min(abilities.fastest[kind], max(SLOWEST, usual))))
    return max(SHORTEST, riding + min(pause, max(0, LONGEST - riding)))


@inner
def _served(here: int, patience: float, depot: bool) -> int:  # pragma: no cover - compiled
    """When an empty vehicle gets another battery, or leaves for the depot."""
    if not depot:
        return here + HOUR + int(5 * HOUR * patience)
    evening = here - here % SECONDS_PER_DAY + 22 * HOUR
    if evening < here:
        evening += SECONDS_PER_DAY
    return evening + int(4 * HOUR * patience)


@inner
def _stand(  # pragma: no cover - compiled
    one: int, until: int, state: int, fleet: Fleet, now: _Now, made: Stays, count: int
) -> int:
    """Write down where a vehicle has stood until now; returns how many stays there are."""
    made.vehicle[count], made.appearance[count] = now.vehicle[one], now.appearance[one]
    made.since[count], made.until[count] = now.since[one], until
    made.place[0, count], made.place[1, count] = fleet.place[0, one], fleet.place[1, one]
    made.battery[count], made.kind[count] = fleet.battery[one], fleet.kind[one]
    made.state[count] = state
    return count + 1
