"""Further assumptions, drawn: where some of those are who have few places left.

What sticks in annealing is a token that can get home by a few ways only, which others take. To draw
one of them, and with it all that follows, is to leave annealing the easy part.
"""

from __future__ import annotations

from mixsafe.compiled import compiled, inner
from mixsafe.network.wires import Wires
from mixsafe.verify.bounds.assumptions import follow
from mixsafe.verify.bounds.possibilities import (
    STRUCK,
    Possibilities,
    strike,
    strike_others,
    take_back,
)
from mixsafe.verify.core import tokens
from mixsafe.verify.core.timeline import wire_at
from mixsafe.verify.search.generator import State, drawn

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
