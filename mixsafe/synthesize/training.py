"""Training traces: region of each user by day and time slot."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import TraceMatrix
from mixsafe.model.mobility.places import check_numbered
from mixsafe.model.mobility.traces import Traces


@dataclass(frozen=True, eq=False)
class TrainingTraces:
    """Visits of some users, by user and time; a user may be nowhere at some times.

    Parameters
    ----------
    n_users, n_regions
        Users and regions, >= 1 each.
    steps_per_day
        Times per day, >= 1.
    n_slots
        Time slots of a day, 1 to ``steps_per_day``: several steps may share one.
    user
        (n_visits,) int64 from 0, ascending.
    time
        (n_visits,) int64 from 0, ascending within a user: step 0 is the first of a day.
    region
        (n_visits,) int64 from 0.

    Raises
    ------
    InputError
        No visit, an unknown region, or more time slots than steps.
    """

    n_users: int
    n_regions: int
    steps_per_day: int
    n_slots: int
    user: npt.NDArray[np.int64]
    time: npt.NDArray[np.int64]
    region: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        if not len(self.user):
            raise InputError("there is no training trace")
        if not 0 <= self.region.min() <= self.region.max() < self.n_regions:
            raise InputError(
                f"region {self.region.max() + 1} is not one of the {self.n_regions} regions"
            )
        if not 1 <= self.n_slots <= self.steps_per_day:
            raise InputError(
                f"{self.n_slots} time slots do not fit a day of {self.steps_per_day} steps"
            )

    @classmethod
    def of_matrix(
        cls, traces: TraceMatrix, n_regions: int, steps_per_day: int, n_slots: int | None = None
    ) -> TrainingTraces:
        """Visits of traces without gaps; time_id 1 is the first step of a day."""
        time = np.tile(traces.time_ids - 1, traces.n_users)
        return cls(
            traces.n_users,
            n_regions,
            steps_per_day,
            steps_per_day if n_slots is None else n_slots,
            np.repeat(np.arange(traces.n_users, dtype=np.int64), traces.n_steps),
            time,
            traces.region.reshape(-1).astype(np.int64),
        )

    @classmethod
    def of_traces(
        cls, traces: Traces, n_regions: int, steps_per_day: int, n_slots: int | None = None
    ) -> TrainingTraces:
        """Visits of fixes in regions, numbered from 1, at time_ids from 1.

        Raises
        ------
        InputError
            The fixes hold coordinates, moments of a clock, or regions with names.
        """
        if traces.region is None or traces.clock != "time_id":
            raise InputError(
                "training traces need regions and time_ids, not coordinates and moments",
                hint="use columns user_id,time_id,reg_id",
            )
        check_numbered(traces.place_names)
        return cls(
            len(traces.users),
            n_regions,
            steps_per_day,
            steps_per_day if n_slots is None else n_slots,
            traces.user.astype(np.int64),
            traces.time - 1,
            traces.region - 1,
        )

    @property
    def slot(self) -> npt.NDArray[np.int64]:
        """(n_visits,) time slot of each visit."""
        return self.time % self.steps_per_day * self.n_slots // self.steps_per_day

    def moves(self) -> npt.NDArray[np.int64]:
        """(n_moves,) visits after which the same user has one at the next step of that day."""
        follows = (self.user[1:] == self.user[:-1]) & (np.diff(self.time) == 1)
        return np.flatnonzero(follows & (self.time[1:] % self.steps_per_day != 0))
