"""Conflict sets: the sightings that contradict an assignment.

An assignment that agrees with the base knowledge is *contradicted* by a sighting of a user that
shows her with another token than her earlier sightings. If there are none, it takes two sightings
that show her with different tokens. Where different people are different, a sighting of a user with
the token of somebody who was seen before contradicts it, too, and so do two sightings that show two
users with one token. Sets of sightings are bits of integers: that of number i of the
:class:`~mixsafe.breaking.targets.SightingChoices` is ``1 << i``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from operator import or_
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.targets import Flags, Ints, SightingChoices
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import Assignment

_Numbers = npt.NDArray[np.int32] | Ints
"""(n_choices,) tokens or users."""


class Conflicts(NamedTuple):
    """Conflict set of an assignment.

    Parameters
    ----------
    single
        Sightings each of which contradicts it: of users with known sightings.
    classes
        For each other user with several tokens: classes of sightings that show the same token.
        Where different people are different, for each token of several users also: classes of
        sightings of the same user. Two sightings of different classes contradict it.
    """

    single: int
    classes: tuple[tuple[int, ...], ...] = ()

    def by(self, chosen: int) -> bool:
        """Whether a set of sightings contradicts the assignment."""
        if self.single & chosen:
            return True
        return any(sum(bool(one & chosen) for one in family) > 1 for family in self.classes)

    def useful(self, chosen: int) -> int:
        """Sightings of which at least one must be added to those ``chosen`` to contradict it."""
        found = self.single
        for family in self.classes:
            hit = [one for one in family if one & chosen]
            spared = hit[0] if hit else max(family, key=int.bit_count)
            for one in family:
                found |= one if one != spared else 0
        return found


Witness = tuple[Conflicts, ...]
"""Assignments that show that a target passes: it fails only if one of them is contradicted."""


def survives(witness: Witness, chosen: int) -> bool:
    """Whether a set of sightings contradicts no assignment of a witness."""
    return not any(assignment.by(chosen) for assignment in witness)


def useful(witness: Witness, chosen: int) -> int:
    """Sightings of which at least one must be added to contradict one of its assignments."""
    found = 0
    for assignment in witness:
        found |= assignment.useful(chosen)
    return found


def hits_of(witness: Witness) -> tuple[list[int], list[list[list[int]]]]:
    """Sightings that contradict one of its assignments, as a core of an implicit hitting set.

    Parameters
    ----------
    witness
        A surviving witness.

    Returns
    -------
    Sightings one of which is enough; and families of classes, two of one of which are enough.
    """
    single, families = 0, []
    for assignment in witness:
        single |= assignment.single
        for family in assignment.classes:
            families.append([listed(one).tolist() for one in family])
    return listed(single).tolist(), families


def set_of(chosen: Iterable[int]) -> int:
    """The set of some numbers, which may be given several times."""
    return reduce(or_, (1 << one for one in chosen), 0)


def bits_of(those: npt.NDArray[np.bool_]) -> int:
    """The set of the numbers at which an array, (n,), is true."""
    return int.from_bytes(np.packbits(those, bitorder="little").tobytes(), "little")


def listed(chosen: int) -> Ints:
    """(n,) int64: the numbers of a set, ascending."""
    bits = np.frombuffer(chosen.to_bytes(chosen.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


class KnownUsers(NamedTuple):
    """Base knowledge by user.

    Parameters
    ----------
    wire
        (n_rows,) int64: a wire on which each was seen; -1: never.
    seen
        (n,) int64, ascending: the wires with sightings.
    named
        (n_rows,) bool: seen before her first zone, which reveals her token.
    distinct
        Whether different users have different tokens at their sightings.
    """

    wire: Ints
    seen: Ints
    named: Flags
    distinct: bool

    @classmethod
    def of(cls, knowledge: Knowledge, network: WireNetwork) -> KnownUsers:
        """By the first sighting of each user."""
        wire = np.full(network.n_rows, -1, np.int64)
        row, first = np.unique(knowledge.row, return_index=True)
        wire[row] = network.wire_at(row, knowledge.time[first])
        seen = np.unique(network.wire_at(knowledge.row, knowledge.time))
        named = np.zeros(network.n_rows, np.bool_)
        named[network.row[seen[seen == network.first[network.row[seen]]]]] = True
        return cls(wire, seen, named, knowledge.distinct)


def conflicts(
    assignment: Assignment,
    choices: SightingChoices,
    counts: npt.NDArray[np.bool_],
    known: KnownUsers,
) -> Conflicts:
    """Conflict set of an assignment.

    Parameters
    ----------
    assignment
        (n_wires,) token on each wire.
    choices
        Allowed sightings.
    counts
        (n_choices,) bool: whether each counts.
    known
        Base knowledge by user.
    """
    shown = assignment[choices.wire]
    seen = known.wire[choices.row]
    is_known = seen >= 0
    single = counts & is_known & (shown != assignment[seen])
    free = counts & ~is_known
    if known.distinct:
        single |= free & np.isin(shown, assignment[known.wire[known.wire >= 0]])
    moved = free & (shown != choices.row)
    classes = _classes(free, choices.row, shown, choices.row[moved])
    if known.distinct:
        classes += _classes(free, shown, choices.row, shown[moved])
    return Conflicts(bits_of(single), tuple(classes))


def _classes(free: Flags, of: _Numbers, by: _Numbers, some: _Numbers) -> list[tuple[int, ...]]:
    """For some values of ``of``: the classes of sightings with the same value ``by``, if several.

    ``free``, (n_choices,): sightings that count, of users without known sightings.
    """
    families = []
    for one in np.unique(some).tolist():
        classes: dict[int, int] = {}
        for number in np.flatnonzero(free & (of == one)).tolist():
            classes[int(by[number])] = classes.get(int(by[number]), 0) | 1 << number
        if len(classes) > 1:
            families.append(tuple(classes.values()))
    return families
