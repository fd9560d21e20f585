"""Cabs on a street grid: rides, stands where they wait, and an airport where they queue.

The scenario is ours; its coordinates are an invented city's, in latitude and longitude as GPS
gives them. Fleets of any size are spread over adjacent cities, and generated in blocks: cabs do not
interact, so that another city only shifts coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.geometry.grid import EARTH_RADIUS
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.least import check_least

Floats = npt.NDArray[np.float64]

ORIGIN = (50.0, 10.0)
"""Latitude and longitude of the city's south-west corner, degrees."""

FIRST_SECOND = 1_767_254_400
"""When the data begin: 2026-01-01T08:00:00Z, Unix seconds."""

BLOCK_FIXES = 1 << 22
"""Fixes that are made, and held in memory, at once."""

LARGEST_CITY = 1000
"""Cabs that one city takes by default."""

CABS_PER_CITY = 250
"""Cabs of a city, by default, where they are spread over several."""

GAP = 2000.0
"""Metres between two cities: further than anybody sees."""


@dataclass(frozen=True)
class City:
    """The ground on which cabs drive; lengths in metres, times in steps.

    Parameters
    ----------
    blocks
        Blocks from south to north and from west to east, >= 1.
    block
        Length of a block.
    stand_every
        Blocks from a stand to the next one, along either axis.
    speed
        Metres per second.
    to_stand, to_airport
        Probabilities with which a cab drives to the nearest stand, or to the airport in the
        north-east corner, when its passenger has left; otherwise its next passenger is on the spot.
    stand_wait, airport_wait
        Mean time until the next passenger gets in.
    noise
        Largest error of a fix along either axis.
    """

    blocks: int = 20
    block: float = 200.0
    stand_every: int = 5
    speed: float = 8.0
    to_stand: float = 0.6
    to_airport: float = 0.15
    stand_wait: float = 6.0
    airport_wait: float = 15.0
    noise: float = 10.0


@dataclass
class _Fleet:
    """Positions, destinations and waiting steps of the cabs."""

    at: Floats
    goal: Floats
    wait: npt.NDArray[np.int64]
    free: npt.NDArray[np.bool_]


def cabs(
    n_cabs: int,
    *,
    steps: int = 360,
    step_seconds: int = 60,
    city: City | None = None,
    random: np.random.Generator,
) -> Traces:
    """Fixes of a fleet, one per cab and step.

    All cabs move at once, so that time and memory grow with ``n_cabs * steps`` alone.

    Parameters
    ----------
    n_cabs
        Number of cabs, >= 2.
    steps
        Number of fixes per cab, >= 1.
    step_seconds
        Time between two fixes of a cab, >= 1.
    city
        Where they drive; None: the city of the sample.
    random
        Source of all chance.

    Raises
    ------
    InputError
        Fewer cabs, steps or seconds than that.
    """
    check_counts(n_cabs, steps, step_seconds)
    ground = City() if city is None else city
    track, offset = drive(n_cabs, steps, step_seconds, ground, random)
    return as_traces(track, offset, step_seconds, 1, len(str(n_cabs)))


def check_counts(n_cabs: int, steps: int, step_seconds: int) -> None:
    """Refuse a fleet that is none.

    Raises
    ------
    InputError
        Fewer than two cabs, one step or one second.
    """
    check_least(2, cabs=n_cabs)
    check_least(steps=steps, seconds=step_seconds)


def drive(
    n_cabs: int, steps: int, step_seconds: int, city: City, random: np.random.Generator
) -> tuple[Floats, npt.NDArray[np.int64]]:
    """Where each cab is, (2, n_cabs, steps) metres, and the second of a step at which it says so.

    Parameters
    ----------
    n_cabs, steps, step_seconds, city, random
        Number of cabs, fixes per cab, seconds between two fixes, the city, and the source of
        chance.
    """
    track = np.empty((2, n_cabs, steps))
    fleet = _start(n_cabs, city, random)
    for step in range(steps):
        _decide(fleet, city, random)
        _drive(fleet, city.speed * step_seconds)
        noise = (random.random((2, n_cabs)) * 2 - 1) * city.noise
        track[:, :, step] = fleet.at + noise
    return track, (random.random(n_cabs) * step_seconds).astype(np.int64)


def as_traces(
    track: Floats, offset: npt.NDArray[np.int64], step_seconds: int, first: int, width: int
) -> Traces:
    """Fixes in degrees, of cabs called by their number from ``first`` in ``width`` digits."""
    _, n_cabs, steps = track.shape
    lat, lon = degrees(track, 5)  # 1 m
    time = FIRST_SECOND + offset[:, None] + np.arange(steps) * step_seconds
    names = [f"cab{number:0{width}d}" for number in range(first, first + n_cabs)]
    return Traces(
        users=np.array(names, object),
        user=np.repeat(np.arange(n_cabs, dtype=np.int32), steps),
        time=time.reshape(-1),
        clock="unix",
        lat=lat.reshape(-1),
        lon=lon.reshape(-1),
        center=(float(lat.mean()), float(lon.mean())),
    )


