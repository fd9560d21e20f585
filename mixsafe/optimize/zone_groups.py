"""Groups of zones that are chosen together, as all zones of a place, and what each costs.

More zones never remove a candidate (fact 2). So which groups are enough is the same hitting-set
problem as which zones are, with one element for each group.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ZoneMask = npt.NDArray[np.bool_]
"""(n_zones,) bool: zones in which an exchange happens."""


@dataclass(frozen=True, eq=False)
class ZoneGroups:
    """A group for each zone, and a cost for each group.

    Parameters
    ----------
    of
        (n_zones,) int64: number of the group of each zone.
    cost
        (n_groups,) int64 >= 0: what exchanges in some or all zones of a group cost.
    """

    of: npt.NDArray[np.int64]
    cost: npt.NDArray[np.int64]

    @classmethod
    def each(cls, cost: npt.NDArray[np.int64]) -> ZoneGroups:
        """Every zone is a group by itself; ``cost``: (n_zones,) of each."""
        return cls(np.arange(len(cost)), cost)

    @property
    def total(self) -> int:
        """Cost of all zones."""
        return int(self.cost.sum())

    def price(self, zones: ZoneMask) -> int:
        """Cost of some zones: that of their groups."""
        return int(self.cost[np.unique(self.of[zones])].sum())

    def whole(self, zones: ZoneMask) -> ZoneMask:
        """All zones of the groups of which one is in ``zones``: they cost as much."""
        return self.among(np.unique(self.of[zones]))

    def among(self, groups: npt.ArrayLike) -> ZoneMask:
        """(n_zones,) zones of the groups with these numbers."""
        chosen = np.zeros(len(self.cost), bool)
        chosen[np.asarray(groups, np.int64)] = True
        mask: ZoneMask = chosen[self.of]
        return mask

    def those(self, kept: npt.NDArray[np.int64]) -> ZoneGroups:
        """Groups of the zones with the numbers ``kept``, (n,); groups are numbered anew."""
        left, of = np.unique(self.of[kept], return_inverse=True)
        return ZoneGroups(of.astype(np.int64), self.cost[left])

    def paid(self, zones: ZoneMask) -> ZoneGroups:
        """The same, where the groups of some zones cost nothing any more."""
        cost = self.cost.copy()
        cost[self.of[zones]] = 0
        return ZoneGroups(self.of, cost)
