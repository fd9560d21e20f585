"""The rules of a contest: its regions, its days, its scores."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions

Variant = Literal["program", "paper"]
"""The organizers' programs and the contest paper differ in details: whose word counts."""


@dataclass(frozen=True)
class Rules:
    """What all parts of a contest agree on (contest paper, section 3.4, and the programs).

    Parameters
    ----------
    regions
        The regions; default: the contest's own.
    steps_per_day
        Times per day, >= 1: time_id 1 is the first of a day.
    home_steps
        The first times of each day, at which users tend to be at home: 8:00 and 8:30.
    lost_km
        Distance from which a location is worth nothing, to utility and to an attacker, km.
    hospital_weight
        Weight of visits to hospital regions in the trace inference score; others have 1.
    required_utility
        s_req: releases below it are not valid.
    variant
        ``program`` or ``paper``.

    Raises
    ------
    InputError
        Home steps longer than a day, or a requirement outside [0, 1].
    """

    regions: Regions = field(default_factory=Regions.of_contest)
    steps_per_day: int = 20
    home_steps: int = 2
    lost_km: float = 2.0
    hospital_weight: float = 10.0
    required_utility: float = 0.7
    variant: Variant = "program"

    def __post_init__(self) -> None:
        if not 1 <= self.home_steps <= self.steps_per_day:
            raise InputError(
                f"{self.home_steps} home steps do not fit a day of {self.steps_per_day} steps"
            )
        if not 0 <= self.required_utility <= 1:
            raise InputError(f"required utility {self.required_utility} is outside 0 to 1")
        if self.variant not in ("program", "paper"):
            raise InputError(f"unknown variant '{self.variant}'", hint="use program or paper")

    def step_of_day(self, time_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Place of each time in its day, from 0."""
        return (time_ids - 1) % self.steps_per_day

    def is_home_time(self, time_ids: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        """Whether each time is one at which users tend to be at home."""
        return self.step_of_day(time_ids) < self.home_steps
