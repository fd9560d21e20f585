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

from mixsafe.compiled import inner
from mixsafe.network.timeline import Timeline, onward
from mixsafe.network.wires import NOWHERE, Wires
from mixsafe.solver.dp.permutations import Permutations, permutations
from mixsafe.solver.local.generator import State, next_random
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

MAX_EVENTS = 1024  # meetings of a support that are followed
MAX_LENGTH = 4096  # wires of a path that are followed; supports with longer ones are skipped

Longs = npt.NDArray[np.int64]
States = npt.NDArray[np.uint8]


class Paths(NamedTuple):
    """The tokens of a support; path a is where the a-th of them is now."""

    tokens: Longs  # (size,)
    at: Longs  # (size,): wire that each path has come to
    known: Longs  # (size,): next sighting of each token
    length: Longs  # (size,)
    wire: Longs  # (size, MAX_LENGTH): wires of each path
    stage: Longs  # (size, MAX_LENGTH): events before each wire


class Events(NamedTuple):
    """Meetings of two or more paths, in order of time."""

    time: Longs  # (MAX_EVENTS,)
    met: Longs  # (MAX_EVENTS,): how many paths meet
    who: Longs  # (MAX_EVENTS, size): which paths


class Reach(NamedTuple):
    """Sets of permutations of the tokens over the paths, one after each event."""

    reached: States  # (MAX_EVENTS + 1, permutations): from the present, forward
    returns: States  # (MAX_EVENTS + 1, permutations): of these, to a good end
    orbit: Longs  # (permutations,): where one meeting leads
    choice: Longs  # (permutations,): what may be drawn of that
    drawn: Longs  # (MAX_EVENTS + 1,): a solution


class Scratch(NamedTuple):
    """Working memory for supports of one size, and the state of a random generator."""

    paths: Paths
    events: Events
    reach: Reach
    table: Permutations
    random: npt.NDArray[np.uint64]  # (1,)
    seen: npt.NDArray[np.int32]  # (n_zones + 1,): marks of zones, and the current mark


def new_scratch(size: int, n_zones: int, random: npt.NDArray[np.uint64]) -> Scratch:
    """Working memory for supports of ``size`` tokens."""
    table = permutations(size)
    n = len(table.on_path)
    return Scratch(
        Paths(
            _longs(size), _longs(size), _longs(size), _longs(size), _longs(size, MAX_LENGTH),
            _longs(size, MAX_LENGTH),
        ),
        Events(_longs(MAX_EVENTS), _longs(MAX_EVENTS), _longs(MAX_EVENTS, size)),
        Reach(
            _states(MAX_EVENTS + 1, n), _states(MAX_EVENTS + 1, n), _longs(n), _longs(n),
            _longs(MAX_EVENTS + 1),
        ),
        table,
        random,
        np.zeros(n_zones + 1, np.int32),
    )  # fmt: skip


def _longs(*shape: int) -> Longs:
    return np.zeros(shape, np.int64)


def _states(*shape: int) -> States:
    return np.zeros(shape, np.uint8)


@inner
def follow(  # pragma: no cover - compiled
    end: int, on: npt.NDArray[np.int32], net: Wires, paths: Paths, events: Events
) -> int:
    """Follow the paths from where they are to step ``end``; meetings of two or more are events.

    Returns the number of events; -1 when there is more than can be followed.
    """
    at = paths.at
    for a in range(len(at)):
        paths.wire[a, 0], paths.stage[a, 0], paths.length[a] = at[a], 0, 1
    n = 0
    while True:
        zone = NOWHERE
        for a in range(len(at)):
            ahead = net.leads_to[at[a]]
            if ahead >= 0 and (zone < 0 or ahead < zone):
                zone = ahead
        if zone < 0 or net.zone_time[zone] > end:
            return n
        if n == MAX_EVENTS:
            return -1
        met = _arrive(zone, n, on, net, paths, events)
        if met < 0:
            return -1
        events.time[n], events.met[n] = net.zone_time[zone], met
        n += met >= 2  # somebody who is alone there has nobody to exchange with


@inner
def _arrive(  # pragma: no cover - compiled
    zone: int, n: int, on: npt.NDArray[np.int32], net: Wires, paths: Paths, events: Events
) -> int:
    """Take the paths that come to ``zone`` through it, as event ``n``; how many they are.

    Their next wires come after the event if there are two or more. -1: one has become too long.
    """
    met = 0
    for a in range(len(paths.at)):
        if net.leads_to[paths.at[a]] == zone:
            events.who[n, met] = a
            met += 1
    for i in range(met):
        a = events.who[n, i]
        length = paths.length[a]
        if length == MAX_LENGTH:
            return -1
        wire = onward(paths.at[a], paths.tokens[a], on, net)
        paths.at[a] = paths.wire[a, length] = wire
        paths.stage[a, length] = n + (met >= 2)
        paths.length[a] = length + 1
    return met


@inner
def _mix(  # pragma: no cover - compiled
    before: States, after: States, event: int, events: Events, exchanged: npt.NDArray[np.int16]
) -> None:
    """Let ``after`` be ``before``, closed under all exchanges of one meeting of two or more.

    The symmetric group of j + 1 members is its subgroup of j times the exchanges with the last.
    What an exchange adds may be exchanged again at once: all of it is in the Hall set.
    """
    first = exchanged[:, events.who[event, 0], events.who[event, 1]]
    for p in range(len(before)):
        after[p] = before[p] | before[first[p]]
    for j in range(2, events.met[event]):
        b = events.who[event, j]
        for i in range(j):
            other = exchanged[:, events.who[event, i], b]
            for p in range(len(after)):
                if after[p]:
                    after[other[p]] = 1


