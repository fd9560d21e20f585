"""How a try begins: further assumptions are drawn, and one token is led where it is wanted.

What sticks in annealing is a token that can get home by a few ways only, which others take. To draw
one of them, and with it all that follows, is to leave annealing the easy part.
"""

from __future__ import annotations

from mixsafe.compiled import compiled, inner
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.local.generator import State, drawn
from mixsafe.solver.local.histories import (
    AHEAD,
    BEHIND,
    FIRST,
    LAST,
    SEEN,
    History,
    Landscape,
    exchange,
)
from mixsafe.solver.local.moves import Hand, can_be
from mixsafe.solver.propagate.assumptions import follow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.possibilities import (
    STRUCK,
    Possibilities,
    strike,
    strike_others,
    take_back,
)

_FEW = 8  # places of a token, of which one is assumed
_LOOKS = 32  # at tokens that were struck off wires, for the one that has fewest places left


@compiled
def assume_places(  # pragma: no cover - compiled
    number: int, random: State, may: Possibilities, net: Wires
) -> bool:
    """Assume where some are who have few places left, one after the other.

    Parameters
    ----------
    number
        How often one is drawn.
    random
        What is drawn with.
    may, net
        Where something has been assumed.

    Returns
    -------
    bool
        False: what was assumed before cannot be, or what was drawn on the way.
    """
    for _ in range(number):
        mark = may.counters[STRUCK]
        token, step = _one_with_few_places(random, may, net)
        if token < 0:
            continue
        wire, left = -1, drawn(random, may.places[step, token])
        for row in range(len(net.first) - 1):
            other = wire_at(row, step, net)
            if tokens.holds(may.possible[other], token):
                if left == 0:
                    wire = other
                left -= 1
        strike_others(wire, token, may, net)
        if not follow(may, net):
            take_back(mark, may, net)
            strike(wire, token, may, net)
            if not follow(may, net):
                return False
    return True


@inner
def _one_with_few_places(  # pragma: no cover - compiled
    random: State, may: Possibilities, net: Wires
) -> tuple[int, int]:
    """A token that was struck off a wire and has few places left, and when; -1: none was found."""
    token, step, fewest = -1, 0, _FEW + 1
    if may.counters[STRUCK]:
        for _ in range(_LOOKS):
            i = drawn(random, may.counters[STRUCK])
            other, then = may.struck[i, 1], net.start[may.struck[i, 0]]
            if 1 < may.places[then, other] < fewest:
                token, step, fewest = other, then, may.places[then, other]
    return token, step


@compiled
def lead(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """Lead ``token`` over ``wire``, from its last sighting to its next one.

    Its way is drawn from the wires on which it is possible. False: it ended where there is none.
    """
    return _back(token, wire, history, around, hand) and _on(token, wire, history, around, hand)


@inner
def _back(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """Wires on which ``token`` may have come, the last one first."""
    wires = history.wires
    while wires[wire, SEEN] != token:
        behind, came, ways = wires[wire, BEHIND], -1, 0
        if behind < 0 or wires[wire, SEEN] >= 0:
            return False
        for other in range(wires[behind, FIRST], wires[behind, LAST]):
            if can_be(token, other, around):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    came = other
        if came < 0:
            return False
        if came != behind:
            exchange(came, behind, history)
        wire = came
    return True


@inner
def _on(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """Wires on which ``token`` may go on, up to its next sighting, or to the horizon."""
    wires = history.wires
    while wires[wire, FIRST] >= 0:
        goes, ways = -1, 0
        for other in range(wires[wire, FIRST], wires[wire, LAST]):
            if can_be(token, wires[other, AHEAD], around):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    goes = other
        if goes < 0:
            return False
        after = wires[goes, AHEAD]
        if goes != wire:
            exchange(wire, goes, history)
        wire = after
        if wires[wire, SEEN] >= 0:
            return wires[wire, SEEN] == token
    return True
