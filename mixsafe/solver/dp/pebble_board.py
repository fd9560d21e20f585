"""Where pebbles may be, how many states that can make, and how much work they are."""

from __future__ import annotations

import math
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.network.core import Core
from mixsafe.solver.dp.pebbles import STATE_BITS, Pebble, reach, tracked_tokens

MAX_STATES = 16_000_000
"""States that are kept at once, about 32 bytes each with what finding them takes."""

ZONE_STEPS = 60
"""Steps that a zone takes, however few its states are; one is a microsecond as plain Python."""

_STATE_STEPS = 4  # for a state and a pebble


class Tracked(NamedTuple):
    """A pebble, the wires on which it may be, (n_wires,) bool, and on how many rows per step."""

    pebble: Pebble
    allowed: npt.NDArray[np.bool_]
    rooms: npt.NDArray[np.int64]


class PebbleBoard:
    """Where the pebbles of one component may be, and how many states that can make.

    Parameters
    ----------
    core
        The whole question.
    rows
        The rows of the component.
    """

    def __init__(self, core: Core, rows: npt.NDArray[np.int64]) -> None:
        network = core.network
        self.network, self.rows = network, rows
        self._real_steps = core.real_steps
        self.zones = np.flatnonzero(np.isin(network.member[network.zone_ptr[:-1]], rows))
        self.bits = max(1, (network.n_rows - 1).bit_length())
        inside = frozenset(rows.tolist())
        self._pebbles = [
            pebble for pebble in tracked_tokens(core) if not inside.isdisjoint(pebble.stops[0][1])
        ]

    @cached_property
    def tracked(self) -> list[Tracked]:
        """The pebbles of all that is known."""
        return [self._track(pebble) for pebble in self._pebbles]

    @cached_property
    def _n_open(self) -> npt.NDArray[np.int64]:
        """(horizon + 1,) pebbles that are open at each step."""
        change = np.zeros(self.network.horizon + 2, np.int64)
        np.add.at(change, [one.begin for one in self._pebbles], 1)
        np.add.at(change, [one.end + 1 for one in self._pebbles], -1)
        return np.cumsum(change[:-1])

    def _track(self, pebble: Pebble) -> Tracked:
        """Where ``pebble`` may be."""
        network = self.network
        allowed = reach(network, self.zones, pebble)
        change = np.zeros(network.horizon + 2, np.int64)
        np.add.at(change, np.maximum(network.start[allowed], pebble.begin), 1)
        np.add.at(change, np.minimum(network.end[allowed], pebble.end) + 1, -1)
        return Tracked(pebble, allowed, np.cumsum(change[:-1]))

    def asked(self, wire: int) -> Tracked:
        """The pebble that finds out on which row the token on ``wire`` was at step 0."""
        row, step = int(self.network.row[wire]), int(self.network.start[wire])
        stops = {0: frozenset(self.rows.tolist())} | {step: frozenset([row])}
        return self._track(Pebble(tuple(stops.items())))

    def fits(self, wire: int) -> bool:
        """Whether pebbles that are open at once while ``wire`` is asked about fit in a state."""
        asked = self._n_open[: self.network.start[wire] + 1].max() + 1
        return bool(max(asked, self._n_open.max()) * self.bits <= STATE_BITS)

    def steps(self, wires: list[int], enough: int) -> float:
        """Steps that questions take by an upper bound; not counted on above ``enough``."""
        steps = self._steps(self.tracked, self.network.horizon)
        for wire in wires:
            if steps > enough:
                break
            asked = self.asked(wire)
            steps += self._steps([*self.tracked, asked], asked.pebble.end)
        return steps

    def _steps(self, pebbles: list[Tracked], until: int) -> float:
        """Steps of a sweep over the zones up to a step."""
        time = self.network.zone_time[self.zones]
        time = time[time <= until]
        states = np.zeros(len(time))
        for one in pebbles:
            states += np.log(np.maximum(one.rooms[time], 1))
        work = ZONE_STEPS + _STATE_STEPS * (1 + len(pebbles)) * np.exp(np.minimum(states, 50.0))
        return float(work.sum())

    def too_many(self, asked: Tracked) -> str | None:
        """Why a question is not begun; None: its states are few enough, by an upper bound."""
        rooms = np.array([one.rooms for one in (*self.tracked, asked)])
        n_tracked = (rooms > 0).sum(axis=0)
        log_states = np.log(np.maximum(rooms, 1)).sum(axis=0)
        step = int(log_states.argmax())
        if log_states[step] <= math.log(MAX_STATES):
            step = int(n_tracked.argmax())
            if n_tracked[step] * self.bits <= STATE_BITS:
                return None
        return f"too many tracked tokens: c = {n_tracked[step]} at step {self._real_steps[step]}"
