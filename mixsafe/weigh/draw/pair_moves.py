"""Moves between histories that break nothing: two tokens exchange what they do for a while.

They do so from a zone in which both are to a later one in which both are again, drawn uniformly
among those that break nothing, or for ever; or one is given where they end, and an earlier one is
drawn. The zones in which both are, and which of these may be drawn, are the same afterwards: the
move is as likely as its inverse, however often moves go from which zone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mixsafe.compiled import compiled, inner
from mixsafe.solver.local.generator import drawn, uniform
from mixsafe.weigh.draw.ground import Ground, Ints, Walker

_NEVER = 1 << 30
_RESTS = 8  # one move in so many is none: where few can be made, they would only alternate


class OftenDrawn(NamedTuple):
    """From which memberships moves go, each as often as it is to be drawn.

    Parameters
    ----------
    onward
        Where a move begins.
    back
        Where one ends that looks back for its beginning.
    """

    onward: Ints
    back: Ints


@compiled
def exchange_pairs(  # pragma: no cover - compiled
    moves: int, often: OftenDrawn, ground: Ground, walker: Walker
) -> int:
    """Draw ``moves`` moves and make those that are accepted; how many they were.

    Where there are links, all look onward.
    """
    made, both = 0, len(ground.link_wire) == 0
    for _ in range(moves):
        if drawn(walker.random, _RESTS) == 0:
            continue
        back = both and drawn(walker.random, 2) == 0
        among = often.back if back else often.onward
        m = among[drawn(walker.random, len(among))]
        zone = ground.zone_of[m]
        first = ground.zone_ptr[zone]
        other = first + drawn(walker.random, ground.zone_ptr[zone + 1] - first - 1)
        other += other >= m
        one, two = ground.before[m], ground.before[other]
        if back:
            u, v = _drawn_begin(one, two, ground, walker)
            made += u >= 0 and _exchanged(u, v, (one, two), ground, walker)
        else:
            ends = _drawn_end(one, two, ground, walker)
            made += ends[0] != -2 and _exchanged(one, two, ends, ground, walker)
    return made


@inner
def _exchanged(  # pragma: no cover - compiled
    one: int, other: int, ends: tuple[int, int], ground: Ground, walker: Walker
) -> bool:
    """Exchange what two tokens do from a zone on up to a later one, if that is accepted.

    ``ends``: the wires on which they come to that one, each on its own way; -1: for ever.
    """
    u, v = ends
    if not ground.uniform:
        odds = log_odds(one, other, ground, walker)
        if u >= 0:
            odds += log_odds(u, v, ground, walker)
        if odds < 0 and not chance(odds, walker):
            return False
    a, b = walker.token[one], walker.token[other]
    p, q = walker.ahead[one], walker.ahead[other]
    cross(one, other, ground, walker)
    _name(p, u, b, walker)
    _name(q, v, a, walker)
    if u >= 0:
        cross(u, v, ground, walker)
    return True


@inner
def _name(wire: int, last: int, token: int, walker: Walker) -> None:  # pragma: no cover - compiled
    """Put a token on a path from ``wire`` to ``last``, or to its end."""
    while True:
        walker.token[wire] = token
        if wire == last or walker.ahead[wire] < 0:
            return
        wire = walker.ahead[wire]


@inner
def _drawn_end(  # pragma: no cover - compiled
    one: int, other: int, ground: Ground, walker: Walker
) -> tuple[int, int]:
    """Wires on which two tokens come to the zone where they may change back; -1: for ever.

    -2: there is no such zone.
    """
    a, b = walker.token[one], walker.token[other]
    p, q = walker.ahead[one], walker.ahead[other]
    began = ground.zone_time[ground.leads_to[one]]
    i, j = next_pin(a, began, ground), next_pin(b, began, ground)
    ways, u, v, waiting = 0, -2, -2, 0
    waiting = _links_left(p, began, _links_left(q, began, 0, ground), ground)
    while waiting >= 0:
        x, y = ground.leads_to[p], ground.leads_to[q]
        s = ground.zone_time[x] if x >= 0 else _NEVER
        t = ground.zone_time[y] if y >= 0 else _NEVER
        now = min(s, t)
        i, fits = _fits(i, a, q, now, ground)
        j, suits = _fits(j, b, p, now, ground)
        if not (fits and suits):
            break
        if waiting == 0 and (x == y or now == _NEVER):
            ways += 1
            if drawn(walker.random, ways) == 0:
                u, v = (-1, -1) if now == _NEVER else (p, q)
        if now == _NEVER:
            break
        if x == y:
            p, q = walker.ahead[p], walker.ahead[q]
            waiting = _links_left(p, began, _links_left(q, began, waiting, ground), ground)
        elif s <= t:
            p = walker.ahead[p]
            waiting = _links_left(p, began, waiting, ground)
        else:
            q = walker.ahead[q]
            waiting = _links_left(q, began, waiting, ground)
    return u, v


@inner
def _drawn_begin(  # pragma: no cover - compiled
    one: int, other: int, ground: Ground, walker: Walker
) -> tuple[int, int]:
    """Wires on which two tokens came to an earlier zone, from which on they may have exchanged.

    As :func:`_drawn_end`, the other way round in time, without links. -1: there is no such zone.
    """
    a, b = walker.token[one], walker.token[other]
    p, q, ways, u, v = one, other, 0, -1, -1
    now = ground.zone_time[ground.leads_to[one]]
    i, j = next_pin(a, now, ground) - 1, next_pin(b, now, ground) - 1
    while now > 0:
        s, t = ground.start[p], ground.start[q]
        now = max(s, t)
        i, fits = _fitted(i, a, q, now, ground)
        j, suits = _fitted(j, b, p, now, ground)
        if not (fits and suits):
            break
        x, y = walker.behind[p], walker.behind[q]
        if s == t and now > 0 and ground.leads_to[x] == ground.leads_to[y]:
            ways += 1
            if drawn(walker.random, ways) == 0:
                u, v = x, y
            p, q = x, y
        elif s >= t:
            p = x
        else:
            q = y
    return u, v


@inner
def next_pin(token: int, time: int, ground: Ground) -> int:  # pragma: no cover - compiled
    """First pin of a token at a step or later."""
    i = ground.pin_ptr[token]
    while i < ground.pin_ptr[token + 1] and ground.pin_time[i] < time:
        i += 1
    return i


@inner
def _fits(  # pragma: no cover - compiled
    i: int, token: int, wire: int, before: int, ground: Ground
) -> tuple[int, bool]:
    """The first pin of a token after a step, and whether those before it hold on a wire."""
    while i < ground.pin_ptr[token + 1] and ground.pin_time[i] < before:
        if not holds_on(i, wire, ground):
            return i, False
        i += 1
    return i, True


@inner
def _fitted(  # pragma: no cover - compiled
    i: int, token: int, wire: int, since: int, ground: Ground
) -> tuple[int, bool]:
    """The last pin of a token before a step, and whether those since then hold on a wire."""
    while i >= ground.pin_ptr[token] and ground.pin_time[i] >= since:
        if not holds_on(i, wire, ground):
            return i, False
        i -= 1
    return i, True


@inner
def holds_on(pin: int, wire: int, ground: Ground) -> bool:  # pragma: no cover - compiled
    """Whether a pin holds if its token is on a wire of that time."""
    for e in range(ground.pin_row_ptr[pin], ground.pin_row_ptr[pin + 1]):
        if ground.pin_rows[e] == ground.row[wire]:
            return True
    return False


@inner
def _links_left(
    wire: int, began: int, waiting: int, ground: Ground
) -> int:  # pragma: no cover - compiled
    """Links that have begun since a step and not ended, on and up to a wire; -1: one is broken."""
    for e in range(ground.link_ptr[wire], ground.link_ptr[wire + 1]):
        other = ground.link_wire[e]
        if waiting < 0 or (other < wire and ground.start[other] < began):
            return -1
        waiting += 1 if other > wire else -1
    return waiting


@inner
def log_odds(
    one: int, other: int, ground: Ground, walker: Walker
) -> float:  # pragma: no cover - compiled
    """How much more it weighs if what comes on two wires to a zone leaves on each other's."""
    zone = ground.leads_to[one]
    begin = ground.begin[zone] + walker.moved[zone]
    return ground.table[begin + _shift(one, other, ground, walker)] - ground.table[begin]


@inner
def _shift(
    one: int, other: int, ground: Ground, walker: Walker
) -> int:  # pragma: no cover - compiled
    """What the index of who moves gains by an exchange."""
    p, q = walker.ahead[one], walker.ahead[other]
    gained = ((q != one + 1) - (p != one + 1)) * ground.stride[one]
    return gained + ((p != other + 1) - (q != other + 1)) * ground.stride[other]


@inner
def cross(
    one: int, other: int, ground: Ground, walker: Walker
) -> None:  # pragma: no cover - compiled
    """Let what comes on two wires to a zone leave on each other's, tokens aside."""
    walker.moved[ground.leads_to[one]] += _shift(one, other, ground, walker)
    p, q = walker.ahead[one], walker.ahead[other]
    walker.ahead[one], walker.ahead[other] = q, p
    walker.behind[q], walker.behind[p] = one, other


@inner
def chance(odds: float, walker: Walker) -> bool:  # pragma: no cover - compiled
    """Whether what has these log odds is accepted."""
    return uniform(walker.random) < np.exp(odds)
