"""Moves of annealing: exchanges around violated sightings, until no sighting is violated.

An exchange that violates a sighting is seldom accepted alone. Most useful exchanges need a second
one that repairs the sighting that the first one violates, so the two are tried together (an
ejection chain). The temperature is constant: a temperature at which tokens find other paths home
also brings the last one home (docs/develop/facts.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.solver.local.generator import State, drawn, spread_beginning
from mixsafe.solver.local.solutions import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    LAST,
    SEEN,
    TOKEN,
    Cycle,
    Ints,
    SearchInstance,
    Solution,
    can_exchange,
    cost_of,
    exchange,
    exchange_cycle,
    find_cycle,
    may_replace,
    new_cycle,
    undo_cycle,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

_ACCEPTANCE_SCALE = 1 << 30  # acceptance probabilities are multiples of 1 / this
_REPAIR_TEMPERATURE = 0.1  # temperature
_DRAWS = 4  # exchanges that are tried on one path, until one is accepted


class Aim(NamedTuple):
    """A wire, and the tokens that must not come to it."""

    wire: int
    since: int  # first wire to the zone at which it begins; -1: it begins at no zone
    unwanted: TokenSets  # (words,)


def aim_at(wire: int, unwanted: TokenSets, instance: SearchInstance) -> Aim:
    """Aim at ``wire``, a number of the network, to which no ``unwanted`` token may come."""
    here = int(instance.number[wire])
    behind = instance.wires[here, BEHIND]
    since = int(instance.wires[behind, FIRST]) if behind >= 0 else -1
    return Aim(here, since, unwanted)


class WorkerState(NamedTuple):
    """State of one thread: random generator, temperature, and working memory."""

    random: State
    acceptance: npt.NDArray[np.int64]  # (5,): probability by cost, times `_ACCEPTANCE_SCALE`
    undo: npt.NDArray[np.int64]  # (6 * longest,): wires of exchanges to undo, two each
    path: Ints  # (longest,): wires of the path from which exchanges are drawn
    stop: npt.NDArray[np.bool_]  # (1,): set to stop
    cycle: Cycle


def new_worker_state(
    seed: int, longest: int, stop: npt.NDArray[np.bool_], instance: SearchInstance
) -> WorkerState:
    """State of one thread, for paths of at most ``longest`` wires; ``stop`` may be shared."""
    acceptance, undo = np.zeros(5, np.int64), np.zeros(6 * longest, np.int64)
    path, cycle = np.zeros(longest, np.int32), new_cycle(instance)
    return WorkerState(spread_beginning(seed), acceptance, undo, path, stop, cycle)


def set_temperature(worker: WorkerState, temperature: float) -> None:
    """Accept a cost of n violated sightings with probability exp(-n / temperature)."""
    worker.acceptance[:] = _ACCEPTANCE_SCALE * np.exp(-np.arange(5) / temperature)


def set_zero_temperature(worker: WorkerState) -> None:
    """Accept no cost at all."""
    worker.acceptance[:] = 0


@compiled
def anneal(  # pragma: no cover - compiled
    moves: int, aim: Aim, solution: Solution, instance: SearchInstance, worker: WorkerState
) -> int:
    """Exchange until no sighting is violated; try at most ``moves`` exchanges.

    Returns the number of exchanges tried; ``moves`` if sightings are still violated.
    """
    wires, n = solution.wires, 0
    while n < moves:
        if solution.size[0] == 0:
            return n
        if worker.stop[0]:
            return moves
        violated = solution.violated[drawn(worker.random, solution.size[0])]
        if drawn(worker.random, 2):
            length = _path_to(violated, wires, worker)
        else:
            length = _path_of(instance.since[violated], wires, worker)
        for _ in range(_DRAWS):
            n += 1
            one = worker.path[drawn(worker.random, length)]
            first = wires[one, FIRST]
            other = first + drawn(worker.random, wires[one, LAST] - first - 1)
            if attempt(one, other + (other >= one), aim, solution, instance, worker):
                break
    return min(n, moves)


def perturb(
    moves: int,
    temperature: float,
    drawn_from: Ints,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> None:
    """Try ``moves`` random exchanges at a temperature, then as many to repair the violations."""
    no_aim = Aim(0, -1, np.zeros(instance.possible.shape[1], np.uint64))
    set_temperature(worker, temperature)
    perturb_near(moves, drawn_from, no_aim, solution, instance, worker)
    set_temperature(worker, _REPAIR_TEMPERATURE)
    anneal(moves, no_aim, solution, instance, worker)


@compiled
def perturb_near(  # pragma: no cover - compiled
    moves: int,
    drawn_from: Ints,
    no_aim: Aim,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> None:
    """Try ``moves`` random exchanges on wires of ``drawn_from``."""
    wires = solution.wires
    for _ in range(moves):
        if worker.stop[0]:
            return
        one = drawn_from[drawn(worker.random, len(drawn_from))]
        first = wires[one, FIRST]
        other = first + drawn(worker.random, wires[one, LAST] - first - 1)
        attempt(one, other + (other >= one), no_aim, solution, instance, worker)


@inner
def attempt(  # pragma: no cover - compiled
    one: int,
    other: int,
    aim: Aim,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> bool:
    """Exchange the tokens that come on two wires, if the cost is accepted or can be repaired.

    Returns whether the exchange was made.
    """
    wires = solution.wires
    cost = cost_of(one, other, wires)
    accepted = accepts(cost, worker)
    if not allowed(one, other, aim, wires, instance):
        return _attempt_cycle(one, other, aim, solution, instance, worker)
    x, y, before = wires[one, ENDING], wires[other, ENDING], solution.size[0]
    if not (
        accepted
        or repairable(one, other, wires, instance)
        or repairable(other, one, wires, instance)
    ):
        return False
    exchange(one, other, solution)
    if accepted:
        return True
    worker.undo[0], worker.undo[1], n = one, other, 2
    n += repair(x, n, aim, solution, instance, worker)
    n += repair(y, n, aim, solution, instance, worker)
    if solution.size[0] <= before:
        return True
    while n:
        n -= 2
        exchange(worker.undo[n], worker.undo[n + 1], solution)
    return False


@inner
def _attempt_cycle(  # pragma: no cover - compiled
    one: int,
    other: int,
    aim: Aim,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> bool:
    """Where two cannot exchange, but others can close a cycle: do that, if the cost is accepted."""
    wires, before = solution.wires, solution.size[0]
    if can_exchange(one, other, wires, instance) or not may_replace(one, other, wires, instance):
        return False
    if not can_be(wires[one, TOKEN], wires[other, AHEAD], instance):
        return False
    length = find_cycle(one, other, worker.cycle, wires, instance, worker.random)
    if length == 0:
        return False
    exchange_cycle(length, worker.cycle, solution)
    fits = not tokens.holds(aim.unwanted, wires[aim.wire, TOKEN])
    for i in range(length):
        wire = worker.cycle.wire[i]
        fits = fits and can_be(wires[wire, TOKEN], wires[wire, AHEAD], instance)
    if fits and accepts(solution.size[0] - before, worker):
        return True
    undo_cycle(length, worker.cycle, solution)
    return False


@inner
def accepts(cost: int, worker: WorkerState) -> bool:  # pragma: no cover - compiled
    """Draw whether a cost is accepted."""
    return cost <= 0 or drawn(worker.random, _ACCEPTANCE_SCALE) < worker.acceptance[min(cost, 4)]


@inner
def repair(  # pragma: no cover - compiled
    violated: int,
    n: int,
    aim: Aim,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> int:
    """Repair a violated sighting by one exchange on the path to it; 2 if there is one, else 0.

    Writes the two wires to ``worker.undo[n]`` and the next place. Never undoes the first exchange.
    """
    if violated < 0 or solution.place[violated] < 0:
        return 0
    wires, undo, n_meetings = solution.wires, worker.undo, 0
    mine, theirs = wires[violated, BEHIND], _last_wire_of(instance.since[violated], wires)
    while mine >= 0 and theirs >= 0:
        if wires[mine, FIRST] > wires[theirs, FIRST]:
            mine = _back(mine, wires)
        elif wires[mine, FIRST] < wires[theirs, FIRST]:
            theirs = _back(theirs, wires)
        else:
            undone = undo[0] + undo[1] == mine + theirs and (undo[0] == mine or undo[1] == mine)
            if not undone and allowed(mine, theirs, aim, wires, instance):
                n_meetings += 1
                if drawn(worker.random, n_meetings) == 0:
                    undo[n], undo[n + 1] = mine, theirs
            mine, theirs = _back(mine, wires), _back(theirs, wires)
    if n_meetings:
        exchange(undo[n], undo[n + 1], solution)
    return 2 if n_meetings else 0


@inner
def _back(wire: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """The wire before it on its path, or -1 at the last sighting."""
    return -1 if wires[wire, SEEN] >= 0 else wires[wire, BEHIND]


@inner
def _last_wire_of(since: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """The wire to the last zone on the path from the sighting ``since``, or -1."""
    ending = wires[since, ENDING]
    return wires[ending, BEHIND] if ending >= 0 else _back(~ending, wires)


@inner
def repairable(  # pragma: no cover - compiled
    one: int, other: int, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether the sighting to which ``one`` leads could be repaired after the exchange.

    It could if the path that would lead to it meets the path of its own token anywhere but at the
    exchange. The exchange itself is not made.
    """
    x, y = wires[one, ENDING], wires[other, ENDING]
    if x < 0 or wires[x, SEEN] == wires[other, TOKEN]:
        return False
    after, beyond = wires[one, AHEAD], wires[other, AHEAD]
    mine = other if x == after else wires[x, BEHIND]
    if wires[x, SEEN] != wires[one, TOKEN]:
        theirs = _last_wire_of(instance.since[x], wires)
    elif y >= 0:
        theirs = one if y == beyond else wires[y, BEHIND]
    else:
        theirs = one if ~y == beyond else _back(~y, wires)
    while mine >= 0 and theirs >= 0:
        here, there = wires[mine, FIRST], wires[theirs, FIRST]
        if here == there and not (mine == other and theirs == one):
            return True
        if here >= there:
            mine = other if mine == after else _back(mine, wires)
        if there >= here:
            theirs = one if theirs == beyond else _back(theirs, wires)
    return False


