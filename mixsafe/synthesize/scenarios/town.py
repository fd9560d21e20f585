"""A small town: homes, work places, a station where people meet, and some who stay at home.

The scenario is ours. Its days are those of the location trace anonymization contest (20 steps,
8:00 to 18:00), its regions the contest's 32 x 32 (contest paper, section 3.3).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix

GRID = 32
"""Regions from south to north, and from west to east."""

CENTRE = (16, 16)
"""Row and column of the station."""

HOUSEHOLD = 0.25
"""Share of users who share the home of another one."""

STAYS_HOME = 0.15
"""Share of users who go to no work place, and out for an errand at times."""

RegionArray = npt.NDArray[np.int32]


def town(
    n_users: int, *, days: int = 2, steps_per_day: int = 20, random: np.random.Generator
) -> TraceMatrix:
    """Days of a small town: home, the station, work, lunch nearby, the station, home.

    Users are drawn independently but for households; every array is (n_users, days) or larger,
    so that a million users are a matter of memory.

    Parameters
    ----------
    n_users
        Number of users, >= 2.
    days
        Number of days, >= 1.
    steps_per_day
        Steps of half an hour from 8:00, >= 10.
    random
        Source of all chance.

    Returns
    -------
    TraceMatrix
        Regions from 0, ``days * steps_per_day`` steps; a user is somewhere at all times.

    Raises
    ------
    InputError
        Fewer users, days or steps than that.
    """
    for count, least, what in (
        (n_users, 2, "users"),
        (days, 1, "days"),
        (steps_per_day, 10, "steps"),
    ):
        if count < least:
            raise InputError(f"a town of {count} {what} is too small", hint=f"use at least {least}")
    home = _homes(n_users, random)
    works = random.random(n_users) >= STAYS_HOME
    work = _near(np.full(n_users, _region(*CENTRE)), 5, random)
    shop = _near(home, 2, random)
    region = np.broadcast_to(home[:, None, None], (n_users, days, steps_per_day)).copy()
    _work(region, works, work, random)
    _errands(region, works, shop, random)
    return TraceMatrix(region.reshape(n_users, -1))


def _region(row: int, column: int) -> int:
    return row * GRID + column


def _near(region: RegionArray, reach: int, random: np.random.Generator) -> RegionArray:
    """Regions at most ``reach`` rows and columns away, the near ones more often."""
    row, column = np.divmod(region, GRID)
    # The difference of two uniform numbers: a triangle around 0.
    off = random.random((4, len(region)))
    row = np.clip(row + np.rint((off[0] - off[1]) * reach), 0, GRID - 1)
    column = np.clip(column + np.rint((off[2] - off[3]) * reach), 0, GRID - 1)
    near: RegionArray = (row * GRID + column).astype(np.int32)
    return near


def _homes(n_users: int, random: np.random.Generator) -> RegionArray:
    """Home regions all over the grid; some users move in with another one."""
    home = (random.random(n_users) * GRID * GRID).astype(np.int32)
    joins = random.random(n_users) < HOUSEHOLD
    host = (random.random(n_users) * n_users).astype(np.int64)
    return np.where(joins, home[host], home)


def _work(
    region: RegionArray,
    works: npt.NDArray[np.bool_],
    work: RegionArray,
    random: np.random.Generator,
) -> None:
    """Put the working days of ``works`` into ``region``, (n_users, days, steps)."""
    n_users, days, n_steps = region.shape
    step, each_day = np.arange(n_steps), (n_users, days, 1)
    at_work = works[:, None, None] & (random.random(each_day) < 0.9)
    leaves = 1 + (random.random(each_day) * n_steps * 0.2).astype(np.int64)
    returns = n_steps - 1 - (random.random(each_day) * n_steps * 0.2).astype(np.int64)
    lunch = n_steps // 2 - 1 + (random.random(each_day) * 2).astype(np.int64)
    eats_out = random.random(each_day) < 0.5
    place = _near(np.repeat(work, days), 1, random).reshape(each_day)
    np.copyto(region, work[:, None, None], where=at_work & (step > leaves) & (step < returns))
    np.copyto(region, place, where=at_work & eats_out & (step == lunch))
    travels = (step == leaves) | (step == returns)
    np.copyto(region, np.int32(_region(*CENTRE)), where=at_work & travels)


def _errands(
    region: RegionArray,
    works: npt.NDArray[np.bool_],
    shop: RegionArray,
    random: np.random.Generator,
) -> None:
    """Send the users who go to no work place to a shop near their home, one day in two."""
    n_users, days, n_steps = region.shape
    step, each_day = np.arange(n_steps), (n_users, days, 1)
    goes = ~works[:, None, None] & (random.random(each_day) < 0.5)
    start = 2 + (random.random(each_day) * (n_steps - 5)).astype(np.int64)
    np.copyto(region, shop[:, None, None], where=goes & (step >= start) & (step < start + 2))
