"""The gap that a search for a minimum set closes: the best set so far, and a bound on all sets."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.model.course import Course
from mixsafe.optimize.zone_groups import ZoneGroups


class Gap:
    """The best set and the lower bound, which enclose the minimum.

    Parameters
    ----------
    groups
        Groups of zones, and their costs.
    course
        When to stop, and whom to tell how far the search is.
    """

    def __init__(self, groups: ZoneGroups, course: Course) -> None:
        self.groups, self.deadline = groups, course.deadline
        self._progress = course.progress
        self.bound = 0
        self.best = np.ones(len(groups.of), bool)
        self.tell()

    @property
    def total(self) -> int:
        """Cost of the best set."""
        return self.groups.price(self.best)

    @property
    def is_open(self) -> bool:
        """Whether the gap is positive, and time is left."""
        return self.bound < self.total and not self.deadline.passed

    @property
    def known(self) -> npt.NDArray[np.bool_]:
        """(n_zones,) the best set; no zones while it is still all of them."""
        return self.best & (self.total < self.groups.total)

    def tell(self) -> None:
        """Tell how far the search is."""
        self._progress(f"{self.total} zones' cost or less", self.bound, self.total)

    def rise(self, bound: int) -> None:
        """Raise the lower bound to ``bound``."""
        self.bound = max(self.bound, bound)
        self.tell()

    def take(self, found: npt.NDArray[np.bool_] | None) -> bool:
        """Keep (n_zones,) zones that are enough, if they cost less than the best ones."""
        if found is None or self.groups.price(found) >= self.total:
            return False
        self.best = found
        self.tell()
        return True
