"""Witnesses that move few tokens: short walks from the identity around wires that lack some.

As engines walk (see ``walks`` and ``supports``), but what is found is written down: when a small
problem has solutions with a token that is wanted on a wire, one of them is drawn, and where it
differs from the identity is a witness. After some supports a walk begins at the identity again, so
that witnesses stay small; walks get longer while wires are left.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.certify.witnesses.differences import Differences
from mixsafe.certify.witnesses.wanted import Shows, Wanted, take
from mixsafe.compiled import as_python, compiled, inner
from mixsafe.model.limits import Deadline
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.solver.local.generator import next_random, spread_beginning
from mixsafe.solver.local.scratch import Scratch, new_scratch
from mixsafe.solver.local.support_sampling import Sought, draw_support, span
from mixsafe.solver.local.supports import backward, draw, follow, forward, led_to, options
from mixsafe.solver.state import tokens
from mixsafe.solver.workers import until

N_WALKS = 8  # side by side; they share nothing, so that what is found does not hang on threads
_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most
_FEW = 32  # wires that every walk takes up
_ROOM = 1 << 22  # places of moved tokens that one walk can write down

Ints = npt.NDArray[np.int64]
Whole = npt.NDArray[np.int32]


class Pace(NamedTuple):
    """How much a walk tries.

    Parameters
    ----------
    size
        Tokens in a support, 2 to 5.
    tries
        Supports that are drawn for each wire.
    depth
        Supports after one another before a walk begins anew at the identity.
    reach
        Wires of the row to either side of one that a support spans at most.
    """

    size: int
    tries: int
    depth: int
    reach: int


class _Walker(NamedTuple):
    """Where a walk is, and what it has written down.

    ``on`` (n_wires,): the present solution; ``touched`` (n_wires,), ``is_touched`` (n_wires,): the
    wires where it may differ from the identity; ``size`` (4,): how many these are, and how many
    witnesses, moved tokens and shows are written down. ``ptr``, ``wire``, ``token``: witnesses;
    ``place``, ``shown``, ``by``: what they show.
    """

    on: Whole
    touched: Ints
    is_touched: npt.NDArray[np.bool_]
    size: Ints
    ptr: Ints
    wire: Ints
    token: Whole
    place: Whole
    shown: Whole
    by: Whole


_TOUCHED, _WITNESSES, _MOVED, _SHOWS = range(4)


def walk(
    core: Core, wanted: Wanted, effort: Pace, number: int, *, seed: int, deadline: Deadline
) -> Differences:
    """Witnesses of what is wanted, by one walk around all wires that lack some.

    Parameters
    ----------
    core
        The question.
    wanted
        What is wanted; changed by what is found.
    effort
        How much is tried.
    number
        Of the first witness that is found.
    seed
        Of the drawing.
    deadline
        When to stop; what was found by then is kept.
    """
    network, line = core.network, timeline(core)
    left = wanted.open
    left = left[np.argsort(network.start[left], kind="stable")]  # a walk has a stretch of time
    share = np.linspace(0, len(left), N_WALKS + 1).astype(np.int64)
    first, last = share[:-1], share[1:]
    if len(left) < _FEW:
        first, last = np.zeros(N_WALKS, np.int64), np.full(N_WALKS, len(left))
    stop = np.zeros(len(left), np.bool_)
    walkers = [_new_walker(core, int(wanted.missing.sum())) for _ in range(N_WALKS)]

    def walk_on(g: int) -> None:
        scratch = new_scratch(effort.size, network.n_zones, spread_beginning(seed * N_WALKS + g))
        those = left[first[g] : last[g]], stop[first[g] : last[g]]
        _walk(*those, effort, walkers[g], wanted.copy(), line, scratch)

    steps = len(left) * effort.tries * 5000
    with as_python(steps):
        until(deadline, [partial(walk_on, g) for g in range(N_WALKS)], stop, 0)
        found = []
        for walker in walkers:
            found.append(take(wanted, *_written(walker), number))
            number += len(found[-1].ptr) - 1
    return _joined(found)


def _joined(found: list[Differences]) -> Differences:
    ptr = np.cumsum(np.concatenate([[0], *(np.diff(one.ptr) for one in found)]))
    wire = np.concatenate([one.wire for one in found])
    return Differences(ptr, wire, np.concatenate([one.token for one in found]))


def _new_walker(core: Core, missing: int) -> _Walker:
    n = core.network.n_wires
    return _Walker(
        core.network.row.copy(),
        np.empty(n, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(4, np.int64),
        np.zeros(missing + 1, np.int64),
        np.empty(_ROOM, np.int64),
        np.empty(_ROOM, np.int32),
        *(np.empty(missing, np.int32) for _ in range(3)),
    )


def _written(walker: _Walker) -> tuple[Shows, Differences]:
    """What a walk has written down."""
    _, witnesses, moved, shows = walker.size.tolist()
    return (
        Shows(walker.place[:shows], walker.shown[:shows], walker.by[:shows]),
        Differences(walker.ptr[: witnesses + 1], walker.wire[:moved], walker.token[:moved]),
    )


@compiled
def _walk(  # pragma: no cover - compiled
    wires: Ints, stop: npt.NDArray[np.bool_], effort: Pace, walker: _Walker, wanted: Wanted,
    line: Timeline, s: Scratch,
) -> None:  # fmt: skip
    """Take up wires, one after the other."""
    for i in range(len(wires)):
        if stop[i] or walker.size[_MOVED] + walker.size[_TOUCHED] > _ROOM - len(walker.on):
            return
        _take_up(wires[i], effort, walker, wanted, line, s)


@inner
def _take_up(  # pragma: no cover - compiled
    wire: int, effort: Pace, walker: _Walker, wanted: Wanted, line: Timeline, s: Scratch
) -> None:
    """Try supports around a wire, as long as it lacks witnesses."""
    place = wanted.place[wire]
    sought = Sought(wanted.sought[place], wanted.have[place])
    for number in range(effort.tries):
        if wanted.missing[place] <= 0:
            return
        if number % effort.depth == 0:
            _go_home(walker, line)
        reach = _SPANS[next_random(s.random, len(_SPANS))]
        begin, end = span(wire, reach if reach < effort.reach else effort.reach, line)
        if draw_support(wire, begin, end, walker.on, line, s, sought):
            _explore(begin, end, walker, wanted, line, s)


@inner
def _go_home(walker: _Walker, line: Timeline) -> None:  # pragma: no cover - compiled
    """Begin at the identity again."""
    for i in range(walker.size[_TOUCHED]):
        wire = walker.touched[i]
        walker.on[wire] = line.net.row[wire]
        walker.is_touched[wire] = False
    walker.size[_TOUCHED] = 0


@inner
def _explore(  # pragma: no cover - compiled
    begin: int, end: int, walker: _Walker, wanted: Wanted, line: Timeline, s: Scratch
) -> None:
    """Decide a support, write down witnesses of what is new, and move to another solution."""
    n = follow(end, walker.on, line.net, s.paths, s.events)
    if n < 1:
        return
    forward(begin, n, line, s.paths, s.events, s.reach, s.table)
    backward(end == line.horizon, n, s.events, s.reach, s.table)
    draw(n, s.events, s.reach, s.table, s.random)
    _move(walker, s)
    _write(walker, wanted, line, s)
    for a in range(len(s.paths.at)):
        for i in range(s.paths.length[a]):
            _show_new(a, i, n, walker, wanted, line, s)


@inner
def _show_new(  # pragma: no cover - compiled
    a: int, i: int, n: int, walker: _Walker, wanted: Wanted, line: Timeline, s: Scratch
) -> None:
    """Write down a witness of each token that some solution has on a wire, if it is wanted."""
    place = wanted.place[s.paths.wire[a, i]]
    if place < 0 or wanted.missing[place] <= 0:
        return
    stage, on_path = s.paths.stage[a, i], s.table.on_path
    for p in range(len(on_path)):
        token = s.paths.tokens[on_path[p, a]]
        if s.reach.returns[stage, p] and not tokens.holds(wanted.have[place], token):
            _lead_through(stage, p, n, s)
            _move(walker, s)
            _write(walker, wanted, line, s)
            if wanted.missing[place] <= 0:
                return


@inner
def _lead_through(stage: int, p: int, n: int, s: Scratch) -> None:  # pragma: no cover - compiled
    """Draw a solution that is in permutation ``p`` after ``stage`` events."""
    reach, exchanged = s.reach, s.table.exchanged
    reach.drawn[stage] = p
    for event in range(stage - 1, -1, -1):
        size, found = led_to(reach.drawn[event + 1], event, s.events, reach, exchanged), 0
        for x in range(size):
            if reach.reached[event, reach.orbit[x]]:
                found += 1
                if next_random(s.random, found) == 0:
                    reach.drawn[event] = reach.orbit[x]
    for event in range(stage, n):
        ways = options(reach.drawn[event], event, s.events, reach, exchanged)
        reach.drawn[event + 1] = reach.choice[next_random(s.random, ways)]


@inner
def _move(walker: _Walker, s: Scratch) -> None:  # pragma: no cover - compiled
    """Make the drawn solution the present one."""
    paths, size = s.paths, walker.size
    for a in range(len(paths.at)):
        for i in range(paths.length[a]):
            wire = paths.wire[a, i]
            on = s.table.on_path[s.reach.drawn[paths.stage[a, i]], a]
            walker.on[wire] = paths.tokens[on]
            if not walker.is_touched[wire]:
                walker.is_touched[wire] = True
                walker.touched[size[_TOUCHED]] = wire
                size[_TOUCHED] += 1


@inner
def _write(  # pragma: no cover - compiled
    walker: _Walker, wanted: Wanted, line: Timeline, s: Scratch
) -> None:
    """Write the present solution down, if it shows something new on the paths of the support."""
    size, new = walker.size, False
    if size[_MOVED] + size[_TOUCHED] > len(walker.wire):
        return
    for a in range(len(s.paths.at)):
        for i in range(s.paths.length[a]):
            wire = s.paths.wire[a, i]
            place = wanted.place[wire]
            if place < 0 or wanted.missing[place] <= 0:
                continue
            token = walker.on[wire]
            if not tokens.holds(wanted.have[place], token):
                tokens.add(wanted.have[place], token)
                wanted.missing[place] -= 1
                walker.place[size[_SHOWS]], walker.shown[size[_SHOWS]] = place, token
                walker.by[size[_SHOWS]] = size[_WITNESSES]
                size[_SHOWS] += 1
                new = True
    if not new:
        return
    for i in range(size[_TOUCHED]):
        wire = walker.touched[i]
        if walker.on[wire] != line.net.row[wire]:
            walker.wire[size[_MOVED]], walker.token[size[_MOVED]] = wire, walker.on[wire]
            size[_MOVED] += 1
    size[_WITNESSES] += 1
    walker.ptr[size[_WITNESSES]] = size[_MOVED]
