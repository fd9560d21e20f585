"""Lower bounds from neighbourhoods (fact 8): a few tokens share their paths anew.

All other tokens stay where they are in the current solution, which is the identity at first. With
up to five tokens there are few states, the permutations of the tokens over the paths. One forward
and one backward pass over the zones in which at least two of the paths meet solves that subproblem
completely: every token that can be on a path, at any moment, is a candidate there. (In a zone with
a relation they exchange by allowed pairs only, in one of the ways that are listed.) Then one of its
solutions is drawn as the current solution of the next neighbourhood. In this way the search reaches
solutions that no few tokens can reach at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import inner
from mixsafe.network.timeline import Timeline, onward
from mixsafe.network.wires import NOWHERE, Wires, is_complete, may_leave
from mixsafe.solver.dp.permutations import Permutations, permutations
from mixsafe.solver.local.generator import State, next_random
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

MAX_EVENTS = 1024  # meetings in a neighbourhood, at most
MAX_LENGTH = 4096  # wires of a path; neighbourhoods with longer paths are skipped

Longs = npt.NDArray[np.int64]
States = npt.NDArray[np.uint8]


class Paths(NamedTuple):
    """The tokens of a neighbourhood; path a is the current path of the a-th token."""

    tokens: Longs  # (size,)
    at: Longs  # (size,): current wire of each path
    known: Longs  # (size,): next sighting of each token
    length: Longs  # (size,)
    wire: Longs  # (size, MAX_LENGTH): wires of each path
    stage: Longs  # (size, MAX_LENGTH): events before each wire


class Events(NamedTuple):
    """Meetings of two or more paths, in order of time."""

    time: Longs  # (MAX_EVENTS,)
    met: Longs  # (MAX_EVENTS,): how many paths meet
    who: Longs  # (MAX_EVENTS, size): which paths
    come: Longs  # (size,): place of each of them in the zone
    ways: Longs  # (MAX_EVENTS,): how many exchanges a zone with a relation allows; 0: it allows all
    way: npt.NDArray[np.int16]  # (MAX_EVENTS, permutations): these exchanges


class Reach(NamedTuple):
    """Sets of permutations of the tokens over the paths, one after each event."""

    reached: States  # (MAX_EVENTS + 1, permutations): reachable from the current solution
    returns: States  # (MAX_EVENTS + 1, permutations): of these, those that lead to a valid end
    orbit: Longs  # (permutations,): permutations after one meeting
    choice: Longs  # (permutations,): those of them that may be drawn
    drawn: Longs  # (MAX_EVENTS + 1,): a solution, one permutation after each event


class Scratch(NamedTuple):
    """Working memory for neighbourhoods of one size, and the state of a random generator."""

    paths: Paths
    events: Events
    reach: Reach
    table: Permutations
    random: npt.NDArray[np.uint64]  # (1,)
    seen: npt.NDArray[np.int32]  # (n_zones + 1,): marks of zones, and the current mark


def new_scratch(size: int, n_zones: int, random: npt.NDArray[np.uint64]) -> Scratch:
    """Working memory for neighbourhoods of ``size`` tokens."""
    table = permutations(size)
    n = len(table.on_path)
    return Scratch(
        Paths(
            _longs(size), _longs(size), _longs(size), _longs(size), _longs(size, MAX_LENGTH),
            _longs(size, MAX_LENGTH),
        ),
        Events(
            _longs(MAX_EVENTS), _longs(MAX_EVENTS), _longs(MAX_EVENTS, size), _longs(size),
            _longs(MAX_EVENTS), np.zeros((MAX_EVENTS, n), np.int16),
        ),
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
    end: int,
    on: npt.NDArray[np.int32],
    net: Wires,
    paths: Paths,
    events: Events,
    table: Permutations,
) -> int:
    """Follow the paths up to step ``end``, and record meetings of two or more as events.

    Returns the number of events; -1 if there are too many events or wires.
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
        if met >= 2:  # a path that is alone in a zone cannot exchange
            events.ways[n] = 0
            if not is_complete(zone, net):
                _list_ways(zone, n, net, paths, events, table)
            n += 1


