"""How annealing begins: one token is led where it is wanted, whatever that breaks."""

from __future__ import annotations

from mixsafe.compiled import compiled, inner
from mixsafe.verify.annealing.histories import History, Landscape, exchange, reset
from mixsafe.verify.annealing.moves import Hand, drawn
from mixsafe.verify.core import tokens


@compiled
def lead(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """From the identity, lead ``token`` over ``wire``, from its last sighting to its next one.

    Its way is drawn from the wires on which it is possible. False: it ended where there is none.
    """
    reset(history, around)
    return _back(token, wire, history, around, hand) and _on(token, wire, history, around, hand)


@inner
def _back(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """Wires on which ``token`` may have come, the last one first."""
    net = around.net
    while around.seen[wire] != token:
        zone, came, ways = net.comes_from[wire], -1, 0
        if zone < 0 or around.seen[wire] >= 0:
            return False
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            if tokens.holds(around.possible[net.before[m]], token):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    came = net.before[m]
        if came < 0:
            return False
        if history.behind[wire] != came:
            exchange(came, history.behind[wire], history, around.seen)
        wire = came
    return True


@inner
def _on(  # pragma: no cover - compiled
    token: int, wire: int, history: History, around: Landscape, hand: Hand
) -> bool:
    """Wires on which ``token`` may go on, up to its next sighting, or to the horizon."""
    net = around.net
    while net.leads_to[wire] >= 0:
        zone, goes, ways = net.leads_to[wire], -1, 0
        for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
            if tokens.holds(around.possible[net.before[m] + 1], token):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    goes = net.before[m] + 1
        if goes < 0:
            return False
        if history.ahead[wire] != goes:
            exchange(wire, history.behind[goes], history, around.seen)
        wire = goes
        if around.seen[wire] >= 0:
            return around.seen[wire] == token
    return True
