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

from collections.abc import Iterator
from copy import copy
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.journal.steps import Entry, once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import Progress, no_progress
from mixsafe.network.components import components
from mixsafe.solver.dp.pebble_board import ZONE_STEPS, PebbleBoard, Tracked
from mixsafe.solver.dp.pebbles import Packing, PebbledZone, States, exchange_back
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers

_MOST_STEPS = 20_000_000  # of what is little, together: a second or two, compiled
_MOST_LOOKS = 20_000_000  # wires that are looked at to find out what is little


def decide(
    answers: Answers,
    limits: SolveLimits,
    deadline: Deadline,
    progress: Progress = no_progress,
) -> None:
    """Find all candidates of each open wire, component after component of who meets whom.

    Questions with too many tracked tokens stay open, and ``answers.notes`` says so.
    """
    for board, wires in _boards(answers):
        sweep = Sweep(board)
        for wire in wires:
            progress("moving pebbles", len(answers.wire) - answers.n_open, len(answers.wire))
            asked = board.asked(wire)
            reason = board.too_many(asked)
            if reason is None:
                work = partial(_sweep, sweep, asked, deadline)
                found = once(answers.journal, f"dp {wire}", work)
                if found is None:
                    return
                _take_in(answers, wire, found["candidates"].astype(np.int64))
            elif reason not in answers.notes:
                answers.notes.append(reason)


def _boards(answers: Answers) -> Iterator[tuple[PebbleBoard, list[int]]]:
    """For each component its pebbles, and the open wires in it, the last in time first."""
    network = answers.core.network
    component, wires = components(network), _backward(answers)
    label = component[network.row[wires]]
    for mine in np.unique(label).tolist():
        board = PebbleBoard(answers.core, np.flatnonzero(component == mine))
        yield board, wires[label == mine].tolist()


def _backward(answers: Answers) -> npt.NDArray[np.int64]:
    """Open wires, the last in time first; those on which nobody has met anybody are settled."""
    network, wires = answers.core.network, answers.open_wires()
    for wire in wires[network.start[wires] == 0].tolist():
        _take_in(answers, wire, network.row[[wire]].astype(np.int64))
    wires = wires[network.start[wires] > 0]
    return wires[np.argsort(-network.start[wires], kind="stable")]


def _sweep(sweep: Sweep, asked: Tracked, deadline: Deadline) -> Entry | None:
    """Candidates of the wire asked about; None: the time is up."""
    candidates = sweep.candidates(asked, deadline)
    return None if candidates is None else {"candidates": candidates}


def _take_in(answers: Answers, wire: int, candidates: npt.NDArray[np.int64]) -> None:
    """The ``candidates`` of a wire are these, and no others."""
    found = tokens.set_of(candidates, answers.core.words)
    answers.proven[wire] |= found
    answers.possible[wire] &= found
    answers.settle(Argument.DYNAMIC_PROGRAMMING, np.array([wire]))


class Sweep:
    """The states that can satisfy all knowledge from some step on; the step goes backward.

    Parameters
    ----------
    board
        The pebbles; not too many of them.
    left
        Steps that may be taken: when none are left, no more is found.
    """

    def __init__(self, board: PebbleBoard, left: int = np.iinfo(np.int64).max) -> None:
        self.board, self.left = board, left
        self._step = board.network.horizon + 1
        self._states: States = np.zeros(1, np.uint64)
        self._slots: list[Tracked | None] = []
        self._place = np.full(board.network.n_rows, -1, np.int64)

    def candidates(self, asked: Tracked, deadline: Deadline) -> npt.NDArray[np.int64] | None:
        """Rows of step 0 from which the token can have come; None: no time or steps are left.

        Questions come in descending order of time; each goes its own way from its step on.
        """
        if not self._back_to(asked.pebble.end, deadline):
            return None
        fork = copy(self)
        fork._slots = self._slots.copy()
        slot = fork._enter(asked)
        ended = fork._back_to(0, deadline)
        self.left = fork.left
        if not ended:
            return None
        return np.unique(fork._rows_in(slot)).astype(np.int64)

    def _back_to(self, step: int, deadline: Deadline) -> bool:
        """Go back to the moment after the exchange of ``step``; False: not to the end."""
        network, zones = self.board.network, self.board.zones
        while self._step > step:
            of_step = [self._step, self._step + 1]
            first, last = np.searchsorted(network.zone_time[zones], of_step)
            for zone in zones[first:last].tolist():
                if deadline.passed or self.left <= 0:
                    return False
                self._exchange(zone)
            self._step -= 1
            self._stop()
        return self.left > 0

    def _exchange(self, zone: int) -> None:
        """Move the states to before a zone; not all of them where the steps left do not suffice."""
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
        self._states, steps = exchange_back(self._states, packing, pebbled, self.left)
        self.left -= steps + ZONE_STEPS
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
