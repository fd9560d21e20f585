"""Traces without gaps: the region of every user at every time, as contests hand them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError


@dataclass(frozen=True, eq=False)
class TraceMatrix:
    """The region of each user at each time; users are called 1 to n outside.

    Parameters
    ----------
    region
        (n_users, n_steps) int32 region numbers, from 0.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        No user, no time, a negative region, or a first time below 1.
    """

    region: npt.NDArray[np.int32]
    first_time: int = 1

    def __post_init__(self) -> None:
        if self.region.ndim != 2 or not self.region.size:
            raise InputError("traces need a user and a time at least")
        if self.region.min() < 0:
            raise InputError(f"region number {self.region.min()} is negative")
        if self.first_time < 1:
            raise InputError(f"time {self.first_time} is below 1")

    @property
    def n_users(self) -> int:
        """Number of users."""
        return len(self.region)

    @property
    def n_steps(self) -> int:
        """Number of times per user."""
        return int(self.region.shape[1])

    @property
    def time_ids(self) -> npt.NDArray[np.int64]:
        """(n_steps,) time_id of each column."""
        return np.arange(self.first_time, self.first_time + self.n_steps)
