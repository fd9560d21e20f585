"""AS: team 004's obfuscation, shifting the regions that give a user away (the team's slides)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mixsafe.contest.base.parts import Random, RegionAnonymiser
from mixsafe.contest.base.rules import Rules
from mixsafe.errors import InputError
from mixsafe.model.mobility.complete_traces import Regions, TraceMatrix


@dataclass(frozen=True)
class ShiftRareRegions(RegionAnonymiser):
    """AS-ShiftRareRegions(n, d_1, d_2): shift visits to hospitals and to rare regions.

    A region is rare at a time of the day when fewer than n visits of the original traces, over
    all users and days, are there then. A shift goes to any region at most d rows and d columns
    away, each equally likely, the region itself included. The slides leave both open; with this
    reading their number of untouched regions and their s_U fit together (AS(94, 0, 3): 275,598 of
    800,000, 0.7027).

    Parameters
    ----------
    rare
        n, >= 0.
    hospital_shift
        d_1, regions, >= 0.
    rare_shift
        d_2, regions, >= 0; rare hospital regions are shifted as hospitals.

    Raises
    ------
    InputError
        A negative parameter.
    """

    rare: int = 94
    hospital_shift: int = 0
    rare_shift: int = 3

    short, long = "AS", "AS-ShiftRareRegions"

    def __post_init__(self) -> None:
        if min(self.rare, self.hospital_shift, self.rare_shift) < 0:
            raise InputError(
                f"AS cannot have the parameters {self.rare}, {self.hospital_shift},"
                f" {self.rare_shift}: all must be 0 or more"
            )

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> npt.NDArray[np.int32]:
        """Regions after shifts."""
        region, regions = original.region, rules.regions
        reach = np.where(self._is_rare(original, rules), self.rare_shift, 0)
        if self.hospital_shift:
            reach = np.where(regions.hospital[region], self.hospital_shift, reach)
        return shift_within(region, reach, regions, random)

    def _is_rare(self, original: TraceMatrix, rules: Rules) -> npt.NDArray[np.bool_]:
        """Whether each visit is to a region that is rare at its time of the day."""
        key = rules.step_of_day(original.time_ids) * rules.regions.count + original.region
        visits = np.bincount(key.reshape(-1))
        return np.asarray(visits[key] < self.rare)


def shift_within(
    region: npt.NDArray[np.int32],
    reach: npt.NDArray[np.int64],
    regions: Regions,
    random: Random,
) -> npt.NDArray[np.int32]:
    """Uniform among the regions of the grid at most ``reach`` rows and columns away."""
    row, column = np.divmod(region, regions.columns)
    shifted = []
    for place, last in ((row, regions.rows - 1), (column, regions.columns - 1)):
        low, high = np.maximum(place - reach, 0), np.minimum(place + reach, last)
        drawn = random.random(region.size).reshape(region.shape)
        shifted.append(low + (drawn * (high - low + 1)).astype(np.int64))
    return np.asarray(shifted[0] * regions.columns + shifted[1], dtype=np.int32)
