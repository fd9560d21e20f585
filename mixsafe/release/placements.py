"""Placements of people at places, no two at one: how likely each place of each person is.

A placement counts as much as the product of the likelihoods of its pairs. Of a few people who
compete with each other, the sum over placements is taken subset by subset, which is exact. Of more,
placements are drawn by a Markov chain, which moves one person to a free place, or lets two exchange
theirs (Metropolis and Hastings); belief propagation proposes the moves (Williams and Lau 2014). Two
chains that begin apart say how far off their mean may be.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compile_always, compiled, inner, tiered
from mixsafe.solver.local.generator import State, drawn, spread_beginning, uniform

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

MOST_COUNTED = 8
"""People of the largest group whose placements are counted."""

STEPS = 1_000_000
"""Moves that each chain tries."""

CHAINS = 2

_ROUNDS = 100
_SETTLED = 1e-4
_LEAST_SUM = 1e-12
_EXPLORE = 0.1  # share of moves that are proposed by likelihood instead of propagated beliefs
_MUCH = 1 << 16  # steps of a sum over subsets that are not for plain Python


class Placed(NamedTuple):
    """Beliefs in places.

    Parameters
    ----------
    belief
        (n_people, n_places) share of the weight of all placements.
    error
        (n_people,) greatest difference of a belief between two chains, halved; 0: it was counted.
    """

    belief: Floats
    error: Floats


def place(log_likelihoods: Floats, seed: int = 0) -> Placed:
    """Beliefs in the places of people.

    Parameters
    ----------
    log_likelihoods
        (n_people, n_places); -inf: not possible. There is a placement of everybody.
    seed
        Of what is drawn.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n_people, n_places = log_likelihoods.shape
    person, at = np.nonzero(log_likelihoods > -np.inf)
    size = n_people + n_places
    links = coo_array((np.ones(len(at), np.int8), (person, at + n_people)), shape=(size, size))
    label = connected_components(links, directed=False)[1]
    belief, error = np.zeros_like(log_likelihoods), np.zeros(n_people)
    order = np.argsort(label[:n_people], kind="stable")
    for people in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        where = np.flatnonzero(label[n_people:] == label[people[0]])
        mine = log_likelihoods[np.ix_(people, where)]
        mine = mine - mine.max(axis=1, keepdims=True)
        if len(people) <= MOST_COUNTED:
            found = _counted(mine)
        else:
            found, error[people] = _drawn(mine, seed)
        belief[np.ix_(people, where)] = found
    return Placed(belief, error)


def _counted(log: Floats) -> Floats:
    """Beliefs of a group, exact."""
    if len(log) == 1:
        alone: Floats = np.exp(log) / np.exp(log).sum()
        return alone
    if log.size << len(log) > _MUCH:
        compile_always()
    upto = np.full((log.shape[1] + 1, 1 << len(log)), -np.inf)
    belief = np.zeros_like(log)
    _sum_up(log, upto)
    _sum_back(log, upto, belief)
    return belief


