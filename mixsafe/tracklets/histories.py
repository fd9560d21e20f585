"""What continues each tracklet in some history, and what it continues.

Some tracklets may be known to be of one vehicle. Whether such histories exist is NP-complete.
Without the pairs all is polynomial, which bounds what is possible. A history that a SAT solver
finds proves many links at once: all that are in histories with the same links between the
tracklets of each pair.

In clauses a variable says that a link is in the history; for each tracked tracklet, another one
that a tracklet is on its chain. Links go forward in time, so that a chain cannot close: whatever is
on it continues what is on it, back to the tracked one.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import tiered
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, Contradiction, Ints, LinkBounds, LinkProblem
from mixsafe.solver.sat.session import Session
from mixsafe.tracklets.matching import Backwards, History, alternatives, history_of


class Histories:
    """A SAT solver that knows what a history is.

    Parameters
    ----------
    problem
        The tracklets and links; pairs of ``same`` are required.
    session
        A solver without clauses.
    optional
        Whether what must be covered and pairs hold only if their literals in ``wanted`` are given.
    """

    def __init__(self, problem: LinkProblem, session: Session, *, optional: bool = False) -> None:
        self.problem = problem
        self.session = session
        self.back = Backwards.of(problem)
        self.link = session.new(problem.n_links)
        self._chains: dict[int, Ints] = {}
        self.wanted: list[int] = []
        self._at_most_one(self.link, problem.ptr)
        self._at_most_one(self.link[self.back.number], self.back.ptr)
        self._covered(self.link, problem.ptr, problem.must_continue, optional=optional)
        come = self.link[self.back.number]
        self._covered(come, self.back.ptr, problem.must_come, optional=optional)
        for early, late in in_order(problem):
            literal = int(self.on_chain(early)[late])
            if literal == 0:  # they cannot be of one vehicle
                literal = int(session.new(1)[0])
                session.add([[-literal]])
            if optional:
                self.wanted.append(literal)
            else:
                session.add([[literal]])

    def _at_most_one(self, literals: Ints, ptr: Ints) -> None:
        """At most one literal of each group, by variables "one of the first" (Sinz 2005)."""
        group = np.repeat(np.arange(len(ptr) - 1), np.diff(ptr))
        among = self.session.new(len(literals))
        further = np.flatnonzero(group[1:] == group[:-1]) + 1
        self.session.add(np.column_stack([-literals, among]).tolist())
        self.session.add(np.column_stack([-among[further - 1], among[further]]).tolist())
        self.session.add(np.column_stack([-literals[further], -among[further - 1]]).tolist())

    def _covered(self, literals: Ints, ptr: Ints, must: Bools, *, optional: bool) -> None:
        """One literal of each group that must have one."""
        groups = [literals[ptr[i] : ptr[i + 1]].tolist() for i in np.flatnonzero(must)]
        if optional:
            wanted = self.session.new(len(groups)).tolist()
            groups = [[-chosen, *group] for chosen, group in zip(wanted, groups, strict=True)]
            self.wanted += wanted
        self.session.add(groups)

    def on_chain(self, tracklet: int) -> Ints:
        """(n,) variable "each is on the chain of a tracklet"; 0: it cannot be."""
        if tracklet not in self._chains:
            self._chains[tracklet] = self._tracked(tracklet)
        return self._chains[tracklet]

    def _tracked(self, tracklet: int) -> Ints:
        problem, session = self.problem, self.session
        reached = np.flatnonzero(reached_from(problem, tracklet, None) > -2)
        on = np.zeros(len(problem), np.int64)
        on[reached] = session.new(len(reached))
        before, after = on[problem.owner], on[problem.to]
        ways = np.flatnonzero((before > 0) & (after > 0))
        x, before, after = self.link[ways], before[ways], after[ways]
        session.add([[int(on[tracklet])]])
        session.add(np.column_stack([-x, -before, after]).tolist())
        session.add(np.column_stack([-x, before, -after]).tolist())
        further = (on[problem.to] > 0) & (problem.to != tracklet)
        into = np.flatnonzero((on[problem.owner] == 0) & further)
        session.add(np.column_stack([-self.link[into], -on[problem.to[into]]]).tolist())
        order = np.argsort(after, kind="stable")
        groups = np.split(x[order], np.flatnonzero(np.diff(after[order])) + 1)
        heads = np.unique(after)
        session.add(
            [[-int(head), *group.tolist()] for head, group in zip(heads, groups, strict=False)]
        )
        return on

    def one_of(self, literals: npt.NDArray[np.integer]) -> int:
        """A new literal that one of these holds, to be given with a question."""
        chosen = int(self.session.new(1)[0])
        self.session.add([[-chosen, *literals.tolist()]])
        return chosen

    def nothing_of(self, literals: Ints, groups: npt.NDArray[np.integer], n: int) -> Ints:
        """(n,) new variables, each "no literal of the group"."""
        none = self.session.new(n)
        self.session.add(np.column_stack([-none[groups], -literals]).tolist())
        return none

    def start_from(self, history: History) -> None:
        """Look for histories near one first."""
        chosen = history.links(self.problem)
        self.session.start_from(np.where(chosen, self.link, -self.link).tolist())

    def history(self) -> History:
        """The history that was found, after an answer of True."""
        return History.of(self.problem, self.session.true()[self.link])


def in_order(problem: LinkProblem) -> list[tuple[int, int]]:
    """The pairs of ``same``, the earlier tracklet first, as far as they do not overlap."""
    return [
        (one, other) if problem.last[one] < problem.first[other] else (other, one)
        for one, other in problem.same.tolist()
    ]


def path_to(problem: LinkProblem, link: Ints, tracklet: int) -> Ints:
    """Links that lead to a tracklet, last one first, given the result of :func:`reached_from`."""
    found = []
    while link[tracklet] >= 0:
        found.append(link[tracklet])
        tracklet = int(np.searchsorted(problem.ptr, link[tracklet], "right")) - 1
    return np.array(found, np.int64)


def reached_from(
    problem: LinkProblem, tracklet: int, time: int | None, possible: Bools | None = None
) -> Ints:
    """(n,) link by which each tracklet is reached; -1: it is the tracklet; -2: it is not reached.

    Parameters
    ----------
    problem
        The tracklets and links.
    tracklet
        Where the chain begins.
    time
        Nothing after it is looked at; None: no limit.
    possible
        (n_links,) the links that may be used; None: all.
    """
    reached = np.full(len(problem), -2, np.int64)
    limit = int(problem.last.max()) + 1 if time is None else time
    if possible is None:
        possible = np.ones(problem.n_links, bool)
    reached[tracklet] = -1
    stack = np.empty(len(problem), np.int64)
    stack[0] = tracklet
    _reach(problem.ptr, problem.to, possible, problem.first, problem.last, limit, reached, stack)
    return reached


@tiered
def _reach(
    ptr: Ints,
    to: npt.NDArray[np.int32],
    possible: Bools,
    first: Ints,
    last: Ints,
    limit: int,
    reached: Ints,
    stack: Ints,
) -> None:
    """Depth-first search from the tracklet on the stack; those that reach the limit end it."""
    size = 1
    while size > 0:
        size -= 1
        i = stack[size]
        if last[i] >= limit:
            continue
        for link in range(ptr[i], ptr[i + 1]):
            j = to[link]
            if possible[link] and reached[j] == -2 and first[j] <= limit:
                reached[j] = link
                stack[size] = j
                size += 1


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


NO_DEADLINE = Deadline(None)


def decide(problem: LinkProblem, deadline: Deadline = NO_DEADLINE) -> LinkBounds:
    """Which links are in some history: exactly, in time linear in links after one matching.

    Parameters
    ----------
    problem
        The tracklets and links.
    deadline
        When to stop; only pairs of ``same`` can take so long. What is open then stays open.
    """
    history = history_of(problem)
    if isinstance(history, Contradiction):
        return LinkBounds.impossible(problem, history)
    bounds = alternatives(problem, history)
    if len(problem.same) == 0:
        return bounds
    return decide_together(problem, bounds, deadline)
