"""All links of all histories, from one history: strongly connected components."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from mixsafe.model.tracklets import LinkBounds, LinkProblem
from mixsafe.tracklets.matching import History, Tracklet


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
