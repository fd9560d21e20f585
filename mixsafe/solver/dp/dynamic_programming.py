"""Engine ``dp``: a dynamic program over the rows of the tracked tokens (docs/develop/facts.md).

The CSP paper compares with a polynomial algorithm of its authors that it does not describe. This
is a reconstruction of what such an algorithm can be, not theirs. Time is swept backward with the
set of states that can still satisfy all knowledge; a state holds the rows of the tracked tokens
only: one per pinned token, one per open link (where people are different, one per person who is
seen later), and the token on the wire that is asked about, which arrives at step 0 on the row that
names it. Exact for any knowledge. With at most c tokens tracked
at once there are at most ``|U|**c`` states, so time is polynomial for bounded c, and exponential
in c.

The sweep goes forward or backward. It computes the possible states, or the weight of each: the sum
over all solutions that lead to it, or on from it (docs/weigh.md).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import partial

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import LITTLE, compile_always
from mixsafe.machinery.journal import once
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Course, Deadline, Entry
from mixsafe.network.compression import components
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
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers


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
        is_merged = model.still == 0 and not len(tracked_zone.pairs) and not len(model.pairs)
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


def decide(answers: Answers, course: Course) -> None:
    """Find all candidates of each open wire, one connected component after another.

    Questions with too many tracked tokens stay open, and ``answers.notes`` says so.

    Parameters
    ----------
    answers
        The questions; proven candidates are added, and all others removed.
    course
        As for every engine. At its deadline the question in progress stays open; nothing is drawn,
        and one thread is used.
    """
    for inside, wires in _components(answers):
        sweep = Sweep(inside, inside.tracked, deadline=course.deadline)
        for wire in wires:
            course.progress(
                "sweeping over states", len(answers.wire) - answers.n_open, len(answers.wire)
            )
            asked = inside.asked(wire)
            reason = inside.too_many(asked)
            if reason is None:
                found = once(course, f"dp {wire}", partial(_found, sweep, asked))
                if found is None:
                    return
                _take_in(answers, wire, found["candidates"].astype(np.int64))
            elif reason not in answers.notes:
                answers.notes.append(reason)


def decide_few(answers: Answers, most: int, course: Course) -> None:
    """Decide open questions for which few states are tracked; leave the others open.

    With sightings of few users this is complete, and faster than a solver.

    Parameters
    ----------
    answers
        What is asked.
    most
        Steps, and looks at wires before that, at most.
    course
        As for every engine.
    """
    core, wires = answers.core, answers.open_wires()
    labels = len(wires) + len(core.pins) + len(core.links) + len(core.apart)
    if not len(wires) or labels * (core.network.n_wires + len(core.network.member)) > most:
        return
    found = once(course, "few states", partial(_few, answers, wires, most, course.deadline))
    if found is not None:
        answers.proven[wires] = found["proven"].astype(np.uint64, copy=False)
        answers.possible[wires] = found["possible"].astype(np.uint64, copy=False)
        answers.settle(Argument.DYNAMIC_PROGRAMMING, wires)


def _few(
    answers: Answers, wires: npt.NDArray[np.int64], most: int, deadline: Deadline
) -> Entry | None:
    """What is known of some ``wires`` afterwards; None: the time is up."""
    # All in one, since to tell components apart a library is loaded, which takes longer.
    inside = TrackedRows(answers.core, np.arange(answers.core.network.n_rows))
    sweep = Sweep(inside, inside.tracked, deadline=deadline, left=most)
    for wire in _backward(answers).tolist():
        asked = inside.asked(wire)
        if inside.too_many(asked) is not None:
            continue
        candidates = _candidates(sweep, asked)
        if candidates is None:
            break
        _take_in(answers, wire, candidates)
    if deadline.passed:
        return None
    return {"proven": answers.proven[wires], "possible": answers.possible[wires]}


def _components(answers: Answers) -> Iterator[tuple[TrackedRows, list[int]]]:
    """For each component what is tracked, and the open wires in it, the last in time first."""
    network = answers.core.network
    component, wires = components(network), _backward(answers)
    label = component[network.row[wires]]
    for mine in np.unique(label).tolist():
        inside = TrackedRows(answers.core, np.flatnonzero(component == mine))
        yield inside, wires[label == mine].tolist()


def _backward(answers: Answers) -> npt.NDArray[np.int64]:
    """Open wires, the last in time first; wires before any meeting are settled."""
    network, wires = answers.core.network, answers.open_wires()
    for wire in wires[network.start[wires] == 0].tolist():
        _take_in(answers, wire, network.row[[wire]].astype(np.int64))
    wires = wires[network.start[wires] > 0]
    return wires[np.argsort(-network.start[wires], kind="stable")]


def _found(sweep: Sweep, asked: Tracked) -> Entry | None:
    """Candidates of the asked wire as a journal entry; None: time is up."""
    candidates = _candidates(sweep, asked)
    return None if candidates is None else {"candidates": candidates}


def _candidates(sweep: Sweep, asked: Tracked) -> npt.NDArray[np.int64] | None:
    """Rows of step 0 from which a label can have come; None: no time or steps are left.

    Questions come in descending order of time; each goes its own way from its step on.
    """
    if not sweep.move_to(asked.label.end):
        return None
    branch = sweep.with_label(asked)
    ended = branch.move_to(0)
    sweep.left = branch.left
    return np.unique(branch.rows_of(len(sweep.inside.tracked))) if ended else None


def _take_in(answers: Answers, wire: int, candidates: npt.NDArray[np.int64]) -> None:
    """The ``candidates`` of a wire are these, and no others."""
    found = tokens.set_of(candidates, answers.core.words)
    answers.proven[wire] |= found
    answers.possible[wire] &= found
    answers.settle(Argument.DYNAMIC_PROGRAMMING, np.array([wire]))
