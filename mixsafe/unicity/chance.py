"""By chance: what as many sightings of each person, drawn at random, single out."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.unicity.person_ways import (
    NOWHERE,
    Misfits,
    PersonWays,
    Places,
    Whole,
    find_ways,
    most_tracks,
)

BROKEN, CONTRADICTED = 1, 2


def drawn_steps(told: Places, most: int, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Steps at which a person is seen, drawn without replacement, one after the other."""
    shown = np.flatnonzero(told != NOWHERE)
    return random.permutation(shown)[:most]


def broken_by_chance(
    group: Whole,
    off: Misfits,
    k: int,
    steps: npt.NDArray[np.int64],
    most: int,
    ways: PersonWays,
) -> npt.NDArray[np.int8]:
    """What the first 0, 1, … of some sightings come to: BROKEN, CONTRADICTED, or 0.

    Parameters
    ----------
    group, off, k, ways
        As for :func:`mixsafe.unicity.worst.fewest`.
    steps
        When she is seen, in this order.
    most
        Sightings at most; who has fewer places is seen at all of them.

    Returns
    -------
    (most + 1,) int8: contradicted are sightings that fit no track.
    """
    found = np.zeros(most + 1, np.int8)
    seen = np.zeros(len(off), bool)
    for m in range(most + 1):
        if m:
            if m > len(steps):
                found[m:] = found[m - 1]
                break
            seen[steps[m - 1]] = True
        find_ways(group, off, seen, ways)
        possible = int(most_tracks(ways))
        if possible == 0:
            found[m:] = CONTRADICTED
            break
        if possible < k:
            found[m] = BROKEN
    return found
