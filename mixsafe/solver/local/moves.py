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
from mixsafe.solver.local.generator import State, drawn, spread_beginning
from mixsafe.solver.local.solutions import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    LAST,
    SEEN,
    TOKEN,
    Ints,
    SearchInstance,
    Solution,
    cost_of,
    exchange,
)
from mixsafe.solver.state import tokens
from mixsafe.solver.state.tokens import TokenSets

_FINELY = 1 << 30  # how finely chances are told
_REPAIRING = 0.1  # temperature
_DRAWS = 4  # exchanges that are tried on a path that was followed, until one is made


class Aim(NamedTuple):
    """A wire, and the tokens that a solution is not to show there."""

    wire: int
    since: int  # first wire to the zone from which it comes
    unwanted: TokenSets  # (words,)


def aim_at(wire: int, unwanted: TokenSets, instance: SearchInstance) -> Aim:
    """Aim at a ``wire``, by its number in the network, where nobody ``unwanted`` is to come."""
    here = int(instance.number[wire])
    behind = instance.wires[here, BEHIND]
    since = int(instance.wires[behind, FIRST]) if behind >= 0 else -1
    return Aim(here, since, unwanted)


class Hand(NamedTuple):
    """What moves are drawn with, what they were, and what stops them."""

    random: State
    chance: npt.NDArray[np.int64]  # (5,): of an exchange that costs so much, of `_FINELY`
    made: npt.NDArray[np.int64]  # (6 * longest,): wires of exchanges that may be unmade, two each
    path: Ints  # (n_steps + 1,): wires of one, as far as they are drawn from
    stop: npt.NDArray[np.bool_]  # (1,)


def new_hand(seed: int, longest: int, stop: npt.NDArray[np.bool_]) -> Hand:
    """A hand of its own for each thread, for paths of ``longest``; ``stop`` may be shared."""
    chance, made = np.zeros(5, np.int64), np.zeros(6 * longest, np.int64)
    return Hand(spread_beginning(seed), chance, made, np.zeros(longest, np.int32), stop)


def warm(hand: Hand, temperature: float) -> None:
    """Set the temperature, in broken sightings: a cost of n is borne with exp(-n / temperature)."""
    hand.chance[:] = _FINELY * np.exp(-np.arange(5) / temperature)


def cool(hand: Hand) -> None:
    """Bear no cost at all."""
    hand.chance[:] = 0


@compiled
def anneal(  # pragma: no cover - compiled
    moves: int, aim: Aim, solution: Solution, instance: SearchInstance, hand: Hand
) -> int:
    """Exchange until no sighting is broken, ``moves`` times at most.

    Returns how many exchanges were looked at; if sightings are still broken, all of ``moves``.
    """
    wires, n = solution.wires, 0
    while n < moves:
        if solution.size[0] == 0:
            return n
        if hand.stop[0]:
            return moves
        broken = solution.broken[drawn(hand.random, solution.size[0])]
        if drawn(hand.random, 2):
            length = _on_the_way_to(broken, wires, hand)
        else:
            length = _on_the_way_of(instance.since[broken], wires, hand)
        for _ in range(_DRAWS):
            n += 1
            one = hand.path[drawn(hand.random, length)]
            first = wires[one, FIRST]
            other = first + drawn(hand.random, wires[one, LAST] - first - 1)
            if attempt(one, other + (other >= one), aim, solution, instance, hand):
                break
    return min(n, moves)


def perturb(
    moves: int,
    temperature: float,
    drawn_from: Ints,
    solution: Solution,
    instance: SearchInstance,
    hand: Hand,
) -> None:
    """Look at so many exchanges at a temperature, then at as many around what they broke."""
    nobody = Aim(0, -1, np.zeros(instance.possible.shape[1], np.uint64))
    warm(hand, temperature)
    perturb_near(moves, drawn_from, nobody, solution, instance, hand)
    warm(hand, _REPAIRING)
    anneal(moves, nobody, solution, instance, hand)


@compiled
def perturb_near(  # pragma: no cover - compiled
    moves: int,
    drawn_from: Ints,
    nobody: Aim,
    solution: Solution,
    instance: SearchInstance,
    hand: Hand,
) -> None:
    """Look at exchanges of tokens on wires that are drawn, and make those that are not too dear."""
    wires = solution.wires
    for _ in range(moves):
        if hand.stop[0]:
            return
        one = drawn_from[drawn(hand.random, len(drawn_from))]
        first = wires[one, FIRST]
        other = first + drawn(hand.random, wires[one, LAST] - first - 1)
        attempt(one, other + (other >= one), nobody, solution, instance, hand)


@inner
def attempt(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, solution: Solution, instance: SearchInstance, hand: Hand
) -> bool:
    """Exchange what comes on two wires, unless that is too dear and nothing makes up for it.

    Returns whether something was exchanged.
    """
    wires = solution.wires
    cost = cost_of(one, other, wires)
    borne = accepts(cost, hand)
    if not allowed(one, other, aim, wires, instance):
        return False
    x, y, before = wires[one, ENDING], wires[other, ENDING], solution.size[0]
    if not (
        borne or mendable(one, other, wires, instance) or mendable(other, one, wires, instance)
    ):
        return False
    exchange(one, other, solution)
    if borne:
        return True
    hand.made[0], hand.made[1], n = one, other, 2
    n += repair(x, n, aim, solution, instance, hand)
    n += repair(y, n, aim, solution, instance, hand)
    if solution.size[0] <= before:
        return True
    while n:
        n -= 2
        exchange(hand.made[n], hand.made[n + 1], solution)
    return False