def _drawn(log: Floats, seed: int) -> tuple[Floats, Floats]:
    """Beliefs of a large group, and how far off they may be."""
    from scipy.optimize import linear_sum_assignment

    proposal = np.zeros_like(log)
    weight = np.exp(log)
    _propagate(weight, proposal)
    proposal = (1 - _EXPLORE) * proposal + _EXPLORE * weight / weight.sum(axis=1, keepdims=True)
    proposal = np.where(log > -np.inf, np.maximum(proposal, 1e-12), 0.0)
    proposal /= proposal.sum(axis=1, keepdims=True)
    random = np.random.default_rng(seed)
    anything = np.where(log > -np.inf, random.random(log.shape), np.inf)
    shares = []
    for number, cost in zip(range(CHAINS), (-log, anything), strict=True):
        counts = np.zeros(log.shape, np.int64)
        at = linear_sum_assignment(cost)[1].astype(np.int64)
        rule = Moves(log, np.log(np.where(proposal > 0, proposal, 1)), np.cumsum(proposal, axis=1))
        sweeps = max(STEPS // len(log), 40)
        _draw(rule, at, counts, sweeps, spread_beginning(seed * CHAINS + number + 1))
        shares.append(counts / (sweeps - sweeps // 4))
    both = np.stack(shares)
    return both.mean(axis=0), np.ptp(both, axis=0).max(axis=1) / 2


class Moves(NamedTuple):
    """How placements change, (n_people, n_places) each.

    Parameters
    ----------
    log
        Logarithms of likelihoods.
    propose, upto
        Logarithm of the chance with which a person proposes each place, and the sum of the chances
        up to it.
    """

    log: Floats
    propose: Floats
    upto: Floats


@inner
def _odds(  # pragma: no cover - compiled
    rule: Moves, one: int, other: int, old: int, new: int
) -> float:
    """Logarithm of the odds of a move, by likelihoods and by what is proposed.

    Parameters
    ----------
    other
        Who is at the new place, and goes to the old one; -1: nobody.
    """
    odds = rule.log[one, new] - rule.log[one, old]
    back, forth = rule.propose[one, old], rule.propose[one, new]
    if other >= 0:
        odds += rule.log[other, old] - rule.log[other, new]
        back = np.logaddexp(back, rule.propose[other, new])
        forth = np.logaddexp(forth, rule.propose[other, old])
    return float(min(odds + back - forth, 0.0))


@compiled
def _draw(  # pragma: no cover - compiled
    rule: Moves, at: Ints, counts: Ints, sweeps: int, state: State
) -> None:
    """Draw placements, and count places after the first quarter of sweeps."""
    n_people, n_places = rule.log.shape
    who = np.full(n_places, -1)
    for one in range(n_people):
        who[at[one]] = one
    for sweep in range(sweeps):
        for _ in range(n_people):
            one = drawn(state, n_people)
            new = min(int(np.searchsorted(rule.upto[one], uniform(state), "right")), n_places - 1)
            old, other = at[one], who[new]
            allowed = new != old and rule.log[one, new] > -np.inf
            allowed = allowed and (other < 0 or rule.log[other, old] > -np.inf)
            if allowed and uniform(state) < np.exp(_odds(rule, one, other, old, new)):
                at[one], who[new], who[old] = new, one, other
                if other >= 0:
                    at[other] = old
        if sweep >= sweeps // 4:
            for one in range(n_people):
                counts[one, at[one]] += 1


@tiered
def _sum_up(log: Floats, upto: Floats) -> None:  # pragma: no cover - compiled
    """Logarithms of the weights of each set of people on the places up to each one."""
    n_people, n_places = log.shape
    upto[0, 0] = 0.0
    for at in range(n_places):
        for some in range(1 << n_people):
            total = upto[at, some]
            for one in range(n_people):
                if some >> one & 1:
                    total = np.logaddexp(total, upto[at, some ^ 1 << one] + log[one, at])
            upto[at + 1, some] = total


@tiered
def _sum_back(log: Floats, upto: Floats, belief: Floats) -> None:  # pragma: no cover - compiled
    """The same from the last place on, and both together."""
    n_people, n_places = log.shape
    whole = (1 << n_people) - 1
    rest = np.full(whole + 1, -np.inf)
    rest[whole] = 0.0
    for at in range(n_places - 1, -1, -1):
        for some in range(whole + 1):  # ascending: larger sets are still those of later places
            for one in range(n_people):
                if not some >> one & 1:
                    onward = rest[some | 1 << one] + log[one, at]
                    belief[one, at] += np.exp(upto[at, some] + onward - upto[n_places, whole])
                    rest[some] = np.logaddexp(rest[some], onward)


@compiled
def _propagate(weight: Floats, belief: Floats) -> None:  # pragma: no cover - compiled
    """Beliefs that are nearly right, from messages between people and their places."""
    n_people, n_places = weight.shape
    from_place = np.ones((n_people, n_places))
    taken = np.zeros(n_places)
    for _ in range(_ROUNDS):
        change = 0.0
        taken[:] = 1.0
        for one in range(n_people):
            total = 0.0
            for at in range(n_places):
                total += weight[one, at] * from_place[one, at]
            for at in range(n_places):
                mine = weight[one, at] * from_place[one, at]
                change = max(change, abs(mine / total - belief[one, at]))
                belief[one, at] = mine / total
                sent = weight[one, at] / max(total - mine, _LEAST_SUM)
                from_place[one, at] = sent
                taken[at] += sent
        if change < _SETTLED:
            break
        for one in range(n_people):
            for at in range(n_places):
                from_place[one, at] = 1.0 / max(taken[at] - from_place[one, at], 1.0)
