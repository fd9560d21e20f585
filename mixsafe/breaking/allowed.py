"""Allowed further sightings: of the user herself, of anybody, or from a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.targets import BreakingTarget, Ints
from mixsafe.model.csr import ranges
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork

Of = Literal["self", "anybody"]


class SightingChoices(NamedTuple):
    """Allowed sightings for one target.

    Parameters
    ----------
    row, time
        (n,) int64 each: user and step; one of each class of equivalent sightings.
    wire
        (n,) int64, ascending: the wire of the sighting.
    counts
        (n_wires of the target, n) bool: whether a sighting counts for a wire.
    """

    row: Ints
    time: Ints
    wire: Ints
    counts: npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Allowed:
    """Allowed further sightings.

    Parameters
    ----------
    of
        ``self``: of the target's user; ``anybody``: of all users.
    listed
        Only these; None: at any step from 0 on.
    away
        A sighting counts for a wire if it is more than this many steps before its first or after
        its last step; None: all sightings count.
    """

    of: Of = "self"
    listed: Knowledge | None = None
    away: int | None = None

    def for_target(self, target: BreakingTarget, network: WireNetwork) -> SightingChoices:
        """Sightings that may break a target, one of each equivalence class."""
        row, time = self._any(target, network)
        said = self._said(target, network, row, time)
        wire, counts = said[:, 0], said[:, 1:].T.astype(bool)
        keep = counts.any(axis=0)
        if keep.any():  # one of those equivalent for the same wires is enough
            first = np.zeros(len(row), bool)
            if self.away is not None and len(target.wires) > 1:
                first[np.unique(said, axis=0, return_index=True)[1]] = True
            else:
                first[np.flatnonzero(keep)[np.unique(wire[keep], return_index=True)[1]]] = True
            keep &= first
        order = np.flatnonzero(keep)
        order = order[np.argsort(wire[order], kind="stable")]
        return SightingChoices(row[order], time[order], wire[order], counts[:, order])

    def _said(self, target: BreakingTarget, network: WireNetwork, row: Ints, time: Ints) -> Ints:
        """(n, 1 + wires of the target) wire of each sighting, and for which wires it counts."""
        counts = np.ones((len(row), len(target.wires)), np.int64)
        if self.away is not None:
            start, end = network.start[target.wires], network.end[target.wires]
            early = time[:, None] < start - self.away
            counts = (early | (time[:, None] > end + self.away)).astype(np.int64)
        return np.concatenate([network.wire_at(row, time)[:, None], counts], axis=1)

    def _any(self, target: BreakingTarget, network: WireNetwork) -> tuple[Ints, Ints]:
        """Rows and steps of allowed sightings, without redundant steps where possible."""
        if self.listed is not None or (self.away is not None and len(target.wires) > 1):
            return self._every(target, network)
        row, start, end = self._columns(target, network)
        if self.away is None:
            return row, start
        # The ends of a wire are farthest from any other wire
        return np.repeat(row, 2), np.stack([start, end], axis=1).ravel()

    def _every(self, target: BreakingTarget, network: WireNetwork) -> tuple[Ints, Ints]:
        """Rows and steps of all allowed sightings."""
        if self.listed is not None:
            chosen = self.listed.row == target.user if self.of == "self" else slice(None)
            seen = self.listed.row[chosen], self.listed.time[chosen]
            return seen[0].astype(np.int64), seen[1].astype(np.int64)
        row, start, end = self._columns(target, network)
        steps = end - start + 1
        return np.repeat(row, steps), ranges(start, steps)

    def _columns(self, target: BreakingTarget, network: WireNetwork) -> tuple[Ints, Ints, Ints]:
        """Row, first and last step of the wires with allowed sightings."""
        low, high = 0, network.n_wires
        if self.of == "self":
            low, high = network.first[[target.user, target.user + 1]].tolist()
        row, start, end = (
            column[low:high].astype(np.int64)
            for column in (network.row, network.start, network.end)
        )
        return row, start, end
