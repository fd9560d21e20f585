"""Permutations of the members of zones by their likelihood: the likeliest, and what pairs cost.

A zone with m members has an (m, m) matrix of log-likelihoods: entry (a, b) is that of who came in
on the track of a and leaves on that of b; -inf: not possible. The log-likelihood of a permutation
is the sum of its entries. All functions take many zones, whose matrices stand one after the other.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_EXACT = 12
"""Members of a zone whose beliefs are exact; those of larger ones come from belief propagation."""

_ROUNDS = 200
_SETTLED = 1e-6
_LEAST_SUM = 1e-12


@compiled
def assign(  # pragma: no cover - compiled
    matrices: Floats, sizes: Ints, excess: Floats, best: Ints
) -> None:
    """Find the likeliest permutation of each zone, and how much less likely other pairs are.

    By shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987).

    Parameters
    ----------
    matrices
        (sum of squared sizes,) log-likelihoods. The identity is possible in each zone.
    sizes
        (n_zones,) members of each.
    excess
        Filled with the reduced costs of all pairs: >= 0, and 0 on the likeliest permutation. The
        sum of those of a permutation is what its log-likelihood lacks of the best one.
    best
        (sum of sizes,) filled with the place that each member leaves on, in its zone.
    """
    begin, member = 0, 0
    for size in sizes:
        likelihood = matrices[begin : begin + size * size].reshape(size, size)
        reduced = excess[begin : begin + size * size].reshape(size, size)
        _assign_zone(likelihood, reduced, best[member : member + size])
        begin += size * size
        member += size


@compiled
def _assign_zone(  # pragma: no cover - compiled
    likelihood: Floats, reduced: Floats, best: Ints
) -> None:
    """Find the likeliest permutation of one zone."""
    size = len(best)
    of_row, of_column = np.zeros(size + 1), np.zeros(size + 1)
    owner = np.full(size + 1, -1)
    for row in range(size):
        owner[size] = row
        _augment(likelihood, of_row, of_column, owner)
    for column in range(size):
        best[owner[column]] = column
    for row in range(size):
        for column in range(size):
            cost = -likelihood[row, column] - of_row[row] - of_column[column]
            reduced[row, column] = max(cost, 0.0)
        reduced[row, best[row]] = 0.0


@compiled
def _augment(  # pragma: no cover - compiled
    likelihood: Floats, of_row: Floats, of_column: Floats, owner: Ints
) -> None:
    """Give a column to the row that owns the column beyond the last one."""
    size = len(owner) - 1
    slack, way = np.full(size, np.inf), np.full(size, size)
    used = np.zeros(size + 1, np.bool_)
    here = size
    while owner[here] >= 0:
        used[here] = True
        row, least, following = owner[here], np.inf, -1
        for column in range(size):
            if used[column]:
                continue
            cost = -likelihood[row, column] - of_row[row] - of_column[column]
            if cost < slack[column]:
                slack[column], way[column] = cost, here
            if slack[column] < least:
                least, following = slack[column], column
        for column in range(size + 1):
            if used[column]:
                of_row[owner[column]] += least
                of_column[column] -= least
            elif column < size:
                slack[column] -= least
        here = following
    while here != size:
        owner[here] = owner[way[here]]
        here = way[here]


@compiled
def lose(  # pragma: no cover - compiled
    excess: Floats, sizes: Ints, best: Ints, loss: Floats
) -> None:
    """Say how much less likely the likeliest permutation with each pair is than the likeliest.

    A permutation with the pair (a, b) is the best one changed along a cycle that begins with it:
    a pair with reduced costs, and a shortest path back (Floyd 1962; Warshall 1962).

    Parameters
    ----------
    excess, sizes, best
        Of :func:`assign`.
    loss
        Filled with the difference of log-likelihoods of all pairs, >= 0; inf: no permutation that
        is possible has the pair.
    """
    begin, member = 0, 0
    for size in sizes:
        reduced = excess[begin : begin + size * size].reshape(size, size)
        mine = best[member : member + size]
        _lose_zone(reduced, mine, loss[begin : begin + size * size].reshape(size, size))
        begin += size * size
        member += size


@compiled
def _lose_zone(  # pragma: no cover - compiled
    reduced: Floats, best: Ints, loss: Floats
) -> None:
    """Say it for one zone."""
    size = len(best)
    way = np.empty((size, size))
    for row in range(size):
        for owner in range(size):
            way[row, owner] = reduced[row, best[owner]]
    for middle in range(size):
        for row in range(size):
            first = way[row, middle]
            if first < np.inf:
                for owner in range(size):
                    way[row, owner] = min(way[row, owner], first + way[middle, owner])
    for owner in range(size):
        for row in range(size):
            loss[row, best[owner]] = reduced[row, best[owner]] + way[owner, row]


@compiled
def believe(  # pragma: no cover - compiled
    excess: Floats, sizes: Ints, belief: Floats
) -> None:
    """Say how likely each pair is, among all permutations by their likelihood.

    Exact by a sum over subsets up to ``MOST_EXACT`` members, else by belief propagation (Huang and
    Jebara 2009), which converges, to beliefs that are nearly right.

    Parameters
    ----------
    excess, sizes
        Of :func:`assign`.
    belief
        Filled with the beliefs of all pairs; those of each member add up to 1.
    """
    begin = 0
    for size in sizes:
        weight = np.exp(-excess[begin : begin + size * size]).reshape(size, size)
        found = belief[begin : begin + size * size].reshape(size, size)
        if size <= MOST_EXACT:
            _sum_subsets(weight, found)
        else:
            _propagate(weight, found)
        begin += size * size


@compiled
def _sum_subsets(  # pragma: no cover - compiled
    weight: Floats, belief: Floats
) -> None:
    """Beliefs of one zone: by the weights of the first rows in each set of columns."""
    size = len(weight)
    whole = (1 << size) - 1
    first, last = np.zeros(whole + 1), np.zeros(whole + 1)
    members = np.zeros(whole + 1, np.int64)
    first[0] = last[whole] = 1.0
    for columns in range(whole):
        for column in range(size):
            if not columns >> column & 1:
                more = columns | 1 << column
                members[more] = members[columns] + 1
                first[more] += first[columns] * weight[members[columns], column]
    for columns in range(whole - 1, -1, -1):
        for column in range(size):
            if not columns >> column & 1:
                last[columns] += last[columns | 1 << column] * weight[members[columns], column]
    belief[:] = 0.0
    for columns in range(whole):
        row = members[columns]
        for column in range(size):
            if not columns >> column & 1:
                with_pair = first[columns] * weight[row, column] * last[columns | 1 << column]
                belief[row, column] += with_pair / first[whole]


@compiled
def _propagate(  # pragma: no cover - compiled
    weight: Floats, belief: Floats
) -> None:
    """Beliefs of one zone, from messages between its rows and columns."""
    size = len(weight)
    from_row, from_column = np.ones((size, size)), np.ones((size, size))
    for _ in range(_ROUNDS):
        change = 0.0
        for row in range(size):
            total = 0.0
            for column in range(size):
                total += weight[row, column] * from_column[row, column]
            for column in range(size):
                rest = total - weight[row, column] * from_column[row, column]
                from_row[row, column] = 1.0 / max(rest, _LEAST_SUM)
        for column in range(size):
            total = 0.0
            for row in range(size):
                total += weight[row, column] * from_row[row, column]
            for row in range(size):
                rest = total - weight[row, column] * from_row[row, column]
                from_column[row, column] = 1.0 / max(rest, _LEAST_SUM)
                odds = weight[row, column] * from_row[row, column] * from_column[row, column]
                new = odds / (1.0 + odds)
                change = max(change, abs(new - belief[row, column]))
                belief[row, column] = new
        if change < _SETTLED:
            break
    for row in range(size):
        belief[row] /= belief[row].sum()
