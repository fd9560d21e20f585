"""Exchange inside a team's own release: users' cells change rows where that costs least utility."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from scipy.optimize import linear_sum_assignment

from mixsafe.contest.base.parts import Random, RegionAnonymiser
from mixsafe.contest.base.rules import Rules
from mixsafe.model.mobility.complete_traces import TraceMatrix

_HALVINGS = 9  # of the price of an exchange
_NEVER = 1e6  # cells: more than any exchange loses

Floats = npt.NDArray[np.float32]
Regions = npt.NDArray[np.int32]


@dataclass(frozen=True)
class OwnExchange(RegionAnonymiser):
    """EX: rows exchange stretches of cells, as many as the required utility allows.

    Each stretch is permuted at least total loss, and users whose exchange costs more than a price
    keep their own cells. The price is the highest at which utility is as required.

    Parameters
    ----------
    stretch
        Times in a row that change rows together; 0: the whole track.
    lasting
        1: every second stretch, always with the same other user; 0: each stretch with anybody.
    zone
        1: only with users in the same region when the stretch begins; 0: with all.
    """

    stretch: int = 0
    lasting: int = 0
    zone: int = 0

    short: ClassVar[str] = "EX"
    long: ClassVar[str] = "EX-exchange"

    def shown(self, original: TraceMatrix, rules: Rules, random: Random) -> Regions:
        """The regions that each row has after all exchanges."""
        times = np.arange(original.n_steps)
        stretches = np.array_split(times, times[:: self.stretch or len(times)][1:])
        together = [np.concatenate(stretches[::2])] if self.lasting else stretches
        share = share_lost(rules)
        lost = [self._lost(original.region[:, some], share) for some in together]
        shown, low, high = original.region, 0.0, 1.0
        most = (1 - rules.required_utility) * original.region.size
        for _ in range(_HALVINGS):
            price = (low + high) / 2
            rows = [
                _cheapest(loss, price * len(some))
                for loss, some in zip(lost, together, strict=True)
            ]
            if sum(_total(loss, row) for loss, row in zip(lost, rows, strict=True)) > most:
                high = price
                continue
            low, shown = price, original.region.copy()
            for some, row in zip(together, rows, strict=True):
                shown[:, some] = original.region[np.ix_(row, some)]
        return shown

    def _lost(self, region: Regions, share: Floats) -> Floats:
        """As :func:`cells_lost`, and more than any price where an exchange is not allowed."""
        lost = cells_lost(region, share)
        if self.zone:
            lost[region[:, :1] != region[:, 0]] = _NEVER
        return lost


def share_lost(rules: Rules) -> Floats:
    """(n_regions, n_regions) share of a cell's utility that is lost if it shows another region."""
    every = np.arange(rules.regions.count, dtype=np.int32)
    away = rules.regions.distance_km(every[:, None], every)
    return np.minimum(away / rules.lost_km, 1).astype(np.float32)


def cells_lost(region: Regions, share: Floats) -> Floats:
    """(n_users, n_users) cells that a row loses if it shows another user's."""
    lost = np.zeros((len(region), len(region)), np.float32)
    for column in region.T:
        lost += share[column[:, None], column]
    return lost


def _cheapest(lost: Floats, price: float) -> npt.NDArray[np.int64]:
    """(n_users,) user whose cells each row shows; its own where others cost more than ``price``."""
    cost = lost.copy()
    np.fill_diagonal(cost, price)
    return np.asarray(linear_sum_assignment(cost)[1])


def _total(lost: Floats, row: npt.NDArray[np.int64]) -> float:
    """Cells that all rows lose."""
    return float(lost[np.arange(len(row)), row].sum())