@inner
def forward(  # pragma: no cover - compiled
    begin: int, n: int, line: Timeline, paths: Paths, events: Events, reach: Reach,
    table: Permutations,
) -> None:  # fmt: skip
    """Permutations that can be reached, after each event and all that is seen before the next."""
    known, reached = paths.known, reach.reached
    for a in range(len(known)):
        p, last = line.seen.ptr[paths.tokens[a]], line.seen.ptr[paths.tokens[a] + 1]
        while p < last and line.seen.time[p] <= begin:
            p += 1
        known[a] = p
    for p in range(len(table.on_path)):
        reached[0, p] = p == 0
    for event in range(n):
        until = events.time[event + 1] if event + 1 < n else line.net.horizon + 1
        states = reached[event + 1]
        _mix(reached[event], states, event, events, table.exchanged)
        for a in range(len(known)):
            p, last = known[a], line.seen.ptr[paths.tokens[a] + 1]
            while p < last and line.seen.time[p] < events.time[event]:
                p += 1
            known[a] = p
            if p < last and line.seen.time[p] < until:  # it must be at home then
                for q in range(len(states)):
                    states[q] &= table.on_path[q, a] == a


@inner
def backward(  # pragma: no cover - compiled
    any_end: bool, n: int, events: Events, reach: Reach, table: Permutations
) -> None:
    """Permutations after each event that lie on a way from the present to a good end.

    A good end is the present order; ``any_end``: nothing comes after it, and any order will do.
    """
    reached, returns = reach.reached, reach.returns
    for p in range(len(table.on_path)):
        returns[n, p] = reached[n, p] if any_end else p == 0
    for event in range(n - 1, -1, -1):
        states, good = returns[event], reached[event]
        _mix(returns[event + 1], states, event, events, table.exchanged)
        for p in range(len(states)):
            states[p] &= good[p]


@inner
def draw(  # pragma: no cover - compiled
    n: int, events: Events, reach: Reach, table: Permutations, random: State
) -> None:
    """Draw one solution: a permutation after each event, each one exchange from the next."""
    reach.drawn[0] = 0
    for event in range(n):
        ways = options(reach.drawn[event], event, events, reach, table.exchanged)
        reach.drawn[event + 1] = reach.choice[next_random(random, ways)]


@inner
def led_to(  # pragma: no cover - compiled
    p: int, event: int, events: Events, reach: Reach, exchanged: npt.NDArray[np.int16]
) -> int:
    """Write to ``reach.orbit`` where a meeting leads from permutation ``p``; how many these are."""
    orbit = reach.orbit
    orbit[0], size = p, 1
    for j in range(1, events.met[event]):
        b, n = events.who[event, j], size
        for i in range(j):
            a = events.who[event, i]
            for x in range(n):
                orbit[size] = exchanged[orbit[x], a, b]
                size += 1
    return size


@inner
def options(  # pragma: no cover - compiled
    p: int, event: int, events: Events, reach: Reach, exchanged: npt.NDArray[np.int16]
) -> int:
    """Write to ``reach.choice`` where one meeting leads from permutation ``p`` to a good end.

    In ascending order; returns how many there are.
    """
    orbit, choice, returns = reach.orbit, reach.choice, reach.returns[event + 1]
    size = led_to(p, event, events, reach, exchanged)
    found = 0
    for x in range(size):
        if returns[orbit[x]]:
            place = found
            while place > 0 and choice[place - 1] > orbit[x]:
                choice[place] = choice[place - 1]
                place -= 1
            choice[place] = orbit[x]
            found += 1
    return found


@inner
def lead_through(  # pragma: no cover - compiled
    stage: int,
    a: int,
    b: int,
    n: int,
    events: Events,
    reach: Reach,
    table: Permutations,
    random: State,
) -> None:
    """Draw a solution that has token ``b`` on path ``a`` after ``stage`` events; there is one."""
    found = 0
    for p in range(len(table.on_path)):
        if reach.returns[stage, p] and table.on_path[p, a] == b:
            found += 1
            if next_random(random, found) == 0:
                reach.drawn[stage] = p
    for event in range(stage - 1, -1, -1):
        size = led_to(reach.drawn[event + 1], event, events, reach, table.exchanged)
        found = 0
        for x in range(size):
            if reach.reached[event, reach.orbit[x]]:
                found += 1
                if next_random(random, found) == 0:
                    reach.drawn[event] = reach.orbit[x]
    for event in range(stage, n):
        ways = options(reach.drawn[event], event, events, reach, table.exchanged)
        reach.drawn[event + 1] = reach.choice[next_random(random, ways)]


@inner
def shown_after(  # pragma: no cover - compiled
    stage: int, a: int, returns: States, on_path: npt.NDArray[np.int8]
) -> int:
    """Which tokens some solution has on path ``a`` after so many events, as bits."""
    seen = 0
    for p in range(len(on_path)):
        if returns[stage, p]:
            seen |= 1 << on_path[p, a]
    return seen


@inner
def mark(  # pragma: no cover - compiled
    paths: Paths,
    returns: States,
    on_path: npt.NDArray[np.int8],
    place: npt.NDArray[np.int32],
    found: TokenSets,
) -> None:
    """Note on the open wires of each path all tokens that some solution has there.

    ``place``: number of each open wire; negative: not open. ``found``: tokens on open wires.
    """
    for a in range(len(paths.at)):
        stage, seen = -1, 0
        for i in range(paths.length[a]):
            number = place[paths.wire[a, i]]
            if number < 0:
                continue
            if paths.stage[a, i] != stage:
                stage = paths.stage[a, i]
                seen = shown_after(stage, a, returns, on_path)
            for b in range(len(paths.at)):
                if seen >> b & 1:
                    tokens.add(found[number], paths.tokens[b])
