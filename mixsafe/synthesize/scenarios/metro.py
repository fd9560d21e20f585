"""People of one large city, generated in pieces of any size.

A person's days depend only on the seed, the size of the city and the person's number, and so not
on the division into pieces.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.synthesize.least import check_least
from mixsafe.synthesize.scenarios.commuters import HOUSEHOLD, PER_PERSON, itineraries
from mixsafe.synthesize.scenarios.metropolis import Chances, Metropolis

DAY = (7 * 60, 19 * 60)
"""Minutes from midnight between which people are looked at."""

PIECE_FIXES = 1 << 20
"""Fixes that are made, and held in memory, at once."""


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
    length = DAY[1] - DAY[0]
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
    moments = np.arange(*DAY, step_minutes).astype(np.float32)
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
