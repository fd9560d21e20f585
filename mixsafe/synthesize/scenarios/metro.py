"""People of one large city, generated in pieces of any size.

The scenario is ours. The ground has blocks, stations and districts. The area grows with the people
who live there, so that as many live in a block, and as many use an ordinary station, whatever the
size of the city. What people do all day is work, school, lunch and errands, and the ways there;
shares and times are plausible ones, and fitted to nothing. Days are legs between way points. All
routes follow a street or rail grid: north or south first, then east or west. A passenger's position
is the last stop of the train.

A person's days depend only on the seed, the size of the city and the person's number, and so not
on the division into pieces.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.least import check_least

Blocks = npt.NDArray[np.int32]
Chances = npt.NDArray[np.float64]

STATION_EVERY = 8
"""Blocks from a station to the next one, north and east: both ends of a ride are stations."""

EXPRESS_EVERY = 4
"""Stations from a stop of an express to the next one, and along the side of a district."""

Minutes = npt.NDArray[np.float32]

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

AT_WORK, AT_WORK_AGAIN = 9, 13
"""Legs that last until it is time for lunch, and for going home."""

DAYTIME = (7 * 60, 19 * 60)
"""Minutes from midnight between which people are looked at."""

PIECE_FIXES = 1 << 20
"""Fixes that are made, and held in memory, at once."""


@dataclass(frozen=True)
class Metropolis:
    """A square city on a grid of streets, with lines of rail every eighth block.

    Parameters
    ----------
    n_people
        Number of people who live there, >= 2.
    per_block
        How many of them live in a block, in the mean.
    """

    n_people: int
    per_block: float = 10.0

    @cached_property
    def n_stations(self) -> int:
        """Stations from south to north, and from west to east."""
        blocks = np.sqrt(self.n_people / self.per_block)
        return max(1, int(np.ceil(blocks / STATION_EVERY)))

    @property
    def side(self) -> int:
        """Blocks from south to north, and from west to east."""
        return self.n_stations * STATION_EVERY

    @cached_property
    def n_districts(self) -> int:
        """Districts from south to north, and from west to east; each has a main station."""
        return max(1, round(self.n_stations / EXPRESS_EVERY))

    @cached_property
    def central(self) -> npt.NDArray[np.int64]:
        """(n_districts²,) districts (numbered row by row), from the city's middle to its edge."""
        row, column = np.divmod(np.arange(self.n_districts**2), self.n_districts)
        middle = (self.n_districts - 1) / 2
        return np.argsort((row - middle) ** 2 + (column - middle) ** 2, kind="stable")

    @cached_property
    def attraction(self) -> Chances:
        """(n_districts²,) shares, in the order of ``central``, summed up to 1.

        What the district of rank r draws is in proportion to 1/√r. So the one in the middle draws
        from the whole city people in proportion to the square root of its size, and no more.
        """
        share = 1 / np.sqrt(np.arange(1, self.n_districts**2 + 1))
        summed: Chances = np.cumsum(share) / share.sum()
        return summed

    def station(self, number: npt.NDArray[np.int64]) -> Blocks:
        """Block of a station, from its number along one axis."""
        return (number * STATION_EVERY + STATION_EVERY // 2).astype(np.int32)

    def nearest_station(self, block: Blocks) -> Blocks:
        """Block of the station nearest to a block, along one axis."""
        return self.station(block.astype(np.int64) // STATION_EVERY)

    def district(self, block: Blocks) -> npt.NDArray[np.int64]:
        """District in which a block is, along one axis."""
        number = block.astype(np.int64) // STATION_EVERY
        return number * self.n_districts // self.n_stations

    def main_station(self, district: npt.NDArray[np.int64]) -> Blocks:
        """Block of a district's main station, along one axis."""
        return self.station((2 * district + 1) * self.n_stations // (2 * self.n_districts))

    def around(self, block: Blocks, reach: int, chance: Chances) -> Blocks:
        """Blocks at most ``reach`` away on either axis, the near ones more often.

        Parameters
        ----------
        block
            (2, ...) rows and columns.
        reach
            Blocks, > 0.
        chance
            (4, ...) uniform numbers.
        """
        # The difference of two uniform numbers: a triangle around 0.
        off = np.rint((chance[:2] - chance[2:]) * reach).astype(np.int32)
        near: Blocks = np.clip(block + off, 0, self.side - 1)
        return near

    def region(self, block: Blocks) -> Blocks:
        """Number of a block, row by row from 0 in the south-west."""
        number: Blocks = block[0] * np.int32(self.side) + block[1]
        return number


@dataclass(frozen=True)
class Leg:
    """A leg that all people have at the same place of their day, each at a personal pace.

    Parameters
    ----------
    begin, end
        Numbers of the way points; the same one: she stays there.
    stop
        Blocks between positions that are reported: 1 in a street, more on rails.
    """

    begin: int
    end: int
    stop: int = 1


@dataclass(frozen=True, eq=False)
class Itineraries:
    """The legs of some days, one after the other.

    Parameters
    ----------
    legs
        In the order in which they are made.
    points
        (2, n_points, n_days) rows and columns of the way points, blocks.
    ends
        (n_legs - 1, n_days) minutes from midnight at which a leg is over; ascending along the
        first axis. The last leg is never over.
    """

    legs: tuple[Leg, ...]
    points: Blocks
    ends: Minutes

    def places(self, moments: Minutes) -> Blocks:
        """Row and column of everybody at each moment.

        Parameters
        ----------
        moments
            (n_moments,) minutes from midnight, before 24:00 and not before the first leg began.

        Returns
        -------
        (2, n_days, n_moments) blocks.
        """
        n_days, n_moments = self.ends.shape[1], len(moments)
        # Which leg is made at a moment: how many are over, counted where each of them ends.
        over = np.searchsorted(moments, self.ends, side="left")
        slot = np.arange(n_days) * (n_moments + 1) + over
        ended = np.bincount(slot.reshape(-1), minlength=n_days * (n_moments + 1))
        leg = np.cumsum(ended.reshape(n_days, n_moments + 1)[:, :-1], axis=1)
        flat = leg.reshape(-1)
        day = np.repeat(np.arange(n_days), n_moments)
        begin, end, stop = (
            np.array(column)[flat]
            for column in zip(*((e.begin, e.end, e.stop) for e in self.legs), strict=True)
        )
        at = self.points[:, begin, day]
        moves = np.flatnonzero(begin != end)
        at[:, moves] = self._on_the_way(
            at[:, moves],
            self.points[:, end[moves], day[moves]],
            self._done(flat[moves], day[moves], np.tile(moments, n_days)[moves]),
            stop[moves],
        )
        return at.reshape(2, n_days, n_moments)

    def _done(
        self, leg: npt.NDArray[np.intp], day: npt.NDArray[np.intp], moment: Minutes
    ) -> Minutes:
        """The share of each leg that is made at the moment, 0 to 1."""
        since = np.where(leg == 0, np.float32(0), self.ends[leg - 1, day])
        until = self.ends[np.minimum(leg, len(self.ends) - 1), day]
        share = (moment - since) / np.maximum(until - since, np.float32(1e-3))
        return share.astype(np.float32)

    @staticmethod
    def _on_the_way(
        begin: Blocks, end: Blocks, done: Minutes, stop: npt.NDArray[np.int64]
    ) -> Blocks:
        """The last reported position after a share of a leg."""
        off = end - begin
        length = np.abs(off)
        made = (done * length.sum(axis=0) / stop).astype(np.int32) * stop
        first = np.minimum(made, length[0])
        step = np.stack([first, np.minimum(made - first, length[1])])
        at: Blocks = (begin + np.sign(off) * step).astype(np.int32)
        return at


SPEED = {STATION_EVERY: LOCAL, STATION_EVERY * EXPRESS_EVERY: EXPRESS}
"""Speed of what stops so often; in streets everybody has a speed of her own."""


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


def metro(
    n_people: int,
    *,
    steps: int = 96,
    step_minutes: int = 30,
    seed: int = 0,
    piece_fixes: int = PIECE_FIXES,
) -> Iterator[TraceMatrix]:
    """People of one city, in pieces of whole people; together they are one table.

    Parameters
    ----------
    n_people
        Number of people, >= 2. The city has ten to a block of 100 m.
    steps
        Number of times at which everybody is somewhere, >= 1; a day has ``720 / step_minutes``.
    step_minutes
        Minutes between two of them, a divisor of 720. The first one of a day is 7:00.
    seed
        Of all chance, >= 0.
    piece_fixes
        Fixes of a piece, at most, or of one household; they change nobody.

    Yields
    ------
    TraceMatrix
        The next people: their blocks, numbered from 0 row by row, and all steps.

    Raises
    ------
    InputError
        Fewer people or steps than that, or steps of which a day has no whole number.
    """
    check_least(2, people=n_people)
    check_least(steps=steps)
    steps_per_day(step_minutes)
    return _pieces(Metropolis(n_people), steps, step_minutes, seed, piece_fixes)


def steps_per_day(step_minutes: int) -> int:
    """Number of steps of a day.

    Raises
    ------
    InputError
        It has no whole number of them.
    """
    length = DAYTIME[1] - DAYTIME[0]
    if step_minutes < 1 or length % step_minutes:
        raise InputError(
            f"a day of {length} minutes has no whole number of steps of {step_minutes} minutes",
            hint="use a divisor such as 5, 10, 15, 20, 30 or 60",
        )
    return length // step_minutes


def _pieces(
    city: Metropolis, steps: int, step_minutes: int, seed: int, piece_fixes: int
) -> Iterator[TraceMatrix]:
    """The pieces of :func:`metro`, whose arguments are right."""
    moments = np.arange(*DAYTIME, step_minutes).astype(np.float32)
    days = -(-steps // len(moments))
    size = max(1, piece_fixes // (days * len(moments) * HOUSEHOLD)) * HOUSEHOLD
    # Households stay together, and those who are left over at the end live with the last one.
    begins = list(range(0, max(city.n_people - HOUSEHOLD + 1, 1), size))
    for begin, end in itertools.pairwise([*begins, city.n_people]):
        count = end - begin
        places = itineraries(city, *_chances(begin, count, days, seed)).places(moments)
        yield TraceMatrix(city.region(places).reshape(count, -1)[:, :steps])


def _chances(begin: int, count: int, days: int, seed: int) -> tuple[Chances, Chances]:
    """Uniform numbers of some people, (16, people), and of their days, (16, people x days).

    Philox is a function of a counter, so that anybody's numbers are found without those of the
    people before her (Salmon, Moraes, Dror and Shaw, SC 2011).
    """
    of_day = []
    for day in range(days + 1):
        source = np.random.Philox([seed, day])
        source.advance(begin * PER_PERSON // 4)
        of_day.append(np.random.Generator(source).random((count, PER_PERSON)))
    return of_day[0].T, np.stack(of_day[1:], axis=1).reshape(-1, PER_PERSON).T
