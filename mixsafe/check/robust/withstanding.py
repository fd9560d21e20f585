"""Whether any set of so many sightings leaves a survivor, by exhaustive case analysis.

A *spot* is a possible sighting, a number; sets of spots are bits of integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mixsafe.errors import InputError

MOST = 500
"""Sightings that survivors withstand, at most, to be looked at here."""


class Contradicted(NamedTuple):
    """Sightings that contradict a survivor.

    Parameters
    ----------
    single
        Spots that do so each by itself.
    shown
        For each user of whom nothing is known: sets of spots at which she has the same token. Where
        different users have different tokens, for each token also: sets of spots of the users who
        have it. Two spots of different sets contradict it.
    """

    single: int
    shown: tuple[tuple[int, ...], ...] = ()

    def by(self, chosen: int) -> bool:
        """Whether some spots contradict it."""
        if self.single & chosen:
            return True
        return any(sum(bool(one & chosen) for one in user) > 1 for user in self.shown)

    def next(self, chosen: int) -> int:
        """Spots of which at least one must be added to the ``chosen`` ones to contradict it."""
        found = self.single
        for user in self.shown:
            same = [one for one in user if one & chosen] or [max(user, key=int.bit_count)]
            for one in user:
                found |= one if one != same[0] else 0
        return found


def that_withstand(survivors: Sequence[Contradicted], size: int) -> set[int] | None:
    """Survivors of which any ``size`` spots leave one, by number; None: some leave none.

    Raises
    ------
    InputError
        More spots than are looked at.
    """
    if size > MOST:
        raise InputError(f"{size} sightings are more than {MOST}, which are not looked at")
    used = set[int]()
    return used if _one_is_left(dict(enumerate(survivors)), 0, size, 0, used) else None


def _one_is_left(
    survivors: dict[int, Contradicted], chosen: int, more: int, barred: int, used: set[int]
) -> bool:
    """Whether the ``chosen`` spots, and ``more`` that are not ``barred``, leave a survivor.

    Notes which survivors say so.
    """
    alive = {number: one for number, one in survivors.items() if not one.by(chosen)}
    needs = {number: one.next(chosen) & ~barred for number, one in alive.items()}
    order = sorted(needs, key=lambda number: needs[number].bit_count())
    apart, taken = list[int](), 0
    for number in order:  # of each of these one spot is needed, and no spot is of two of them
        if not needs[number] & taken:
            apart.append(number)
            taken |= needs[number]
        if len(apart) > more or not needs[number]:
            used.update(apart)
            return True
    if not order:
        return False
    used.add(order[0])
    left = needs[order[0]]
    while left:
        spot = left & -left
        if not _one_is_left(alive, chosen | spot, more - 1, barred, used):
            return False
        barred |= spot  # what has this one was looked at
        left ^= spot
    return True
