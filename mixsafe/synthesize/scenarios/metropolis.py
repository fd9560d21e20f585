"""The ground of one large city: blocks, stations, districts, and how large it is.

The scenario is ours. The area grows with the people who live there, so that as many live in a
block, and as many use an ordinary station, whatever the size of the city.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Blocks = npt.NDArray[np.int32]
Chances = npt.NDArray[np.float64]

STATION_EVERY = 8
"""Blocks from a station to the next one, north and east: both ends of a ride are stations."""

EXPRESS_EVERY = 4
"""Stations from a stop of an express to the next one, and along the side of a district."""


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
