"""Fleets of any size: cabs are spread over adjacent cities, and generated in blocks.

Cabs do not interact, so that another city only shifts coordinates.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mixsafe.errors import InputError
from mixsafe.model.mobility.traces import Traces
from mixsafe.synthesize.scenarios.cabs import City, as_traces, check_counts, drive

BLOCK_FIXES = 1 << 22
"""Fixes that are made, and held in memory, at once."""

LARGEST_CITY = 1000
"""Cabs that one city takes by default."""

CABS_PER_CITY = 250
"""Cabs of a city, by default, where they are spread over several."""

GAP = 2000.0
"""Metres between two cities: further than anybody sees."""


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
