"""Which temperature serves: a matter of the data, and found while running."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.solver.strategy import DEFAULT

_HOPE = 1.0  # witnesses that each temperature is taken to have brought before it was tried


class Luck(NamedTuple):
    """What tries at each temperature have cost and brought.

    ``moves``, ``witnesses``: (number of temperatures,) float64 each.
    """

    moves: npt.NDArray[np.float64]
    witnesses: npt.NDArray[np.float64]

    def with_those_of(self, moves: npt.ArrayLike, witnesses: npt.ArrayLike) -> Luck:
        """These and further ones."""
        return Luck(
            self.moves + np.asarray(moves, np.float64),
            self.witnesses + np.asarray(witnesses, np.float64),
        )

    def shares(self, moves: int) -> npt.NDArray[np.float64]:
        """(number of temperatures,) how often each should be tried, where a try takes ``moves``."""
        rate = (self.witnesses + _HOPE) / (self.moves + _HOPE * moves)
        weight = rate**2
        return np.asarray(weight / weight.sum())


def no_luck(temperatures: int = len(DEFAULT.temperatures)) -> Luck:
    """Nothing has been tried at so many temperatures."""
    return Luck(np.zeros(temperatures), np.zeros(temperatures))
