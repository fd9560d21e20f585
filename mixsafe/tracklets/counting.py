"""Shares of all histories of a feed that have each link, counted.

All histories may be alike, or each has a weight. Groups of links with too many states are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mixsafe.model.tracklets import Bools, LinkBounds, LinkProblem

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_OPEN = 20
"""Beginnings of a group that are open at once, where its histories are counted."""

_WORK = 1 << 26  # links of a group times its states, which also bounds the memory


def chances_of(
    problem: LinkProblem,
    bounds: LinkBounds,
    most: int = MOST_OPEN,
    weights: Floats | None = None,
) -> Floats:
    """(n_links,) share of all histories with each link; not a number where it is not counted.

    Histories are counted in groups that no link joins, by a sweep over the ends in the order of
    time. Its states are sets of *open* beginnings: those that some end has been able to take, and
    a later one still can (after Horridge and Maskell, Proc. FUSION 2006, who sweep over targets).

    Parameters
    ----------
    problem
        The tracklets and links; with pairs of ``same`` nothing is counted.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    most
        Beginnings that are open at once, in the largest group that is counted.
    weights
        (n_links,) of each link, > 0: a history counts as much as the product of the weights of its
        links. None: all histories are alike.
    """
    if len(problem.same):
        return np.full(problem.n_links, np.nan)
    weights = np.ones(problem.n_links) if weights is None else weights
    chance = np.where(bounds.possible, np.nan, 0.0)
    n, possible = len(problem), np.flatnonzero(bounds.possible)
    if not len(possible):
        return chance
    end, begin = problem.owner[possible], problem.to[possible]
    ones = np.ones(len(possible), np.int8)
    graph = coo_array((ones, (end, begin + n)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    group = label[end]
    # An end has no more links than beginnings are open then: large groups need no sorting.
    most_linked = np.zeros(label.max() + 1, np.int64)
    np.maximum.at(most_linked, label[:n], np.bincount(end, minlength=n))
    few = np.flatnonzero(most_linked[group] <= most)
    if not len(few):
        return chance
    order = few[np.lexsort((end[few], problem.last[end[few]], group[few]))]
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    most_open, work = _costs(end[order], begin[order], starts)
    groups = np.split(order, starts[1:])
    for at in np.flatnonzero((most_open <= most) & (work <= _WORK)).tolist():
        links = groups[at]
        sweep = _Sweep.of(problem, end[links], begin[links])
        chance[possible[links]] = sweep.shares(weights[possible[links]])
    return chance


def _costs(
    end: npt.NDArray[np.int32], begin: npt.NDArray[np.int32], starts: npt.NDArray[np.intp]
) -> tuple[Ints, Floats]:
    """Beginnings that are open at once, at most, and links times states, of groups of links."""
    first = np.flatnonzero(np.diff(end, prepend=-1))
    n_links = np.diff(first, append=len(end))
    place = np.repeat(np.arange(len(first)), n_links)
    opens, closes = np.full(begin.max() + 1, len(first)), np.full(begin.max() + 1, -1)
    np.minimum.at(opens, begin, place)
    np.maximum.at(closes, begin, place)
    linked = closes >= 0
    n_open = np.bincount(opens[linked], minlength=len(first) + 1)
    n_open -= np.bincount(closes[linked] + 1, minlength=len(first) + 1)
    n_open = np.cumsum(n_open)[:-1]
    first_ends = place[starts]
    work = n_links * np.exp2(np.minimum(n_open, 63))
    return np.maximum.reduceat(n_open, first_ends), np.add.reduceat(work, first_ends)


@dataclass(frozen=True, eq=False)
class _Sweep:
    """The order in which the histories of a group are counted.

    Parameters
    ----------
    ptr
        (n_ends + 1,) int64, the links of end t, in the order of time, are ``ptr[t]`` to
        ``ptr[t + 1]``.
    begin
        (n_links,) int64, number of the beginning that each link leads to.
    opens, closes
        (n_begins,) int64, number of the first and of the last end with a link to it.
    must_continue, must_come
        (n_ends,) and (n_begins,) who must have a link.
    """

    ptr: Ints
    begin: Ints
    opens: Ints
    closes: Ints
    must_continue: Bools
    must_come: Bools

    @classmethod
    def of(
        cls,
        problem: LinkProblem,
        end: npt.NDArray[np.int32],
        begin: npt.NDArray[np.int32],
    ) -> _Sweep:
        """The sweep over the links of a group, in the order of their ends."""
        first = np.flatnonzero(np.diff(end, prepend=-1))
        ptr = np.append(first, len(end)).astype(np.int64)
        begins, number = np.unique(begin, return_inverse=True)
        number = number.ravel().astype(np.int64)
        place = np.repeat(np.arange(len(first)), np.diff(ptr))
        opens, closes = np.full(len(begins), len(first)), np.zeros(len(begins), np.int64)
        np.minimum.at(opens, number, place)
        np.maximum.at(closes, number, place)
        must_continue, must_come = problem.must_continue[end[first]], problem.must_come[begins]
        return cls(ptr, number, opens, closes, must_continue, must_come)

    def shares(self, weight: Floats) -> Floats:
        """(n_links,) share of the histories of the group that have each link.

        Parameters
        ----------
        weight
            (n_links,) > 0.
        """
        # Each end has one factor of all histories, so that products stay within floating-point
        # numbers; so do sums, as each step of the sweep is scaled.
        largest = np.maximum(np.maximum.reduceat(weight, self.ptr[:-1]), 1.0)
        weight = weight / np.repeat(largest, np.diff(self.ptr))
        alone = np.where(self.must_continue, 0.0, 1.0 / largest)
        steps = self._steps()
        before = [np.ones(1)]
        for t, step in enumerate(steps):
            states = np.concatenate([before[t], np.zeros(len(before[t]) * (step.widened - 1))])
            before[t] = states
            after = states * alone[t]
            for link, bit in zip(range(*self.ptr[t : t + 2]), step.bits, strict=True):
                taken = _without_and_with(after, bit)[1]
                taken += _without_and_with(states, bit)[0] * weight[link]
            for bit, must_come in step.closing:
                free, taken = _without_and_with(after, bit)
                after = (taken if must_come else free + taken).ravel()
            before.append(after / after.sum())
        shares, back = np.zeros(len(weight)), np.ones(1)
        for t in range(len(steps) - 1, -1, -1):
            for bit, must_come in reversed(steps[t].closing):
                halves = back.reshape(-1, 1, 1 << bit).repeat(2, axis=1)
                halves[:, 0] *= not must_come
                back = halves.ravel()
            later = back * alone[t]
            for link, bit in zip(range(*self.ptr[t : t + 2]), steps[t].bits, strict=True):
                taken = _without_and_with(back, bit)[1] * weight[link]
                shares[link] = np.vdot(_without_and_with(before[t], bit)[0], taken)
                free = _without_and_with(later, bit)[0]
                free += taken
            shares[self.ptr[t] : self.ptr[t + 1]] /= before[t] @ later
            back = later[: len(later) // steps[t].widened]
            back = back / back.max()
        return shares

    def _steps(self) -> list[_Step]:
        """The steps of the sweep, one for each end."""
        n_ends = len(self.ptr) - 1
        opening = np.split(np.argsort(self.opens, kind="stable"), _bounds(self.opens, n_ends))
        closing = np.split(np.argsort(self.closes, kind="stable"), _bounds(self.closes, n_ends))
        steps, is_open = [], list[int]()
        for t in range(n_ends):
            is_open += opening[t].tolist()
            bits = [is_open.index(b) for b in self.begin[self.ptr[t] : self.ptr[t + 1]].tolist()]
            closed = []
            for b in closing[t].tolist():
                bit = is_open.index(b)
                closed.append((bit, bool(self.must_come[b])))
                del is_open[bit]
            steps.append(_Step(1 << len(opening[t]), bits, closed))
        return steps


class _Step(NamedTuple):
    """One end of a sweep.

    Parameters
    ----------
    widened
        Factor by which the number of states grows before it, as beginnings open.
    bits
        The bit of each beginning that it may take, among those that are open.
    closing
        Bits of the beginnings that close after it, one after the other, and whether each must have
        been taken.
    """

    widened: int
    bits: list[int]
    closing: list[tuple[int, bool]]


def _bounds(of_begins: Ints, n_ends: int) -> Ints:
    """(n_ends - 1,) where beginnings, sorted by a number below n_ends, are split by it."""
    return np.cumsum(np.bincount(of_begins, minlength=n_ends))[:-1]


def _without_and_with(of_sets: Floats, bit: int) -> tuple[Floats, Floats]:
    """Views of the numbers of the sets without a beginning, and of the same sets with it."""
    halves = of_sets.reshape(-1, 2, 1 << bit)
    return halves[:, 0], halves[:, 1]
