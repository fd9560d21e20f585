"""What people of a large city do all day: work, school, lunch, errands, and the ways there.

The scenario is ours; its shares and times are plausible ones, and fitted to nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.synthesize.scenarios.itineraries import Blocks, Itineraries, Leg, Minutes
from mixsafe.synthesize.scenarios.metropolis import (
    EXPRESS_EVERY,
    STATION_EVERY,
    Chances,
    Metropolis,
)

PER_PERSON = 16
"""Random numbers for a person, and for each of her days; a multiple of Philox' four."""

HOUSEHOLD = 3
"""People who live together: neighbours in number."""

WORKS, WORKS_TODAY = 0.8, 0.92
"""Share of people who work or learn, and of their days on which they do."""

PUPILS, OWN, NEXT = 0.2, 0.5, 0.72
"""Of those who work or learn: up to here they go to the school of their station, to work in their
own district, in one beside it; the others anywhere, most of them to the middle of the city."""

DRIVES = 0.25
"""Share of people who drive where others ride."""

WALK, DRIVE, LOCAL, EXPRESS = 0.8, 4.0, 4.0, 10.0
"""Blocks (100 m) per minute: 5, 24, 24 and 60 km/h."""

SPEED = {STATION_EVERY: LOCAL, STATION_EVERY * EXPRESS_EVERY: EXPRESS}
"""Speed of what stops so often; in streets everybody has a speed of her own."""

NEAR = 12
"""Blocks that everybody walks."""

HOME_REACH, WORK_REACH, SHOP_REACH, LUNCH_REACH = 6, 12, 2, 3
"""Blocks on either axis: homes and shops from a station, work from a main one, lunch from work."""

SCHOOL = 2
"""Blocks from a station to its school, on either axis."""

EATS_OUT, SHOPS_AFTER = 0.5, 0.4
"""Shares of working days with lunch elsewhere, and with an errand at the station near home."""

AT_SHOPS, OUT = 0.55, 0.8
"""Of days without work: up to here people go to shops near home, to the main station of their
district; the others are at home all day."""

HOME, BOARD, CHANGE, OTHER_CHANGE, LEAVE, PLACE, LUNCH = range(7)
"""Way points: home, the station near it, the main stations of both districts, the station near
the place where the day is spent, that place, and where people have lunch."""

RAILS = {
    frozenset((BOARD, CHANGE)): STATION_EVERY,
    frozenset((CHANGE, OTHER_CHANGE)): STATION_EVERY * EXPRESS_EVERY,
    frozenset((OTHER_CHANGE, LEAVE)): STATION_EVERY,
}
"""Legs by rail, with the distance between stops; other legs are walked or driven."""

WAY_OUT = (HOME, HOME, BOARD, BOARD, CHANGE, CHANGE, OTHER_CHANGE, OTHER_CHANGE, LEAVE, PLACE)
WAY_BACK = (PLACE, LEAVE, LEAVE, OTHER_CHANGE, OTHER_CHANGE, CHANGE, CHANGE, BOARD, BOARD, HOME)
DAY = (*WAY_OUT, PLACE, LUNCH, LUNCH, PLACE, *WAY_BACK, HOME)
"""Way points in order; a repeated one is a stay, or a wait for a train."""

LEGS = tuple(Leg(*ends, RAILS.get(frozenset(ends), 1)) for ends in pairwise(DAY))
"""The legs of a day; those that a person skips take no time."""

AT_WORK, AT_WORK_AGAIN = 9, 13
"""Legs that last until it is time for lunch, and for going home."""


@dataclass(frozen=True, eq=False)
class _Outing:
    """Places and times of a person's day, (n_days,) each."""

    works: npt.NDArray[np.bool_]
    place: Blocks
    lunch: Blocks
    leaves: Minutes
    eats: Minutes
    returns: Minutes


def itineraries(city: Metropolis, own: Chances, daily: Chances) -> Itineraries:
    """All days of some people.

    Parameters
    ----------
    own
        (16, n_people) uniform numbers, of whole households from the first one on.
    daily
        (16, n_people * days) uniform numbers; the days of a person stand side by side.
    """
    days = daily.shape[1] // own.shape[1]
    home, work = (np.repeat(block, days, axis=1) for block in _homes_and_work(city, own))
    worker, drives = (np.repeat(kind, days) for kind in (own[6] < WORKS, own[15] < DRIVES))
    outing = _outings(city, home, work, worker & (daily[0] < WORKS_TODAY), daily)
    distance = np.abs(outing.place - home).sum(axis=0)
    far = distance > NEAR
    points = _way_points(city, home, outing, ~far | drives)
    pace = np.where(drives & far, DRIVE, WALK).astype(np.float32)
    takes = _on_the_way(points, pace) + _in_places(points, outing, daily)
    return Itineraries(LEGS, points, _ends(outing, takes))


