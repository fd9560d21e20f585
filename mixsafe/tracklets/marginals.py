"""Beliefs in links: marginals of weighted matchings.

The weight of a history is the product of the weights of its links, and the belief in a link is the
share of all weight that histories with it have. Small groups of links are counted
(:mod:`mixsafe.tracklets.counting`), which is exact. Where a group is too large for that, histories
are drawn with probabilities in proportion to their weights, and links are counted in them. Two
chains that begin apart say how far off their mean may be.

A chain goes from one history to the next along alternating paths and cycles, as worm algorithms do
(Prokof'ev and Svistunov 2001, Physical Review Letters 87): an end gives up its link and takes
another; whoever had that beginning takes another, and so on, until a beginning is free, or an end
stays without. No step is refused.

Belief propagation (Williams and Lau 2014, IEEE Transactions on Aerospace and Electronic Systems 50)
is faster, but too sure of itself: learning makes its rounds with it, and it says which beginnings
many want.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.course import Deadline
from mixsafe.model.tracklets import Bools, Ints, LinkBounds, LinkProblem
from mixsafe.solver.local.generator import State, drawn, spread_beginning, uniform
from mixsafe.tracklets.counting import chances_of

Floats = npt.NDArray[np.float64]

_CLOSE = 1e-4
"""Change of beliefs at which propagation ends."""

MOVES = 1_000
"""Moves of each chain for each end, unless more are asked for."""

_LEAST_MOVES = 200_000  # of a chain: few ends are cheap

_GUESSES = 5  # rounds of propagation before chains begin

_EAGER = 10.0
"""Ends give links up by the chance with which their beginnings are free, times this: else chains
would wait, or ends that want one beginning would take it from each other for long."""

_BLOCK = 1 << 12  # paths after which the deadline is looked at

CHAINS = 2


class _Moves(NamedTuple):
    """How an end takes its next link.

    Parameters
    ----------
    ptr, to
        Of the problem.
    upto
        (n_links,) chance with which an end without a link takes this one or one before it; what is
        left to 1 is that it stays without.
    given_up
        (n,) chance with which a beginning is given up by the end that has it.
    """

    ptr: Ints
    to: npt.NDArray[np.int32]
    upto: Floats
    given_up: Floats


class _Drawn(NamedTuple):
    """A history, and how often links have been in it.

    Parameters
    ----------
    after, before
        (n,) the link that leaves each end, and the end that each beginning continues; -1: none.
    since
        (n,) the time since which an end has its link.
    counts
        (n_links,) how long each link was in the history, but for what is still going on.
    """

    after: Ints
    before: Ints
    since: Ints
    counts: Ints


@dataclass(frozen=True, eq=False)
class Marginals:
    """Beliefs in links.

    Parameters
    ----------
    belief
        (n_links,) share of the weight of all histories with each link.
    exact
        (n_links,) whether it was counted; the others were sampled.
    error
        Mean over ends of the greatest difference of a belief between two samples, halved: that of
        their mean; 0 if all were counted.
    """

    belief: Floats
    exact: Bools
    error: float


def propagated(
    problem: LinkProblem, weight: Floats, messages: Floats | None = None, rounds: int = 200
) -> tuple[Floats, Floats]:
    """(n_links,) beliefs by belief propagation, and the messages to begin the next call with.

    Parameters
    ----------
    weight
        (n_links,) of each link, > 0, beside 1 for an end or a beginning without one.
    messages
        Of the last call for the same links; None: begin anew.
    rounds
        At most; it ends when beliefs change by less than 0.0001.
    """
    messages = np.ones(problem.n_links) if messages is None else messages.copy()
    belief = np.zeros(problem.n_links)
    if problem.n_links:
        _propagate(problem.ptr, problem.to, weight, messages, belief, rounds, _CLOSE)
    return belief, messages


@compiled
def _propagate(  # pragma: no cover - compiled
    ptr: Ints,
    to: npt.NDArray[np.int32],
    weight: Floats,
    messages: Floats,
    belief: Floats,
    rounds: int,
    close: float,
) -> None:
    """Exchange messages between ends and beginnings until beliefs stay."""
    n = len(ptr) - 1
    taken = np.zeros(n)
    sent = np.zeros(len(to))
    for _ in range(rounds):
        taken[:] = 1.0
        change = 0.0
        for end in range(n):
            total = 1.0
            for link in range(ptr[end], ptr[end + 1]):
                total += weight[link] * messages[link]
            for link in range(ptr[end], ptr[end + 1]):
                mine = weight[link] * messages[link]
                change = max(change, abs(mine / total - belief[link]))
                belief[link] = mine / total
                sent[link] = weight[link] / (total - mine)
                taken[to[link]] += sent[link]
        if change < close:
            return
        for link in range(len(to)):
            messages[link] = 1.0 / (taken[to[link]] - sent[link])


def marginals(
    problem: LinkProblem,
    weight: Floats,
    *,
    moves: int = MOVES,
    seed: int = 0,
    workers: int = 0,
    deadline: Deadline | None = None,
) -> Marginals:
    """Beliefs in all links: counted in small groups, sampled in others.

    Parameters
    ----------
    weight
        (n_links,) of each link, > 0, beside 1 for an end or a beginning without one.
    moves
        Of each chain for each end that is sampled.
    seed
        Of what is drawn.
    workers
        Threads; 0: one per core.
    deadline
        When to stop drawing, however large the error is then; None: never.
    """
    everything = np.ones(problem.n_links, bool)
    nobody = np.ones(len(problem), bool)
    belief = chances_of(problem, LinkBounds.exact(everything, nobody, nobody), weights=weight)
    exact = ~np.isnan(belief)
    error = 0.0
    if not exact.all():
        ends = np.unique(problem.owner[~exact]).astype(np.int64)
        budget = max(moves * len(ends), _LEAST_MOVES)
        deadline = Deadline(None) if deadline is None else deadline
        shares = _sampled(problem, weight, ends, budget, seed, workers, deadline)
        error = _error(problem, shares, ends)
        belief = np.where(exact, belief, shares.mean(axis=0))
    return Marginals(belief, exact, error)


def _error(problem: LinkProblem, shares: Floats, ends: Ints) -> float:
    """Mean over ends of the greatest difference between samples, halved."""
    linked = np.flatnonzero(np.diff(problem.ptr))
    greatest = np.maximum.reduceat(np.ptp(shares, axis=0), problem.ptr[linked])
    return float(greatest[np.searchsorted(linked, ends)].mean()) / 2


def _moves(problem: LinkProblem, weight: Floats) -> _Moves:
    """How ends take links, so that histories are drawn by their weights.

    Let an end d take the beginning j by the weight of its link times r(j), and stay without a link
    by 1, and let an end give j up with chance r(j) <= 1. A move from any history, or from one that
    lacks the link of d, is then as frequent as its reverse, if a history is as frequent as its
    weight, and one that lacks the link of d as that times the sum over what d can take.
    """
    owner, n = problem.owner, len(problem)
    _, messages = propagated(problem, weight, rounds=_GUESSES)
    messages *= weight
    others = (1.0 + np.bincount(owner, messages, n))[owner]
    others -= messages
    wanted = 1.0 + np.bincount(problem.to, weight / others, n)
    given_up = np.minimum(1.0, _EAGER / wanted)
    upto = messages
    np.multiply(weight, given_up[problem.to], out=upto)
    _add_up(problem.ptr, upto)
    return _Moves(problem.ptr, problem.to, upto, given_up)


@compiled
def _add_up(ptr: Ints, chance: Floats) -> None:  # pragma: no cover - compiled
    """From what each link of an end counts beside 1 for none, to chances up to each link."""
    for end in range(len(ptr) - 1):
        total = 1.0
        for link in range(ptr[end], ptr[end + 1]):
            total += chance[link]
        upto = 0.0
        for link in range(ptr[end], ptr[end + 1]):
            upto += chance[link] / total
            chance[link] = upto


def _sampled(
    problem: LinkProblem,
    weight: Floats,
    ends: Ints,
    budget: int,
    seed: int,
    workers: int,
    deadline: Deadline,
) -> Floats:
    """(CHAINS, n_links) share of the time of each chain in which a history had each link.

    Parameters
    ----------
    ends
        Those that are sampled.
    budget
        Moves of each chain, of which the first quarter is not counted.
    """
    n, moves = len(problem), _moves(problem, weight)
    shares = np.zeros((CHAINS, problem.n_links))

    def draw(chain: int) -> None:
        counts = np.zeros(problem.n_links, np.int64)
        history = _Drawn(np.full(n, -1), np.full(n, -1), np.zeros(n, np.int64), counts)
        if chain:
            _take_likeliest(moves, weight, history)
        state = spread_beginning(seed * CHAINS + chain + 1)
        _walk(moves, ends, history, budget // 4, state, deadline)
        counts[:] = 0
        time = _walk(moves, ends, history, budget - budget // 4, state, deadline)
        np.divide(counts, time, out=shares[chain])

    side_by_side(draw, range(CHAINS), workers)
    return shares


def _walk(
    moves: _Moves, ends: Ints, history: _Drawn, budget: int, state: State, deadline: Deadline
) -> int:
    """Go from history to history until so many moves are made, or the time is up.

    Returns
    -------
    The number of histories, >= 1. Counts of links are complete.
    """
    history.since[:] = 0
    time = made = 0
    while made < budget and not (deadline.passed and time):
        part = min(_BLOCK, budget - made)
        made += _draw(moves, ends, history, time, part, state)
        time += part
    _count(history, ends, time)
    return time


@compiled
def _take_likeliest(  # pragma: no cover - compiled
    moves: _Moves, weight: Floats, history: _Drawn
) -> None:
    """One end after the other takes its link of most weight whose beginning is free."""
    for end in range(len(moves.ptr) - 1):
        best = -1
        for link in range(moves.ptr[end], moves.ptr[end + 1]):
            if history.before[moves.to[link]] < 0 and (best < 0 or weight[link] > weight[best]):
                best = link
        if best >= 0 and weight[best] > 1:
            history.after[end] = best
            history.before[moves.to[best]] = end


@compiled
def _draw(  # pragma: no cover - compiled
    moves: _Moves, ends: Ints, history: _Drawn, time: int, paths: int, state: State
) -> int:
    """Change a history along so many paths, and add up how long links were in it.

    Parameters
    ----------
    ends
        Those at which paths begin.
    history
        Changed in place.
    time
        Of the first path; each takes 1.

    Returns
    -------
    The number of moves: paths, and the steps of each.
    """
    made = 0
    for now in range(time + 1, time + paths + 1):
        made += 1
        end = ends[drawn(state, len(ends))]
        old = history.after[end]
        if old >= 0:
            if uniform(state) >= moves.given_up[moves.to[old]]:
                continue
            history.before[moves.to[old]] = -1
        while end >= 0:
            made += 1
            _leave(history, end, now)
            end = _take(moves, history, end, uniform(state))
    return made


@inner
def _leave(history: _Drawn, end: int, now: int) -> None:  # pragma: no cover - compiled
    """An end loses its link, if it has one."""
    if history.after[end] >= 0:
        history.counts[history.after[end]] += now - history.since[end]
        history.after[end] = -1
    history.since[end] = now


@inner
def _take(  # pragma: no cover - compiled
    moves: _Moves, history: _Drawn, end: int, luck: float
) -> int:
    """An end takes a link, or none; returns the end whose beginning it took, or -1."""
    first, last = moves.ptr[end], moves.ptr[end + 1]
    new = first + np.searchsorted(moves.upto[first:last], luck, "right")
    if new == last:
        return -1
    other = history.before[moves.to[new]]
    history.after[end] = new
    history.before[moves.to[new]] = end
    return int(other)


@compiled
def _count(history: _Drawn, ends: Ints, now: int) -> None:  # pragma: no cover - compiled
    """Count how long ends have had the links that they have."""
    for end in ends:
        if history.after[end] >= 0:
            history.counts[history.after[end]] += now - history.since[end]
        history.since[end] = now
