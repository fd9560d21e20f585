"""The order of vehicles in a feed: whether new identifiers take the places of those that vanished.

A list that is sorted by vehicle keeps the place of a vehicle that is away. Identifiers that are
new then appear between the same two neighbours between which another one has vanished.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import NamedTuple

LONGEST = 7_200
"""Seconds of the longest ride whose vehicle is looked for."""

ENOUGH = 2_000
"""Arrivals that tell what there is to tell."""


class Arrival(NamedTuple):
    """An identifier that is new, between two others that were there before.

    Parameters
    ----------
    new, old
        The identifier, and one that vanished between the same two not long ago; None: none did.
    chance
        Probability that there is one, if the place of the new one is any, and all are alike.
    """

    new: str
    old: str | None
    chance: float


@dataclass
class RecordOrder:
    """The order of identifiers, with the places of those that vanished in the last two hours.

    Parameters
    ----------
    line
        Identifiers in order.
    gone
        Unix seconds at which those of the line that are not there vanished.
    arrivals
        The first ones. Those at the begin and at the end of the list are left out: lists in which
        the last one to come is first, or last, say nothing of vehicles.
    """

    line: list[str] = field(default_factory=list)
    gone: dict[str, int] = field(default_factory=dict)
    arrivals: list[Arrival] = field(default_factory=list)

    def step(self, names: Sequence[str], known: Set[str], time: int) -> None:
        """Go on to the next snapshot.

        Parameters
        ----------
        names
            Its identifiers in the order of the file.
        known
            Those of the snapshot before.
        time
            Unix seconds.
        """
        if len(self.arrivals) >= ENOUGH:
            return
        there, line = set(names), set(self.line)
        stay = [name for name in names if name in line]
        if stay != [name for name in self.line if name in there]:
            self.line, self.gone = list(names), {}  # sorted anew: nothing of it survives
            return
        self.gone |= dict.fromkeys(known - there, time)
        gaps = self._gaps(there, time)
        self.gone = {name: self.gone[name] for gap in gaps for name in gap}
        sizes = [len(gap) + 1 for gap in gaps[1:-1]]
        covered = sum(size for size in sizes if size > 1)
        self.line, number, fresh = [], 0, list[str]()
        for name in [*names, None]:
            if name is not None and name not in line:
                fresh.append(name)
                continue
            gap = gaps[number]
            for one in fresh:
                old = gap.pop(0) if gap else None
                self.gone.pop(old or "", None)
                if 0 < number < len(gaps) - 1:
                    self.arrivals.append(Arrival(one, old, covered / sum(sizes)))
            self.line += [*fresh, *gap, *([] if name is None else [name])]
            number, fresh = number + 1, []

    def _gaps(self, there: Set[str], time: int) -> list[list[str]]:
        """Identifiers that vanished not long ago, before each that is there and after the last."""
        gaps: list[list[str]] = [[]]
        for name in self.line:
            if name in there:
                gaps.append([])
            elif self.gone[name] >= time - LONGEST:
                gaps[-1].append(name)
        return gaps
