"""Lower bounds on small supports (fact 8): what a few tokens can do among themselves.

Hold everybody else where they are in some solution, at first the identity, and let a few tokens
share their paths anew. For up to five tokens the states, permutations of the tokens over the
paths, are few, so one forward and one backward pass over the zones in which at least two of the
paths meet decides that small problem completely: every token that can be on a path, at any
moment, is a candidate there. Then one of its solutions is drawn and becomes the solution from
which the next support starts, so that what no few tokens can do at once is reached step by step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.wires import NOWHERE
from mixsafe.verify.core import tokens
from mixsafe.verify.core.permutations import Permutations
from mixsafe.verify.core.timeline import Timeline, onward
from mixsafe.verify.core.tokens import TokenSets

MAX_EVENTS = 1024  # meetings of a support that are followed
MAX_LENGTH = 4096  # wires of a path that are followed; longer windows are skipped


class Scratch(NamedTuple):
    """Working memory for supports of one size."""

    tokens: npt.NDArray[np.int64]  # (size,): the support; path a is where tokens[a] is now
    at: npt.NDArray[np.int64]  # (size,): wire that each path has come to
    known: npt.NDArray[np.int64]  # (size,): next sighting of each token
    path: npt.NDArray[np.int64]  # (size, MAX_LENGTH): wires of each path
    stage: npt.NDArray[np.int64]  # (size, MAX_LENGTH): events before each wire
    length: npt.NDArray[np.int64]  # (size,)
    time: npt.NDArray[np.int64]  # (MAX_EVENTS,): step of each event
    met: npt.NDArray[np.int64]  # (MAX_EVENTS,): how many paths meet
    who: npt.NDArray[np.int64]  # (MAX_EVENTS, size): which paths
    reached: npt.NDArray[np.uint8]  # (MAX_EVENTS + 1, permutations): from the present, forward
    returns: npt.NDArray[np.uint8]  # (MAX_EVENTS + 1, permutations): to a good end
    copied: npt.NDArray[np.uint8]  # (permutations,)
    drawn: npt.NDArray[np.int64]  # (MAX_EVENTS + 1,): a solution


@compiled
def new_scratch(size: int, n_permutations: int) -> Scratch:  # pragma: no cover - compiled
    """Working memory for supports of ``size`` tokens."""
    return Scratch(
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros(size, np.int64),
        np.zeros((size, MAX_LENGTH), np.int64),
        np.zeros((size, MAX_LENGTH), np.int64),
        np.zeros(size, np.int64),
        np.zeros(MAX_EVENTS, np.int64),
        np.zeros(MAX_EVENTS, np.int64),
        np.zeros((MAX_EVENTS, size), np.int64),
        np.zeros((MAX_EVENTS + 1, n_permutations), np.uint8),
        np.zeros((MAX_EVENTS + 1, n_permutations), np.uint8),
        np.zeros(n_permutations, np.uint8),
        np.zeros(MAX_EVENTS + 1, np.int64),
    )


@compiled
def next_random(state: npt.NDArray[np.uint64], bound: int) -> int:  # pragma: no cover - compiled
    """Number in 0..bound-1 from a xorshift generator: the same on every machine and thread."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return int((x >> np.uint64(11)) % np.uint64(bound))


@compiled
def _follow(  # pragma: no cover - compiled
    end: int, on: npt.NDArray[np.int32], line: Timeline, s: Scratch
) -> int:
    """Follow the paths from ``s.at`` to step ``end``; meetings of two or more are events.

    Returns the number of events; -1 when there is more than can be followed.
    """
    size = len(s.tokens)
    for a in range(size):
        s.path[a, 0], s.stage[a, 0], s.length[a] = s.at[a], 0, 1
    n = 0
    while True:
        zone = NOWHERE
        for a in range(size):
            ahead = line.net.leads_to[s.at[a]]
            if ahead >= 0 and (zone < 0 or ahead < zone):
                zone = ahead
        if zone < 0 or line.net.zone_time[zone] > end:
            return n
        if n == MAX_EVENTS:
            return -1
        met = 0
        for a in range(size):
            if line.net.leads_to[s.at[a]] == zone:
                s.who[n, met] = a
                met += 1
        s.time[n], s.met[n] = line.net.zone_time[zone], met
        n += met >= 2  # somebody who is alone there has nobody to exchange with
        if not _pass(zone, n, on, line, s):
            return -1


@compiled
def _pass(  # pragma: no cover - compiled
    zone: int, n: int, on: npt.NDArray[np.int32], line: Timeline, s: Scratch
) -> bool:
    """Take the paths that come to ``zone`` through it; False: one has become too long."""
    for a in range(len(s.tokens)):
        if line.net.leads_to[s.at[a]] == zone:
            if s.length[a] == MAX_LENGTH:
                return False
            s.at[a] = onward(s.at[a], s.tokens[a], on, line.net)
            s.path[a, s.length[a]], s.stage[a, s.length[a]] = s.at[a], n
            s.length[a] += 1
    return True


