"""Places at which mix zones are chosen together, and what each place costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.place_names import PlaceName

PER = ("zone", "place", "place:hour")
"""What exchanges are chosen by: zones, places with all their zones, or hours of places."""

MOST_COST = 10**12
"""Limit of the cost of a place, so that sums of costs are int64."""


@dataclass(frozen=True, eq=False)
class ZonePlaces:
    """A place for each mix zone, and a cost for each place.

    Parameters
    ----------
    names
        Name of each place, none twice.
    of
        (n_zones,) int64: number of the place of each zone, in the order of the zones.
    cost
        (n_places,) int64, 0 to ``MOST_COST``: what exchanges at a place cost.

    Raises
    ------
    InputError
        The parts do not fit, a name occurs twice, or a cost is out of range.
    """

    names: tuple[PlaceName, ...]
    of: npt.NDArray[np.int64]
    cost: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        n = len(self.names)
        if len(self.cost) != n or np.any((self.of < 0) | (self.of >= n)):
            raise InputError("places, their costs and the zones at them do not fit together")
        if len(set(self.names)) < n:
            raise InputError("two places have one name")
        wrong = np.flatnonzero((self.cost < 0) | (self.cost > MOST_COST))
        if len(wrong):
            name, cost = self.names[wrong[0]], self.cost[wrong[0]]
            raise InputError(f"place {name} costs {cost}, not 0 to {MOST_COST:,}")

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def named(cls, name_of_zone: Sequence[PlaceName]) -> ZonePlaces:
        """Places by the name of each zone's, in order of first mention; each costs 1."""
        number: dict[PlaceName, int] = {}
        of = [number.setdefault(name, len(number)) for name in name_of_zone]
        return cls(tuple(number), np.array(of, np.int64), np.ones(len(number), np.int64))
