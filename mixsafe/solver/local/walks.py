"""Walks through solutions: small supports, one after the other, around what is still open.

A walk is done by eight walkers. Each starts at the identity and has open wires of its own. Again
and again it takes one of them, draws a support from those whom the token there meets, and decides
it (see ``neighbourhoods``).
Where witnesses are wanted, a solution is drawn for each token that is new on an open wire, and the
part of it that is needed is written down; that changes nothing of where the walk goes.

Walkers share nothing, so their number, not the number of workers, determines what they find. (The
number of a walk, in ``auto``, counts calls of :func:`walk`.)
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import LITTLE, compile_always, inner, tiered
from mixsafe.model.limits import MEMORY, Deadline
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.solver.local.generator import State, next_random, spread_beginning
from mixsafe.solver.local.neighbourhood_sampling import Sought, draw_neighbourhood, span
from mixsafe.solver.local.neighbourhoods import (
    MAX_EVENTS,
    Scratch,
    backward,
    draw,
    follow,
    forward,
    lead_through,
    mark,
    new_scratch,
    shown_after,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.differences import Differences, gather, joined
from mixsafe.solver.state.questions import Targets
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.workers import SHARES, until

_SPANS = (10, 40, 150, 800)  # wires to either side that a support spans, one of these at most
_ROOM = MEMORY // 4 // SHARES // 16  # moved wires that one walk can write down

Ints = npt.NDArray[np.int64]


class Budget(NamedTuple):
    """How much a walk tries.

    Parameters
    ----------
    size
        Tokens in a support, 2 to 5.
    rounds, draws
        Times that every open wire is taken up, and supports drawn each time.
    reach
        Wires of the row to either side of an open one that a support spans at most.
    depth
        Supports after one another before a walk begins anew at the identity, so that witnesses stay
        small; by default it does not.
    """

    size: int
    rounds: int
    draws: int
    reach: int
    depth: int = np.iinfo(np.int64).max


class OpenWires(NamedTuple):
    """Open wires, in order of time, and what one walk finds on them."""

    wires: Ints
    enough: npt.NDArray[np.int32]
    sought: TokenSets
    place: npt.NDArray[np.int32]  # (n_wires,): number of an open wire; negative: not open
    found: TokenSets  # (n_open, words)
    stop: npt.NDArray[np.bool_]  # set to end the walk


class Walker(NamedTuple):
    """Where a walk is, and what it has written down."""

    on: npt.NDArray[np.int32]  # (n_wires,): the present solution
    touched: Ints  # (n_wires,): wires where it may differ from the identity
    is_touched: npt.NDArray[np.bool_]  # (n_wires,)
    gathered: npt.NDArray[np.bool_]  # (n_wires,): none, but while a witness is written down
    size: Ints  # (4,): counters, as named below
    ptr: Ints  # where witnesses begin among moved wires; one place more than there can be
    wire: Ints
    token: npt.NDArray[np.int32]
    random: State  # of the solutions that are written down


_TOUCHED, _WITNESSES, _MOVED, _NEIGHBOURHOODS = range(4)


def walk(
    core: Core,
    targets: Targets,
    proven: TokenSets,
    budget: Budget,
    *,
    seed: int = 0,
    deadline: Deadline | None = None,
    workers: int = 0,
    writes: bool = False,
) -> Differences:
    """Add to ``proven`` candidates of open wires.

    Parameters
    ----------
    core
        The question.
    targets
        What is looked for.
    proven
        (n_wires, words): what is known; changed on the wires of ``targets`` only.
    effort
        How much is tried.
    seed
        Of the drawing.
    deadline
        When to stop before all is done; what was found by then is kept.
    workers
        Threads; 0 means one per core.
    writes
        Whether witnesses are wanted of what is found, up to what is enough on each wire.

    Returns
    -------
    Differences
        Those witnesses.
    """
    network = core.network
    in_time = np.argsort(network.start[targets.wires], kind="stable")  # a walk has a stretch of it
    wires, enough = targets.wires[in_time], targets.enough[in_time]
    place = np.full(network.n_wires, -1, np.int32)
    place[wires] = np.arange(len(wires))
    found = np.repeat(proven[wires][None], SHARES, axis=0)
    stop = np.zeros(len(wires), np.bool_)  # one each: a single flag would be read but once
    line, sought = timeline(core), targets.sought[wires]
    share = np.linspace(0, len(wires), SHARES + 1).astype(np.int64)
    missing = int(np.maximum(enough - tokens.count(found[0]), 0).sum()) if writes else 0
    numbers = [g for g in range(SHARES) if share[g] < share[g + 1]]
    walkers = [_new_walker(core, seed * SHARES + g, missing) for g in numbers]

    def walk_on(g: int, walker: Walker) -> None:
        instance = OpenWires(wires, enough, sought, place, found[g], stop)
        random = spread_beginning(seed * SHARES + g)
        scratch = new_scratch(budget.size, network.n_zones, random)
        _walk(share[g], share[g + 1], budget, instance, walker, line, scratch)

    if budget.rounds * budget.draws * len(wires) * MAX_EVENTS > LITTLE:
        compile_always()
    runs = [partial(walk_on, g, one) for g, one in zip(numbers, walkers, strict=True)]
    until(deadline, runs, stop, workers)
    proven[wires] = np.bitwise_or.reduce(found, axis=0)
    return joined([_written(one) for one in walkers])


def _new_walker(core: Core, seed: int, missing: int) -> Walker:
    """At the identity; ``missing``: shows that it may write down, each with a witness."""
    n = core.network.n_wires
    room = _ROOM if missing else 0
    return Walker(
        core.network.row.copy(),
        np.empty(n, np.int64),
        np.zeros(n, np.bool_),
        np.zeros(n, np.bool_),
        np.zeros(4, np.int64),
        np.zeros(missing + 1, np.int64),
        np.empty(room, np.int64),
        np.empty(room, np.int32),
        spread_beginning(~seed),
    )


def _written(walker: Walker) -> Differences:
    """What a walk has written down."""
    n, moved = walker.size[[_WITNESSES, _MOVED]].tolist()
    # Copied: the room is large.
    ptr, wire = walker.ptr[: n + 1].copy(), walker.wire[:moved].copy()
    return Differences(ptr, wire, walker.token[:moved].copy())


@tiered
def _walk(  # pragma: no cover - compiled
    first: int,
    last: int,
    budget: Budget,
    instance: OpenWires,
    walker: Walker,
    line: Timeline,
    s: Scratch,
) -> None:
    """Take up the open wires from number ``first`` up to ``last``, round after round."""
    for _ in range(budget.rounds):
        for i in range(first, last):
            if instance.stop[i]:
                return
            _take_up(i, budget, instance, walker, line, s)


@inner
def _take_up(  # pragma: no cover - compiled
    i: int,
    budget: Budget,
    instance: OpenWires,
    walker: Walker,
    line: Timeline,
    s: Scratch,
) -> None:
    """Try supports around an open wire, as long as it has not enough candidates."""
    wire = instance.wires[i]
    sought = Sought(instance.sought[i], instance.found[i])
    for _ in range(budget.draws):
        if tokens.size(sought.proven) >= instance.enough[i]:
            return
        if walker.size[_NEIGHBOURHOODS] >= budget.depth:
            _go_home(walker, line)
        walker.size[_NEIGHBOURHOODS] += 1
        reach = _SPANS[next_random(s.random, len(_SPANS))]
        begin, end = span(wire, reach if reach < budget.reach else budget.reach, line)
        if draw_neighbourhood(wire, begin, end, walker.on, line, s, sought):
            _explore(begin, end, instance, walker, line, s)


@inner
def _go_home(walker: Walker, line: Timeline) -> None:  # pragma: no cover - compiled
    """Begin at the identity again."""
    for i in range(walker.size[_TOUCHED]):
        wire = walker.touched[i]
        walker.on[wire] = line.net.row[wire]
        walker.is_touched[wire] = False
    walker.size[_TOUCHED] = walker.size[_NEIGHBOURHOODS] = 0


@inner
def _explore(  # pragma: no cover - compiled
    begin: int, end: int, instance: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Decide the small problem of the tokens in ``s.paths``, from step ``begin`` to step ``end``.

    Notes what it proves on the open wires of their paths, and moves to another solution.
    """
    n = follow(end, walker.on, line.net, s.paths, s.events)
    if n < 1:
        return
    forward(begin, n, line, s.paths, s.events, s.reach, s.table)
    backward(end == line.net.horizon, n, s.events, s.reach, s.table)
    if len(walker.wire):
        for a in range(len(s.paths.at)):
            _write_new(a, n, instance, walker, line, s)
    mark(s.paths, s.reach.returns, s.table.on_path, instance.place, instance.found)
    draw(n, s.events, s.reach, s.table, s.random)
    _move(walker, s)


