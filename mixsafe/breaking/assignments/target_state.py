"""State of a target's wires under proposed sightings."""

from __future__ import annotations

import numpy as np

from mixsafe.breaking.assignments.conflicts import Witness
from mixsafe.breaking.assignments.swapping import Swapping
from mixsafe.breaking.targets import BreakingTarget


class TargetState:
    """Which wires of a target are safe or open, and the assignments that show it.

    Parameters
    ----------
    target
        The target.
    """

    def __init__(self, target: BreakingTarget) -> None:
        self.target = target
        self.safe = np.zeros(len(target.wires), bool)
        self.open = np.ones(len(target.wires), bool)
        self._shown: dict[int, Witness] = {}

    @classmethod
    def of_swaps(cls, swapping: Swapping, chosen: int) -> TargetState:
        """State that swaps show under ``chosen`` sightings."""
        state = cls(swapping.target)
        for place, shown in swapping.shown(chosen).items():
            state.set(place, True, shown)
        return state

    def set(self, place: int, safe: bool | None, shown: Witness = ()) -> None:
        """Record whether a wire has its candidates; None: not known."""
        self.open[place], self.safe[place] = safe is None, safe is True
        self._shown[place] = shown

    @property
    def passes(self) -> bool:
        """Whether the target is known to pass."""
        return self.target.passes(self.safe)

    @property
    def may_pass(self) -> bool:
        """Whether it is not known to fail."""
        return self.target.passes(self.safe | self.open)

    def witness(self) -> Witness:
        """Assignments of just enough wires to pass, preferring small conflict sets.

        A witness with a smaller conflict set is a stronger core.
        """
        needed, cost = self.safe.copy(), {}
        for place in np.flatnonzero(self.safe).tolist():
            found = 0
            for assignment in self._shown[place]:
                found |= assignment.useful(0)
            cost[place] = found.bit_count()
        for place in sorted(cost, key=lambda one: -cost[one]):
            needed[place] = False
            needed[place] = not self.target.passes(needed)
        return tuple(
            assignment
            for place in np.flatnonzero(needed).tolist()
            for assignment in self._shown[place]
        )
