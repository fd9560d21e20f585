"""Passages: how a token comes to a broken sighting of its own over the paths of fewest others.

Exchanges drawn at random seldom bring home a token that has far to go. But where everybody else is
stands in the history, so the way that takes over the fewest paths to sightings that are not broken
is a shortest path, zone after zone. Each such path loses its token, and most of these are mended by
another exchange. What is left is annealed again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.solver.local.generator import State, drawn
from mixsafe.solver.local.histories import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    LAST,
    SEEN,
    TOKEN,
    History,
    Ints,
    Landscape,
    exchange,
)
from mixsafe.solver.local.moves import Aim, Hand, allowed, bears, can_be, mend

_NEVER = np.float32(np.inf)
_FREE = 0.05  # what it costs to take over a path that comes to no sighting, or to a broken one
_TASTE = 0.5  # by how much that is drawn to differ, so that ways differ from one time to the next
_FINELY = 1 << 20
_CHEAPEST = 4  # wires on which a token comes to a zone, of which it may change to other paths
_MOST = 3.0  # what a passage may cost


class Frontier(NamedTuple):
    """What is known, while a passage is looked for, of the wires that a token has come to."""

    cost: npt.NDArray[np.float32]  # (n_wires,): of coming on each wire, or infinity
    came: Ints  # (n_wires,): on which wire to the zone before it
    zones: npt.NDArray[np.bool_]  # (n_wires,): first wires of the zones that it leads to
    here: Ints  # (_CHEAPEST,): wires on which it comes to one zone


def new_frontier(around: Landscape) -> Frontier:
    """One for each thread."""
    n = len(around.wire)
    return Frontier(
        np.full(n, _NEVER, np.float32),
        np.zeros(n, np.int32),
        np.zeros(n, np.bool_),
        np.zeros(_CHEAPEST, np.int32),
    )


@compiled
def bring(  # pragma: no cover - compiled
    tries: int, aim: Aim, history: History, around: Landscape, hand: Hand, frontier: Frontier
) -> None:
    """Bring tokens to broken sightings by passages, ``tries`` times or until none is broken.

    A passage that breaks more than it mends is borne as an exchange is that does so.
    """
    wires, made = history.wires, hand.made
    for _ in range(tries):
        before = history.size[0]
        if before == 0 or hand.stop[0]:
            return
        goal = history.broken[drawn(hand.random, before)]
        planned, n = _plan(goal, history, around, hand, frontier), 0
        while n < planned and allowed(made[n], made[n + 1], aim, wires, around):
            exchange(made[n], made[n + 1], history)
            n += 2
        if n == planned:
            for i in range(0, planned, 2):
                # exchanged already, so where one comes now is where the other came
                n += mend(wires[made[i], ENDING], n, aim, history, around, hand)
                n += mend(wires[made[i + 1], ENDING], n, aim, history, around, hand)
            if bears(history.size[0] - before, hand):
                continue
        while n:
            n -= 2
            exchange(made[n], made[n + 1], history)


@inner
def _plan(  # pragma: no cover - compiled
    goal: int, history: History, around: Landscape, hand: Hand, frontier: Frontier
) -> int:
    """Put the exchanges of a passage into the hand, first ones first; how many wires they take."""
    wires, start = history.wires, around.since[goal]
    first, final = wires[start, FIRST], wires[wires[goal, BEHIND], FIRST]
    frontier.cost[start], frontier.zones[first] = 0, True
    zone = first
    while zone <= final:
        if frontier.zones[zone]:
            frontier.zones[zone] = False
            _pass(zone, goal, final, history, around, hand.random, frontier)
            zone = wires[zone, LAST]
        else:
            zone += 1
    n = _noted(start, goal, wires, hand, frontier) if frontier.cost[goal] < _NEVER else 0
    frontier.cost[first:zone] = frontier.cost[goal] = _NEVER
    return n


@inner
def _pass(  # pragma: no cover - compiled
    zone: int,
    goal: int,
    final: int,
    history: History,
    around: Landscape,
    random: State,
    frontier: Frontier,
) -> None:
    """Go on from a zone, on every wire on which the token can leave."""
    wires, cost, here, n = history.wires, frontier.cost, frontier.here, 0
    token = wires[goal, SEEN]
    for one in range(zone, wires[zone, LAST]):
        if cost[one] < _NEVER:
            n = _insert(one, n, cost, here)
    if cost[here[0]] > _MOST:
        return
    for other in range(zone, wires[zone, LAST]):
        beyond = wires[other, AHEAD]
        if beyond != goal and not _may_go(token, beyond, final, wires, around):
            continue
        dear = _price(wires[other, ENDING], goal, history, random)
        came = _change(other, n, dear, wires, around, frontier)
        best = cost[other] if came == other else cost[came] + dear
        if best < _NEVER:
            cost[beyond], frontier.came[beyond] = best, came
            if beyond != goal:
                frontier.zones[wires[beyond, FIRST]] = True


@inner
def _may_go(  # pragma: no cover - compiled
    token: int, beyond: int, final: int, wires: Ints, around: Landscape
) -> bool:
    """Whether a token may be on a wire on which nobody is seen, to a zone that is not too late."""
    leads = wires[beyond, FIRST]
    if leads < 0 or leads > final or wires[beyond, SEEN] >= 0:
        return False
    return can_be(token, beyond, around)


@inner
def _change(  # pragma: no cover - compiled
    other: int, n: int, dear: np.float32, wires: Ints, around: Landscape, frontier: Frontier
) -> int:
    """The wire on which to come if one is to leave as who comes on ``other`` does now."""
    cost = frontier.cost
    for i in range(n):
        one = frontier.here[i]
        if cost[one] + dear >= cost[other]:
            return other
        if can_be(wires[other, TOKEN], wires[one, AHEAD], around):
            return one
    return other


@inner
def _insert(  # pragma: no cover - compiled
    one: int, n: int, cost: npt.NDArray[np.float32], here: Ints
) -> int:
    """Put a wire among the cheapest, in order; how many there are."""
    if n < len(here):
        n += 1
    elif cost[here[n - 1]] <= cost[one]:
        return n
    i = n - 1
    while i > 0 and cost[here[i - 1]] > cost[one]:
        here[i] = here[i - 1]
        i -= 1
    here[i] = one
    return n


@inner
def _price(  # pragma: no cover - compiled
    ending: int, goal: int, history: History, random: State
) -> np.float32:
    """What it costs to take over a path that ends there."""
    whole = ending >= 0 and ending != goal and history.place[ending] < 0
    taste = _TASTE / _FINELY * drawn(random, _FINELY)
    return np.float32((1.0 if whole else _FREE) + taste)


@inner
def _noted(  # pragma: no cover - compiled
    start: int, goal: int, wires: Ints, hand: Hand, frontier: Frontier
) -> int:
    """Put exchanges into the hand, going back along a passage and then turning their order."""
    made, wire, n = hand.made, goal, 0
    while wire != start:
        came = frontier.came[wire]
        if came != wires[wire, BEHIND]:
            made[n], made[n + 1] = wires[wire, BEHIND], came
            n += 2
        wire = came
    for i in range(n // 2):
        made[i], made[n - 1 - i] = made[n - 1 - i], made[i]
    return n
