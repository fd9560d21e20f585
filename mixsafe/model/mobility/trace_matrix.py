"""Complete traces: the region of every user at every time, as in contests."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.place_names import check_numbered
from mixsafe.model.mobility.traces import Traces


@dataclass(frozen=True, eq=False)
class TraceMatrix:
    """The region of each user at each time; users are numbered 1 to n in files.

    Parameters
    ----------
    region
        (n_users, n_steps) int32 region numbers, from 0.
    first_time
        time_id of the first column, >= 1.

    Raises
    ------
    InputError
        There is no user or no time, a region is negative, or the first time is below 1.
    """

    region: npt.NDArray[np.int32]
    first_time: int = 1

    def __repr__(self) -> str:
        return f"<TraceMatrix: {self.region.shape[0]:,} users, {self.region.shape[1]:,} times>"

    def __post_init__(self) -> None:
        if self.region.ndim != 2 or not self.region.size:
            raise InputError("traces need at least one user and one time")
        if self.region.min() < 0:
            raise InputError(f"region number {self.region.min()} is negative")
        if self.first_time < 1:
            raise InputError(f"time {self.first_time} is below 1")

    @classmethod
    def of_traces(cls, traces: Traces) -> TraceMatrix:
        """Convert traces of users 1 to n who are in a region, numbered from 1, at every time_id.

        Raises
        ------
        InputError
            The fixes have coordinates or timestamps, users or regions have other names, or a user
            has no region at some time.
        """
        if traces.region is None or traces.clock != "time_id":
            raise InputError(
                "the traces have coordinates or timestamps, not regions at time_ids",
                hint="use columns user_id,time_id,reg_id",
            )
        check_numbered(traces.place_names)
        n_users = len(traces.users)
        if not np.array_equal(traces.users, np.arange(1, n_users + 1)):
            raise InputError(f"the {n_users} users are not named 1 to {n_users}")
        first = int(traces.time.min(initial=1))
        steps = int(traces.time.max(initial=0)) - first + 1
        at = np.stack([traces.user, traces.time - first])
        whole = np.indices((n_users, steps)).reshape(2, -1)
        if not np.array_equal(at, whole):
            raise InputError(
                f"some users are not in one region at each of the {steps} times",
                hint="fill the gaps",
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
