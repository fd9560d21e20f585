"""Which further sightings there may be: of the user herself, of anybody, or those of a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork

Of = Literal["self", "anybody"]


class SightingChoices(NamedTuple):
    """The sightings that there may be for one target.

    Parameters
    ----------
    row, time
        (n,) int64 each: who is seen, and when; of several that say the same there is one.
    wire
        (n,) int64, ascending: the wire on which she is seen.
    counts
        (n_wires of the target, n) bool: which of them count where a wire is asked about.
    """

    row: Ints
    time: Ints
    wire: Ints
    counts: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Allowed:
    """Which further sightings there may be.

    Parameters
    ----------
    of
        ``self``: of the user whom a target is about; ``anybody``.
    listed
        These only; None: at any step from 0 on.
    away
        What counts about a wire is seen more than so many steps before it begins or after it ends;
        None: everything counts.
    """

    of: Of = "self"
    listed: Knowledge | None = None
    away: int | None = None

    def for_target(self, target: BreakingTarget, network: WireNetwork) -> SightingChoices:
        """The sightings that may break a target."""
        row, time = self._any(target, network)
        wire = network.wire_at(row, time)
        start, end = network.start[target.wires], network.end[target.wires]
        counts = np.ones((len(target.wires), len(row)), bool)
        if self.away is not None:
            early = time[None] < start[:, None] - self.away
            counts = early | (time[None] > end[:, None] + self.away)
        keep = counts.any(axis=0)
        if keep.any():  # of those that say the same about the same wires one is enough
            said = np.concatenate([wire[None], counts]).T
            first = np.zeros(len(row), bool)
            first[np.unique(said, axis=0, return_index=True)[1]] = True
            keep &= first
        order = np.flatnonzero(keep)
        order = order[np.argsort(wire[order], kind="stable")]
        return SightingChoices(row[order], time[order], wire[order], counts[:, order])

    def _any(self, target: BreakingTarget, network: WireNetwork) -> tuple[Ints, Ints]:
        """Rows and steps of all that may be seen, as far as it can make a difference."""
        own = self.of == "self"
        if self.listed is not None:
            chosen = self.listed.row == target.user if own else slice(None)
            return self.listed.row[chosen].astype(np.int64), self.listed.time[chosen].astype(
                np.int64
            )
        low, high = network.first[[target.user, target.user + 1]] if own else (0, network.n_wires)
        row, start, end = (
            column[low:high].astype(np.int64)
            for column in (network.row, network.start, network.end)
        )
        if self.away is None:
            return row, start
        if len(target.wires) == 1:  # the ends of a wire are farthest from any other
            return np.repeat(row, 2), np.stack([start, end], axis=1).ravel()
        steps = end - start + 1
        begin = np.repeat(start - np.cumsum(steps) + steps, steps)
        return np.repeat(row, steps), np.arange(int(steps.sum())) + begin
