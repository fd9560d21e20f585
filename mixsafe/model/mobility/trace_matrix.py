"""Traces without gaps: the region of every user at every time, as contests hand them out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.traces import Traces


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

    def __repr__(self) -> str:
        return f"<TraceMatrix: {self.region.shape[0]:,} users, {self.region.shape[1]:,} times>"

    def __post_init__(self) -> None:
        if self.region.ndim != 2 or not self.region.size:
            raise InputError("traces need a user and a time at least")
        if self.region.min() < 0:
            raise InputError(f"region number {self.region.min()} is negative")
        if self.first_time < 1:
            raise InputError(f"time {self.first_time} is below 1")

    @classmethod
    def of_traces(cls, traces: Traces) -> TraceMatrix:
        """Traces whose users 1 to n are in a region, numbered from 1, at every time_id.

        Raises
        ------
        InputError
            The fixes hold coordinates or moments of a clock, users have other names, or somebody
            is nowhere at some time.
        """
        if traces.region is None or traces.clock != "time_id":
            raise InputError(
                "these traces have coordinates or moments, not regions at time_ids",
                hint="write user_id,time_id,reg_id",
            )
        n_users = len(traces.users)
        if not np.array_equal(traces.users, np.arange(1, n_users + 1)):
            raise InputError(f"the {n_users} users are not called 1 to {n_users}")
        first = int(traces.time.min(initial=1))
        steps = int(traces.time.max(initial=0)) - first + 1
        at = np.stack([traces.user, traces.time - first])
        whole = np.indices((n_users, steps)).reshape(2, -1)
        if not np.array_equal(at, whole):
            raise InputError(
                f"not everybody is in one region at each of the {steps} times",
                hint="a release needs traces without gaps",
            )
        return cls((traces.region - 1).reshape(n_users, steps).astype(np.int32), first)

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
