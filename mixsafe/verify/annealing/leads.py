"""How annealing begins: one token is led where it is wanted, whatever that breaks."""

from __future__ import annotations

from mixsafe.compiled import compiled, inner
from mixsafe.verify.annealing.histories import (
    AHEAD,
    BEHIND,
    FIRST,
    LAST,
    SEEN,
    History,
    Landscape,
    exchange,
)
from mixsafe.verify.annealing.moves import Hand, can_be
from mixsafe.verify.search.generator import drawn


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
