"""How a zone spreads the weights of states: the step of the dynamic program that counts.

A state is the row of each tracked token, as in :mod:`mixsafe.solver.dp.pebbles`. Tokens that
nobody tracks fill the other rows in any order, so that under a mixture of a uniform exchange and
none the tracked ones of a zone are on any of its rows, all different, with equal chances. A law
that asks who moves needs all tokens tracked. Either way a permutation weighs what its inverse
does, so that one step serves both directions of time.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.solver.dp.pebbles import (
    Packing,
    PebbledZone,
    States,
    next_member,
    put,
    tokens_here,
)
from mixsafe.weigh.laws import ZoneWeights

Floats = npt.NDArray[np.float64]


class ZoneChances(NamedTuple):
    """The law of one zone.

    Parameters
    ----------
    placed
        (size + 1,): chance of each way to place 0, 1, … tracked tokens by the exchange.
    still
        Chance that nobody moves whatever, 0 to 1; -1: ask ``table``.
    table, stride
        Weights by who moves, and (size,) what each member adds to the index.
    """

    placed: Floats
    still: float
    table: Floats
    stride: npt.NDArray[np.int64]


class StateWeights(NamedTuple):
    """Weights of states: ``states``, (n,) ascending, and ``weights``, (n,) >= 0."""

    states: States
    weights: Floats

    @classmethod
    def merged(cls, states: States, weights: Floats) -> StateWeights:
        """Those of states that may come several times."""
        if not len(states):
            return cls(states, weights)
        different, which = np.unique(states, return_inverse=True)
        total = np.bincount(which, weights, len(different)).astype(np.float64, copy=False)
        return cls(different, total)

    def those(self, chosen: npt.NDArray[np.bool_]) -> StateWeights:
        """Some of them."""
        return StateWeights(self.states[chosen], self.weights[chosen])


def zone_chances(weights: ZoneWeights, zone: int, entries: slice) -> ZoneChances:
    """The law of one zone.

    Parameters
    ----------
    weights
        Laws of all zones.
    zone, entries
        Its number, and where its members are in the list of memberships.
    """
    stride, chance = weights.stride[entries], float(weights.chance[zone])
    size = len(stride)
    table = weights.table[weights.begin[zone] :][: 1 + int(stride.sum())]
    if chance < 0:
        return ZoneChances(np.zeros(size + 1), -1.0, np.exp(table - table.max()), stride)
    ways = np.cumprod(np.append(1.0, np.arange(size, 0, -1)))
    return ZoneChances(chance / ways, 1.0 - chance, np.zeros(1), stride)


@compiled
def spread_weights(  # pragma: no cover - compiled
    given: StateWeights, packing: Packing, zone: PebbledZone, law: ZoneChances, most: int
) -> tuple[States, Floats, int]:
    """States beyond a zone and their weights, some several times, and the steps that it took.

    ``zone.allowed`` says where tokens may go to. After more than ``most`` steps it ends, and what
    it returns is not all.
    """
    shifts, members = packing.shifts, zone.members
    found = np.empty(len(given.states) + 16, np.uint64)
    weights = np.empty(len(found))
    token = np.empty(len(shifts), np.int64)
    chosen = np.empty(len(members) + 1, np.int64)
    came = np.empty(len(members) + 1, np.int64)
    n_found = steps = 0
    for i in range(len(given.states)):
        n_tokens, elsewhere = tokens_here(given.states[i], packing, zone.place, token)
        _where_from(given.states[i], packing, zone.place, token, came)
        depth = 0
        chosen[0] = -1
        while depth >= 0:
            steps += 1
            if steps > most:
                return found[:n_found].copy(), weights[:n_found].copy(), steps
            if depth == n_tokens:
                if n_found == len(found):
                    found = np.concatenate((found, np.empty_like(found)))
                    weights = np.concatenate((weights, np.empty_like(weights)))
                found[n_found] = put(elsewhere, shifts, token, members, chosen)
                weights[n_found] = given.weights[i] * _chance(n_tokens, came, chosen, law)
                n_found += 1
                depth -= 1
                continue
            chosen[depth] = next_member(chosen, depth, token, zone.allowed)
            if chosen[depth] < len(members):
                depth += 1
                chosen[depth] = -1
            else:
                depth -= 1
    return found[:n_found].copy(), weights[:n_found].copy(), steps


@inner
def _where_from(  # pragma: no cover - compiled
    state: np.uint64,
    packing: Packing,
    place: npt.NDArray[np.int64],
    token: npt.NDArray[np.int64],
    came: npt.NDArray[np.int64],
) -> None:
    """Write the member on whose row each tracked token of the zone came."""
    for p in range(len(token)):
        if token[p] >= 0:
            row = np.int64((state >> packing.shifts[p]) & packing.mask)
            came[token[p]] = place[row]


@inner
def _chance(  # pragma: no cover - compiled
    n_tokens: int,
    came: npt.NDArray[np.int64],
    chosen: npt.NDArray[np.int64],
    law: ZoneChances,
) -> float:
    """Weight of placing the tracked tokens of a zone on the members that are chosen for them."""
    index, moved = 0, False
    for t in range(n_tokens):
        if came[t] != chosen[t]:
            moved = True
            index += law.stride[came[t]]
    if law.still < 0:
        return law.table[index]
    return law.placed[n_tokens] + (0.0 if moved else law.still)
