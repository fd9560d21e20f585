"""How likely each link is where all histories are alike, by counting.

Counts over subsets: of each strongly connected group of links, ends come one after the other, and
a state is which beginnings are taken. That is exact, and takes time that doubles with each
beginning that is open at once, so large groups are left out.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from mixsafe.model.tracklets import LinkBounds, LinkProblem

Floats = npt.NDArray[np.float64]

MOST_OPEN = 20
"""Beginnings of a group that is counted."""

_WORK = 1 << 26  # links of a group times its states, which also bounds the memory


def chances_of(problem: LinkProblem, bounds: LinkBounds, most: int = MOST_OPEN) -> Floats:
    """(n_links,) share of all histories with each link; not a number where it is not counted.

    Parameters
    ----------
    problem
        The tracklets and links; with pairs of ``same`` nothing is counted.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    most
        Beginnings of the largest group that is counted.
    """
    chance = np.where(bounds.possible, np.nan, 0.0)
    if len(problem.same):
        return np.full(problem.n_links, np.nan)
    n, possible = len(problem), np.flatnonzero(bounds.possible)
    end, begin = problem.owner[possible], problem.to[possible]
    ones = np.ones(len(possible), np.int8)
    graph = coo_array((ones, (end, begin + n)), shape=(2 * n, 2 * n))
    label = connected_components(graph, directed=False)[1]
    size = np.bincount(label[n:], minlength=label.max() + 1)
    group = label[end]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    for links in np.split(order, starts[1:]):
        n_begins = int(size[group[links[0]]]) if len(links) else most + 1
        if n_begins <= most and len(links) << n_begins <= _WORK:
            chance[possible[links]] = _counted(problem, end[links], begin[links])
    return chance


def _counted(
    problem: LinkProblem, end: npt.NDArray[np.int32], begin: npt.NDArray[np.int32]
) -> Floats:
    """Share of the matchings of one group, its links sorted by end, that have each link."""
    begins, place = np.unique(begin, return_inverse=True)
    states = np.arange(1 << len(begins))
    ends, first = np.unique(end, return_index=True)
    links = np.split(place, first[1:])
    must = problem.must_continue[ends]
    # In how many ways the ends before each one take a set of beginnings, and the later ones the
    # rest, of which they must take those that must have come.
    onward = [np.where(states == 0, 1.0, 0.0)]
    for choices, has_to in zip(links, must.tolist(), strict=True):
        onward.append(_step(onward[-1], states, choices, has_to=has_to))
    needed = sum(1 << int(b) for b in np.flatnonzero(problem.must_come[begins]))
    back = np.where(states & needed == needed, 1.0, 0.0)
    found = np.zeros(len(end))
    total = float(onward[-1] @ back)
    for number in range(len(ends) - 1, -1, -1):
        later = np.zeros(len(states)) if must[number] else back.copy()
        for at, b in enumerate(links[number].tolist()):
            free = states[states & (1 << b) == 0]
            taken = back[free | (1 << b)]
            found[first[number] + at] = float(onward[number][free] @ taken)
            later[free] += taken
        back = later
    return found / total


def _step(
    before: Floats, states: npt.NDArray[np.int64], choices: npt.NDArray[np.intp], *, has_to: bool
) -> Floats:
    """Ways to take each set of beginnings, with one end more."""
    after = np.zeros(len(before)) if has_to else before.copy()
    for b in choices.tolist():
        free = states[states & (1 << b) == 0]
        after[free | (1 << b)] += before[free]
    return after
