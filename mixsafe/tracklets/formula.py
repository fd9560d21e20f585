"""Histories as clauses, with the chains of some tracklets.

A variable says that a link is in the history; for each tracked tracklet, another one that a
tracklet is on its chain. Links go forward in time, so that a chain cannot close: whatever is on
it continues what is on it, back to the tracked one.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import tiered
from mixsafe.model.tracklets import Bools, Ints, LinkProblem
from mixsafe.solver.sat.session import Session
from mixsafe.tracklets.matching import Backwards, History


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
