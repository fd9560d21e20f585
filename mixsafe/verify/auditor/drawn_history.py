"""A first history, drawn forward through time: zones send tokens where their outlooks are good.

In each zone tokens choose in turn, those first who have least choice, each a wire drawn by its
outlook. Who finds none left makes others choose again (augmenting paths: Kuhn, 1955), and who is
still without takes what is left over, and misses the next sighting.
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
    SEEN,
    TOKEN,
    History,
    Ints,
    Landscape,
    exchange,
)
from mixsafe.solver.state import tokens
from mixsafe.verify.auditor.outlooks import Outlooks

_FINELY = 1 << 30


class _Choices(NamedTuple):
    """One zone: who comes, and who leaves where. Arrays are as long as the largest zone."""

    came: Ints  # wires on which tokens come
    left: Ints  # wires on which they can leave
    outlook: npt.NDArray[np.float32]  # (largest, largest): of who came, for each wire
    worst: npt.NDArray[np.float32]  # how little choice each has, from 0 to 1
    chosen: Ints  # wire that each has chosen, by its place in `left`, or -1
    taken: Ints  # who has chosen each wire, by place in `came`, or -1
    asker: Ints  # who would like to have each wire, while paths are looked for, or -1
    waiting: Ints  # who is still to be asked for another choice


def draw_history(
    zones: Ints, found: Outlooks, history: History, around: Landscape, random: State
) -> None:
    """Let tokens go where their outlooks are good, zone after zone.

    Parameters
    ----------
    zones
        (n_zones + 1,): the wires to zone z have the numbers zones[z] to zones[z + 1] - 1; in order
        of time.
    found
        Outlooks of all tokens.
    history
        Where nobody moves; is changed.
    around, random
        What no history changes, and the generator's state.
    """
    largest = int(np.diff(zones).max(initial=1))
    one, two = np.zeros((6, largest), np.int32), np.zeros((largest, largest), np.float32)
    place = _Choices(one[0], one[1], two, np.zeros(largest, np.float32), *one[2:])
    zone = np.full(len(around.wire), -1, np.int32)  # that each wire leads to
    zone[: zones[-1]] = np.repeat(np.arange(len(zones) - 1, dtype=np.int32), np.diff(zones))
    _draw(zones, zone, found, place, history, around, random)


@compiled
def _draw(  # pragma: no cover - compiled
    zones: Ints,
    zone: Ints,
    found: Outlooks,
    p: _Choices,
    history: History,
    around: Landscape,
    random: State,
) -> None:
    for z in range(len(zones) - 1):
        n = zones[z + 1] - zones[z]
        for i in range(n):
            p.came[i] = zones[z] + i
            p.left[i] = history.wires[zones[z] + i, AHEAD]
            p.chosen[i] = p.taken[i] = -1
        _look_ahead(n, zone, found, p, history.wires, around)
        order = np.argsort(-p.worst[:n], kind="mergesort")
        for i in order:
            _choose(i, n, p, random)
        for i in order:
            if p.chosen[i] < 0 and p.worst[i] > 0:
                _ask_others(i, n, p)
        _take_the_rest(n, p)
        for j in range(n):
            stays = history.wires[p.left[j], BEHIND]
            comes = p.came[p.taken[j]]
            if comes != stays:
                exchange(comes, stays, history)


@inner
def _look_ahead(  # pragma: no cover - compiled
    n: int, zone: Ints, found: Outlooks, p: _Choices, wires: Ints, around: Landscape
) -> None:
    """Note the outlook of everybody who comes on every wire, as a share of all wires."""
    for i in range(n):
        token, total, best = wires[p.came[i], TOKEN], np.float32(0), np.float32(0)
        for j in range(n):
            wire, outlook = p.left[j], np.float32(0)
            if wires[wire, SEEN] >= 0:
                outlook = np.float32(wires[wire, SEEN] == token)
            elif tokens.holds(around.possible[around.wire[wire]], token):
                ahead = zone[wire]
                outlook = found[ahead, token] if ahead >= 0 else np.float32(1)
            p.outlook[i, j] = outlook
            total += outlook
            best = max(best, outlook)
        p.worst[i] = best / total if total > 0 else np.float32(0)


@inner
def _choose(i: int, n: int, p: _Choices, random: State) -> None:  # pragma: no cover - compiled
    """Draw one of the wires that nobody has chosen."""
    total, choice = 0.0, -1
    for j in range(n):
        if p.taken[j] < 0 and p.outlook[i, j] > 0:
            total += p.outlook[i, j]
            if drawn(random, _FINELY) * total < p.outlook[i, j] * float(_FINELY):
                choice = j
    if choice >= 0:
        p.chosen[i] = choice
        p.taken[choice] = i


@inner
def _ask_others(i: int, n: int, p: _Choices) -> None:  # pragma: no cover - compiled
    """Find a wire for who has none, others taking another one where they can."""
    p.asker[:n] = -1
    p.waiting[0], waiting, free = i, 1, -1
    while waiting and free < 0:
        waiting -= 1
        asks = p.waiting[waiting]
        for j in range(n):
            if p.asker[j] < 0 and p.outlook[asks, j] > 0:
                p.asker[j] = asks
                if p.taken[j] < 0:
                    free = j
                    break
                p.waiting[waiting] = p.taken[j]
                waiting += 1
    while free >= 0:
        asks = p.asker[free]
        given = p.chosen[asks]
        p.chosen[asks], p.taken[free] = free, asks
        free = given


@inner
def _take_the_rest(n: int, p: _Choices) -> None:  # pragma: no cover - compiled
    """Those who have no wire take those that are left over, in order."""
    i = 0
    for j in range(n):
        if p.taken[j] < 0:
            while p.chosen[i] >= 0:
                i += 1
            p.chosen[i], p.taken[j] = j, i
