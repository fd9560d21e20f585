"""Links where some tracklets are known to be of one vehicle, by SAT and polynomial steps.

Whether such histories exist is NP-complete. Without the pairs all is polynomial, which bounds what
is possible. A history that a SAT solver finds proves many links at once: all that are in
histories with the same links between the tracklets of each pair.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, Contradiction, Ints, LinkBounds, LinkProblem
from mixsafe.solver.sat.session import Session
from mixsafe.tracklets.components import alternatives
from mixsafe.tracklets.formula import Histories, in_order, path_to, reached_from
from mixsafe.tracklets.matching import History, history_of

MOST_LINKS = 1_000_000
"""Links of a formula; one with more takes gigabytes, and is left undecided."""

_TRIED = 512  # open links with which paths are tried


def decide_together(problem: LinkProblem, bounds: LinkBounds, deadline: Deadline) -> LinkBounds:
    """Which links are in a history in which each pair of ``same`` is on one chain.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        The answer without the pairs.
    deadline
        When to stop; what is open then stays open.
    """
    kept = problem.restricted(bounds.possible, problem.must_continue, problem.must_come)
    found = _Found.nothing(kept)
    if kept.n_links > MOST_LINKS:
        return found.bounds(problem, bounds, decided=False)
    with closing(Session()) as session:
        histories = Histories(kept, session)
        items = _items(histories, bounds)
        known = None if deadline.passed else first_history(kept)
        if known is not None:
            histories.start_from(known)
            _take_by_paths(kept, known, found, deadline)
            answer = session.solve([histories.one_of(found.open(items))], deadline)
        else:
            answer = session.solve([], deadline)
            if answer is False:
                return LinkBounds.impossible(problem, contradiction_of(problem, deadline))
        while answer:
            history = histories.history()
            found.take(fixed(kept, history, between(kept, history)))
            # One question for all that is open: a further history proves some of it, or none does.
            answer = session.solve([histories.one_of(found.open(items))], deadline)
    decided = answer is False
    return found.bounds(problem, bounds, decided=decided)


def _take_by_paths(problem: LinkProblem, known: History, found: _Found, deadline: Deadline) -> None:
    """Take in a history, and for links that are open others with them, by paths and matchings."""
    found.take(fixed(problem, known, between(problem, known)))
    for link in np.flatnonzero(~found.proven[: problem.n_links])[:_TRIED].tolist():
        if deadline.passed:
            return
        history = None if found.proven[link] else first_history(problem, link)
        if history is not None:
            found.take(fixed(problem, history, between(problem, history)))


class _Found:
    """What histories have proven: links, ends, and beginnings, one after the other."""

    def __init__(self, proven: Bools, n_links: int) -> None:
        self.proven = proven
        self._n_links = n_links

    @classmethod
    def nothing(cls, problem: LinkProblem) -> _Found:
        n_links = problem.n_links
        return cls(np.zeros(n_links + 2 * len(problem), bool), n_links)

    def take(self, bounds: LinkBounds) -> None:
        self.proven |= np.concatenate([bounds.proven, bounds.may_end, bounds.may_begin])

    def open(self, items: Ints) -> Ints:
        """The variables of what is not proven."""
        return items[(items > 0) & ~self.proven]

    def bounds(self, problem: LinkProblem, before: LinkBounds, *, decided: bool) -> LinkBounds:
        proven = np.zeros(problem.n_links, bool)
        proven[before.possible] = self.proven[: self._n_links]
        may_end, may_begin = np.split(self.proven[self._n_links :], 2)
        if decided:
            return LinkBounds.exact(proven, may_end, may_begin)
        return replace(before, proven=proven, may_end=may_end, may_begin=may_begin)


def _items(histories: Histories, bounds: LinkBounds) -> Ints:
    """Variable of each link, of "nothing continues it", and of "it continues nothing"; 0: never."""
    problem = histories.problem
    n = len(problem)
    none_after = histories.nothing_of(histories.link, problem.owner, n)
    none_before = histories.nothing_of(histories.link, problem.to, n)
    none_after[~bounds.may_end_possible] = 0
    none_before[~bounds.may_begin_possible] = 0
    return np.concatenate([histories.link, none_after, none_before])


def first_history(problem: LinkProblem, with_link: int | None = None) -> History | None:
    """A history with all pairs, and perhaps a given link: by one path for each and a matching.

    None: the paths, which are not chosen for it, leave none.
    """
    path = np.zeros(problem.n_links, bool)
    if with_link is not None:
        path[with_link] = True
    for early, late in in_order(problem):
        free = path | problem.fit_beside(path)
        link = reached_from(problem, early, int(problem.first[late]), free)
        if link[late] == -2:
            return None
        path[path_to(problem, link, late)] = True
    return with_path(problem, path)


def with_path(
    problem: LinkProblem, path: Bools, also: Bools | None = None, start: History | None = None
) -> History | None:
    """A history with some links, and otherwise only those of ``also``; None: there is none.

    Parameters
    ----------
    problem
        The tracklets and links.
    path
        (n_links,) the links, at most one from each tracklet and to each.
    also
        (n_links,) links; None: all.
    start
        A history with other links.
    """
    kept = problem.fit_beside(path)
    if also is not None:
        kept &= also
    if start is not None:
        ends, begins = problem.ends_of(path)
        if also is not None:
            ends[problem.owner[~also]] = True
        start = start.without(ends, begins)
    rest = history_of(problem.beside(path, kept), start)
    if not isinstance(rest, History):
        return None
    rest.after[problem.owner[path]] = problem.to[path]
    rest.before[problem.to[path]] = problem.owner[path]
    return rest


def between(problem: LinkProblem, history: History) -> Bools:
    """(n_links,) links of a history that lead from the one tracklet of a pair to the other."""
    begins = np.zeros(len(problem), bool)
    for early, late in in_order(problem):
        while late != early:
            begins[late] = True
            late = int(history.before[late])
    return begins[problem.to] & history.links(problem)


def fixed(problem: LinkProblem, history: History, links: Bools) -> LinkBounds:
    """Which links are in some history that has the given links, given one of these histories."""
    ends, begins = problem.ends_of(links)
    kept = problem.fit_beside(links)
    found = alternatives(problem.beside(links, kept), history.without(ends, begins))
    proven = links.copy()
    proven[kept] = found.proven
    return LinkBounds.exact(proven, found.may_end & ~ends, found.may_begin & ~begins)


def contradiction_of(problem: LinkProblem, deadline: Deadline) -> Contradiction:
    """What cannot hold together; no part of it shows it, if there was time to leave out more."""
    with closing(Session()) as session:
        histories = Histories(problem, session, optional=True)
        wanted = np.array(histories.wanted)
        answer = session.solve(wanted.tolist(), deadline)
        needed = sorted(session.core()) if answer is False else wanted.tolist()
        for literal in list(needed):
            rest = [other for other in needed if other != literal]
            if session.solve(rest, deadline) is False:
                needed = rest
    ends, begins = np.flatnonzero(problem.must_continue), np.flatnonzero(problem.must_come)
    shown = np.isin(wanted, needed)
    pairs = np.arange(len(problem.same))
    parts = np.split(shown, np.cumsum([len(ends), len(begins)]))
    return Contradiction(ends[parts[0]], begins[parts[1]], pairs[parts[2]])
