"""Which temperature serves: a matter of the data, and found while running."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

TEMPERATURES = (0.06, 0.08, 0.1, 0.12, 0.14, 0.16, 0.18, 0.2, 0.23)
"""In broken sightings."""

_HOPE = 1.0  # witnesses that each temperature is taken to have brought before it was tried


class Luck(NamedTuple):
    """What tries at each temperature have cost and brought.

    ``moves``, ``witnesses``: (len(TEMPERATURES),) float64 each.
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
        """(len(TEMPERATURES),) how often each should be tried, where a try takes ``moves``."""
        rate = (self.witnesses + _HOPE) / (self.moves + _HOPE * moves)
        weight = rate**2
        return np.asarray(weight / weight.sum())


def no_luck() -> Luck:
    """Nothing has been tried."""
    return Luck(np.zeros(len(TEMPERATURES)), np.zeros(len(TEMPERATURES)))
