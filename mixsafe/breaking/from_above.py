"""Sets of sightings that break a single wire for sure: upper bounds without any engine."""

from __future__ import annotations

from mixsafe.breaking.assignments.conflicts import (
    Witness,
    hits_of,
    numbers,
    set_of,
    survives,
    useful,
)
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.model.limits import Deadline
from mixsafe.solver.hitting.implicit import ImplicitHittingSet


class FromAbove:
    """The fewest sightings that leave too few ways of tokens.

    Parameters
    ----------
    paths
        Of tokens over the wire, and around it.
    everything
        All sightings that there may be.
    """

    def __init__(self, paths: TokenPaths, everything: int) -> None:
        self._paths, self._everything = paths, everything
        self._witnesses: list[Witness] = []
        self._search = ImplicitHittingSet()

    def breaking(self, at_most: int, deadline: Deadline) -> int | None:
        """A set that breaks the wire; None: not even all sightings leave too few ways.

        The smallest one of those that leave too few, if ``at_most`` are enough; else one that
        needs all that it has. Where the time is up, one that may not, or none.
        """
        if self._paths.witness(self._everything) is not None:
            return None
        self._search = ImplicitHittingSet(most=at_most)
        while (found := self._search.propose(deadline)) is not None:
            if self._breaks(set_of(found)):
                return set_of(found)
        return self._greedy(deadline)

    def _breaks(self, chosen: int) -> bool:
        """Whether a set leaves too few ways; if not, there are some that it must not leave."""
        left = self._paths.witness(chosen)
        if left is not None:
            self._witnesses.append(left)
            self._search.refute(*hits_of(left))
        return left is None

    def _greedy(self, deadline: Deadline) -> int | None:
        """A set that leaves too few ways, and needs all that it has, as long as there is time.

        Of each way that is left it takes all that is of use against it, short ways first.
        """
        chosen = 0
        while not self._breaks(chosen):
            if deadline.passed:
                return None
            chosen |= useful(self._witnesses[-1], chosen)
        for one in sorted(numbers(chosen)):
            if deadline.passed:
                break
            without = chosen & ~(1 << one)
            if not any(survives(left, without) for left in self._witnesses) and self._breaks(
                without
            ):
                chosen = without
        return chosen