def _start(n_cabs: int, city: City, random: np.random.Generator) -> _Fleet:
    at = _junctions(n_cabs, city, random)
    return _Fleet(at, at.copy(), np.zeros(n_cabs, np.int64), np.ones(n_cabs, bool))


def _junctions(count: int, city: City, random: np.random.Generator) -> Floats:
    """(2, count) random street corners, metres north and east; more of them in the middle."""
    spread = random.random((2, 2, count)).mean(axis=0)
    corners: Floats = np.rint(spread * city.blocks) * city.block
    return corners


def _decide(fleet: _Fleet, city: City, random: np.random.Generator) -> None:
    """Give the cabs that are where they wanted to be, and wait no longer, a new goal."""
    there = np.all(fleet.at == fleet.goal, axis=0)
    fleet.wait[there & (fleet.wait > 0)] -= 1
    ready = np.flatnonzero(there & (fleet.wait == 0))
    chance, patience = random.random((2, len(ready)))
    drop = ~fleet.free[ready]
    stand = drop & (chance < city.to_stand)
    airport = drop & ~stand & (chance < city.to_stand + city.to_airport)
    every = city.stand_every * city.block
    goal = _junctions(len(ready), city, random)
    goal[:, stand] = np.rint(fleet.at[:, ready[stand]] / every) * every
    goal[:, airport] = city.blocks * city.block
    mean = np.where(airport, city.airport_wait, city.stand_wait)
    fleet.goal[:, ready] = goal
    fleet.free[ready] = stand | airport
    fleet.wait[ready] = np.where(stand | airport, 1 + np.floor(-np.log1p(-patience) * mean), 0)


def _drive(fleet: _Fleet, reach: float) -> None:
    """Move every cab by at most ``reach`` metres: north or south first, then east or west."""
    left = np.full(fleet.at.shape[1], reach)
    for axis in (0, 1):
        move = np.clip(fleet.goal[axis] - fleet.at[axis], -left, left)
        fleet.at[axis] += move
        left -= np.abs(move)


def degrees(place: Floats, decimals: int) -> tuple[Floats, Floats]:
    """Latitude and longitude, rounded, of (2, …) metres north and east of ``ORIGIN``."""
    degree = np.pi / 180 * EARTH_RADIUS
    lat = ORIGIN[0] + place[0] / degree
    lon = ORIGIN[1] + place[1] / (degree * np.cos(np.deg2rad(ORIGIN[0])))
    return np.round(lat, decimals), np.round(lon, decimals)


def cities_for(n_cabs: int) -> int:
    """Default number of cities of a fleet."""
    return 1 if n_cabs <= LARGEST_CITY else -(-n_cabs // CABS_PER_CITY)


def fleets(
    n_cabs: int,
    *,
    steps: int = 360,
    step_seconds: int = 60,
    cities: int = 1,
    city: City | None = None,
    seed: int = 0,
    block_fixes: int = BLOCK_FIXES,
) -> Iterator[Traces]:
    """Fixes of a fleet, one per cab and step, in blocks of whole cabs.

    A block holds ``block_fixes`` fixes or one cab. A fleet of one block and one city is that of
    :func:`mixsafe.synthesize.scenarios.cabs.cabs` with ``default_rng(seed)``.

    Parameters
    ----------
    n_cabs, steps, step_seconds, city
        Number of cabs, >= 2; fixes per cab, >= 1; seconds between two fixes, >= 1; where they
        drive, None: the city of the sample.
    cities
        The cabs are spread evenly over so many, 1 to ``n_cabs``. All are alike, and lie in rows
        from the south-west.
    seed
        Of all chance, >= 0.
    block_fixes
        Fixes of a block, at most; each block has chances of its own.

    Raises
    ------
    InputError
        Fewer cabs, steps or seconds than a fleet has, or cities without a cab.
    """
    check_counts(n_cabs, steps, step_seconds)
    if not 1 <= cities <= n_cabs:
        raise InputError(f"{n_cabs} cabs cannot be spread over {cities} cities")
    size = max(1, block_fixes // steps)
    return _blocks(n_cabs, steps, step_seconds, cities, city or City(), seed, size)


def _blocks(
    n_cabs: int, steps: int, step_seconds: int, cities: int, city: City, seed: int, size: int
) -> Iterator[Traces]:
    """The blocks of :func:`fleets`, of ``size`` cabs; all arguments are right."""
    side = int(np.ceil(np.sqrt(cities)))
    spacing = city.blocks * city.block + GAP
    for number, begin in enumerate(range(0, n_cabs, size)):
        count = min(size, n_cabs - begin)
        entropy = seed if number == 0 else [seed, number]
        random = np.random.default_rng(entropy)
        track, offset = drive(count, steps, step_seconds, city, random)
        place = np.arange(begin, begin + count) * cities // n_cabs
        corner = np.stack(np.divmod(place, side)) * spacing
        track += corner[:, :, None]
        yield as_traces(track, offset, step_seconds, begin + 1, len(str(n_cabs)))
