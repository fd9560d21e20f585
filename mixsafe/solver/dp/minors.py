"""Permanents of the minors of a zone: what all other members weigh around some tracked tokens.

Some members of a zone have tracked tokens, which leave on as many of its tracks. The others leave
on the other tracks in any order; the sum of what these permutations weigh is the permanent of the
matrix of weights without the rows and columns of the tracked tokens. For each set of rows, all of
these are found together, from sums over sets of columns (Bellman 1962; Held and Karp 1962).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Minors(NamedTuple):
    """Permanents without up to so many rows and columns, sets of which are bits of a number.

    That without j rows and j columns is in the table at ``first[j] + rank[rows] * n_sets[j] +
    rank[columns]``.

    Parameters
    ----------
    table
        The permanents; empty: none are needed.
    first, n_sets
        (most + 1,) where those without 0, 1, … rows begin, and number of sets of so many.
    rank
        (2^size,) number of a set among those of as many members.
    """

    table: Floats
    first: Ints
    n_sets: Ints
    rank: Ints

    @classmethod
    def none(cls) -> Minors:
        """Of a zone whose tokens are all tracked, or whose pairs all weigh the same."""
        return cls(np.zeros(0), *np.zeros((3, 0), np.int64))

    @classmethod
    def of(cls, weights: Floats, most: int) -> Minors:
        """Those of a zone.

        Parameters
        ----------
        weights
            (size, size) >= 0: of coming as the one member and leaving as the other.
        most
            Maximum number of rows that are left out, 0 to size.
        """
        size = len(weights)
        sets = np.arange(1 << size)
        count = np.zeros(len(sets), np.int64)
        for member in range(size):
            count += sets >> member & 1
        order = np.argsort(count, kind="stable")
        n_sets = np.bincount(count)
        rank = np.empty(len(sets), np.int64)
        rank[order] = np.arange(len(sets)) - np.repeat(np.cumsum(n_sets) - n_sets, n_sets)
        n_sets = n_sets[: most + 1]
        first = np.cumsum(n_sets**2) - n_sets**2
        found = cls(np.zeros(int((n_sets**2).sum())), first, n_sets, rank)
        _fill(weights, count, found, np.zeros(len(sets)))
        return found


def steps_of_minors(size: int, most: int) -> int:
    """Steps that :meth:`Minors.of` takes."""
    return sum(math.comb(size, rows) for rows in range(most + 1)) * size << size


@tiered
def _fill(  # pragma: no cover - compiled
    weights: Floats, count: Ints, found: Minors, ways: Floats
) -> None:
    """Fill the table; ``count`` has the members of each set, ``ways`` is working memory."""
    for rows in range(len(ways)):
        n_out = count[rows]
        if n_out < len(found.n_sets):
            _add_up(rows, weights, count, ways)
            begin = found.first[n_out] + found.rank[rows] * found.n_sets[n_out]
            for columns in range(len(ways)):
                if count[columns] == n_out:
                    found.table[begin + found.rank[columns]] = ways[len(ways) - 1 - columns]


@inner
def _add_up(  # pragma: no cover - compiled
    out: int, weights: Floats, count: Ints, ways: Floats
) -> None:
    """Sum the ways in which all rows but those that are ``out`` take each set of columns.

    They leave one after the other, so the first n of them take a set of n columns.
    """
    size, n_rows = len(weights), 0
    ways[:] = 0.0
    ways[0] = 1.0
    for row in range(size):
        if out >> row & 1:
            continue
        for taken in range(len(ways)):
            if count[taken] == n_rows and ways[taken] > 0:
                for column in range(size):
                    if taken >> column & 1 == 0:
                        ways[taken | 1 << column] += ways[taken] * weights[row, column]
        n_rows += 1