def _homes_and_work(city: Metropolis, own: Chances) -> tuple[Blocks, Blocks]:
    """Homes, and places of work or school."""
    n_people = own.shape[1]
    head = np.minimum(np.arange(n_people) // HOUSEHOLD, max(n_people // HOUSEHOLD - 1, 0))
    family = own[:6, head * HOUSEHOLD]
    station = city.station((family[:2] * city.n_stations).astype(np.int64))
    home = city.around(station, HOME_REACH, family[2:])
    kind, district = own[7], city.district(home)
    beside = np.floor(own[8:10] * 3).astype(np.int64) - 1
    beside = np.clip(district + beside, 0, city.n_districts - 1)
    rank = np.searchsorted(city.attraction[:-1], own[10], side="right")
    anywhere = np.stack(np.divmod(city.central[rank], city.n_districts))
    goal = np.where(kind < OWN, district, np.where(kind < NEXT, beside, anywhere))
    work = city.around(city.main_station(goal), WORK_REACH, own[11:15])
    school = np.clip(city.nearest_station(home) + SCHOOL, 0, city.side - 1)
    return home, np.where(kind < PUPILS, school, work).astype(np.int32)


def _outings(
    city: Metropolis,
    home: Blocks,
    work: Blocks,
    works: npt.NDArray[np.bool_],
    daily: Chances,
) -> _Outing:
    """Who works goes there; of the others some go to shops near home or to the main station."""
    shop = city.around(city.nearest_station(home), SHOP_REACH, daily[3:7])
    main = city.main_station(city.district(home))
    away = np.where(daily[1] < AT_SHOPS, shop, np.where(daily[1] < OUT, main, home))
    place = np.where(works, work, away).astype(np.int32)
    peak = (daily[1] + daily[2]) / 2
    leaves = np.where(works, 7 * 60 + 5 + 150 * peak, 7.5 * 60 + 510 * daily[2])
    returns = np.where(works, 15.5 * 60 + 180 * (daily[3] + daily[4]) / 2, 0)
    eats = np.where(works, 11.5 * 60 + 60 * daily[13], 0)
    lunch = np.where(
        works & (daily[7] < EATS_OUT), city.around(place, LUNCH_REACH, daily[8:12]), place
    )
    return _Outing(works, place, lunch.astype(np.int32), leaves, eats, returns)


def _way_points(
    city: Metropolis, home: Blocks, outing: _Outing, direct: npt.NDArray[np.bool_]
) -> Blocks:
    """(2, 7, n_days) way points; of those who need no train, and no express, some are one."""
    board, leave = city.nearest_station(home), city.nearest_station(outing.place)
    mine, other = city.district(home), city.district(outing.place)
    express = np.any(mine != other, axis=0)
    change = np.where(express, city.main_station(mine), leave)
    other_change = np.where(express, city.main_station(other), leave)
    rides = [np.where(direct, outing.place, at) for at in (board, change, other_change, leave)]
    return np.stack([home, *rides, outing.place, outing.lunch], axis=1).astype(np.int32)


def _on_the_way(points: Blocks, pace: Minutes) -> Minutes:
    """(n_legs - 1, n_days) minutes that the ways take."""
    takes = np.zeros((len(LEGS) - 1, points.shape[2]), np.float32)
    for number, leg in enumerate(LEGS[:-1]):
        if leg.begin != leg.end:
            blocks = np.abs(points[:, leg.end] - points[:, leg.begin]).sum(axis=0)
            takes[number] = blocks / SPEED.get(leg.stop, pace)
    return takes


def _in_places(points: Blocks, outing: _Outing, daily: Chances) -> Minutes:
    """(n_legs - 1, n_days) minutes that people wait for trains, have lunch and shop."""
    takes = np.zeros((len(LEGS) - 1, points.shape[2]), np.float32)
    works = outing.works
    boards = np.any(points[:, BOARD] != points[:, LEAVE], axis=0)
    changes = np.any(points[:, CHANGE] != points[:, OTHER_CHANGE], axis=0)
    takes[[2, 15]] = np.where(boards, 1 + 8 * daily[12], 0)
    takes[[4, 6, 17, 19]] = np.where(changes, 3 + 9 * daily[14], 0)
    takes[9] = np.where(works, 0, 20 + 100 * daily[15])
    takes[11] = np.where(works & (daily[7] < EATS_OUT), 30 + 15 * daily[14], 0)
    takes[21] = np.where(works & (daily[5] < SHOPS_AFTER), 10 + 30 * daily[6], 0)
    return takes


def _ends(outing: _Outing, takes: Minutes) -> Minutes:
    """(n_legs - 1, n_days) minutes from midnight; work lasts until lunch, and until evening."""
    ends = np.empty_like(takes)
    now = outing.leaves.astype(np.float32)
    for number, minutes in enumerate(takes):
        now = now + minutes
        if number == AT_WORK:
            now = np.maximum(now, outing.eats)
        if number == AT_WORK_AGAIN:
            now = np.maximum(now, outing.returns)
        ends[number] = now
    return ends
