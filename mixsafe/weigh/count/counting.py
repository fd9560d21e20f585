"""Exact weights where few tokens are tracked: the dynamic program, forward and backward.

The engine ``dp`` asks which states can satisfy all knowledge. Here each state has a weight, that of
all histories that lead to it, or on from it; the product of both, summed over the states in which a
token is on a row, is what the histories weigh that have it there (docs/weigh.md).
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import as_python
from mixsafe.network.core import Core
from mixsafe.solver.dp.pebbles import (
    STATE_BITS,
    Packing,
    Pebble,
    PebbledZone,
    reach,
    tracked_tokens,
)
from mixsafe.weigh.count.pebble_weights import StateWeights, spread_weights, zone_chances
from mixsafe.weigh.laws import ZoneWeights

Floats = npt.NDArray[np.float64]

MOST_STEPS = 20_000_000
"""Steps of the dynamic program for one component, about a second or two; beyond it, sampling."""


def counted(core: Core, weights: ZoneWeights, most: int = MOST_STEPS) -> Floats | None:
    """Posterior of every wire, exact to rounding.

    Parameters
    ----------
    core
        The question; its zones are those of ``weights``.
    weights
        The law of exchanges.
    most
        Steps that it may take.

    Returns
    -------
    (n_wires, n_rows) float64, the chance of each token on each wire; None: that takes more steps,
    or states of more tokens than one number holds. All zero: no history agrees.
    """
    network = core.network
    known = tracked_tokens(core)
    found = np.zeros((network.n_wires, network.n_rows))
    everyone = range(network.n_rows)
    rounds: Iterable[list[int]] = [[c] for c in everyone]
    if np.any(weights.chance < 0):
        rounds = [list(everyone)]
    for asked in rounds:
        pebbles = _pebbles(known, asked, network.n_rows, network.horizon)
        if len(pebbles) * _bits(network.n_rows) > STATE_BITS:
            return None
        passes = Passes(core, weights, pebbles, most)
        if not passes.run():
            return None
        most = passes.left
        for slot, token in enumerate(asked):
            found[:, token] = passes.on_wires(slot)
    total = found.sum(axis=1, keepdims=True)
    return np.divide(found, total, out=np.zeros_like(found), where=total > 0)


def _bits(n_rows: int) -> int:
    """Bits of a row."""
    return max(1, (n_rows - 1).bit_length())


def _pebbles(known: list[Pebble], asked: list[int], n_rows: int, horizon: int) -> list[Pebble]:
    """The ``asked`` tokens, tracked to the end, then what else is known of."""
    anywhere = frozenset(range(n_rows))
    first: dict[int, Pebble] = {
        token: Pebble(((0, frozenset([token])), (horizon, anywhere))) for token in asked
    }
    others = []
    for pebble in known:
        begin, rows = pebble.stops[0]
        token = next(iter(rows)) if begin == 0 else -1
        if token in first:
            stops = dict(first[token].stops)
            stops |= {t: rows & stops.get(t, anywhere) for t, rows in pebble.stops}
            first[token] = Pebble(tuple(sorted(stops.items())))
        else:
            others.append(pebble)
    return [*first.values(), *others]


class Passes:
    """Weights of states from both ends.

    Parameters
    ----------
    core, weights
        The question and the law.
    pebbles
        What is tracked; the slot of each is its place here.
    left
        Steps that may be taken.
    """

    def __init__(self, core: Core, weights: ZoneWeights, pebbles: list[Pebble], left: int) -> None:
        network = core.network
        self.network, self.weights, self.pebbles, self.left = network, weights, pebbles, left
        zones = np.arange(network.n_zones)
        bits = _bits(network.n_rows)
        self._mask = np.uint64((1 << bits) - 1)
        self._shifts = [np.uint64(slot * bits) for slot in range(len(pebbles))]
        with as_python(len(pebbles) * 2 * (len(network.member) + network.n_wires), rare=True):
            self._allowed = [reach(network, zones, pebble) for pebble in pebbles]
        self._place = np.full(network.n_rows, -1, np.int64)
        self._after: list[StateWeights] = []
        self._onward: list[StateWeights] = []

    def run(self) -> bool:
        """Sweep forward and backward; False: it takes too many steps."""
        horizon = self.network.horizon
        now = StateWeights(np.zeros(1, np.uint64), np.ones(1))
        for step in range(horizon + 1):
            now = self._through(now, step, forward=True)
            now = self._stopped(now, step, forward=True)
            if self.left < 0:
                return False
            self._after.append(now)
        now = StateWeights(np.zeros(1, np.uint64), np.ones(1))
        for step in range(horizon, -1, -1):
            later, now = now, self._entered(now, step)
            self._onward.append(later if step < horizon else now)
            now = self._stopped(now, step, forward=False)
            now = self._through(now, step, forward=False)
            if self.left < 0:
                return False
        self._onward.reverse()
        return True

    def on_wires(self, slot: int) -> Floats:
        """(n_wires,) weight of the histories in which a pebble that is never left is there."""
        network, found = self.network, np.zeros(self.network.n_wires)
        for step in np.unique(network.start).tolist():
            both, i, j = np.intersect1d(
                self._after[step].states, self._onward[step].states, True, return_indices=True
            )
            weight = self._after[step].weights[i] * self._onward[step].weights[j]
            row = ((both >> self._shifts[slot]) & self._mask).astype(np.int64)
            rows = np.bincount(row, weight, network.n_rows)
            begun = np.flatnonzero(network.start == step)
            total = rows.sum()
            found[begun] = rows[network.row[begun]] / (total if total > 0 else 1.0)
        return found

    def _open(self, step: int) -> list[int]:
        """Slots of the pebbles that are tracked while the zones of a step are passed."""
        return [s for s, pebble in enumerate(self.pebbles) if pebble.begin < step <= pebble.end]

    def _through(self, now: StateWeights, step: int, forward: bool) -> StateWeights:
        """Pass the zones of a step."""
        network = self.network
        first, last = np.searchsorted(network.zone_time, [step, step + 1])
        slots = self._open(step)
        for zone in range(int(first), int(last)):
            now = self._exchanged(now, zone, slots, forward)
            if self.left < 0:
                break
        return now

    def _exchanged(
        self, now: StateWeights, zone: int, slots: list[int], forward: bool
    ) -> StateWeights:
        """Pass one zone."""
        network = self.network
        entries = slice(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        members, wires = network.member[entries], network.before[entries] + int(forward)
        self._place[members] = np.arange(len(members))
        allowed = np.array([self._allowed[slot][wires] for slot in slots], bool)
        pebbled = PebbledZone(self._place, members, allowed.reshape(len(slots), len(members)))
        packing = Packing(np.array([self._shifts[s] for s in slots], np.uint64), self._mask)
        law = zone_chances(self.weights, zone, entries)
        ways = math.perm(len(members), min(len(slots), len(members)))
        with as_python(min(4 * len(now.states) * ways, 1 << 40), rare=True):
            states, weights, steps = spread_weights(now, packing, pebbled, law, self.left)
        self._place[members] = -1
        self.left -= steps
        total = weights.sum()
        return StateWeights.merged(states, weights / total if total > 0 else weights)

    def _stopped(self, now: StateWeights, step: int, forward: bool) -> StateWeights:
        """Keep the states in which pebbles are where they must be; some enter, some leave."""
        for slot, pebble in enumerate(self.pebbles):
            if forward and pebble.begin == step:
                now = self._placed(now, slot, pebble.stops[0][1])
            for stop, rows in pebble.stops:
                if stop == step:
                    there = ((now.states >> self._shifts[slot]) & self._mask).astype(np.int64)
                    now = now.those(np.isin(there, list(rows)))
            leaves = pebble.end == step < self.network.horizon if forward else pebble.begin == step
            if leaves:
                cleared = now.states & ~(self._mask << self._shifts[slot])
                now = StateWeights.merged(cleared, now.weights)
        return now

    def _entered(self, now: StateWeights, step: int) -> StateWeights:
        """Place the pebbles whose last stop this is, going backward."""
        for slot, pebble in enumerate(self.pebbles):
            if pebble.end == step:
                now = self._placed(now, slot, pebble.stops[-1][1])
        return now

    def _placed(self, now: StateWeights, slot: int, rows: frozenset[int]) -> StateWeights:
        """Put a pebble on each of some rows in turn."""
        there = np.array(sorted(rows)).astype(np.uint64) << self._shifts[slot]
        states = (now.states[:, None] | there).ravel()
        return StateWeights.merged(states, np.repeat(now.weights, len(there)))
