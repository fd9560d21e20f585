"""Upper bounds without an engine: sets of sightings proven to break a single wire."""

from __future__ import annotations

from mixsafe.breaking.assignments.conflicts import (
    Witness,
    hits_of,
    listed,
    set_of,
    survives,
    useful,
)
from mixsafe.breaking.assignments.token_paths import TokenPaths
from mixsafe.model.limits import Deadline
from mixsafe.solver.hitting import ImplicitHittingSet


class FromAbove:
    """The fewest sightings that leave too few token paths.

    Parameters
    ----------
    paths
        Token paths over the wire, and around it.
    everything
        The set of all allowed sightings.
    """

    def __init__(self, paths: TokenPaths, everything: int) -> None:
        self._paths, self._everything = paths, everything
        self._witnesses: list[Witness] = []
        self._search = ImplicitHittingSet()

    def breaking(self, at_most: int, deadline: Deadline) -> int | None:
        """A set that breaks the wire; None: even all sightings leave enough paths.

        It is minimum if ``at_most`` sightings suffice, otherwise minimal (no sighting can be
        dropped). After the deadline it may not be minimal, or be None.
        """
        if self._paths.witness(self._everything) is not None:
            return None
        self._search = ImplicitHittingSet(most=at_most)
        while (found := self._search.propose(deadline)) is not None:
            if self._breaks(set_of(found)):
                return set_of(found)
        return self._greedy(deadline)

    def _breaks(self, chosen: int) -> bool:
        """Whether a set leaves too few paths; if not, add the paths left as a core."""
        left = self._paths.witness(chosen)
        if left is not None:
            self._witnesses.append(left)
            self._search.refute(*hits_of(left))
        return left is None

    def _greedy(self, deadline: Deadline) -> int | None:
        """A set that leaves too few paths, minimal if there is time.

        It takes all sightings that help to contradict the paths left, short paths first.
        """
        chosen = 0
        while not self._breaks(chosen):
            if deadline.passed:
                return None
            chosen |= useful(self._witnesses[-1], chosen)
        for one in listed(chosen).tolist():
            if deadline.passed:
                break
            without = chosen & ~(1 << one)
            if not any(survives(left, without) for left in self._witnesses) and self._breaks(
                without
            ):
                chosen = without
        return chosen