@compiled
def _mix(  # pragma: no cover - compiled
    states: npt.NDArray[np.uint8], event: int, table: Permutations, s: Scratch
) -> None:
    """Close a set of permutations under all exchanges of one meeting.

    The symmetric group of j + 1 members is its subgroup of j times the exchanges with the last.
    """
    for j in range(1, s.met[event]):
        s.copied[:] = states
        for i in range(j):
            a, b = s.who[event, i], s.who[event, j]
            for p in range(len(states)):
                if s.copied[p]:
                    states[table.exchanged[p, a, b]] = 1


@compiled
def _hold(  # pragma: no cover - compiled
    states: npt.NDArray[np.uint8], a: int, table: Permutations
) -> None:
    """Keep the permutations in which the token of path ``a`` is on its path."""
    for p in range(len(states)):
        if table.on_path[p, a] != a:
            states[p] = 0


@compiled
def _forward(  # pragma: no cover - compiled
    begin: int, n: int, line: Timeline, table: Permutations, s: Scratch
) -> None:
    """Permutations that can be reached, after each event and all that is seen before the next."""
    size = len(s.tokens)
    for a in range(size):
        p = line.known_ptr[s.tokens[a]]
        while p < line.known_ptr[s.tokens[a] + 1] and line.known_time[p] <= begin:
            p += 1
        s.known[a] = p
    s.reached[0, :] = 0
    s.reached[0, 0] = 1
    for event in range(n):
        until = s.time[event + 1] if event + 1 < n else np.int64(line.horizon) + 1
        states = s.reached[event + 1]
        states[:] = s.reached[event]
        _mix(states, event, table, s)
        for a in range(size):
            p, last = s.known[a], line.known_ptr[s.tokens[a] + 1]
            while p < last and line.known_time[p] < s.time[event]:
                p += 1
            if p < last and line.known_time[p] < until:
                _hold(states, a, table)
            s.known[a] = p


@compiled
def _backward(  # pragma: no cover - compiled
    end: int, n: int, line: Timeline, table: Permutations, s: Scratch
) -> None:
    """Permutations after each event that lie on a way from the present to a good end."""
    s.returns[n, :] = 0
    s.returns[n, 0] = 1
    if end == line.horizon:  # nothing comes after it: any order will do
        s.returns[n] = s.reached[n]
    for event in range(n - 1, -1, -1):
        states = s.returns[event]
        states[:] = s.returns[event + 1]
        _mix(states, event, table, s)
        for p in range(len(states)):
            states[p] &= s.reached[event, p]


@compiled
def _draw(  # pragma: no cover - compiled
    n: int, table: Permutations, s: Scratch, random: npt.NDArray[np.uint64]
) -> None:
    """Draw one solution: a permutation after each event, each one exchange from the next."""
    s.drawn[0] = 0
    choice = np.empty(len(s.copied), np.int64)
    step = np.empty(len(s.copied), np.uint8)
    for event in range(n):
        step[:] = 0
        step[s.drawn[event]] = 1
        _mix(step, event, table, s)
        options = 0
        for p in range(len(step)):
            if step[p] and s.returns[event + 1, p]:
                choice[options] = p
                options += 1
        s.drawn[event + 1] = choice[next_random(random, options)]


@compiled
def _mark(  # pragma: no cover - compiled
    table: Permutations, s: Scratch, place: npt.NDArray[np.int32], found: TokenSets
) -> None:
    """Note on the open wires of each path all tokens that some solution has there."""
    size = len(s.tokens)
    for a in range(size):
        stage = np.int64(-1)
        seen = 0
        for i in range(s.length[a]):
            number = place[s.path[a, i]]
            if number < 0:
                continue
            if s.stage[a, i] != stage:
                stage = s.stage[a, i]
                seen = 0
                for p in range(len(s.copied)):
                    if s.returns[stage, p]:
                        seen |= 1 << table.on_path[p, a]
            for b in range(size):
                if seen >> b & 1:
                    tokens.add(found[number], s.tokens[b])


@compiled
def _move(  # pragma: no cover - compiled
    table: Permutations,
    s: Scratch,
    on: npt.NDArray[np.int32],
) -> None:
    """Make the drawn solution the present one."""
    for a in range(len(s.tokens)):
        for i in range(s.length[a]):
            on[s.path[a, i]] = s.tokens[table.on_path[s.drawn[s.stage[a, i]], a]]


@compiled
def explore(  # pragma: no cover - compiled
    begin: int,
    end: int,
    on: npt.NDArray[np.int32],
    line: Timeline,
    table: Permutations,
    s: Scratch,
    random: npt.NDArray[np.uint64],
    place: npt.NDArray[np.int32],
    found: TokenSets,
) -> None:
    """Decide the small problem of ``s.tokens``, which are on the wires ``s.at`` at ``begin``.

    Adds to ``found``, (n, words), what it proves on the open wires of its paths, wire w being
    number ``place[w]`` of the n if that is not negative. Then it moves ``on`` to another solution.
    """
    n = _follow(end, on, line, s)
    if n >= 1:
        _forward(begin, n, line, table, s)
        _backward(end, n, line, table, s)
        _mark(table, s, place, found)
        _draw(n, table, s, random)
        _move(table, s, on)
