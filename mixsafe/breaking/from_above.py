"""Sets of sightings that break a single wire for sure: upper bounds without any engine."""

from __future__ import annotations

from mixsafe.breaking.histories.killing import Witness, numbers, survives, useful
from mixsafe.breaking.histories.token_ways import TokenWays
from mixsafe.breaking.hitting import OutOfTimeError, smallest
from mixsafe.model.limits import Deadline


class FromAbove:
    """The fewest sightings that leave too few ways of tokens.

    Parameters
    ----------
    ways
        Of tokens over the wire, and around it.
    everything
        All sightings that there may be.
    """

    def __init__(self, ways: TokenWays, everything: int) -> None:
        self._ways, self._everything = ways, everything
        self._witnesses: list[Witness] = []

    def breaking(self, at_most: int, deadline: Deadline) -> int | None:
        """A set that breaks the wire; None: not even all sightings leave too few ways.

        The smallest one of those that leave too few, if ``at_most`` are enough; else one that
        needs all that it has.
        """
        if self._ways.witness(self._everything) is not None:
            return None
        try:
            found, least = None, 0
            while (found := smallest(self._witnesses, least, at_most, deadline)) is not None:
                if self._breaks(found):
                    return found
                least = found.bit_count()
        except OutOfTimeError:
            pass
        return self._greedy()

    def _breaks(self, chosen: int) -> bool:
        """Whether a set leaves too few ways; if not, there are some that it must not leave."""
        left = self._ways.witness(chosen)
        if left is not None:
            self._witnesses.append(left)
        return left is None

    def _greedy(self) -> int:
        """A set that leaves too few ways, and needs all that it has."""
        chosen = 0
        while not self._breaks(chosen):
            chosen |= self._best(chosen)
        for one in sorted(numbers(chosen)):
            without = chosen & ~(1 << one)
            if not any(survives(left, without) for left in self._witnesses) and self._breaks(
                without
            ):
                chosen = without
        return chosen

    def _best(self, chosen: int) -> int:
        """The sighting that is of use against the last ways, and against most of all others."""
        left = [useful(one, chosen) for one in self._witnesses if survives(one, chosen)]
        here = list(numbers(left[-1]))
        return 1 << max(here, key=lambda one: sum(other >> one & 1 for other in left))
