"""Tracked labels of the dynamic program, their possible rows, and an estimate of the work.

A state holds the rows of the tracked labels only. Untracked labels fill the other rows in any
order: a permutation of a complete zone can always be completed around the tracked labels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner, tiered
from mixsafe.model.course import MEMORY
from mixsafe.network.core import Core
from mixsafe.network.wires import Wires, is_complete, may_leave
from mixsafe.solver.dp.states import STATE_BITS

MAX_STATES = MEMORY // 4 // 32
"""Maximum number of states at once; each needs about 32 bytes, including working memory."""


@dataclass(frozen=True)
class Stops:
    """Rows on which a label must be; it is tracked from its first stop to its last one.

    Parameters
    ----------
    stops
        (step, rows on one of which the label is after it), in order of time, two or more.
    row
        One row of the component in which it moves.
    alone
        Whether it is on no row on which another such label is.
    """

    stops: tuple[tuple[int, frozenset[int]], ...]
    row: int
    alone: bool = False

    @property
    def is_named(self) -> bool:
        """Whether it is known at step 0 which token it is: that of its row."""
        return self.stops[0] == (0, frozenset([self.row]))

    @property
    def begin(self) -> int:
        """Step from which the label is tracked."""
        return self.stops[0][0]

    @property
    def end(self) -> int:
        """Step up to which the label is tracked."""
        return self.stops[-1][0]


class Tracked(NamedTuple):
    """A label, the wires on which it may be, (n_wires,) bool, and on how many rows per step."""

    label: Stops
    allowed: npt.NDArray[np.bool_]
    rooms: npt.NDArray[np.int64]


def tracked_labels(core: Core) -> list[Stops]:
    """One for each pinned label (from step 0 to its last pin), and one for each link.

    Of people who are different there is one label each, from step 0 to the last sighting: labels on
    different rows stay so, thus all are different if they are on different rows at step 0.
    """
    pins, links, distinct = core.pins, core.links, len(core.apart) > 0
    stops: dict[int, dict[int, frozenset[int]]] = {}
    for p in range(len(pins)):
        token, time = int(pins.token[p]), int(pins.time[p])
        rows = frozenset(pins.rows[pins.ptr[p] : pins.ptr[p + 1]].tolist())
        mine = stops.setdefault(token, {0: frozenset([token])})
        mine[time] = mine.get(time, rows) & rows
    pinned = [
        Stops(tuple(sorted(mine.items())), token, distinct)
        for token, mine in stops.items()
        if len(mine) > 1
    ]
    if distinct:
        return pinned + _seen_labels(core)
    ends = zip(links.row.tolist(), links.start.tolist(), links.end.tolist(), strict=True)
    linked = [
        Stops(((start, frozenset([row])), (end, frozenset([row]))), row) for row, start, end in ends
    ]
    return pinned + linked


def _seen_labels(core: Core) -> list[Stops]:
    """One for each person who is seen, but not at step 0, where people are different."""
    apart, links = core.apart, core.links
    steps: dict[int, set[int]] = {
        row: {step} for row, step in zip(apart.row.tolist(), apart.time.tolist(), strict=True)
    }
    for row, *ends in zip(
        links.row.tolist(), links.start.tolist(), links.end.tolist(), strict=True
    ):
        steps[row].update(ends)
    unnamed = frozenset(range(core.network.n_rows)) - frozenset(core.pins.token.tolist())
    return [
        Stops(((0, unnamed), *((step, frozenset([row])) for step in sorted(seen))), row, True)
        for row, seen in steps.items()
    ]


def slots_of(tracked: Sequence[Tracked]) -> list[int]:
    """Place of each label in a state, so that those tracked at once have different ones.

    Labels take the first free place, those that are tracked longest first: as few places as can be
    (intervals are coloured), and one label more leaves alone those that are tracked longer.
    """
    slots = [-1] * len(tracked)
    free_until: list[int] = []  # first step of the label that has the place
    for i in sorted(range(len(tracked)), key=lambda i: -tracked[i].label.end):
        label = tracked[i].label
        free = (slot for slot, begin in enumerate(free_until) if begin >= label.end)
        slots[i] = next(free, len(free_until))
        free_until[slots[i] : slots[i] + 1] = [label.begin]
    return slots


class TrackedRows:
    """A connected component of rows, and the labels tracked on them.

    Parameters
    ----------
    core
        The whole question.
    rows
        The rows, such as those of one component.
    """

    def __init__(self, core: Core, rows: npt.NDArray[np.int64]) -> None:
        network = core.network
        self.network, self.rows = network, rows
        self._real_steps = core.real_steps
        self.zones = np.flatnonzero(np.isin(network.member[network.zone_ptr[:-1]], rows))
        self.bits = max(1, (network.n_rows - 1).bit_length())
        inside = frozenset(rows.tolist())
        self.labels = [label for label in tracked_labels(core) if label.row in inside]

    @cached_property
    def tracked(self) -> list[Tracked]:
        """The labels of all pins and links."""
        return [self.track(label) for label in self.labels]

    def track(self, label: Stops) -> Tracked:
        """Where a label may be, moved by these zones alone, between its stops."""
        network = self.network
        allowed = np.zeros(network.n_wires, bool)
        for (begin, from_rows), (end, to_rows) in zip(label.stops, label.stops[1:], strict=False):
            first, last = np.searchsorted(network.zone_time[self.zones], [begin, end], side="right")
            between = self.zones[first:last]
            starts = network.wire_at(list(from_rows), np.full(len(from_rows), begin))
            ends = network.wire_at(list(to_rows), np.full(len(to_rows), end))
            allowed |= _between(starts, ends, between, network.wires)
        change = np.zeros(network.horizon + 2, np.int64)
        np.add.at(change, np.maximum(network.start[allowed], label.begin), 1)
        np.add.at(change, np.minimum(network.end[allowed], label.end) + 1, -1)
        return Tracked(label, allowed, np.cumsum(change[:-1]))

    def asked(self, wire: int) -> Tracked:
        """The label on ``wire``, tracked to find out on which row it was at step 0."""
        row, step = int(self.network.row[wire]), int(self.network.start[wire])
        stops = {0: frozenset(self.rows.tolist())} | {step: frozenset([row])}
        return self.track(Stops(tuple(stops.items()), row))

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


@tiered
def _between(  # pragma: no cover - compiled
    starts: npt.NDArray[np.int64],
    ends: npt.NDArray[np.int64],
    zones: npt.NDArray[np.int64],
    net: Wires,
) -> npt.NDArray[np.bool_]:
    """Wires on paths from some wires to others."""
    zone_ptr, before, n_wires = net.zone_ptr, net.before, len(net.start)
    onward = np.zeros(n_wires, np.bool_)
    onward[starts] = True
    for z in zones:
        came = False
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            came |= onward[before[m]]
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            onward[before[m] + 1] |= came and _is_joined(m, z, 0, onward, net)
    back = np.zeros(n_wires, np.bool_)
    back[ends] = True
    for z in zones[::-1]:
        left = False
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            left |= back[before[m] + 1]
        for m in range(zone_ptr[z], zone_ptr[z + 1]):
            back[before[m]] |= left and _is_joined(m, z, 1, back, net)
    return onward & back


@inner
def _is_joined(  # pragma: no cover - compiled
    m: int, z: int, side: int, reached: npt.NDArray[np.bool_], net: Wires
) -> bool:
    """Whether an allowed pair leads between a member and one whose wire is reached on a side."""
    if is_complete(z, net):
        return True
    for other in range(net.zone_ptr[z], net.zone_ptr[z + 1]):
        come, leave = (m, other) if side else (other, m)
        if reached[net.before[other] + side] and may_leave(come, leave, z, net):
            return True
    return False
