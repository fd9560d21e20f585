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
from mixsafe.verify.annealing.histories import History, Landscape, exchange, loss
from mixsafe.verify.core import tokens

_FINELY = 1 << 30  # how finely chances are told


class Aim(NamedTuple):
    """A wire, and the tokens that a history is not to show there."""

    wire: int
    unwanted: npt.NDArray[np.uint64]  # (words,)


class Hand(NamedTuple):
    """What moves are drawn with, what they were, and what stops them."""

    random: npt.NDArray[np.uint64]  # (1,): state of the generator
    chance: npt.NDArray[np.int64]  # (5,): of an exchange that costs so much, of `_FINELY`
    made: npt.NDArray[np.int64]  # (6,): wires of the exchanges of one chain, two each
    stop: npt.NDArray[np.bool_]  # (1,)


def new_hand(seed: int, stop: npt.NDArray[np.bool_]) -> Hand:
    """A hand of its own for each thread; ``stop`` may be shared."""
    random = np.array([88172645463325252 ^ (seed * 2654435761 & (1 << 64) - 1)], np.uint64)
    return Hand(random, np.zeros(5, np.int64), np.zeros(6, np.int64), stop)


def warm(hand: Hand, temperature: float) -> None:
    """Set the temperature, in broken sightings: a cost of n is borne with exp(-n / temperature)."""
    hand.chance[:] = _FINELY * np.exp(-np.arange(5) / temperature)


@inner
def drawn(state: npt.NDArray[np.uint64], bound: int) -> int:  # pragma: no cover - compiled
    """Number in 0..bound-1, bound < 2^31, from a xorshift generator, without a division."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return int(((x >> np.uint64(33)) * np.uint64(bound)) >> np.uint64(31))


@compiled
def anneal(  # pragma: no cover - compiled
    moves: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> int:
    """Exchange until no sighting is broken, ``moves`` times at most.

    Returns how many exchanges were looked at; if sightings are still broken, all of ``moves``.
    """
    net = around.net
    for n in range(moves):
        if history.size[0] == 0:
            return n
        if hand.stop[0]:
            return moves
        broken = history.broken[drawn(hand.random, history.size[0])]
        if drawn(hand.random, 2):
            one = _on_the_way_to(broken, history, around, hand)
        else:
            one = _on_the_way_of(broken, history, around, hand)
        zone = net.leads_to[one]
        first, last = net.zone_ptr[zone], net.zone_ptr[zone + 1]
        other = net.before[first + drawn(hand.random, last - first)]
        if other != one and allowed(one, other, aim, history, around):
            _try(one, other, aim, history, around, hand)
    return moves


@inner
def _try(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> None:
    """Exchange what comes on two wires, unless that is too dear and nothing makes up for it."""
    cost = loss(one, other, history, around.seen)
    borne = cost <= 0 or drawn(hand.random, _FINELY) < hand.chance[cost]
    x, y, before = history.ending[one], history.ending[other], history.size[0]
    exchange(one, other, history, around.seen)
    if borne:
        return
    hand.made[0], hand.made[1], n = one, other, 2
    n += _mend(x, n, aim, history, around, hand)
    n += _mend(y, n, aim, history, around, hand)
    if history.size[0] > before:
        while n:
            n -= 2
            exchange(hand.made[n], hand.made[n + 1], history, around.seen)


@inner
def _mend(  # pragma: no cover - compiled
    broken: int, n: int, aim: Aim, history: History, around: Landscape, hand: Hand
) -> int:
    """Exchange on the way to a broken sighting, so that its own token comes there; 2 if so, or 0.

    The wires are noted as ``hand.made[n]`` and the next. What was made before it is not unmade.
    """
    if broken < 0 or history.place[broken] < 0:
        return 0
    net, made, token = around.net, hand.made, around.seen[broken]
    wire, ways = history.behind[broken], 0
    while wire >= 0:
        zone = net.leads_to[wire]
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            other = net.before[m]
            if history.token[other] != token or other == wire:
                continue
            if (wire == made[0] and other == made[1]) or (wire == made[1] and other == made[0]):
                continue
            if loss(wire, other, history, around.seen) < 0 and allowed(
                wire, other, aim, history, around
            ):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    made[n], made[n + 1] = wire, other
        wire = history.behind[wire] if around.seen[wire] < 0 else -1
    if ways:
        exchange(made[n], made[n + 1], history, around.seen)
    return 2 if ways else 0


@inner
def _on_the_way_to(  # pragma: no cover - compiled
    broken: int, history: History, around: Landscape, hand: Hand
) -> int:
    """A wire of the path that comes to a sighting of somebody else."""
    wire = chosen = history.behind[broken]
    n = 1
    while around.seen[wire] < 0:
        wire = history.behind[wire]
        n += 1
        if drawn(hand.random, n) == 0:
            chosen = wire
    return chosen


@inner
def _on_the_way_of(  # pragma: no cover - compiled
    broken: int, history: History, around: Landscape, hand: Hand
) -> int:
    """A wire, before a zone, of the path of the token that should have come to a sighting."""
    wire = chosen = around.previous[broken]
    n = 1
    while True:
        wire = history.ahead[wire]
        if wire < 0 or around.seen[wire] >= 0 or around.net.leads_to[wire] < 0:
            return chosen
        n += 1
        if drawn(hand.random, n) == 0:
            chosen = wire


@inner
def allowed(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, history: History, around: Landscape
) -> bool:
    """Whether tokens may leave on each other's wires, and nobody unwanted comes to the aim."""
    a, b, on = history.token[one], history.token[other], history.token[aim.wire]
    if around.net.start[aim.wire] > around.net.start[one]:
        ending = history.ending[aim.wire]
        if on == a and ending == history.ending[one] and tokens.holds(aim.unwanted, b):
            return False
        if on == b and ending == history.ending[other] and tokens.holds(aim.unwanted, a):
            return False
    return tokens.holds(around.possible[history.ahead[other]], a) and tokens.holds(
        around.possible[history.ahead[one]], b
    )
