"""One sweep through time over the states of tracked labels, forward or backward.

It computes the possible states, or the weight of each: the sum over all solutions that lead to it,
or on from it (docs/weigh.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from copy import copy

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import LITTLE, compile_always
from mixsafe.model.course import Deadline
from mixsafe.network.relations import COUNTED, new_matching
from mixsafe.solver.dp.states import (
    ANY_EXCHANGE,
    MOST,
    Packing,
    States,
    TrackedZone,
    ZoneModel,
    pass_zone,
)
from mixsafe.solver.dp.tracked import Tracked, TrackedRows, slots_of


class Sweep:
    """The states at the current step of a sweep.

    Backward, these are the states after the exchange of a step from which all knowledge from that
    step on can be satisfied. Forward, they are the states after it that satisfy all knowledge
    before. So a solution is in both, and no stop counts twice.

    Parameters
    ----------
    inside
        The rows, and the zones in which they meet.
    tracked
        The labels; as many at once as fit in a state.
    model
        Weights of exchanges by number of the zone; None: states have no weights.
    forward
        Whether to go from step 0 on, or from the horizon back.
    deadline
        When to give up.
    left
        Maximum number of steps before giving up.
    """

    def __init__(
        self,
        inside: TrackedRows,
        tracked: Sequence[Tracked],
        model: Callable[[int], ZoneModel] | None = None,
        *,
        forward: bool = False,
        deadline: Deadline | None = None,
        left: int = MOST,
    ) -> None:
        self.inside, self.left = inside, left
        self._model, self._forward, self._deadline = model, forward, deadline or Deadline(None)
        self._mask = np.uint64((1 << inside.bits) - 1)
        self._tracked, self._slots = list(tracked), slots_of(tracked)
        self._place = np.full(inside.network.n_rows, -1, np.int64)
        network = inside.network
        self._relation = network.relation
        if self._relation is not None and not forward:
            self._relation = self._relation.reversed(network.zone_ptr)
        self._open: list[int] = []  # labels that are tracked at present, by number
        self._step = 0 if forward else inside.network.horizon + 1
        self.now = States.empty_state(weighed=model is not None)
        if forward:
            self._enter(0)

    def with_label(self, asked: Tracked) -> Sweep:
        """A copy that continues backward with one more label, which ends at the current step."""
        other = copy(self)
        other._tracked = [*self._tracked, asked]
        other._slots, other._open = slots_of(other._tracked), self._open.copy()
        other._enter_one(len(self._tracked))
        return other

    def move_to(self, step: int) -> bool:
        """Go on to the moment after the exchange of ``step``; False: given up before."""
        while self._step != step and not self._given_up:
            if self._forward:
                self._stop()
                self._step += 1
                self._pass_zones(self._step)
            else:
                self._pass_zones(self._step)
                self._step -= 1
                if not self._given_up:
                    self._stop()
        return not self._given_up

    def rows_of(self, label: int) -> npt.NDArray[np.int64]:
        """(n_states,) row of a label that is tracked at present, by number."""
        return ((self.now.states >> self._shift(label)) & self._mask).astype(np.int64)

    @property
    def _given_up(self) -> bool:
        return self.left <= 0 or self._deadline.passed

    def _pass_zones(self, step: int) -> None:
        """Pass the zones of a step, not all of them if it is given up."""
        network, zones = self.inside.network, self.inside.zones
        first, last = np.searchsorted(network.zone_time[zones], [step, step + 1])
        for zone in zones[first:last].tolist():
            if self._given_up:
                return
            self._pass(zone)

    def _pass(self, zone: int) -> None:
        """Pass one zone."""
        network = self.inside.network
        entries = slice(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        members, came = network.member[entries], network.before[entries]
        mine = [self._tracked[label] for label in self._open]
        if not any(one.allowed[came + 1].any() for one in mine):
            return
        beyond = came + 1 if self._forward else came
        allowed = np.array([one.allowed[beyond] for one in mine], bool)
        shifts = np.array([self._shift(label) for label in self._open], np.uint64)
        self._place[members] = np.arange(len(members))
        tracked_zone = TrackedZone(
            self._place, members, allowed.reshape(-1, len(members)), self._pairs(zone)
        )
        model = ANY_EXCHANGE if self._model is None else self._model(zone)
        paths = math.perm(len(members), min(len(mine), len(members)))
        if len(self.now.states) * paths > LITTLE:  # which the arrays do not tell
            compile_always()
        packing = Packing(shifts, self._mask)
        related = len(members) if len(tracked_zone.pairs) else 0
        nodes = new_matching(related, min(related, COUNTED) if self._model is not None else 0)
        found, steps = pass_zone(self.now, packing, tracked_zone, model, self.left, nodes)
        self._place[members] = -1
        self.left -= steps
        if self._model is not None:
            total = found.weights.sum()
            found = States(found.states, found.weights / total if total > 0 else found.weights)
        is_merged = model.still == 0 and not len(tracked_zone.pairs)
        self.now = found if is_merged else States.merged(*found)

    def _pairs(self, zone: int) -> npt.NDArray[np.uint64]:
        """What a zone allows in the direction of the sweep; empty: everything."""
        if self._relation is None:
            return np.zeros(0, np.uint64)
        return self._relation.words[self._relation.ptr[zone] : self._relation.ptr[zone + 1]]

    def _stop(self) -> None:
        """See that labels are where they must be at this step; some leave, some enter."""
        for label in self._open:
            for step, rows in self._tracked[label].label.stops:
                if step == self._step:
                    self.now = self.now.those(np.isin(self.rows_of(label), list(rows)))
        if self._step == 0:
            return
        for label in self._open.copy():
            one = self._tracked[label].label
            if self._step == (one.end if self._forward else one.begin):
                cleared = self.now.states & ~(self._mask << self._shift(label))
                self.now = States.merged(cleared, self.now.weights)
                self._open.remove(label)
        self._enter(self._step)

    def _enter(self, step: int) -> None:
        """Track those labels from now on that begin at a step, or end there when it goes back."""
        for label, one in enumerate(self._tracked):
            if step == (one.label.begin if self._forward else one.label.end):
                self._enter_one(label)

    def _enter_one(self, label: int) -> None:
        """Add a label, on each of the rows in turn on which it must be now.

        A label of those that are alone is on no row of another one.
        """
        one = self._tracked[label]
        step, rows = one.label.stops[0 if self._forward else -1]
        there = np.array(sorted(rows))
        there = there[one.allowed[self.inside.network.wire_at(there, np.full(len(there), step))]]
        placed = there.astype(np.uint64) << self._shift(label)
        weights = np.repeat(self.now.weights, len(there))
        self.now = States((self.now.states[:, None] | placed).ravel(), weights)
        for other in self._open if one.label.alone else ():
            if self._tracked[other].label.alone:
                self.now = self.now.those(self.rows_of(other) != self.rows_of(label))
        self._open.append(label)

    def _shift(self, label: int) -> np.uint64:
        return np.uint64(self._slots[label] * self.inside.bits)
