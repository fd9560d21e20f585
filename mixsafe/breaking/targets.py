"""Targets of further sightings: a user by a rule, or one of her wires or requirements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.question.mix_zones import MixZones
from mixsafe.model.question.requirement import Requirements, Rule
from mixsafe.network.wires import WireNetwork

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


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


_UNKNOWN, _HINT = "unknown target '{}'", "use lost, every, share:P, followed or each"


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
