"""Which sightings contradict an assignment, and which assignments a set of sightings leaves alive.

An assignment that agrees with the base knowledge is *killed* by a sighting of a user that shows her
with another token than her earlier sightings. If nothing is known of her so far, it takes two
sightings that show her with different tokens. Sets of sightings are bits of whole numbers: that of
number i of the :class:`~mixsafe.breaking.allowed.SightingChoices` is ``1 << i``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.breaking.allowed import SightingChoices
from mixsafe.breaking.targets import Flags, Ints
from mixsafe.model.question.adversary import Knowledge
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import Assignment


class Moved(NamedTuple):
    """An assignment, told by the wires that hold other tokens than those of their own rows.

    Parameters
    ----------
    wire, token
        (n,) int64, and int32.
    """

    wire: Ints
    token: npt.NDArray[np.int32]


class Away(NamedTuple):
    """Assignments in which somebody is away from her row, and another one comes, whoever can.

    Parameters
    ----------
    user
        Her row.
    begin, end
        From which of her wires to before which.
    """

    user: int
    begin: int
    end: int


class Conflicts(NamedTuple):
    """What kills an assignment.

    Parameters
    ----------
    single
        Sightings of which each does, of users of whom something is known.
    classes
        For each other user who has several tokens: sightings that show the same one. Two of
        different classes kill it.
    assignment
        Which one it is; None: it is none, and only stands for one.
    """

    single: int
    classes: tuple[tuple[int, ...], ...] = ()
    assignment: Moved | Away | None = None

    def by(self, chosen: int) -> bool:
        """Whether a set of sightings kills it."""
        if self.single & chosen:
            return True
        return any(sum(bool(one & chosen) for one in told) > 1 for told in self.classes)

    def useful(self, chosen: int) -> int:
        """Sightings of which one more is needed, at least, after those ``chosen``."""
        found = self.single
        for told in self.classes:
            hit = [one for one in told if one & chosen]
            spared = hit[0] if hit else max(told, key=int.bit_count)
            for one in told:
                found |= one if one != spared else 0
        return found


Witness = tuple[Conflicts, ...]
"""Assignments that together show that a target passes: it fails only when one of them is killed."""


def survives(witness: Witness, chosen: int) -> bool:
    """Whether a set of sightings leaves all assignments of a witness alive."""
    return not any(assignment.by(chosen) for assignment in witness)


def useful(witness: Witness, chosen: int) -> int:
    """Sightings of which one more is needed, at least, to kill one of its assignments."""
    found = 0
    for assignment in witness:
        found |= assignment.useful(chosen)
    return found


def hits_of(witness: Witness, barred: int = 0) -> tuple[list[int], list[list[list[int]]]]:
    """What kills one of its assignments, as a core for an implicit hitting set.

    Parameters
    ----------
    witness
        That survives.
    barred
        Sightings that do not come into question.

    Returns
    -------
    Sightings one of which is enough; and families of classes, two of one of which are enough.
    """
    single, families = 0, []
    for assignment in witness:
        single |= assignment.single
        for told in assignment.classes:
            families.append([list(numbers(one & ~barred)) for one in told])
    return list(numbers(single & ~barred)), families


def set_of(chosen: Iterable[int]) -> int:
    """The set of some numbers."""
    return sum(1 << one for one in chosen)


def bits_of(those: npt.NDArray[np.bool_]) -> int:
    """The set of the numbers of what is true, (n,)."""
    return int.from_bytes(np.packbits(those, bitorder="little").tobytes(), "little")


def numbers(chosen: int) -> Iterator[int]:
    """The numbers of a set, ascending."""
    while chosen:
        lowest = chosen & -chosen
        yield lowest.bit_length() - 1
        chosen ^= lowest


def listed(chosen: int) -> Ints:
    """(n,) int64: the numbers of a set, ascending."""
    bits = np.frombuffer(chosen.to_bytes(chosen.bit_length() // 8 + 1, "little"), np.uint8)
    return np.flatnonzero(np.unpackbits(bits, bitorder="little"))


class KnownUsers(NamedTuple):
    """What is known of users before.

    Parameters
    ----------
    wire
        (n_rows,) int64: a wire on which each was seen; -1: nothing is known of her.
    home
        (n_wires,) int32: the row of each wire.
    seen
        (n,) int64, ascending: the wires on which somebody was seen.
    named
        (n_rows,) bool: seen before her first zone, so that it is known which token is hers.
    """

    wire: Ints
    home: npt.NDArray[np.int32]
    seen: Ints
    named: Flags

    @classmethod
    def of(cls, knowledge: Knowledge, network: WireNetwork) -> KnownUsers:
        """By the first sighting of each user."""
        wire = np.full(network.n_rows, -1, np.int64)
        row, first = np.unique(knowledge.row, return_index=True)
        wire[row] = network.wire_at(row, knowledge.time[first])
        seen = np.unique(network.wire_at(knowledge.row, knowledge.time))
        named = np.zeros(network.n_rows, np.bool_)
        named[network.row[seen[seen == network.first[network.row[seen]]]]] = True
        return cls(wire, network.row, seen, named)


def conflicts(
    assignment: Assignment,
    choices: SightingChoices,
    counts: npt.NDArray[np.bool_],
    known: KnownUsers,
) -> Conflicts:
    """What kills an assignment.

    Parameters
    ----------
    assignment
        (n_wires,) token on each wire.
    choices
        What may be seen.
    counts
        (n_choices,) bool: those that count.
    known
        What is known of users before.
    """
    shown = assignment[choices.wire]
    seen = known.wire[choices.row]
    named = seen >= 0
    single = counts & named & (shown != assignment[seen])
    single_bits = bits_of(single)
    classes = []
    moved = counts & ~named
    for row in np.unique(choices.row[moved & (shown != choices.row)]).tolist():
        told: dict[int, int] = {}
        for number in np.flatnonzero(moved & (choices.row == row)).tolist():
            told[int(shown[number])] = told.get(int(shown[number]), 0) | 1 << number
        if len(told) > 1:
            classes.append(tuple(told.values()))
    moves = np.flatnonzero(assignment != known.home)
    return Conflicts(single_bits, tuple(classes), Moved(moves, assignment[moves]))
