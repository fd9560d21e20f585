"""Answers to problems of tracklets and links that are given as such.

Which tracklets may be of the same vehicle at a later time: in an open fleet whatever is reached by
links is, as nothing else must be in a history. Otherwise that is an upper bound, and the question
is NP-complete. A path is proven if the rest has a matching that covers what must be covered; what
is still open then is left to a SAT solver, and after the deadline it stays open.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from mixsafe.model.answer.verdict import Verdict
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, ChainBounds, Ints, LinkBounds, LinkProblem
from mixsafe.solver.sat.session import Session
from mixsafe.tracklets.histories import (
    MOST_LINKS,
    Histories,
    decide,
    first_history,
    path_to,
    reached_from,
    with_path,
)
from mixsafe.tracklets.matching import History, history_of

_TRIED = 64  # candidates for which one path each is tried before the SAT solver


def chain_at(
    problem: LinkProblem, bounds: LinkBounds, tracklet: int, time: int, deadline: Deadline
) -> ChainBounds:
    """Which tracklets may be on the chain of one at a time after its last record.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        What :func:`mixsafe.tracklets.histories.decide` found of them; nothing is contradicted.
    tracklet, time
        The question.
    deadline
        When to stop; what is open then stays open.
    """
    kept = problem.restricted(bounds.possible, problem.must_continue, problem.must_come)
    link = reached_from(kept, tracklet, time)
    possible = np.flatnonzero((link > -2) & problem.there(time))
    leaving = problem.leaves(bounds.possible, bounds.may_end_possible, time)
    leaves = np.flatnonzero((link > -2) & leaving)
    if problem.is_open or len(possible) + (len(leaves) > 0) <= 1:
        # Some history exists, so that what remains alone is true in it.
        proven, none = possible, len(leaves) > 0
    elif len(problem.same) == 0:
        proven, none = _by_paths(kept, link, possible, leaves, time, deadline)
    else:
        proven, none = possible[:0], False
    found = ChainBounds(tracklet, time, proven, possible, none, len(leaves) > 0)
    if found.decided or kept.n_links > MOST_LINKS:
        return found
    return _by_search(kept, found, deadline)


def _by_paths(
    problem: LinkProblem, link: Ints, possible: Ints, leaves: Ints, time: int, deadline: Deadline
) -> tuple[Ints, bool]:
    """Candidates that one path each proves, and whether one that leaves proves that none is."""
    start = history_of(problem)
    if not isinstance(start, History):
        return possible[:0], False
    proven = [
        candidate
        for candidate in possible[:_TRIED].tolist()
        if not deadline.passed and _is_path(problem, path_to(problem, link, candidate), start)
    ]
    early = problem.first[problem.to] <= time
    none = False
    for leaf in leaves[:_TRIED].tolist():
        if none or deadline.passed:
            break
        later = ~(early & (problem.owner == leaf))
        none = _is_path(problem, path_to(problem, link, leaf), start, later)
    return np.array(proven, np.int64), none


def _is_path(problem: LinkProblem, links: Ints, start: History, also: Bools | None = None) -> bool:
    """Whether a history has all links of a path, and otherwise only those of ``also``."""
    path = np.zeros(problem.n_links, bool)
    path[links] = True
    return with_path(problem, path, also, start) is not None


def _by_search(problem: LinkProblem, found: ChainBounds, deadline: Deadline) -> ChainBounds:
    """Decide what is open by SAT, until the deadline."""
    with closing(Session()) as session:
        histories = Histories(problem, session)
        known = first_history(problem)
        if known is not None:
            histories.start_from(known)
        on = histories.on_chain(found.tracklet)
        nobody = histories.nothing_of(on[found.possible], np.zeros(len(found.possible), int), 1)
        literals = np.append(on[found.possible], nobody)
        proven = np.append(np.isin(found.possible, found.proven), found.may_be_none)
        possible = np.append(np.ones(len(found.possible), bool), found.may_be_none_possible)
        answer: bool | None = True
        while answer:
            wanted = literals[possible & ~proven]
            answer = session.solve([histories.one_of(wanted)], deadline)
            if answer:
                is_true = session.true()[literals]
                proven |= is_true
                proven[-1] |= not is_true[:-1].any()
        if answer is False:
            possible = proven
    return ChainBounds(
        found.tracklet,
        found.time,
        found.possible[proven[:-1]],
        found.possible[possible[:-1]],
        bool(proven[-1]),
        bool(possible[-1]),
    )


@dataclass(frozen=True, eq=False)
class LinkAnswer:
    """What is known of a problem.

    Parameters
    ----------
    problem
        The tracklets and links.
    bounds
        Links that are in some history.
    chains
        Of every tracklet at every later time at which one begins; empty: not asked for.
    k
        Candidates that each end and each beginning with a link needs.
    """

    problem: LinkProblem
    bounds: LinkBounds
    chains: tuple[ChainBounds, ...]
    k: int

    def __repr__(self) -> str:
        return f"<LinkAnswer: {self.problem.n_links:,} links, {self.verdict.value}>"

    @property
    def verdict(self) -> Verdict:
        """Whether all have k candidates; a contradiction leaves it undecided."""
        asked = self._counts(np.ones(self.problem.n_links, bool)) > 0
        if self.bounds.contradiction is not None:
            return Verdict.UNDECIDED
        if np.all(self._counts(self.bounds.proven)[asked] >= self.k):
            return Verdict.SAFE
        fails = np.any(self._counts(self.bounds.possible)[asked] < self.k)
        return Verdict.UNSAFE if fails else Verdict.UNDECIDED

    def _counts(self, chosen: Bools) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """(2 n,) chosen links of each end, then of each beginning."""
        n, problem = len(self.problem), self.problem
        sides = (problem.owner[chosen], problem.to[chosen])
        return np.concatenate([np.bincount(side, minlength=n) for side in sides])


def answer(problem: LinkProblem, k: int, deadline: Deadline, *, exhaustive: bool) -> LinkAnswer:
    """Decide a problem.

    Parameters
    ----------
    exhaustive
        Also follow the chain of every tracklet.
    """
    bounds = decide(problem, deadline)
    is_possible = bounds.contradiction is None
    chains = every_chain(problem, bounds, deadline) if exhaustive and is_possible else ()
    return LinkAnswer(problem, bounds, tuple(chains), k)


def every_chain(
    problem: LinkProblem, bounds: LinkBounds, deadline: Deadline
) -> Iterator[ChainBounds]:
    """The chain of each tracklet at each later time at which one begins."""
    times = np.unique(problem.first)
    for tracklet, last in enumerate(problem.last.tolist()):
        for time in times[times > last].tolist():
            yield chain_at(problem, bounds, tracklet, time, deadline)
