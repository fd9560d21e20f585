"""Smallest sets of sightings that kill every witness so far: the lower bound."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_

import numpy as np

from mixsafe.breaking.histories.killing import Witness, numbers, survives, useful
from mixsafe.model.limits import Deadline

_FEW_BITS = 1 << 14
"""Bits of sets below which whole numbers count them sooner than arrays."""


class OutOfTimeError(Exception):
    """The time is up before it is known."""


def smallest(
    witnesses: Sequence[Witness], least: int, most: int, deadline: Deadline, barred: int = 0
) -> int | None:
    """A smallest set of sightings that kills all witnesses; None: it has more than ``most``.

    Parameters
    ----------
    witnesses
        What is to be killed.
    least
        No smaller set does it, as is known.
    most
        Larger sets are not looked for.
    deadline
        When to give up.
    barred
        Sightings that are not to be taken.

    Raises
    ------
    OutOfTimeError
        The deadline has passed first.
    """
    for size in range(least, most + 1):
        found = _extend(witnesses, 0, size, barred, deadline)
        if found is not None:
            return found
    return None


def _extend(
    witnesses: Sequence[Witness], chosen: int, left: int, barred: int, deadline: Deadline
) -> int | None:
    """Add at most ``left`` sightings, none of those ``barred``, so that all witnesses are killed.

    It is enough to try those of which one is needed for one of the witnesses; and no set will do
    where more than ``left`` witnesses need one each, of which no two have any in common.
    """
    if deadline.passed:
        raise OutOfTimeError
    open_ones = [one for one in witnesses if survives(one, chosen)]
    if not open_ones:
        return chosen
    needed = sorted((useful(one, chosen) & ~barred for one in open_ones), key=int.bit_count)
    if not needed[0] or _apart(needed) > left:
        return None
    for number in most_used(needed) if left > 1 else numbers(reduce(and_, needed)):
        found = _extend(open_ones, chosen | 1 << number, left - 1, barred, deadline)
        if found is not None:
            return found
        barred |= 1 << number
    return None


def most_used(needed: Sequence[int]) -> list[int]:
    """The numbers of the first of some sets, those first that most of the sets have."""
    if max(map(int.bit_length, needed)) * len(needed) < _FEW_BITS:
        counted = {one: sum(need >> one & 1 for need in needed) for one in numbers(needed[0])}
        return sorted(counted, key=lambda one: -counted[one])
    size = max(one.bit_length() for one in needed) // 8 + 1
    rows = b"".join(one.to_bytes(size, "little") for one in needed)
    table = np.frombuffer(rows, np.uint8).reshape(len(needed), size)
    sets = np.unpackbits(table, axis=1, bitorder="little")
    first = np.flatnonzero(sets[0])
    counts = sets[:, first].sum(axis=0, dtype=np.int64)
    found: list[int] = first[np.argsort(-counts, kind="stable")].tolist()
    return found


def _apart(needed: Sequence[int]) -> int:
    """How many of some sets have nothing in common, taken as they come."""
    taken = count = 0
    for one in needed:
        if not one & taken:
            taken |= one
            count += 1
    return count
