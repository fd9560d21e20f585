"""Beliefs in links: marginals of weighted matchings.

The weight of a history is the product of the weights of its links, and the belief in a link is the
share of all weight that histories with it have. Small groups of links are counted
(:mod:`mixsafe.tracklets.following`), which is exact. Where a group is too large for that, histories
are drawn with probabilities in proportion to their weights, by a Markov chain of changes and swaps
(Jerrum and Sinclair 1989; Metropolis and Hastings), and links are counted in them. Two chains that
begin apart say how far off their mean may be. Belief propagation (Williams and Lau 2014, IEEE
Transactions on Aerospace and Electronic Systems 50) is fast and close, and always converges; but it
is not exact: it proposes the changes, and learning makes its rounds with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner, side_by_side
from mixsafe.model.tracklets import Bools, Ints, LinkBounds, LinkProblem
from mixsafe.solver.local.generator import State, drawn, spread_beginning, uniform
from mixsafe.tracklets.counting import chances_of

Floats = npt.NDArray[np.float64]

_CLOSE = 1e-4
"""Change of beliefs at which propagation ends."""

_STEPS = 5_000_000
"""Changes that each chain tries, unless there are very many or few links."""

_SWEEPS = (300, 20_000)
"""Least and greatest number of changes tried for each end."""

_EXPLORE = 0.05
"""Share of changes that are proposed by weights instead of propagated beliefs."""

CHAINS = 2


class _Proposals(NamedTuple):
    """How changes of histories are proposed.

    Parameters
    ----------
    ptr, to
        Of the problem.
    weight
        (n_links,) of each link.
    propose, upto
        (n_links,) chance with which an end proposes each of its links, and the sum of those up to
        it; else it proposes none.
    """

    ptr: Ints
    to: npt.NDArray[np.int32]
    weight: Floats
    propose: Floats
    upto: Floats


class _Drawn(NamedTuple):
    """A history: (n,) the link that leaves each end, and the end that each beginning continues."""

    after: Ints
    before: Ints


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
    steps: int | None = None,
    seed: int = 0,
    workers: int = 0,
) -> Marginals:
    """Beliefs in all links: counted in small groups, sampled in others.

    Parameters
    ----------
    weight
        (n_links,) of each link, > 0, beside 1 for an end or a beginning without one.
    steps
        Changes that each chain tries; None: five million.
    seed
        Of what is drawn.
    workers
        Threads; 0: one per core.
    """
    steps = _STEPS if steps is None else steps
    everything = np.ones(problem.n_links, bool)
    nobody = np.ones(len(problem), bool)
    belief = chances_of(problem, LinkBounds.exact(everything, nobody, nobody), weights=weight)
    exact = ~np.isnan(belief)
    error = 0.0
    if not exact.all():
        proposal, _ = propagated(problem, weight)
        shares = _sampled(problem, weight, proposal, ~exact, steps, seed, workers)
        belief = np.where(exact, belief, shares.mean(axis=0))
        error = _error(problem, shares, ~exact)
    return Marginals(belief, exact, error)


def _error(problem: LinkProblem, shares: Floats, large: Bools) -> float:
    """Mean over ends of the greatest difference between samples, halved."""
    apart = np.where(large, np.ptp(shares, axis=0), 0.0)
    ends = np.unique(problem.owner[large])
    greatest = np.maximum.reduceat(apart, problem.ptr[ends])
    return float(greatest.mean()) / 2


def _sampled(
    problem: LinkProblem,
    weight: Floats,
    proposal: Floats,
    large: Bools,
    steps: int,
    seed: int,
    workers: int,
) -> Floats:
    """(CHAINS, n_links) shares of drawn histories with each link of large groups."""
    ptr, to, owner = problem.ptr, problem.to, problem.owner
    ends = np.unique(owner[large])
    by_weight = weight / (1.0 + np.bincount(owner, weight, len(problem)))[owner]
    propose = (1 - _EXPLORE) * proposal + _EXPLORE * by_weight
    upto = np.cumsum(propose) - propose
    upto = upto - upto[ptr[owner]] + propose
    sweeps = int(np.clip(steps // len(ends), *_SWEEPS))
    counts = np.zeros((CHAINS, problem.n_links), np.int32)

    rule = _Proposals(ptr, to, weight, propose, upto)

    def draw(chain: int) -> None:
        history = _Drawn(np.full(len(problem), -1), np.full(len(problem), -1))
        if chain:
            _take_likeliest(np.argsort(-proposal, kind="stable"), owner, to, history)
        state = spread_beginning(seed * CHAINS + chain + 1)
        _draw(rule, ends, history, counts[chain], sweeps, state)

    side_by_side(draw, range(CHAINS), workers)
    return counts / (sweeps - sweeps // 4)


@compiled
def _take_likeliest(  # pragma: no cover - compiled
    order: Ints, owner: npt.NDArray[np.int32], to: npt.NDArray[np.int32], history: _Drawn
) -> None:
    """Take links in order, if both sides are free."""
    for link in order:
        if history.after[owner[link]] < 0 and history.before[to[link]] < 0:
            history.after[owner[link]] = link
            history.before[to[link]] = owner[link]


@compiled
def _draw(  # pragma: no cover - compiled
    rule: _Proposals,
    ends: Ints,
    history: _Drawn,
    counts: npt.NDArray[np.int32],
    sweeps: int,
    state: State,
) -> None:
    """Draw histories by a Markov chain, and count links after the first quarter of sweeps.

    Parameters
    ----------
    ends
        Those that have links in large groups.
    history
        Where the chain begins, changed in place.
    """
    for sweep in range(sweeps):
        for _ in range(len(ends)):
            end = ends[drawn(state, len(ends))]
            first, last = rule.ptr[end], rule.ptr[end + 1]
            new = first + np.searchsorted(rule.upto[first:last], uniform(state), "right")
            old = history.after[end]
            if new == last:
                if old >= 0:
                    _give_up(rule, history, end, uniform(state))
            elif new != old:
                other = history.before[rule.to[new]]
                if other < 0:
                    _take(rule, history, end, new, uniform(state))
                elif old < 0:
                    _take_over(rule, history, end, new, uniform(state))
                else:
                    _swap(rule, history, end, new, uniform(state))
        if sweep >= sweeps // 4:
            _count(history, ends, counts)


@inner
def _count(  # pragma: no cover - compiled
    history: _Drawn, ends: Ints, counts: npt.NDArray[np.int32]
) -> None:
    """Count the links of a history."""
    for end in ends:
        if history.after[end] >= 0:
            counts[history.after[end]] += 1


@inner
def _none(rule: _Proposals, end: int) -> float:  # pragma: no cover - compiled
    """Chance with which an end proposes to have no link."""
    return float(1.0 - rule.upto[rule.ptr[end + 1] - 1])


@inner
def _give_up(  # pragma: no cover - compiled
    rule: _Proposals, history: _Drawn, end: int, luck: float
) -> None:
    """An end gives its link up."""
    old = history.after[end]
    if luck * rule.weight[old] * _none(rule, end) < rule.propose[old]:
        history.before[rule.to[old]] = -1
        history.after[end] = -1


@inner
def _take(  # pragma: no cover - compiled
    rule: _Proposals, history: _Drawn, end: int, new: int, luck: float
) -> None:
    """An end takes a link whose beginning is free, for none or for its own."""
    old = history.after[end]
    odds = rule.weight[new] / rule.propose[new]
    odds *= _none(rule, end) if old < 0 else rule.propose[old] / rule.weight[old]
    if luck < odds:
        if old >= 0:
            history.before[rule.to[old]] = -1
        history.after[end] = new
        history.before[rule.to[new]] = end


@inner
def _take_over(  # pragma: no cover - compiled
    rule: _Proposals, history: _Drawn, end: int, new: int, luck: float
) -> None:
    """An end without a link takes a beginning from another end, which has none then."""
    other = history.before[rule.to[new]]
    lost = history.after[other]
    gained = rule.weight[new] * rule.propose[lost]
    if luck * rule.weight[lost] * rule.propose[new] < gained:
        history.after[other] = -1
        history.after[end] = new
        history.before[rule.to[new]] = end


@inner
def _swap(  # pragma: no cover - compiled
    rule: _Proposals, history: _Drawn, end: int, new: int, luck: float
) -> None:
    """Two ends exchange their beginnings, if the other one may have that of the first."""
    old, other = history.after[end], history.before[rule.to[new]]
    lost, low, high = history.after[other], rule.ptr[other], rule.ptr[other + 1]
    swapped = low + np.searchsorted(rule.to[low:high], rule.to[old])
    if swapped == high or rule.to[swapped] != rule.to[old]:
        return
    odds = rule.weight[new] * rule.weight[swapped] / (rule.weight[old] * rule.weight[lost])
    odds *= rule.propose[old] + rule.propose[lost]
    if luck * (rule.propose[new] + rule.propose[swapped]) < odds:
        history.after[end] = new
        history.after[other] = swapped
        history.before[rule.to[new]] = end
        history.before[rule.to[swapped]] = other
