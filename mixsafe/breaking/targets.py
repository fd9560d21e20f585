"""Targets of further sightings: a user by a rule, or one of her wires or requirements.

The sightings that are allowed are those of the user herself, of anybody, or from a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import ranges
from mixsafe.model.question.adversary import Knowledge
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.wires import WireNetwork

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_UNKNOWN, _HINT = "unknown target '{}'", "use lost, every, share:P, followed or each"
Of = Literal["self", "anybody"]


@dataclass(frozen=True, eq=False)
class BreakingTarget:
    """A user, wire or requirement that further sightings are to make fail.

    Parameters
    ----------
    user
        Row of the user.
    wires
        (n,) int64: her wires in question, one or more.
    k, weight
        (n,) int64 each: candidates required on a wire, and the number of its steps in which
        something of the user is published, >= 1; of a requirement 1.
    rule
        Rule by which she passes.
    start, end
        First and last step in question.
    """

    user: int
    wires: Ints
    k: Ints
    weight: Ints
    rule: Rule
    start: int
    end: int

    def passes(self, safe: Flags) -> bool:
        """Whether she passes if these of her wires, (n,), have their candidates."""
        needed = int(self.rule.needed(self.weight.sum(keepdims=True))[0])
        return int(self.weight[safe].sum()) >= needed


class WantedTargets(NamedTuple):
    """The targets to derive for all users.

    Parameters
    ----------
    k
        Required candidates; None: from the problem's requirements.
    rule
        Rule by which a user passes; None: each wire, or each requirement, is a separate target.
    followed
        Whether the target is that she carries one pseudonym throughout: fewer than two candidates
        at every step in question.
    """

    k: int | None
    rule: Rule | None = None
    followed: bool = False

    @classmethod
    def parse(cls, target: str, k: int | None) -> WantedTargets:
        """Parse ``lost``, ``every``, ``share:P``, ``followed`` or ``each``.

        Raises
        ------
        InputError
            Unknown target.
        """
        if target == "followed":
            return cls(2, Rule("some"), followed=True)
        if target == "each":
            return cls(k)
        if target == "some":
            raise InputError(_UNKNOWN.format(target), hint=_HINT)
        try:
            return cls(k, Rule.parse("some" if target == "lost" else target))
        except InputError as error:
            if target.startswith("share:"):
                raise
            raise InputError(_UNKNOWN.format(target), hint=_HINT) from error


def targets(
    zones: MixZones,
    network: WireNetwork,
    wanted: WantedTargets,
    requirements: Requirements | None,
) -> list[BreakingTarget]:
    """All targets, by user and time.

    Parameters
    ----------
    zones, network
        Mix zones, and all their wires.
    wanted
        The targets to derive.
    requirements
        Times in question, with ``k`` for each; None: all published steps, wire by wire.
    """
    if requirements is None:
        k = 1 if wanted.k is None else wanted.k
        start = np.maximum(network.start, 1)  # t = 0 is not in question
        weight = zones.time_of(network.row, network.start, network.end)
        wire = np.flatnonzero(weight > 0)
        start, end, weight = start[wire], network.end[wire], weight[wire]
        needed = np.full(len(wire), k, np.int64)
    else:
        order = np.lexsort((requirements.time, requirements.row))
        start = end = requirements.time[order]
        wire = network.wire_at(requirements.row[order], start)
        weight = np.ones(len(wire), np.int64)
        needed = requirements.k[order].astype(np.int64)
        if wanted.k is not None:
            needed[:] = wanted.k
    user = network.row[wire]
    if wanted.rule is None:
        begin = np.arange(len(wire) + 1)
    else:
        begin = np.append(np.flatnonzero(np.append(True, user[1:] != user[:-1])), len(wire))
        begin = begin if len(wire) else np.zeros(1, np.int64)
    rule = wanted.rule or Rule("every")
    found = []
    for low, high in zip(begin[:-1].tolist(), begin[1:].tolist(), strict=True):
        part = slice(low, high)
        times = int(start[part].min()), int(end[part].max())
        found.append(
            BreakingTarget(int(user[low]), wire[part], needed[part], weight[part], rule, *times)
        )
    return found


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
