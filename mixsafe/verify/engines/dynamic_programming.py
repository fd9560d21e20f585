"""Engine ``dp``: a dynamic program over the rows of the tracked tokens (docs/develop/facts.md).

The CSP paper compares with a polynomial algorithm of its authors that it does not describe. This
is a reconstruction of what such an algorithm can be, not theirs. Time is swept backward with the
set of states that can still satisfy all knowledge; a state holds the rows of the tracked tokens
only: one per pinned token, one per open link, and the token on the wire that is asked about, which
arrives at step 0 on the row that names it. Exact for any knowledge. With at most c tokens tracked
at once there are at most ``|U|**c`` states, so time is polynomial for bounded c, and exponential
in c.
"""

from __future__ import annotations

import math
from copy import copy
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.verify.core import tokens
from mixsafe.verify.core.answers import Answers
from mixsafe.verify.core.components import components
from mixsafe.verify.core.core import Core
from mixsafe.verify.engines.pebbles import (
    STATE_BITS,
    Packing,
    Pebble,
    PebbledZone,
    States,
    exchange_back,
    reach,
    tracked_tokens,
)

MAX_STATES = 16_000_000
"""States that are kept at once, about 32 bytes each with what finding them takes."""


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Find all candidates of each open wire, component after component of who meets whom.

    Questions with too many tracked tokens stay open, and ``answers.notes`` says so.
    """
    network = answers.core.network
    component = components(network)
    wires = answers.open_wires()
    order = np.lexsort((-network.start[wires], component[network.row[wires]]))
    sweep: Sweep | None = None
    for wire in wires[order].tolist():
        progress("moving pebbles", len(answers.wire) - answers.n_open, len(answers.wire))
        if network.start[wire] == 0:  # nobody has met anybody yet
            _take_in(answers, wire, network.row[[wire]].astype(np.int64))
            continue
        mine = int(component[network.row[wire]])
        if sweep is None or sweep.board.component != mine:
            sweep = Sweep(PebbleBoard(answers.core, np.flatnonzero(component == mine), mine))
        asked = sweep.board.asked(wire)
        reason = sweep.board.too_many(asked)
        if reason is None:
            found = once(answers.journal, f"dp {wire}", partial(_sweep, sweep, asked, deadline))
            if found is None:
                break
            _take_in(answers, wire, found["candidates"].astype(np.int64))
        elif reason not in answers.notes:
            answers.notes.append(reason)


def _sweep(sweep: Sweep, asked: Tracked, deadline: Deadline) -> Entry | None:
    """Candidates of the wire asked about; None: the time is up."""
    candidates = sweep.candidates(asked, deadline)
    return None if candidates is None else {"candidates": candidates}


def _take_in(answers: Answers, wire: int, candidates: npt.NDArray[np.int64]) -> None:
    """The ``candidates`` of a wire are these, and no others."""
    answers.proven[wire] = tokens.set_of(candidates, answers.core.words)
    answers.refute_rest(wire, Argument.DYNAMIC_PROGRAMMING)


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
    rows, component
        The rows of the component, and its label.
    """

    def __init__(self, core: Core, rows: npt.NDArray[np.int64], component: int) -> None:
        network = core.network
        self.network, self.rows, self.component = network, rows, component
        self._real_steps = core.real_steps
        self.zones = np.flatnonzero(np.isin(network.member[network.zone_ptr[:-1]], rows))
        self.bits = max(1, (network.n_rows - 1).bit_length())
        inside = frozenset(rows.tolist())
        self.tracked = [
            self._track(pebble)
            for pebble in tracked_tokens(core)
            if not inside.isdisjoint(pebble.stops[0][1])
        ]

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


class Sweep:
    """The states that can satisfy all knowledge from some step on; the step goes backward.

    Parameters
    ----------
    board
        The pebbles; not too many of them.
    """

    def __init__(self, board: PebbleBoard) -> None:
        self.board = board
        self._step = board.network.horizon + 1
        self._states: States = np.zeros(1, np.uint64)
        self._slots: list[Tracked | None] = []
        self._place = np.full(board.network.n_rows, -1, np.int64)

    def candidates(self, asked: Tracked, deadline: Deadline) -> npt.NDArray[np.int64] | None:
        """Rows of step 0 from which the token can have come; None: the time is up.

        Questions come in descending order of time; each goes its own way from its step on.
        """
        if not self._back_to(asked.pebble.end, deadline):
            return None
        fork = copy(self)
        fork._slots = self._slots.copy()
        slot = fork._enter(asked)
        if not fork._back_to(0, deadline):
            return None
        return np.unique(fork._rows_in(slot)).astype(np.int64)

    def _back_to(self, step: int, deadline: Deadline) -> bool:
        """Go back to the moment after the exchange of ``step``; False: the time is up."""
        network, zones = self.board.network, self.board.zones
        while self._step > step:
            of_step = [self._step, self._step + 1]
            first, last = np.searchsorted(network.zone_time[zones], of_step)
            for zone in zones[first:last].tolist():
                if deadline.passed:
                    return False
                self._exchange(zone)
            self._step -= 1
            self._stop()
        return True

    def _exchange(self, zone: int) -> None:
        """Move the states to before a zone."""
        network = self.board.network
        members = network.member[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
        came = network.before[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
        tracked = [(slot, one) for slot, one in enumerate(self._slots) if one is not None]
        if not any(one.allowed[came + 1].any() for _, one in tracked):
            return
        self._place[members] = np.arange(len(members))
        allowed = np.array([one.allowed[came] for _, one in tracked])
        packing = Packing(np.array([self._shift(slot) for slot, _ in tracked]), self._mask)
        pebbled = PebbledZone(self._place, members, allowed)
        self._states = exchange_back(self._states, packing, pebbled)
        self._place[members] = -1

    def _stop(self) -> None:
        """See that pebbles are where they must be at this step; some leave, some enter."""
        for slot, one in enumerate(self._slots):
            if one is None:
                continue
            for step, rows in one.pebble.stops:
                if step == self._step:
                    self._states = self._states[np.isin(self._rows_in(slot), list(rows))]
            if one.pebble.begin == self._step > 0:
                self._states = np.unique(self._states & ~(self._mask << self._shift(slot)))
                self._slots[slot] = None
        for one in self.board.tracked:
            if one.pebble.end == self._step:
                self._enter(one)

    def _enter(self, one: Tracked) -> int:
        """Add a pebble at its last stop, in a slot that is free."""
        if None not in self._slots:
            self._slots.append(None)
        slot = self._slots.index(None)
        self._slots[slot] = one
        step, rows = one.pebble.stops[-1]
        there = np.array(sorted(rows))
        there = there[one.allowed[self.board.network.wire_at(there, np.full(len(there), step))]]
        placed = there.astype(np.uint64) << self._shift(slot)
        self._states = (self._states[:, None] | placed).ravel()
        return slot

    def _rows_in(self, slot: int) -> npt.NDArray[np.uint64]:
        """(n_states,) row of the pebble in ``slot``."""
        return (self._states >> self._shift(slot)) & self._mask

    def _shift(self, slot: int) -> np.uint64:
        return np.uint64(slot * self.board.bits)

    @property
    def _mask(self) -> np.uint64:
        return np.uint64((1 << self.board.bits) - 1)