@inner
def _arrive(  # pragma: no cover - compiled
    zone: int, n: int, on: npt.NDArray[np.int32], net: Wires, paths: Paths, events: Events
) -> int:
    """Take the paths that lead to ``zone`` through it, as event ``n``; the number of these paths.

    Their next wires come after the event if there are two or more. -1: a path is too long.
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
        events.come[a] = net.entry[paths.at[a]]
        wire = onward(paths.at[a], paths.tokens[a], on, net)
        paths.at[a] = paths.wire[a, length] = wire
        paths.stage[a, length] = n + (met >= 2)
        paths.length[a] = length + 1
    return met


@inner
def _list_ways(  # pragma: no cover - compiled
    zone: int, event: int, net: Wires, paths: Paths, events: Events, table: Permutations
) -> None:
    """List the exchanges of the paths that meet in a zone with a relation, by allowed pairs."""
    n, met = 0, 0
    for i in range(events.met[event]):
        met |= 1 << events.who[event, i]
    for p in range(len(table.on_path)):
        fits = True
        for b in range(len(paths.at)):
            a = table.on_path[p, b]
            if fits and a != b:
                both = met >> a & met >> b & 1 == 1
                fits = both and may_leave(events.come[a], net.entry[paths.at[b] - 1], zone, net)
        if fits:
            events.way[event, n] = p
            n += 1
    events.ways[event] = n


@inner
def _mix(  # pragma: no cover - compiled
    back: int, before: States, after: States, event: int, events: Events, table: Permutations
) -> None:
    """Set ``after`` to the permutations that ``before`` leads to in a meeting of two or more.

    ``back``: 1 for those that lead to it.
    """
    n = events.ways[event]
    if n == 0:
        _mix_all(before, after, event, events, table.exchanged)
        return
    for p in range(len(after)):
        after[p] = 0
    for p in range(len(before)):
        if before[p]:
            for i in range(n):
                after[table.moved[back, p, events.way[event, i]]] = 1


@inner
def _mix_all(  # pragma: no cover - compiled
    before: States, after: States, event: int, events: Events, exchanged: npt.NDArray[np.int16]
) -> None:
    """As :func:`_mix`, where all exchanges are allowed: both directions are the same.

    The symmetric group of j + 1 members is its subgroup of j members times the exchanges with the
    last one. Exchanging again what an exchange adds does no harm: it is in the closure, too.
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
    """Find the reachable permutations after each event and the sightings before the next one."""
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
        _mix(0, reached[event], states, event, events, table)
        for a in range(len(known)):
            p, last = known[a], line.seen.ptr[paths.tokens[a] + 1]
            while p < last and line.seen.time[p] < events.time[event]:
                p += 1
            known[a] = p
            if p < last and line.seen.time[p] < until:  # the token must be at home then
                for q in range(len(states)):
                    states[q] &= table.on_path[q, a] == a


@inner
def backward(  # pragma: no cover - compiled
    any_end: bool, n: int, events: Events, reach: Reach, table: Permutations
) -> None:
    """Find the permutations after each event that lie between the current order and a valid end.

    A valid end is the current order; with ``any_end``, at the horizon, it is any order.
    """
    reached, returns = reach.reached, reach.returns
    for p in range(len(table.on_path)):
        returns[n, p] = reached[n, p] if any_end else p == 0
    for event in range(n - 1, -1, -1):
        states, good = returns[event], reached[event]
        _mix(1, returns[event + 1], states, event, events, table)
        for p in range(len(states)):
            states[p] &= good[p]


@inner
def draw(  # pragma: no cover - compiled
    n: int, events: Events, reach: Reach, table: Permutations, random: State
) -> None:
    """Draw one solution: a permutation after each event, each one exchange from the next."""
    reach.drawn[0] = 0
    for event in range(n):
        n_options = options(reach.drawn[event], event, events, reach, table)
        reach.drawn[event + 1] = reach.choice[next_random(random, n_options)]


@inner
def reachable_from(  # pragma: no cover - compiled
    back: int, p: int, event: int, events: Events, reach: Reach, table: Permutations
) -> int:
    """Write the permutations after a meeting, from ``p``, to ``reach.orbit``; their number.

    ``back``: 1 for those before it, from which it leads to ``p``.
    """
    orbit, exchanged = reach.orbit, table.exchanged
    if events.ways[event]:
        for i in range(events.ways[event]):
            orbit[i] = table.moved[back, p, events.way[event, i]]
        return events.ways[event]
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
    p: int, event: int, events: Events, reach: Reach, table: Permutations
) -> int:
    """Write those permutations after a meeting, from ``p``, that lead to a valid end, ascending.

    They go to ``reach.choice``. Returns their number.
    """
    orbit, choice, returns = reach.orbit, reach.choice, reach.returns[event + 1]
    size = reachable_from(0, p, event, events, reach, table)
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
def draw_through(  # pragma: no cover - compiled
    stage: int,
    a: int,
    b: int,
    n: int,
    events: Events,
    reach: Reach,
    table: Permutations,
    random: State,
) -> None:
    """Draw a solution with token ``b`` on path ``a`` after ``stage`` events; one must exist."""
    found = 0
    for p in range(len(table.on_path)):
        if reach.returns[stage, p] and table.on_path[p, a] == b:
            found += 1
            if next_random(random, found) == 0:
                reach.drawn[stage] = p
    for event in range(stage - 1, -1, -1):
        size = reachable_from(1, reach.drawn[event + 1], event, events, reach, table)
        found = 0
        for x in range(size):
            if reach.reached[event, reach.orbit[x]]:
                found += 1
                if next_random(random, found) == 0:
                    reach.drawn[event] = reach.orbit[x]
    for event in range(stage, n):
        n_options = options(reach.drawn[event], event, events, reach, table)
        reach.drawn[event + 1] = reach.choice[next_random(random, n_options)]


@inner
def shown_after(  # pragma: no cover - compiled
    stage: int, a: int, returns: States, on_path: npt.NDArray[np.int8]
) -> int:
    """Tokens that some solution has on path ``a`` after ``stage`` events, as bits."""
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
    """Add to ``found``, for the open wires of each path, all tokens that some solution has there.

    ``place``: number of each open wire; negative: not open.
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
