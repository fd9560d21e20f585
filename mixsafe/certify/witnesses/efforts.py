"""How long witnesses are looked for, and by what: walks, and rounds of annealing."""

from __future__ import annotations

from collections.abc import Iterator

from mixsafe.certify.witnesses.short_walks import Pace

FIRST_WALKS = (Pace(3, 10, 1, 40), Pace(5, 10, 2, 800), Pace(5, 10, 5, 150))
MANY = 1000
"""Wires that lack witnesses: for fewer, the walks after the first ones are long at once."""

LONG = 2
"""The first of the next walks that is."""

PATIENCE = 4
"""Walks in a row that may find nothing."""

ROUNDS = ((12_000, 16), *[(12_000, 64)] * 2, *[(48_000, 64)] * 2, (192_000, 64))
"""Rounds of annealing: moves of its tries, and how many there are at least."""

_FEW, _SOME, _SHARE = 50, 250, 0.25  # wires for annealing: some where a walk shows less than that
_CHEAP = 5  # walks go on with fewer supports, times this, than a network has wires
_REACHES = (800, 150)
_WALKS = 16  # at most


def next_walks(first: int) -> Iterator[Pace]:
    """Walks that try twice as much each, from the one of this number on."""
    for number in range(first, first + _WALKS):
        yield Pace(5, 20 << number, 5 << number, _REACHES[number % 2])


def is_annealed(left: int, share: float, pace: Pace, n_wires: int) -> bool:
    """Whether annealing finds sooner what so many wires lack than the next walk.

    A walk costs with the wires that are left, a try of annealing with all of them.

    Parameters
    ----------
    left
        Wires that lack witnesses.
    share
        Of what was missing, what the last walk showed.
    pace
        Of the next walk.
    n_wires
        All wires.
    """
    is_dear = left * pace.tries * _CHEAP > n_wires
    return is_dear and left <= (_FEW if share >= _SHARE else _SOME)
