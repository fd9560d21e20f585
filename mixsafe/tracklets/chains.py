"""Which tracklets may be of the same vehicle at a later time.

In an open fleet whatever is reached by links is: nothing else must be in a history. Otherwise
that is an upper bound, and the question is NP-complete. A path is proven if the rest has a
matching that covers what must be covered; what is still open then is left to a SAT solver, and
after the deadline it stays open.
"""

from __future__ import annotations

from contextlib import closing

import numpy as np

from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, ChainBounds, Ints, LinkBounds, LinkProblem
from mixsafe.solver.sat.session import Session
from mixsafe.tracklets.formula import Histories, path_to, reached_from
from mixsafe.tracklets.matching import History, history_of
from mixsafe.tracklets.together import MOST_LINKS, first_history, with_path

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
