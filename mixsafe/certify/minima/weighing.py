"""The count that zones cost so much: branch and bound, whose leaves are weights of cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from mixsafe.check.minima.counting import LEAF, Case, Flags, alike, branches, whole
from mixsafe.model.course import Deadline
from mixsafe.model.csr import Ints

_PARTS = 10_000  # of which weights are whole numbers
_MOST = 5_000  # cases


def count_of(needed: Flags, cost: Ints, most: int, deadline: Deadline) -> tuple[int, list[int]]:
    """The largest bound up to ``most`` that a count is found for, and the count.

    Parameters
    ----------
    needed
        (n_cores, n_zones) whether a core has a zone.
    cost
        (n_zones,) int64 >= 0.
    most
        Nothing more is looked for.
    deadline
        When to be content with the last one.
    """
    kinds, kind, price = alike(needed, cost)
    first = np.unique(kind, return_index=True)[1]
    weights, _ = _weighed(whole(0, kinds), kinds, price)
    bound = min(most, -(-int(weights.sum()) // _PARTS))
    count = _leaf(weights)
    while bound < most:
        better = _cases(whole(bound + 1, kinds), kinds, price, first, deadline)
        if better is None:
            break
        bound, count = bound + 1, better
    return bound, count


def cores_of(count: Sequence[int]) -> list[int]:
    """Cores that have a weight somewhere in a count, ascending."""
    numbers, found = iter(count), set[int]()
    for number in numbers:
        if number == LEAF:
            next(numbers)
            for _ in range(next(numbers)):
                found.add(next(numbers))
                next(numbers)
    return sorted(found)


def _cases(
    case: Case, kinds: Flags, price: Ints, first: Ints, deadline: Deadline
) -> list[int] | None:
    """The count of a case; None: there is none, or it is too long, or the time was up."""
    count: list[int] = []
    cases, tried = [case], 0
    while cases:
        tried += 1
        if tried > _MOST or deadline.passed:
            return None
        case = cases.pop()
        weights, share = _weighed(case, kinds, price)
        if int(weights.sum()) > _PARTS * (case.need - 1):
            count += _leaf(weights)
            continue
        doubtful = np.minimum(share, 1 - share)
        kind = int(np.argmax(doubtful))
        if doubtful[kind] < 1e-6:
            return None  # whole zones that cost less
        count.append(int(first[kind]))
        cases += branches(case, kind, kinds, price)
    return count


def _weighed(case: Case, kinds: Flags, price: Ints) -> tuple[Ints, npt.NDArray[np.float64]]:
    """Weights of cores, whole numbers; and how much of each kind of zone the best zones take."""
    # Loaded here: few certificates are of minimum sets, and loading it takes a quarter of a second.
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    cores, may = np.flatnonzero(case.cores), np.flatnonzero(case.may)
    weights, share = np.zeros(len(kinds), np.int64), np.zeros(len(price))
    if not len(cores):
        return weights, share
    there = kinds[np.ix_(cores, may)]
    if not there.any(axis=1).all():  # nothing that may be chosen is in a core: it weighs anything
        weights[cores[np.argmin(there.any(axis=1))]] = _PARTS * max(case.need, 0)
        return weights, share
    rows = csr_array(there.T.astype(float))
    found = linprog(-np.ones(len(cores)), rows, price[may], method="highs")
    if found.status != 0:
        return weights, share
    share[may] = -found.ineqlin.marginals
    weights[cores] = np.floor(np.maximum(found.x, 0.0) * (_PARTS * (1 - 1e-9)))
    too_much = np.any(there.T.astype(np.int64) @ weights[cores] > _PARTS * price[may])
    return (np.zeros_like(weights) if too_much else weights), share


def _leaf(weights: Ints) -> list[int]:
    """A leaf of the count."""
    some = np.flatnonzero(weights)
    shared = int(np.gcd.reduce(weights[some], initial=_PARTS))
    pairs = np.stack([some, weights[some] // shared], axis=1)
    return [LEAF, _PARTS // shared, len(some), *pairs.ravel().tolist()]
