"""One history: a matching of ends and beginnings that covers all that must be covered.

Ends that must continue are covered first, by augmenting paths in phases (Hopcroft and Karp 1973).
A path may also end at a beginning whose tracklet can be left without a continuation: then it
loses it. Beginnings that must have come are covered next, the other way round. That never
uncovers an end: the theorem of Mendelsohn and Dulmage (1958), by its proof.

All links of all histories follow from one: they are in its strongly connected components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.csr import ranges
from mixsafe.model.tracklets import Bools, Contradiction, Ints, LinkBounds, LinkProblem

Tracklet = npt.NDArray[np.int32]
"""(n,) a tracklet for each, or -1."""


class History(NamedTuple):
    """What continues each tracklet, and what it continues; -1: nothing."""

    after: Tracklet
    before: Tracklet

    @classmethod
    def empty(cls, n: int) -> History:
        """The history in which nothing continues."""
        return cls(np.full(n, -1, np.int32), np.full(n, -1, np.int32))

    @classmethod
    def of(cls, problem: LinkProblem, chosen: Bools) -> History:
        """The history of the chosen links."""
        found = cls.empty(len(problem))
        owner, to = problem.owner[chosen], problem.to[chosen]
        found.after[owner], found.before[to] = to, owner
        return found

    def without(self, ends: Bools, begins: Bools) -> History:
        """The history without the links of some ends and beginnings."""
        found = History(self.after.copy(), self.before.copy())
        lost = ends & (self.after >= 0)
        found.before[self.after[lost]] = -1
        found.after[lost] = -1
        lost = begins & (self.before >= 0)
        found.after[self.before[lost]] = -1
        found.before[lost] = -1
        return found

    def links(self, problem: LinkProblem) -> Bools:
        """(n_links,) whether each link is in it."""
        found: Bools = self.after[problem.owner] == problem.to
        return found


class Backwards(NamedTuple):
    """The links by the tracklet that they lead to.

    Tracklet j may continue ``come_from[ptr[j]:ptr[j + 1]]``; these are the links ``number[...]``.
    """

    ptr: Ints
    come_from: npt.NDArray[np.int32]
    number: Ints

    @classmethod
    def of(cls, problem: LinkProblem) -> Backwards:
        """Of a problem."""
        n = len(problem)
        numbers = np.arange(problem.n_links, dtype=np.int64)
        columns = csr_array((numbers, problem.to, problem.ptr), shape=(n, n)).tocsc()
        return cls(columns.indptr.astype(np.int64), columns.indices, columns.data)


def history_of(problem: LinkProblem, start: History | None = None) -> History | Contradiction:
    """A history, or why there is none. Pairs of ``same`` are left out.

    Parameters
    ----------
    problem
        The tracklets and links.
    start
        A matching to begin with; None: an empty one.
    """
    after, before = start or History.empty(len(problem))
    after, before = after.copy(), before.copy()
    _cover(problem.ptr, problem.to, problem.must_continue, after, before)
    open_ends = np.flatnonzero(problem.must_continue & (after < 0))
    if len(open_ends):
        return Contradiction(ends=_smallest_reach(problem.ptr, problem.to, open_ends, before))
    if problem.must_come.any():
        back = Backwards.of(problem)
        _cover(back.ptr, back.come_from, problem.must_come, before, after)
        open_begins = np.flatnonzero(problem.must_come & (before < 0))
        if len(open_begins):
            reach = _smallest_reach(back.ptr, back.come_from, open_begins, after)
            return Contradiction(begins=reach)
    return History(after, before)


class Coverable(NamedTuple):
    """The part of a problem in which all that must be covered can be.

    Parameters
    ----------
    problem
        The problem with the links of that part. It has a history.
    is_in
        (n_links,) whether each link of the whole problem is in it.
    left_out
        Tracklets outside that must continue or have come, but not all of them can; ascending.
    """

    problem: LinkProblem
    is_in: Bools
    left_out: Ints


def whole(problem: LinkProblem) -> Coverable:
    """Nothing left out, whether or not all can be covered."""
    return Coverable(problem, np.ones(problem.n_links, bool), np.empty(0, np.int64))


def coverable(problem: LinkProblem) -> Coverable:
    """Leave out what cannot all be covered, and everything that it takes.

    Ends that must continue and cannot all do so may take any beginning that they have a link to,
    and ends that have a link to beginnings like that may be taken: these are the over-determined
    parts of Dulmage and Mendelsohn (1958). A link that is in a history of the rest is in one that
    covers any part of what must be covered, as long as that part can be (``docs/develop/facts.md``,
    "Links of tracklets").
    """
    back = Backwards.of(problem)
    ends = _over_determined(problem.ptr, problem.to, problem.must_continue)
    begins = _over_determined(back.ptr, back.come_from, problem.must_come)
    owner, to, n = problem.owner, problem.to, len(problem)
    taken = np.bincount(to[ends[owner]], minlength=n) > 0
    taking = np.bincount(owner[begins[to]], minlength=n) > 0
    is_in = ~(ends | taking)[owner] & ~(begins | taken)[to]
    rest = problem.restricted(
        is_in,
        problem.must_continue & ~(ends | taking),
        problem.must_come & ~(begins | taken),
    )
    return Coverable(rest, is_in, np.flatnonzero(ends | begins))


def _over_determined(ptr: Ints, to: npt.NDArray[np.int32], must: Bools) -> Bools:
    """(n,) which of those that must be covered are left over in some largest matching of them."""
    mate, other = History.empty(len(must))
    _cover(ptr, to, must, mate, other)
    found = must & (mate < 0)
    newest = np.flatnonzero(found)
    while len(newest):
        met = to[ranges(ptr[newest], ptr[newest + 1] - ptr[newest])]
        newest = np.unique(other[met])
        newest = newest[~found[newest]]
        found[newest] = True
    return found


class _Side(NamedTuple):
    """One side of a matching, as compiled functions take it."""

    ptr: Ints
    to: npt.NDArray[np.int32]
    must: Bools
    mate: Tracklet
    other: Tracklet  # mates on the other side
    level: Tracklet  # of those from which a search still goes on: its step; -1: none
    queue: Tracklet
    place: Ints  # next link to be looked at


def _cover(
    ptr: Ints, to: npt.NDArray[np.int32], must: Bools, mate: Tracklet, other: Tracklet
) -> None:
    """Change a matching until it covers as many as possible of those on one side that ``must`` be.

    Those on the other side that are covered stay covered.
    """
    n = len(must)
    level, queue, place = np.empty(n, np.int32), np.empty(n, np.int32), np.empty(n, np.int64)
    _augment_in_phases(_Side(ptr, to, must, mate, other, level, queue, place))


@tiered
def _augment_in_phases(side: _Side) -> None:
    """In each phase, change the matching along shortest paths, until there is none."""
    while True:
        n_roots, shortest = _look_ahead(side)
        if shortest < 0:
            return
        roots = np.copy(side.queue[:n_roots])
        for root in range(n_roots):
            _augment(side, roots[root], shortest)


@inner
def _look_ahead(side: _Side) -> tuple[int, int]:
    """Number of uncovered roots, and the length of the shortest path from one; -1: none."""
    ptr, to, must, mate, other, level, queue, place = side
    size = 0
    for v in range(len(must)):
        level[v], place[v] = -1, ptr[v]
        if must[v] and mate[v] < 0:
            level[v] = 0
            queue[size] = v
            size += 1
    n_roots, shortest, head = size, -1, 0
    while head < size and (shortest < 0 or level[queue[head]] <= shortest):
        v = queue[head]
        head += 1
        for link in range(ptr[v], ptr[v + 1]):
            back = other[to[link]]
            if back < 0 or not must[back]:
                shortest = level[v]
                break
            if level[back] < 0:
                level[back] = level[v] + 1
                queue[size] = back
                size += 1
    return n_roots, shortest


@inner
def _augment(side: _Side, root: int, shortest: int) -> None:
    """Cover a root by a path of the shortest length, if there is one yet."""
    ptr, to, must, mate, other, level, path, place = side
    depth, path[0] = 0, root
    while depth >= 0:
        v = path[depth]
        if place[v] == ptr[v + 1]:
            level[v] = -1
            depth -= 1
            continue
        b = to[place[v]]
        place[v] += 1
        back = other[b]
        if back < 0 or not must[back]:
            if back >= 0:
                mate[back] = -1
            _change(side, depth, b)
            return
        if level[back] == level[v] + 1 and level[back] <= shortest:
            depth += 1
            path[depth] = back


@inner
def _change(side: _Side, depth: int, b: int) -> None:
    """Along a path that ends at ``b``, give each vertex the mate of the next one."""
    while depth >= 0:
        v = side.queue[depth]
        side.level[v] = -1
        left = side.mate[v]
        side.mate[v], side.other[b] = b, v
        b = left
        depth -= 1


def _smallest_reach(ptr: Ints, to: npt.NDArray[np.int32], roots: Ints, other: Tracklet) -> Ints:
    """The fewest that one of the uncovered ``roots`` reaches by alternating paths, ascending.

    All of them must be covered, and they have one neighbour less than they are. A part of them
    has too few neighbours only if it contains the root (the others have mates), and with each
    one the mates of its neighbours: so it is all of them.
    """
    return np.sort(_reach(ptr, to, roots, other)).astype(np.int64)


@tiered
def _reach(
    ptr: Ints, to: npt.NDArray[np.int32], roots: Ints, other: Tracklet
) -> npt.NDArray[np.int32]:
    """What the root that reaches the fewest reaches."""
    n = len(ptr) - 1
    seen, queue, best = np.full(n, -1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    fewest = n + 1
    for number in range(len(roots)):
        seen[roots[number]] = number
        queue[0], head, size = roots[number], 0, 1
        while head < size < fewest:
            v = queue[head]
            head += 1
            for link in range(ptr[v], ptr[v + 1]):
                back = other[to[link]]
                if seen[back] != number:
                    seen[back] = number
                    queue[size] = back
                    size += 1
        if size < fewest:
            fewest = size
            for place in range(size):
                best[place] = queue[place]
    return best[:fewest]


def alternatives(problem: LinkProblem, history: History) -> LinkBounds:
    """Which links are in some history, given one of them; pairs of ``same`` are left out.

    Two histories differ by alternating cycles and paths. These are the cycles of a directed graph
    with one more node, at which the paths are closed; see :func:`exchange_graph`.
    """
    n = len(problem)
    label = components(problem, history)
    end, begin, closing = label[:n], label[n : 2 * n], label[2 * n]
    together = end[problem.owner] == begin[problem.to]
    may_end = ~problem.must_continue & (end == closing)
    may_begin = ~problem.must_come & (begin == closing)
    return LinkBounds.exact(
        together | history.links(problem),
        may_end | (history.after < 0),
        may_begin | (history.before < 0),
    )


def components(problem: LinkProblem, history: History) -> Tracklet:
    """(2 n + 1,) strongly connected component of each node of :func:`exchange_graph`."""
    graph = exchange_graph(problem, history)
    label: Tracklet = connected_components(graph, connection="strong")[1]
    return label


def exchange_graph(problem: LinkProblem, history: History) -> csr_array:
    """Graph whose cycles lead from a history to the others.

    Nodes are ends (0 to n - 1), beginnings (n to 2 n - 1) and the closing node, 2 n. Arcs lead
    from an end to a beginning by the links that are not in the history, and back by those that
    are; from the closing node to ends without continuation and to beginnings that may lose
    theirs; and to it from beginnings that continue nothing and ends that may do without.
    """
    n, m = len(problem), problem.n_links
    closing = 2 * n
    # The link that is in the history, one for each end that has one, makes room for the arc to
    # the closing node, or for a loop, which does not count.
    link = np.flatnonzero(history.links(problem))
    matched = np.flatnonzero(history.after >= 0)
    arcs = problem.to + np.int32(n)
    arcs[link] = np.where(problem.must_continue[matched], matched, closing)
    back = np.where(history.before < 0, closing, history.before)
    entered = np.concatenate(
        [
            np.flatnonzero(history.after < 0),
            n + np.flatnonzero((history.before >= 0) & ~problem.must_come),
        ]
    )
    ends = np.concatenate([arcs, back, entered]).astype(np.int32)
    behind = np.append(m + np.arange(1, n + 1), m + n + len(entered))
    rows = np.concatenate([problem.ptr, behind]).astype(np.int32)
    return csr_array((np.ones(len(ends), np.int8), ends, rows), shape=(closing + 1, closing + 1))
