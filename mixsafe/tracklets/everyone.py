"""How many tracklets may be of the vehicle of each tracklet at one time, for all at once.

Upper bounds are sets of what links reach, gathered backwards in time. In an open fleet they are
exact. Otherwise lower bounds come from several histories: each is one matching, found among a
random part of the links.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import side_by_side, tiered
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, ChainCounts, Ints, LinkBounds, LinkProblem
from mixsafe.solver.state.tokens import count
from mixsafe.tracklets.matching import History, history_of

HISTORIES = 32
"""Histories that lower bounds are from: no lower bound is higher."""

_LINKS = 10  # of each end that a history may use, on average, and those of the first history
_WORDS = 64  # of 64 candidates each: sets that are gathered at once


def count_at(
    problem: LinkProblem,
    bounds: LinkBounds,
    time: int,
    deadline: Deadline,
    *,
    histories: int = HISTORIES,
    seed: int = 0,
) -> ChainCounts:
    """Count for every tracklet that ended before a time who may be of its vehicle then.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    time
        The time.
    deadline
        When to stop looking for histories.
    histories
        Number of histories for lower bounds.
    seed
        Of what they are drawn with.
    """
    asked = problem.last < time
    upper, none = _gathered(problem, bounds, time)
    upper[~asked], none[~asked] = 0, False
    if problem.is_open:
        return ChainCounts(time, asked, upper, upper, none, none)
    lower, found_none = _in_histories(problem, bounds, time, deadline, histories, seed)
    lower[~asked], found_none[~asked] = 0, False
    return ChainCounts(time, asked, lower, upper, found_none, none)


def _gathered(problem: LinkProblem, bounds: LinkBounds, time: int) -> tuple[Ints, Bools]:
    """Number of tracklets at a time that links reach from each one, and whether none may be."""
    n = len(problem)
    past = np.flatnonzero(problem.last < time)
    order = past[np.argsort(-problem.last[past], kind="stable")]
    there = np.flatnonzero(problem.there(time))
    leaves = problem.leaves(bounds.possible, bounds.may_end_possible, time)
    none = leaves.astype(np.uint64)[:, None]
    _gather(order, problem.ptr, problem.to, bounds.possible, none)
    parts = np.array_split(there, -(-len(there) // (64 * _WORDS)) or 1)
    counts = np.zeros((len(parts), n), np.int64)

    def gather(number: int) -> None:
        part = parts[number]
        place = np.arange(len(part))
        sets = np.zeros((n, -(-len(part) // 64) or 1), np.uint64)
        sets[part, place // 64] = np.uint64(1) << (place % 64).astype(np.uint64)
        _gather(order, problem.ptr, problem.to, bounds.possible, sets)
        counts[number] = count(sets)

    side_by_side(gather, range(len(parts)))
    return counts.sum(axis=0), none[:, 0] > 0


@tiered
def _gather(
    order: Ints,
    ptr: Ints,
    to: npt.NDArray[np.int32],
    possible: Bools,
    sets: npt.NDArray[np.uint64],
) -> None:
    """Add to the set of each tracklet, in order, the sets of those that may continue it."""
    for at in range(len(order)):
        i = order[at]
        for link in range(ptr[i], ptr[i + 1]):
            if possible[link]:
                for word in range(sets.shape[1]):
                    sets[i, word] |= sets[to[link], word]


def _in_histories(
    problem: LinkProblem,
    bounds: LinkBounds,
    time: int,
    deadline: Deadline,
    histories: int,
    seed: int,
) -> tuple[Ints, Bools]:
    """Number of tracklets at a time that are on each chain in histories; whether none is."""
    n, rng = len(problem), np.random.default_rng(seed)
    first = None if len(problem.same) else history_of(problem)
    if not isinstance(first, History):
        return np.zeros(n, np.int64), np.zeros(n, bool)
    known, found = first.links(problem), [_whereabouts(problem, first, time)]
    share = _LINKS * n / max(problem.n_links, 1)
    while len(found) < histories and not deadline.passed:
        keep = known | (bounds.possible & (rng.random(problem.n_links, np.float32) < share))
        part = problem.restricted(keep, problem.must_continue, problem.must_come)
        drawn = history_of(part, _any_links(part, rng))
        assert isinstance(drawn, History)  # noqa: S101 - the first one is among its links
        found.append(_whereabouts(problem, drawn, time))
    where = np.sort(np.stack(found), axis=0)
    new = np.ones(where.shape, bool)
    new[1:] = where[1:] != where[:-1]
    return (new & (where < n)).sum(axis=0), where[-1] == n


def _any_links(problem: LinkProblem, rng: np.random.Generator) -> History:
    """A random link of each end, where no other end has the same beginning."""
    size = np.diff(problem.ptr)
    ends = rng.permutation(np.flatnonzero(size))
    links = problem.ptr[ends] + (rng.random(len(ends)) * size[ends]).astype(np.int64)
    chosen = np.zeros(problem.n_links, bool)
    chosen[links[np.unique(problem.to[links], return_index=True)[1]]] = True
    return History.of(problem, chosen)


def _whereabouts(problem: LinkProblem, history: History, time: int) -> Ints:
    """(n,) tracklet on each chain at a time; n: none."""
    n = len(problem)
    hop = np.arange(n + 1)
    past = problem.last < time
    after = np.where(history.after < 0, n, history.after)
    after[np.append(problem.first, 0)[after] > time] = n
    hop[:n][past] = after[past]
    while not np.array_equal(further := hop[hop], hop):
        hop = further
    return hop[:n]