@inner
def accepts(cost: int, hand: Hand) -> bool:  # pragma: no cover - compiled
    """Whether a cost is borne this time."""
    return cost <= 0 or drawn(hand.random, _FINELY) < hand.chance[min(cost, 4)]


@inner
def repair(  # pragma: no cover - compiled
    broken: int, n: int, aim: Aim, solution: Solution, instance: SearchInstance, hand: Hand
) -> int:
    """Exchange on the way to a broken sighting, so that its own token comes there; 2 if so, or 0.

    The wires are noted as ``hand.made[n]`` and the next. What was made before it is not unmade.
    """
    if broken < 0 or solution.place[broken] < 0:
        return 0
    wires, made, ways = solution.wires, hand.made, 0
    mine, theirs = wires[broken, BEHIND], _last_of(instance.since[broken], wires)
    while mine >= 0 and theirs >= 0:
        if wires[mine, FIRST] > wires[theirs, FIRST]:
            mine = _back(mine, wires)
        elif wires[mine, FIRST] < wires[theirs, FIRST]:
            theirs = _back(theirs, wires)
        else:
            undone = made[0] + made[1] == mine + theirs and (made[0] == mine or made[1] == mine)
            if not undone and allowed(mine, theirs, aim, wires, instance):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    made[n], made[n + 1] = mine, theirs
            mine, theirs = _back(mine, wires), _back(theirs, wires)
    if ways:
        exchange(made[n], made[n + 1], solution)
    return 2 if ways else 0


@inner
def _back(wire: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """The wire before it on the path from the last sighting, or -1."""
    return -1 if wires[wire, SEEN] >= 0 else wires[wire, BEHIND]


@inner
def _last_of(since: int, wires: Ints) -> int:  # pragma: no cover - compiled
    """The wire to the last zone of the path of the token that was seen on a wire, or -1."""
    ending = wires[since, ENDING]
    return wires[ending, BEHIND] if ending >= 0 else _back(~ending, wires)


@inner
def mendable(  # pragma: no cover - compiled
    one: int, other: int, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether an exchange would leave a way to mend the sighting to which ``one`` comes.

    There is one where the path that would come to it meets that of the token that is seen there, at
    another place than that of the exchange. Nothing is exchanged to know it.
    """
    x, y = wires[one, ENDING], wires[other, ENDING]
    if x < 0 or wires[x, SEEN] == wires[other, TOKEN]:
        return False
    after, beyond = wires[one, AHEAD], wires[other, AHEAD]
    mine = other if x == after else wires[x, BEHIND]
    if wires[x, SEEN] != wires[one, TOKEN]:
        theirs = _last_of(instance.since[x], wires)
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
def _on_the_way_to(broken: int, wires: Ints, hand: Hand) -> int:  # pragma: no cover - compiled
    """Put the path that comes to a sighting of somebody else into the hand; how many wires."""
    wire, n = wires[broken, BEHIND], 1
    hand.path[0] = wire
    while wires[wire, SEEN] < 0:
        wire = wires[wire, BEHIND]
        hand.path[n] = wire
        n += 1
    return n


@inner
def _on_the_way_of(since: int, wires: Ints, hand: Hand) -> int:  # pragma: no cover - compiled
    """Put the path of the token that was seen on a wire into the hand: wires before zones."""
    wire, n = since, 1
    hand.path[0] = since
    while True:
        wire = wires[wire, AHEAD]
        if wire < 0 or wires[wire, SEEN] >= 0 or wires[wire, FIRST] < 0:
            return n
        hand.path[n] = wire
        n += 1


@inner
def can_be(token: int, wire: int, instance: SearchInstance) -> bool:  # pragma: no cover - compiled
    """Whether it is not ruled out that a token is on a wire."""
    return tokens.holds(instance.possible[instance.wire[wire]], token)


@inner
def allowed(  # pragma: no cover - compiled
    one: int, other: int, aim: Aim, wires: Ints, instance: SearchInstance
) -> bool:
    """Whether tokens may leave on each other's wires, and nobody unwanted comes to the aim."""
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
    hand: Hand,
) -> int:
    """Make a witness that shows a wanted token on a wire, by exchanges on the way to that wire.

    Parameters
    ----------
    begin
        Place among ``targets`` to look at first.
    targets
        (n,) wires, by their numbers in the landscape.
    unwanted
        (n, words): tokens that need not be shown there.
    solution
        A witness; afterwards the next one, if there is one.
    around, hand
        As for annealing. The hand must be cold.

    Returns
    -------
    int
        Place of the wire on which a wanted token is now; n: there is none.
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
                if attempt(one, other, aim, solution, instance, hand):
                    return k
            one = -1 if wires[one, SEEN] >= 0 else wires[one, BEHIND]
    return len(targets)
