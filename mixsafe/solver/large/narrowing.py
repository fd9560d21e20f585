"""Upper bounds on all wires from lists of tokens and matchings of these lists (fact 6).

At any moment tokens are a bijection. A token may be on a row only if the two lie on one cycle of
the digraph "row v may hold token c". A row without a list may hold any token. So all rows from
which such a row is reachable count as one component; the components of the others are computed by
Tarjan's algorithm (1972).

A wire that can hold only its own token acts as a sighting. This shortens the stretches between
sightings, and so the lists, so both are computed again while that helps.
"""

from __future__ import annotations

import threading
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import timeline_of
from mixsafe.network.wires import Ints, Small, Wires
from mixsafe.solver.large.possible_tokens import QUESTIONS
from mixsafe.solver.large.sparse_answers import SparseAnswers
from mixsafe.solver.large.token_lists import TokenLists, list_tokens, stretches, sweeps_needed

_CHUNKS = 16  # stretches of time, the tasks of threads


class ComponentSearch(NamedTuple):
    """State of the component search at one step, by row."""

    at: Ints  # (n_rows,): wire on which it is
    order: Small  # (n_rows,): order of discovery; 0: not yet found
    low: Small  # (n_rows,): Tarjan's low link
    part: Small  # (n_rows,): order of the first row of its component; 0: still open
    wild: npt.NDArray[np.bool_]  # (n_rows,): whether a row without a list is reachable
    left: Small  # (n_rows,): stack of rows without a component
    path_stack: Small  # (n_rows,): rows on the current path
    next: Small  # (n_rows,): next token of each row to follow
    number: Ints  # (3,): rows found, in `left`, and on the path


def match_lists(lists: TokenLists, steps: Small, net: Wires, workers: int = 0) -> Small:
    """Count the tokens that perfect matchings of some steps allow on each wire: upper bounds.

    Parameters
    ----------
    lists
        Tokens that can be on wires.
    steps
        Steps to match, ascending.
    net
        The wires.
    workers
        Threads; 0 means one per core.

    Returns
    -------
    (n_wires,) int32, no more than the lists say.
    """
    upper, writes = lists.size.copy(), threading.Lock()
    n_rows = len(net.first) - 1

    def match(some: Small) -> None:
        search, most = _new_search(net), np.empty(n_rows, np.int32)
        for t in some:
            _match(t, most, search, lists, net)
            wires = np.flatnonzero(most >= 0)
            with writes:
                upper[search.at[wires]] = np.minimum(upper[search.at[wires]], most[wires])

    chunks = [some for some in np.array_split(steps, _CHUNKS) if len(some)]
    side_by_side(match, chunks, workers)
    return upper


def _new_search(net: Wires) -> ComponentSearch:
    """Working memory for searches, with all rows on their first wires."""
    n_rows = len(net.first) - 1
    order, low, part, left, path_stack, following = np.zeros((6, n_rows), np.int32)
    wild, number = np.zeros(n_rows, np.bool_), np.zeros(3, np.int64)
    return ComponentSearch(
        net.first[:-1].copy(), order, low, part, wild, left, path_stack, following, number
    )


@compiled
def _match(  # pragma: no cover - compiled
    t: int, most: Small, search: ComponentSearch, lists: TokenLists, net: Wires
) -> None:
    """Count the tokens that matchings of one step allow on each row; -1: the row has no list."""
    search.number[0] = 0
    for row in range(len(most)):
        at = search.at[row]
        while at + 1 < net.first[row + 1] and net.start[at + 1] <= t:
            at += 1
        search.at[row] = at
        search.order[row] = search.part[row] = 0
    for row in range(len(most)):
        most[row] = -1
        begin = lists.begin[search.at[row]]
        if begin < 0:
            continue
        if search.order[row] == 0:
            _search(row, search, lists)
        most[row] = 0
        for i in range(begin, begin + lists.size[search.at[row]]):
            token = lists.tokens[i]
            most[row] += search.wild[token] or search.part[token] == search.part[row]


@inner
def _search(  # pragma: no cover - compiled
    root: int, search: ComponentSearch, lists: TokenLists
) -> None:
    """Find the components of all rows that are reachable from ``root``."""
    n = search.number
    n[1] = n[2] = 0
    _enter(root, search, lists)
    while n[2] > 0:
        row = search.path_stack[n[2] - 1]
        wire = search.at[row]
        if lists.begin[wire] >= 0 and search.next[row] < lists.size[wire]:
            token = lists.tokens[lists.begin[wire] + search.next[row]]
            search.next[row] += 1
            if search.order[token] == 0:
                _enter(token, search, lists)
            elif search.part[token] > 0:
                search.wild[row] |= search.wild[token]
            else:
                search.low[row] = min(search.low[row], search.order[token])
            continue
        if search.low[row] == search.order[row]:
            _close(row, search)
        n[2] -= 1
        if n[2] > 0:
            before = search.path_stack[n[2] - 1]
            search.low[before] = min(search.low[before], search.low[row])
            search.wild[before] |= search.wild[row]


@inner
def _enter(  # pragma: no cover - compiled
    row: int, search: ComponentSearch, lists: TokenLists
) -> None:
    """Add a newly found row to the search."""
    n = search.number
    search.left[n[1]] = search.path_stack[n[2]] = row
    for i in range(3):
        n[i] += 1
    search.order[row] = search.low[row] = n[0]
    search.next[row] = 0
    wire = search.at[row]
    search.wild[row] = lists.begin[wire] < 0 and lists.size[wire] > 1


@inner
def _close(row: int, search: ComponentSearch) -> None:  # pragma: no cover - compiled
    """Make the rows of ``left`` from ``row`` on one component."""
    again = True
    while again:
        search.number[1] -= 1
        one = search.left[search.number[1]]
        search.part[one] = search.order[row]
        search.wild[one] = search.wild[row]
        again = one != row


def narrow(answers: SparseAnswers, pins: Pins, share: float, course: Course) -> bool:
    """Bound all wires, if that takes fewer sweeps than a question for each of the open ones.

    Parameters
    ----------
    answers
        The questions; settled in place.
    pins
        Sightings of single tokens on their own rows.
    share
        Repeat while that settles this share of the open questions.
    course
        Of the run; what is open when its time is up stays open.

    Returns
    -------
    Whether it was done.
    """
    network, net = answers.core.network, answers.core.network.wires
    settled = answers.n_open
    for number in range(settled + 1):
        before = answers.n_open
        if not before or course.passed or settled < share * before:
            break
        whole = timeline_of(network, pins)
        asked, closed = stretches(whole)
        open_wires, _ = answers.open_wires()
        if number == 0 and sweeps_needed(asked, net) > -(-len(open_wires) // QUESTIONS):
            return False
        course.progress("following stretches", len(answers.k) - before, len(answers.k))
        lists = list_tokens(whole, asked, closed, course.workers)
        np.minimum(answers.upper, lists.size, out=answers.upper)
        answers.settle(Argument.MATCHING if number else Argument.REACHABILITY)
        course.progress("matching tokens to rows", len(answers.k) - answers.n_open, len(answers.k))
        open_wires, _ = answers.open_wires()
        steps = np.unique([network.start[open_wires], network.end[open_wires]])
        np.minimum(answers.upper, match_lists(lists, steps, net, course.workers), out=answers.upper)
        answers.settle(Argument.MATCHING)
        fixed = np.flatnonzero((answers.upper == 1) & ~closed)
        pins = pins.joined(Pins.own(network.row[fixed], network.start[fixed]))
        settled = before - answers.n_open
    return True
