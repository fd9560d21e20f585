"""Annealing: exchanges around broken sightings, until none is left.

An exchange that breaks a sighting is seldom made for its own sake. But most of those that help do
so together with a second one that mends what the first one broke, so that is looked for at once
(an ejection chain). The temperature stays what it is: where it is warm enough for tokens to find
other ways home, it is warm enough to bring the last one home (docs/develop/facts.md).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.verify.annealing.histories import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    LAST,
    SEEN,
    START,
    TOKEN,
    History,
    Ints,
    Landscape,
    exchange,
    loss,
)
from mixsafe.verify.core import tokens
from mixsafe.verify.search.generator import State, drawn, spread_beginning

_FINELY = 1 << 30  # how finely chances are told


class Aim(NamedTuple):
    """A wire, and the tokens that a history is not to show there."""

    wire: int
    unwanted: npt.NDArray[np.uint64]  # (words,)


class Hand(NamedTuple):
    """What moves are drawn with, what they were, and what stops them."""

    random: State
    chance: npt.NDArray[np.int64]  # (5,): of an exchange that costs so much, of `_FINELY`
    made: npt.NDArray[np.int64]  # (6,): wires of the exchanges of one chain, two each
    stop: npt.NDArray[np.bool_]  # (1,)


def new_hand(seed: int, stop: npt.NDArray[np.bool_]) -> Hand:
    """A hand of its own for each thread; ``stop`` may be shared."""
    return Hand(spread_beginning(seed), np.zeros(5, np.int64), np.zeros(6, np.int64), stop)


def warm(hand: Hand, temperature: float) -> None:
    """Set the temperature, in broken sightings: a cost of n is borne with exp(-n / temperature)."""
    hand.chance[:] = _FINELY * np.exp(-np.arange(5) / temperature)


@compiled
def anneal(  # pragma: no cover - compiled
    moves: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> int:
    """Exchange until no sighting is broken, ``moves`` times at most.

    Returns how many exchanges were looked at; if sightings are still broken, all of ``moves``.
    """
    wires = history.wires
    for n in range(moves):
        if history.size[0] == 0:
            return n
        if hand.stop[0]:
            return moves
        broken = history.broken[drawn(hand.random, history.size[0])]
        if drawn(hand.random, 2):
            one = _on_the_way_to(broken, wires, hand)
        else:
            one = _on_the_way_of(around.since[broken], wires, hand)
        first = wires[one, FIRST]
        other = first + drawn(hand.random, wires[one, LAST] - first)
        if other != one:
            _try(one, other, aim, history, around, hand)
    return moves


@inner
def _try(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> None:
    """Exchange what comes on two wires, unless that is too dear and nothing makes up for it."""
    wires = history.wires
    cost = loss(one, other, wires)
    borne = cost <= 0 or drawn(hand.random, _FINELY) < hand.chance[cost]
    if not allowed(one, other, aim, wires, around):
        return
    x, y, before = wires[one, ENDING], wires[other, ENDING], history.size[0]
    exchange(one, other, history)
    if borne:
        return
    hand.made[0], hand.made[1], n = one, other, 2
    n += _mend(x, n, aim, history, around, hand)
    n += _mend(y, n, aim, history, around, hand)
    if history.size[0] > before:
        while n:
            n -= 2
            exchange(hand.made[n], hand.made[n + 1], history)


@inner
def _mend(  # pragma: no cover - compiled
    broken: int, n: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> int:
    """Exchange on the way to a broken sighting, so that its own token comes there; 2 if so, or 0.

    The wires are noted as ``hand.made[n]`` and the next. What was made before it is not unmade.
    """
    if broken < 0 or history.place[broken] < 0:
        return 0
    wires, made = history.wires, hand.made
    token, wire, ways = wires[broken, SEEN], wires[broken, BEHIND], 0
    while wire >= 0:
        for other in range(wires[wire, FIRST], wires[wire, LAST]):
            if wires[other, TOKEN] != token or other == wire:
                continue
            if (wire == made[0] and other == made[1]) or (wire == made[1] and other == made[0]):
                continue
            if loss(wire, other, wires) < 0 and allowed(wire, other, aim, wires, around):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    made[n], made[n + 1] = wire, other
        wire = wires[wire, BEHIND] if wires[wire, SEEN] < 0 else -1
    if ways:
        exchange(made[n], made[n + 1], history)
    return 2 if ways else 0


@inner
def _on_the_way_to(broken: int, wires: Ints, hand: Hand) -> int:  # pragma: no cover - compiled
    """A wire of the path that comes to a sighting of somebody else."""
    wire = chosen = wires[broken, BEHIND]
    n = 1
    while wires[wire, SEEN] < 0:
        wire = wires[wire, BEHIND]
        n += 1
        if drawn(hand.random, n) == 0:
            chosen = wire
    return chosen


@inner
def _on_the_way_of(since: int, wires: Ints, hand: Hand) -> int:  # pragma: no cover - compiled
    """A wire, before a zone, of the path of the token that was seen on the wire ``since``."""
    wire = chosen = since
    n = 1
    while True:
        wire = wires[wire, AHEAD]
        if wire < 0 or wires[wire, SEEN] >= 0 or wires[wire, FIRST] < 0:
            return chosen
        n += 1
        if drawn(hand.random, n) == 0:
            chosen = wire


@inner
def can_be(token: int, wire: int, around: Landscape) -> bool:  # pragma: no cover - compiled
    """Whether it is not ruled out that a token is on a wire."""
    return tokens.holds(around.possible[around.wire[wire]], token)


@inner
def allowed(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, wires: Ints, around: Landscape
) -> bool:
    """Whether tokens may leave on each other's wires, and nobody unwanted comes to the aim."""
    a, b, on = wires[one, TOKEN], wires[other, TOKEN], wires[aim.wire, TOKEN]
    if wires[aim.wire, START] > wires[one, START]:
        ending = wires[aim.wire, ENDING]
        if on == a and ending == wires[one, ENDING] and tokens.holds(aim.unwanted, b):
            return False
        if on == b and ending == wires[other, ENDING] and tokens.holds(aim.unwanted, a):
            return False
    return can_be(a, wires[other, AHEAD], around) and can_be(b, wires[one, AHEAD], around)
