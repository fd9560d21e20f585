"""Large neighbourhood search: walks through solutions, one neighbourhood after another.

The open wires are divided among eight walkers; where there are few, several walkers share the
passes over each. A walker starts at the identity. For one of its wires after the other it draws a
neighbourhood: the token that is on the wire in its current solution, and a few tokens which that
token can meet. It finds all ways in which these can exchange their paths
(:mod:`mixsafe.solver.local.neighbourhoods`). Every token that is on an open wire in one of them is
a candidate there. One of them is drawn as the next current solution.

To record witnesses, a walker draws one more solution for each new token on an open wire, and
records the part that is needed. A second random generator draws these solutions, so that recording
does not change where the walk goes.

Walkers share nothing while they run, so results depend on their number, not on the number of
threads. What ``auto`` counts as one walk is a call of :func:`walk` for each stretch of time.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import LITTLE, compile_always, inner, tiered
from mixsafe.model.course import MEMORY, Course
from mixsafe.network.core import Core
from mixsafe.network.timeline import Timeline, timeline
from mixsafe.solver.local.generator import State, next_random, spread_beginning
from mixsafe.solver.local.neighbourhood_sampling import Sought, draw_neighbourhood, span
from mixsafe.solver.local.neighbourhoods import (
    MAX_EVENTS,
    Scratch,
    backward,
    draw,
    draw_through,
    follow,
    forward,
    mark,
    new_scratch,
    shown_after,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.searches import Targets
from mixsafe.solver.state.tokens import TokenSets
from mixsafe.solver.state.witness import Differences, gather, joined
from mixsafe.solver.workers import SHARES, until

_SPANS = (10, 40, 150, 800)  # wires to either side that a neighbourhood spans; one is drawn
_ROOM = MEMORY // 4 // SHARES // 16  # moved wires that one walker can record

Ints = npt.NDArray[np.int64]


class WalkBudget(NamedTuple):
    """Search budget of a walk.

    Parameters
    ----------
    size
        Tokens in a neighbourhood, 2 to 5.
    rounds, draws
        Passes over the open wires, and neighbourhoods drawn around a wire in each pass.
    reach
        Maximum span of a neighbourhood: wires of the row to either side of the open one.
    depth
        Neighbourhoods in a row before a walker restarts at the identity, which keeps witnesses
        small. By default it never restarts.
    """

    size: int
    rounds: int
    draws: int
    reach: int
    depth: int = np.iinfo(np.int64).max


class OpenWires(NamedTuple):
    """All open wires, in order of time, and what one walker finds on them."""

    wires: Ints  # (n_open,)
    enough: npt.NDArray[np.int32]  # (n_open,): number of candidates that settles each
    sought: TokenSets  # (n_open, words): tokens that matter there
    place: npt.NDArray[np.int32]  # (n_wires,): number of an open wire; negative: not open
    found: TokenSets  # (n_open, words): proven candidates
    stop: npt.NDArray[np.bool_]  # (n_open,): set to end the walk


class Walker(NamedTuple):
    """Current solution of a walker, and the witnesses that it has recorded."""

    on: npt.NDArray[np.int32]  # (n_wires,): the current solution
    touched: Ints  # (n_wires,): wires where it may differ from the identity
    is_touched: npt.NDArray[np.bool_]  # (n_wires,)
    gathered: npt.NDArray[np.bool_]  # (n_wires,): all False, except while a witness is recorded
    size: Ints  # (4,): counters, as named below
    ptr: Ints  # (most witnesses + 1,): where each witness begins among the moved wires
    wire: Ints
    token: npt.NDArray[np.int32]
    random: State  # draws the solutions that are recorded


_TOUCHED, _WITNESSES, _MOVED, _NEIGHBOURHOODS = range(4)


def walk(
    core: Core,
    targets: Targets,
    proven: TokenSets,
    budget: WalkBudget,
    course: Course,
    *,
    seed: int = 0,
    writes: bool = False,
) -> Differences:
    """Add candidates of open wires to ``proven``.

    Parameters
    ----------
    core
        The question.
    targets
        Open wires, and the candidates that are missing there.
    proven
        (n_wires, words): proven candidates; changed on the wires of ``targets`` only.
    budget
        Search budget.
    course
        Threads, and when to stop early; results up to then are kept.
    seed
        Seed of the random generator.
    writes
        Whether to record witnesses of candidates, as many as settle each wire.

    Returns
    -------
    Differences
        The recorded witnesses.
    """
    network = core.network
    in_time = np.argsort(network.start[targets.wires], kind="stable")
    wires, enough = targets.wires[in_time], targets.enough[in_time]
    place = np.full(network.n_wires, -1, np.int32)
    place[wires] = np.arange(len(wires))
    # One flag per wire: compiled code would read a single one only once.
    stop = np.zeros(len(wires), np.bool_)
    line, sought = timeline(core), targets.sought[wires]
    n_shares = max(1, min(len(wires), SHARES))
    copies = min(SHARES // n_shares, budget.rounds)  # walkers of each share
    part = budget._replace(rounds=budget.rounds // copies)
    share = np.linspace(0, len(wires), n_shares + 1).astype(np.int64)  # each a stretch of time
    found = np.repeat(proven[wires][None], n_shares * copies, axis=0)
    missing = int(np.maximum(enough - tokens.count(proven[wires]), 0).sum()) if writes else 0
    walkers = [_new_walker(core, seed * SHARES + g, missing) for g in range(len(found))]

    def run_walker(g: int, walker: Walker) -> None:
        open_wires = OpenWires(wires, enough, sought, place, found[g], stop)
        random = spread_beginning(seed * SHARES + g)
        scratch = new_scratch(budget.size, network.n_zones, random)
        first, last = share[g % n_shares : g % n_shares + 2].tolist()
        _walk_share(first, last, part, open_wires, walker, line, scratch)

    if budget.rounds * budget.draws * len(wires) * MAX_EVENTS > LITTLE:
        compile_always()
    runs = [partial(run_walker, g, one) for g, one in enumerate(walkers)]
    until(course, runs, stop)
    proven[wires] = np.bitwise_or.reduce(found, axis=0)
    return joined([_recorded(one) for one in walkers])


def _new_walker(core: Core, seed: int, missing: int) -> Walker:
    """A walker at the identity; ``missing``: maximum number of witnesses that it may record."""
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


def _recorded(walker: Walker) -> Differences:
    """The witnesses that a walker has recorded."""
    n, moved = walker.size[[_WITNESSES, _MOVED]].tolist()
    # Copied, so that the large buffers can be freed.
    ptr, wire = walker.ptr[: n + 1].copy(), walker.wire[:moved].copy()
    return Differences(ptr, wire, walker.token[:moved].copy())


@tiered
def _walk_share(  # pragma: no cover - compiled
    first: int,
    last: int,
    budget: WalkBudget,
    open_wires: OpenWires,
    walker: Walker,
    line: Timeline,
    s: Scratch,
) -> None:
    """Search around the open wires of one walker, ``first`` to ``last - 1``, round after round."""
    for _ in range(budget.rounds):
        for i in range(first, last):
            if open_wires.stop[i]:
                return
            _search_around(i, budget, open_wires, walker, line, s)


@inner
def _search_around(  # pragma: no cover - compiled
    i: int,
    budget: WalkBudget,
    open_wires: OpenWires,
    walker: Walker,
    line: Timeline,
    s: Scratch,
) -> None:
    """Draw and solve neighbourhoods around an open wire until it has enough candidates."""
    wire = open_wires.wires[i]
    sought = Sought(open_wires.sought[i], open_wires.found[i])
    for _ in range(budget.draws):
        if tokens.size(sought.proven) >= open_wires.enough[i]:
            return
        if walker.size[_NEIGHBOURHOODS] >= budget.depth:
            _restart(walker, line)
        walker.size[_NEIGHBOURHOODS] += 1
        reach = _SPANS[next_random(s.random, len(_SPANS))]
        begin, end = span(wire, reach if reach < budget.reach else budget.reach, line)
        if draw_neighbourhood(wire, begin, end, walker.on, line, s, sought):
            _explore(begin, end, open_wires, walker, line, s)


@inner
def _restart(walker: Walker, line: Timeline) -> None:  # pragma: no cover - compiled
    """Set the current solution to the identity."""
    for i in range(walker.size[_TOUCHED]):
        wire = walker.touched[i]
        walker.on[wire] = line.net.row[wire]
        walker.is_touched[wire] = False
    walker.size[_TOUCHED] = walker.size[_NEIGHBOURHOODS] = 0


@inner
def _explore(  # pragma: no cover - compiled
    begin: int, end: int, open_wires: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Solve the neighbourhood of the tokens in ``s.paths``, from step ``begin`` to step ``end``.

    Adds what it proves about the open wires of their paths, and moves to another solution.
    """
    n = follow(end, walker.on, line.net, s.paths, s.events, s.table)
    if n < 1:
        return
    forward(begin, n, line, s.paths, s.events, s.reach, s.table)
    backward(end == line.net.horizon, n, s.events, s.reach, s.table)
    if len(walker.wire):
        for a in range(len(s.paths.at)):
            _record_new(a, n, open_wires, walker, line, s)
    mark(s.paths, s.reach.returns, s.table.on_path, open_wires.place, open_wires.found)
    draw(n, s.events, s.reach, s.table, s.random)
    _move(walker, s)


