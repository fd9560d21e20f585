"""Lower bound on the cost of a set of zones that hits all cores: a count, case by case.

Where places are chosen with all of their zones, read "place" for "zone": the rest is the same.

A count is a tree of cases in preorder: each case comes before its children.

- ``z``, a zone by number: either a zone is chosen that is in the same cores as z, which costs at
  least what the cheapest of these does, and these cores need no other one; or none of them is. The
  two cases follow, in this order.
- ``LEAF, d, n``, and n times a core and a weight: weights of cores that need a zone yet. If no zone
  that may be chosen is in cores that weigh more than d times its cost, all zones that are chosen
  cost as much as all cores weigh, divided by d, or more: each core has one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.errors import InputError
from mixsafe.model.csr import Ints

LEAF = -1

Flags = npt.NDArray[np.bool_]


class Case(NamedTuple):
    """A subgoal of the proof: zones of these kinds that hit these cores cost at least ``need``."""

    need: int
    cores: Flags
    may: Flags


def alike(needed: Flags, cost: Ints) -> tuple[Flags, Ints, Ints]:
    """Kinds of zones, those that are in the same cores.

    Returns
    -------
    kinds
        (n_cores, n_kinds) whether a core has zones of a kind.
    kind
        (n_zones,) the kind of each zone.
    price
        (n_kinds,) what the cheapest zone of a kind costs.
    """
    kinds, kind = np.unique(needed, axis=1, return_inverse=True)
    kind = kind.reshape(-1)
    price = np.full(kinds.shape[1], cost.max(initial=1))
    np.minimum.at(price, kind, cost)
    return kinds, kind, price


def whole(need: int, kinds: Flags) -> Case:
    """The case with all cores and all kinds."""
    n_cores, n_kinds = kinds.shape
    return Case(need, np.ones(n_cores, bool), np.ones(n_kinds, bool))


def check_count(needed: Flags, cost: Ints, bound: int, count: Sequence[int]) -> None:
    """Check that zones that have one of each core cost ``bound`` or more.

    Parameters
    ----------
    needed
        (n_cores, n_zones) whether a core has a zone.
    cost
        (n_zones,) int64 >= 0.
    bound
        What is to be shown.
    count
        The count.

    Raises
    ------
    InputError
        It is none, or does not show that.
    """
    kinds, kind, price = alike(needed, cost)
    numbers = iter(count)
    cases = [whole(bound, kinds)]
    try:
        while cases:
            case, zone = cases.pop(), next(numbers)
            if zone == LEAF:
                _check_leaf(case, kinds, price, numbers)
            elif 0 <= zone < len(kind):
                cases += branches(case, int(kind[zone]), kinds, price)
            else:
                raise InputError("the count is about a zone that does not exist")
    except StopIteration:
        raise InputError("the count ends too soon") from None
    if next(numbers, None) is not None:
        raise InputError("the count goes on after its end")


def branches(case: Case, kind: int, kinds: Flags, price: Ints) -> list[Case]:
    """The two children of a case: some zone of a kind is chosen (first), or none is."""
    others = case.may.copy()
    others[kind] = False
    chosen = Case(case.need - int(price[kind]), case.cores & ~kinds[:, kind], case.may)
    return [Case(case.need, case.cores, others), chosen]


def _check_leaf(case: Case, kinds: Flags, price: Ints, numbers: Iterator[int]) -> None:
    parts, n = next(numbers), next(numbers)
    if parts < 1:
        raise InputError("weights of the count are not divided by a positive number")
    total, weight = 0, np.zeros(len(price), np.int64)
    for _ in range(n):
        core, more = next(numbers), next(numbers)
        if not 0 <= core < len(case.cores) or not case.cores[core] or more < 0:
            raise InputError("a weight of the count is negative, or of no core that needs a zone")
        total += more
        weight[kinds[core]] += more
    if np.any(weight[case.may] > parts * price[case.may]):
        raise InputError("cores of a zone weigh more than it costs")
    if total <= parts * (case.need - 1):
        raise InputError("the count does not come to the bound")