@inner
def _path_to(violated: int, wires: Ints, worker: WorkerState) -> int:  # pragma: no cover - compiled
    """Write the path that leads to a violated sighting to ``worker.path``; its length."""
    wire, n = wires[violated, BEHIND], 1
    worker.path[0] = wire
    while wires[wire, SEEN] < 0:
        wire = wires[wire, BEHIND]
        worker.path[n] = wire
        n += 1
    return n


@inner
def _path_of(since: int, wires: Ints, worker: WorkerState) -> int:  # pragma: no cover - compiled
    """Write the path from the sighting ``since`` to ``worker.path``, wires to zones; its length."""
    wire, n = since, 1
    worker.path[0] = since
    while True:
        wire = wires[wire, AHEAD]
        if wire < 0 or wires[wire, SEEN] >= 0 or wires[wire, FIRST] < 0:
            return n
        worker.path[n] = wire
        n += 1


@inner
def can_be(token: int, wire: int, instance: SearchInstance) -> bool:  # pragma: no cover - compiled
    """Whether a token is possible on a wire."""
    return tokens.holds(instance.possible[instance.wire[wire]], token)


@inner
def allowed(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether an exchange is allowed, possible for both tokens, and brings none unwanted."""
    if not can_exchange(one, other, wires, instance):
        return False
    a, b, on = wires[one, TOKEN], wires[other, TOKEN], wires[aim.wire, TOKEN]
    if aim.since >= wires[one, FIRST]:
        ending = wires[aim.wire, ENDING]
        if on == a and ending == wires[one, ENDING] and tokens.holds(aim.unwanted, b):
            return False
        if on == b and ending == wires[other, ENDING] and tokens.holds(aim.unwanted, a):
            return False
    return can_be(a, wires[other, AHEAD], instance) and can_be(b, wires[one, AHEAD], instance)


@compiled
def vary(  # pragma: no cover - compiled
    begin: int,
    targets: npt.NDArray[np.int64],
    unwanted: TokenSets,
    solution: Solution,
    instance: SearchInstance,
    worker: WorkerState,
) -> int:
    """Turn a witness into one with a wanted token on a wire, by one exchange on the path to it.

    Parameters
    ----------
    begin
        Place among ``targets`` to look at first.
    targets
        (n,) wires, by their numbers in the instance.
    unwanted
        (n, words): tokens that need not be shown there.
    solution
        A witness; changed in place to the next one, if there is one.
    instance, worker
        The questions as arrays, and the state of the worker. The temperature must be zero.

    Returns
    -------
    int
        Place of the wire on which a wanted token is now; n: no exchange brings one.
    """
    wires = solution.wires
    for k in range(begin, len(targets)):
        wire = targets[k]
        if wires[wire, SEEN] >= 0:
            continue
        one = wires[wire, BEHIND]
        since = wires[one, FIRST]
        while one >= 0:
            for other in range(wires[one, FIRST], wires[one, LAST]):
                if other == one or tokens.holds(unwanted[k], wires[other, TOKEN]):
                    continue
                aim = Aim(wire, since, unwanted[k])
                if attempt(one, other, aim, solution, instance, worker):
                    return k
            one = -1 if wires[one, SEEN] >= 0 else wires[one, BEHIND]
    return len(targets)