@inner
def _move(walker: Walker, s: Scratch) -> None:  # pragma: no cover - compiled
    """Make the drawn solution the current one."""
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
def _record_new(  # pragma: no cover - compiled
    a: int, n: int, open_wires: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Record witnesses of new tokens on the open wires of path ``a`` that lack candidates."""
    stage, shown = -1, 0
    for i in range(s.paths.length[a]):
        place = open_wires.place[s.paths.wire[a, i]]
        if place < 0:
            continue
        if s.paths.stage[a, i] != stage:
            stage = s.paths.stage[a, i]
            shown = shown_after(stage, a, s.reach.returns, s.table.on_path)
        for b in range(len(s.paths.at)):
            if shown >> b & 1 and _lacks(place, s.paths.tokens[b], open_wires):
                draw_through(stage, a, b, n, s.events, s.reach, s.table, walker.random)
                _move(walker, s)
                _record(open_wires, walker, line, s)


@inner
def _lacks(place: int, token: int, open_wires: OpenWires) -> bool:  # pragma: no cover - compiled
    """Whether a token is new on an open wire that has too few candidates."""
    found = open_wires.found[place]
    return not tokens.holds(found, token) and tokens.size(found) < open_wires.enough[place]


@inner
def _record(  # pragma: no cover - compiled
    open_wires: OpenWires, walker: Walker, line: Timeline, s: Scratch
) -> None:
    """Record the part of the current solution that shows new candidates of open wires."""
    size, on = walker.size, walker.on
    begin = size[_MOVED]
    if begin + size[_TOUCHED] > len(walker.wire):
        return
    part = walker.wire[begin:]
    n = 0
    for a in range(len(s.paths.at)):
        for i in range(s.paths.length[a]):
            wire = s.paths.wire[a, i]
            place = open_wires.place[wire]
            if place >= 0 and _lacks(place, on[wire], open_wires):
                tokens.add(open_wires.found[place], on[wire])
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