@inner
def _move(walker: Walker, s: Scratch) -> None:  # pragma: no cover - compiled
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
def _write_new(  # pragma: no cover - compiled
    a: int, n: int, instance: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Write down witnesses of what is new on the open wires of a path, as far as they lack it."""
    stage, shown = -1, 0
    for i in range(s.paths.length[a]):
        place = instance.place[s.paths.wire[a, i]]
        if place < 0:
            continue
        if s.paths.stage[a, i] != stage:
            stage = s.paths.stage[a, i]
            shown = shown_after(stage, a, s.reach.returns, s.table.on_path)
        for b in range(len(s.paths.at)):
            if shown >> b & 1 and _lacks(place, s.paths.tokens[b], instance):
                lead_through(stage, a, b, n, s.events, s.reach, s.table, walker.random)
                _move(walker, s)
                _write(instance, walker, line, s)


@inner
def _lacks(place: int, token: int, instance: OpenWires) -> bool:  # pragma: no cover - compiled
    """Whether a token is new on an open wire, by its number, and has not enough of them."""
    found = instance.found[place]
    return not tokens.holds(found, token) and tokens.size(found) < instance.enough[place]


@inner
def _write(  # pragma: no cover - compiled
    instance: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Write the part of the present solution down that shows what open wires lack."""
    size, on = walker.size, walker.on
    begin = size[_MOVED]
    if begin + size[_TOUCHED] > len(walker.wire):
        return
    part = walker.wire[begin:]
    n = 0
    for a in range(len(s.paths.at)):
        for i in range(s.paths.length[a]):
            wire = s.paths.wire[a, i]
            place = instance.place[wire]
            if place >= 0 and _lacks(place, on[wire], instance):
                tokens.add(instance.found[place], on[wire])
                walker.gathered[wire] = True
                part[n] = wire
                n += 1
    n = gather(0, n, on, line.net, part, walker.gathered)
    for i in range(n):
        walker.gathered[part[i]] = False
        walker.token[begin + i] = on[part[i]]
    size[_MOVED] += n
    size[_WITNESSES] += 1
    walker.ptr[size[_WITNESSES]] = size[_MOVED]
