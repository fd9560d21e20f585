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
_SCALINGS = 50
_SETTLED = 1e-6
_LEAST_SUM = 1e-12
_AT_ONCE = 1 << 22
"""Sets of columns, of all zones whose permutations are summed together."""


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


def believe(excess: Floats, sizes: Ints, belief: Floats) -> None:
    """Say how likely each pair is, among all permutations by their likelihood.

    Exact by a sum over subsets up to ``MOST_EXACT`` members, else by belief propagation (Huang and
    Jebara 2009), which converges, to beliefs that are nearly right. Zones of one size are looked at
    together, without compiled code: what follows a verdict must not wait for a compiler.

    Parameters
    ----------
    excess
        (sum of squared sizes,) what log-likelihoods lack of any numbers for rows and columns: their
        negatives, or reduced costs of :func:`assign`. The identity is possible in each zone.
    sizes
        (n_zones,) members of each.
    belief
        Filled with the beliefs of all pairs; those of each member add up to 1.
    """
    for likelihood, entries in _alike(-excess, sizes):
        size = likelihood.shape[1]
        if size > MOST_EXACT:
            belief[entries] = _propagate(likelihood).reshape(entries.shape)
            continue
        of_pairs = _through_pairs(likelihood, np.logaddexp)
        whole = np.logaddexp.reduce(of_pairs[:, :1], axis=2, keepdims=True)
        belief[entries] = np.exp(of_pairs - whole).reshape(entries.shape)


def likeliest(matrices: Floats, sizes: Ints) -> Ints:
    """Find the likeliest permutation of each zone, without compiled code: as :func:`assign` does.

    Parameters
    ----------
    matrices, sizes
        Of :func:`assign`. No two permutations of a zone are equally likely.

    Returns
    -------
    (sum of sizes,) the place that each member leaves on, in its zone.
    """
    # Imported here: few zones are so large, and the import takes a tenth of a second.
    from scipy.optimize import linear_sum_assignment

    found, members = np.zeros(int(sizes.sum()), np.int64), pointers(sizes)
    for likelihood, entries in _alike(matrices, sizes):
        size = likelihood.shape[1]
        zones = np.searchsorted(pointers(sizes**2), entries[:, 0], side="right") - 1
        places = members[zones][:, None] + np.arange(size)
        if size <= MOST_EXACT:
            found[places] = _through_pairs(likelihood, np.maximum).argmax(axis=2)
            continue
        for place, matrix in zip(places, likelihood, strict=True):
            found[place] = linear_sum_assignment(matrix, maximize=True)[1]
    return found


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


def _through_pairs(likelihood: Floats, either: np.ufunc) -> Floats:
    """Join the log-likelihoods of all permutations with each pair: by sums, or by the largest.

    The first rows take some set of columns, and the last ones the rest: both are joined over sets,
    row after row (Held and Karp 1962).

    Parameters
    ----------
    likelihood
        (n, size, size); no size above ``MOST_EXACT``.
    either
        Joins two log-likelihoods: ``np.logaddexp`` or ``np.maximum``.

    Returns
    -------
    (n, size, size)
    """
    n_zones, size, _ = likelihood.shape
    sets = np.arange(1 << size)
    n_columns = np.bitwise_count(sets)
    weight = np.moveaxis(likelihood, 0, 2)  # zones last, so that those of a set lie together
    first, last = np.full((2, len(sets), n_zones), -np.inf)
    first[0] = last[-1] = 0.0
    without = [
        [sets[(n_columns == row) & (sets >> column & 1 == 0)] for column in range(size)]
        for row in range(size)
    ]
    for row in range(size):
        for column, some in enumerate(without[row]):
            more = some | 1 << column
            first[more] = either(first[more], first[some] + weight[row, column])
    found = np.full((size, size, n_zones), -np.inf)
    for row in range(size - 1, -1, -1):
        for column, some in enumerate(without[row]):
            rest = last[some | 1 << column] + weight[row, column]
            found[row, column] = either.reduce(first[some] + rest, axis=0)
            last[some] = either(last[some], rest)
    return np.moveaxis(found, 2, 0)


def _propagate(likelihood: Floats) -> Floats:
    """Beliefs of zones of one size, (n, size, size), from messages between rows and columns."""
    weight = np.exp(_scaled(likelihood))
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


def _scaled(likelihood: Floats) -> Floats:
    """The same up to numbers for rows and columns, so that no row and no column is tiny (Sinkhorn).

    Beliefs stay what they are.
    """
    for _ in range(_SCALINGS):
        likelihood = likelihood - np.logaddexp.reduce(likelihood, axis=2, keepdims=True)
        likelihood = likelihood - np.logaddexp.reduce(likelihood, axis=1, keepdims=True)
    return likelihood
