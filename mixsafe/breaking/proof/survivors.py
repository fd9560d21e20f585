"""Survivors: few claims and witnesses that withstand fewer sightings than break a target."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.breaking.assignments.conflicts import Moved, Witness
from mixsafe.breaking.breaking_answer import Number
from mixsafe.breaking.proof.recorded_assignments import HOME, RecordedAssignments, recorded_by
from mixsafe.breaking.targets import BreakingTarget
from mixsafe.check.robust.withstanding import MOST, Contradicted, that_withstand
from mixsafe.network.core import Core


class SafeWire(NamedTuple):
    """A claim that a wire has k candidates, with its witnesses.

    Parameters
    ----------
    wire, k
        Wire and number of candidates.
    witnesses
        Numbers of k witnesses.
    """

    wire: int
    k: int
    witnesses: list[int]


class Withstanding(NamedTuple):
    """A certified lower bound.

    Parameters
    ----------
    lower
        Fewer sightings do not break the target.
    survivors
        Claims of each survivor.
    """

    lower: int
    survivors: list[list[SafeWire]]


def survivors_of(
    core: Core, target: BreakingTarget, number: Number, assignments: RecordedAssignments
) -> Withstanding:
    """The largest lower bound that the witnesses of the search show.

    Parameters
    ----------
    core
        The core with the base knowledge.
    target, number
        The target and its number, with the witnesses of the search.
    assignments
        Collects the witnesses.
    """
    usable = {
        place: one
        for place, one in enumerate(number.witnesses)
        if all(conflicts.assignment is not None for conflicts in one)
    }
    lower = min(number.lower, MOST + 1)
    while lower and usable:
        places = list(usable)
        used = that_withstand([_contradicted(usable[one]) for one in places], lower - 1)
        if used is None:
            lower -= 1
            continue
        shown = {places[one]: _claims(core, target, usable[places[one]]) for one in sorted(used)}
        lost = [place for place, claims in shown.items() if claims is None]
        if not lost:
            survivors = [claims for claims in shown.values() if claims is not None]
            return Withstanding(lower, [_taken(one, assignments) for one in survivors])
        for place in lost:
            del usable[place]
    return Withstanding(0, [])


_Shown = tuple[int, int, list[Moved]]
"""A wire, its k, and an assignment for each of its other candidates."""


def _contradicted(witness: Witness) -> Contradicted:
    """Sightings that contradict a witness, in the form of the checker."""
    single = 0
    for one in witness:
        single |= one.single
    return Contradicted(single, tuple(shown for one in witness for shown in one.classes))


def _claims(core: Core, target: BreakingTarget, witness: Witness) -> list[_Shown] | None:
    """Wires that a witness shows to be safe, enough to pass; None: too few."""
    most = max(int(target.k.max()) - 1, 0)
    assignments = [one for conflicts in witness for one in recorded_by(core, conflicts, most)]
    safe, found = np.zeros(len(target.wires), bool), list[_Shown]()
    for wire in np.unique(target.wires).tolist():
        shown = _by_token(assignments, wire, int(core.network.row[wire]))
        places = target.wires == wire
        enough = target.k[places & (target.k <= len(shown) + 1)]
        if len(enough):
            k = int(enough.max())
            found.append((wire, k, list(shown.values())[: k - 1]))
            safe |= places & (target.k <= k)
        if target.passes(safe):
            return found
    return None


def _by_token(assignments: list[Moved], wire: int, own: int) -> dict[int, Moved]:
    """An assignment for each other token that is on a wire in one."""
    found: dict[int, Moved] = {}
    for one in assignments:
        at = int(np.searchsorted(one.wire, wire))
        if at < len(one.wire) and one.wire[at] == wire and one.token[at] != own:
            found.setdefault(int(one.token[at]), one)
    return found


def _taken(claims: list[_Shown], assignments: RecordedAssignments) -> list[SafeWire]:
    """The claims, with the numbers of their witnesses."""
    return [
        SafeWire(wire, k, [HOME, *(assignments.take(one) for one in shown)])
        for wire, k, shown in claims
    ]
