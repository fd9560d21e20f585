"""Permutations of the members of zones by their likelihood: the likeliest, and what pairs cost.

A zone with m members has an (m, m) matrix of log-likelihoods: entry (a, b) is that of who came in
on the track of a and leaves on that of b; -inf: not possible. The log-likelihood of a permutation
is the sum of its entries. All functions take many zones, whose matrices stand one after the other.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled
from mixsafe.model.csr import distinct, pointers

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_EXACT = 12
"""Members of a zone whose beliefs are exact; those of larger ones come from belief propagation."""

_ROUNDS = 200
_SETTLED = 1e-6
_LEAST_SUM = 1e-12
_TOGETHER = 64
"""Members of a zone that goes on together with others of its size."""

_AT_ONCE = 1 << 22
"""Sets of columns, of all zones whose permutations are summed together."""


def assign(matrices: Floats, sizes: Ints) -> tuple[Ints, Floats]:
    """Find the likeliest permutation of each zone, and how much less likely other pairs are.

    By shortest augmenting paths (Kuhn 1955; Jonker and Volgenant 1987): small zones of one size go
    on together, without compiled code, and large ones one by one, by SciPy.

    Parameters
    ----------
    matrices
        (sum of squared sizes,) log-likelihoods. The identity is possible in each zone.
    sizes
        (n_zones,) members of each.

    Returns
    -------
    best
        (sum of sizes,) the place that each member leaves on, in its zone.
    excess
        The reduced costs of all pairs: >= 0, and 0 on the likeliest permutation. The sum of those
        of a permutation is what its log-likelihood lacks of the best one.
    """
    best, excess = np.zeros(int(sizes.sum()), np.int64), np.zeros(len(matrices))
    members, pairs = pointers(sizes), pointers(sizes**2)
    for likelihood, entries in _alike(matrices, sizes):
        size = likelihood.shape[1]
        zones = np.searchsorted(pairs, entries[:, 0], side="right") - 1
        places = members[zones][:, None] + np.arange(size)
        assign_alike = _assign_alike if size <= _TOGETHER else _assign_each
        best[places], reduced = assign_alike(-likelihood)
        excess[entries] = reduced.reshape(entries.shape)
    return best, excess


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


def believe(excess: Floats, sizes: Ints, belief: Floats) -> None:
    """Say how likely each pair is, among all permutations by their likelihood.

    Exact by a sum over subsets up to ``MOST_EXACT`` members, else by belief propagation (Huang and
    Jebara 2009), which converges, to beliefs that are nearly right. Zones of one size are looked at
    together, without compiled code: what follows a verdict must not wait for a compiler.

    Parameters
    ----------
    excess, sizes
        Of :func:`assign`.
    belief
        Filled with the beliefs of all pairs; those of each member add up to 1.
    """
    for matrices, entries in _alike(excess, sizes):
        weight = np.exp(-matrices)
        beliefs = _sum_subsets if matrices.shape[1] <= MOST_EXACT else _propagate
        belief[entries] = beliefs(weight).reshape(entries.shape)


def _assign_alike(cost: Floats) -> tuple[Ints, Floats]:
    """(n, size) columns of the cheapest permutations of zones of one size, and reduced costs.

    Each row in turn takes a shortest augmenting path to a free column, in all zones at once.
    """
    n_zones, size, _ = cost.shape
    zone = np.arange(n_zones)
    of_row, of_column = np.zeros((n_zones, size)), np.zeros((n_zones, size))
    owner = np.full((n_zones, size), -1)
    for row in range(size):
        way = np.full((n_zones, size), np.inf)
        before, used = np.full((n_zones, size), -1), np.zeros((n_zones, size), bool)
        column, here, length = np.full(n_zones, -1), np.full(n_zones, row), np.zeros(n_zones)
        some = zone
        while len(some):
            through = cost[some, here[some]] - of_row[some, here[some]][:, None] - of_column[some]
            through += length[some][:, None]
            nearer = ~used[some] & (through < way[some])
            way[some] = np.where(nearer, through, way[some])
            before[some] = np.where(nearer, column[some][:, None], before[some])
            column[some] = np.where(used[some], np.inf, way[some]).argmin(axis=1)
            used[some, column[some]] = True
            length[some], here[some] = way[some, column[some]], owner[some, column[some]]
            some = some[here[some] >= 0]
        shorter = np.zeros((n_zones, size))  # of the free column it is 0
        np.subtract(length[:, None], way, out=shorter, where=used)
        of_column -= shorter
        of_row[:, row] += length
        taken = used & (owner >= 0)
        of_row[np.nonzero(taken)[0], owner[taken]] += shorter[taken]
        some = zone
        while len(some):
            last, first = column[some], before[some, column[some]]
            owner[some, last] = np.where(first < 0, row, owner[some, first])
            column[some] = first
            some = some[first >= 0]
    best = np.zeros((n_zones, size), np.int64)
    best[zone[:, None], owner] = np.arange(size)
    reduced = np.maximum(cost - of_row[:, :, None] - of_column[:, None, :], 0.0)
    reduced[zone[:, None], np.arange(size), best] = 0.0
    return best, reduced


def _assign_each(cost: Floats) -> tuple[Ints, Floats]:
    """Do the same for zones one by one."""
    from scipy.optimize import linear_sum_assignment

    best, reduced = np.zeros(cost.shape[:2], np.int64), np.zeros_like(cost)
    for zone in range(len(cost)):
        rows, best[zone] = linear_sum_assignment(cost[zone])
        more = cost[zone] - cost[zone][rows, best[zone]][:, None]
        # Prices of columns are lengths of shortest paths between them (Bellman 1958).
        price = np.zeros(len(rows))
        for _ in rows:
            before, price = price, (price[best[zone]][:, None] + more).min(axis=0)
            if np.array_equal(before, price):
                break
        reduced[zone] = np.maximum(more + price[best[zone]][:, None] - price, 0.0)
        reduced[zone][rows, best[zone]] = 0.0
    return best, reduced


def _alike(matrices: Floats, sizes: Ints) -> Iterator[tuple[Floats, Ints]]:
    """Zones of one size together, some at a time.

    Yields
    ------
    (n, size, size), (n, size * size)
        Their matrices, and the places of these in ``matrices``.
    """
    begin = pointers(sizes**2)[:-1]
    for size in distinct(sizes).tolist():
        chosen = np.flatnonzero(sizes == size)
        at_once = max(_AT_ONCE // (1 << min(size, MOST_EXACT)), 1)
        for first in range(0, len(chosen), at_once):
            entries = begin[chosen[first : first + at_once]][:, None] + np.arange(size * size)
            yield matrices[entries].reshape(-1, size, size), entries


def _sum_subsets(weight: Floats) -> Floats:
    """Beliefs of zones of one size, (n, size, size), exactly.

    The first rows take some set of columns, and the last ones the rest: weights are summed over
    sets, row after row.
    """
    n_zones, size, _ = weight.shape
    sets = np.arange(1 << size)
    n_columns = np.bitwise_count(sets)
    weight = np.moveaxis(weight, 0, 2)  # zones last, so that those of a set lie together
    first, last = np.zeros((2, len(sets), n_zones))
    first[0] = last[-1] = 1.0
    without = [
        [sets[(n_columns == row) & (sets >> column & 1 == 0)] for column in range(size)]
        for row in range(size)
    ]
    for row in range(size):
        for column, some in enumerate(without[row]):
            first[some | 1 << column] += first[some] * weight[row, column]
    found = np.zeros((size, size, n_zones))
    for row in range(size - 1, -1, -1):
        for column, some in enumerate(without[row]):
            rest = last[some | 1 << column] * weight[row, column]
            found[row, column] = (first[some] * rest).sum(axis=0)
            last[some] += rest
    return np.moveaxis(found / first[-1], 2, 0)


def _propagate(weight: Floats) -> Floats:
    """Beliefs of zones of one size, (n, size, size), from messages between rows and columns."""
    from_column, belief = np.ones_like(weight), np.zeros_like(weight)
    for _ in range(_ROUNDS):
        odds = weight * from_column
        from_row = 1 / np.maximum(odds.sum(axis=2, keepdims=True) - odds, _LEAST_SUM)
        odds = weight * from_row
        from_column = 1 / np.maximum(odds.sum(axis=1, keepdims=True) - odds, _LEAST_SUM)
        odds = odds * from_column
        before, belief = belief, odds / (1 + odds)
        if np.abs(belief - before).max() < _SETTLED:
            break
    found: Floats = belief / belief.sum(axis=2, keepdims=True)
    return found
