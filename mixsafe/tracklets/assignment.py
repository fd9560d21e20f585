"""The likeliest history as a whole: the matching whose links have the greatest product of weights.

Who names for each ride the candidate that she believes in most may name one candidate twice. The
likeliest history does not, but is one of very many, and other histories together may be likelier in
each of its parts. Both are named, and counted where the truth is known.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Ints, LinkProblem

Floats = npt.NDArray[np.float64]

_TOGETHER = 2_000
"""Ends of groups that are matched at once: a call costs as much as their square."""


def likeliest_history(
    problem: LinkProblem, weight: Floats, deadline: Deadline | None = None
) -> Ints | None:
    """(n,) the link of each end in the likeliest history, -1: none. None: the time was up.

    By shortest augmenting paths (Jonker and Volgenant 1987), for each connected group of links.

    Parameters
    ----------
    weight
        (n_links,) of each link, > 0, beside 1 for an end or a beginning without one.
    """
    found = np.full(len(problem), -1)
    # A history is likelier without a link whose weight is at most 1.
    links = np.flatnonzero(weight > 1)
    if not len(links):
        return found
    for group in _groups(problem, links):
        if deadline is not None and deadline.passed:
            return None
        found[problem.owner[group]] = -1
        chosen = group[_matched(problem.owner[group], problem.to[group], np.log(weight[group]))]
        found[problem.owner[chosen]] = chosen
    return found


def _groups(problem: LinkProblem, links: Ints) -> list[Ints]:
    """Links of connected groups, small ones together, each sorted."""
    n, end, begin = len(problem), problem.owner[links], problem.to[links]
    graph = csr_array((np.ones(len(links), bool), (end, begin + n)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    linked = np.zeros(n, bool)
    linked[end] = True
    size = np.bincount(label[:n][linked], minlength=label.max() + 1)
    batch = (np.cumsum(size) - 1) // _TOGETHER
    batch = np.maximum(batch, 0)[label[end]]
    order = np.argsort(batch, kind="stable")
    return np.split(links[order], np.flatnonzero(np.diff(batch[order])) + 1)


def _matched(end: npt.NDArray[np.int32], begin: npt.NDArray[np.int32], gain: Floats) -> Ints:
    """Numbers of the links of the matching with the greatest sum of gains, > 0."""
    ends, row = np.unique(end, return_inverse=True)
    begins, column = np.unique(begin, return_inverse=True)
    # Each end may stay without a link: for that it has a column of its own.
    most = float(gain.max()) + 1.0
    alone = np.arange(len(ends))
    costs = np.concatenate([most - gain, np.full(len(ends), most)])
    # Old versions of SciPy match indices of 32 bits alone.
    rows = np.append(row, alone).astype(np.int32)
    columns = np.append(column, len(begins) + alone).astype(np.int32)
    shape = (len(ends), len(begins) + len(ends))
    matched, taken = min_weight_full_bipartite_matching(
        csr_array((costs, (rows, columns)), shape=shape)
    )
    chosen = np.full(len(ends), -1)
    chosen[matched] = taken
    found: Ints = np.flatnonzero(chosen[row] == column)
    return found
