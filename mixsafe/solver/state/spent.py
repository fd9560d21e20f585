"""Processor time of each argument, measured from one settling to the next."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mixsafe.model.answer.verdict import Argument


class Spent:
    """Processor seconds by argument, of this process and of its workers that have ended.

    Workers on other machines are not counted.

    Attributes
    ----------
    seconds
        (len(Argument),) float64.
    """

    def __init__(self) -> None:
        self.seconds: npt.NDArray[np.float64] = np.zeros(len(Argument))
        self._last = _processor_seconds()

    def charge(self, argument: Argument) -> None:
        """Charge the time since the last charge to ``argument``."""
        now = _processor_seconds()
        self.seconds[argument] += now - self._last
        self._last = now


def _processor_seconds() -> float:
    return sum(os.times()[:4])
