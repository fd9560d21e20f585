"""Pair moves between feasible solutions: two tokens exchange their paths for a while.

They exchange from one common zone to a later one, drawn uniformly among those that violate nothing,
or for ever. Alternatively the end is given, and an earlier zone is drawn. The common zones, and
those that may be drawn, are the same after the move, so the move is as likely as its inverse,
regardless of how often moves start at each zone. Moves to pairs that a zone does not allow, or
after which two users who are apart have one token, are rejected.
"""

from __future__ import annotations

from typing import NamedTuple

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.solver.local.generator import State, drawn
from mixsafe.weigh.draw.solution import (
    DrawnSolution,
    Instance,
    Ints,
    accepts,
    exchange,
    forbidden,
    holds_on,
    log_odds,
    next_pin,
    weighs,
)

_NEVER = 1 << 30
_RESTS = 8  # one move in so many is skipped: with few possible moves, chains would only alternate


class OftenDrawn(NamedTuple):
    """Memberships at which moves start, each repeated in proportion to its frequency.

    Parameters
    ----------
    onward
        Start of a move forward in time.
    back
        End of a move backward in time.
    """

    onward: Ints
    back: Ints


@compiled
def exchange_pairs(  # pragma: no cover - compiled
    moves: int, often: OftenDrawn, instance: Instance, solution: DrawnSolution, random: State
) -> int:
    """Propose ``moves`` moves and make those accepted; returns their number.

    With links, all moves go forward in time.
    """
    made, both = 0, len(instance.link_wire) == 0
    for _ in range(moves):
        if drawn(random, _RESTS) == 0:
            continue
        back = both and drawn(random, 2) == 0
        among = often.back if back else often.onward
        m = among[drawn(random, len(among))]
        zone = instance.zone_of[m]
        first = instance.zone_ptr[zone]
        other = first + drawn(random, instance.zone_ptr[zone + 1] - first - 1)
        other += other >= m
        one, two = instance.before[m], instance.before[other]
        if back:
            u, v = _drawn_begin(one, two, instance, solution, random)
            made += u >= 0 and _exchanged(u, v, (one, two), instance, solution, random)
        else:
            ends = _drawn_end(one, two, instance, solution, random)
            made += ends[0] != -2 and _exchanged(one, two, ends, instance, solution, random)
    return made


@inner
def _exchanged(  # pragma: no cover - compiled
    one: int,
    other: int,
    until: tuple[int, int],
    instance: Instance,
    solution: DrawnSolution,
    random: State,
) -> bool:
    """Exchange two tokens from a zone on, ``until`` a later one, if the move is accepted."""
    if forbidden(one, other, instance, solution):
        return False
    if until[0] >= 0 and forbidden(until[0], until[1], instance, solution):
        return False
    if weighs(instance):
        odds = log_odds(one, other, instance, solution)
        if until[0] >= 0:
            odds += log_odds(until[0], until[1], instance, solution)
        if not accepts(odds, random):
            return False
    exchange(one, other, until, instance, solution)
    if solution.violated[0]:  # two users would be seen with one token
        exchange(one, other, (until[1], until[0]), instance, solution)
        return False
    return True


@inner
def _drawn_end(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution, random: State
) -> tuple[int, int]:
    """Wires on which two tokens come to the zone of their exchange back; -1: for ever.

    -2: there is no such zone.
    """
    a, b = solution.token[one], solution.token[other]
    p, q = solution.ahead[one], solution.ahead[other]
    began = instance.zone_time[instance.leads_to[one]]
    i, j = next_pin(a, began, instance), next_pin(b, began, instance)
    paths, u, v, waiting = 0, -2, -2, 0
    waiting = _links_left(p, began, _links_left(q, began, 0, instance), instance)
    while waiting >= 0:
        x, y = instance.leads_to[p], instance.leads_to[q]
        s = instance.zone_time[x] if x >= 0 else _NEVER
        t = instance.zone_time[y] if y >= 0 else _NEVER
        now = min(s, t)
        i, fits = _fits(i, a, q, now, instance)
        j, suits = _fits(j, b, p, now, instance)
        if not (fits and suits):
            break
        if waiting == 0 and (x == y or now == _NEVER):
            paths += 1
            if drawn(random, paths) == 0:
                u, v = (-1, -1) if now == _NEVER else (p, q)
        if now == _NEVER:
            break
        if x == y:
            p, q = solution.ahead[p], solution.ahead[q]
            waiting = _links_left(p, began, _links_left(q, began, waiting, instance), instance)
        elif s <= t:
            p = solution.ahead[p]
            waiting = _links_left(p, began, waiting, instance)
        else:
            q = solution.ahead[q]
            waiting = _links_left(q, began, waiting, instance)
    return u, v


@inner
def _drawn_begin(  # pragma: no cover - compiled
    one: int, other: int, instance: Instance, solution: DrawnSolution, random: State
) -> tuple[int, int]:
    """Wires on which two tokens came to an earlier zone at which the exchange may start.

    As :func:`_drawn_end`, backward in time, without links. -1: there is no such zone.
    """
    a, b = solution.token[one], solution.token[other]
    p, q, paths, u, v = one, other, 0, -1, -1
    now = instance.zone_time[instance.leads_to[one]]
    i, j = next_pin(a, now, instance) - 1, next_pin(b, now, instance) - 1
    while now > 0:
        s, t = instance.start[p], instance.start[q]
        now = max(s, t)
        i, fits = _fitted(i, a, q, now, instance)
        j, suits = _fitted(j, b, p, now, instance)
        if not (fits and suits):
            break
        x, y = solution.behind[p], solution.behind[q]
        if s == t and now > 0 and instance.leads_to[x] == instance.leads_to[y]:
            paths += 1
            if drawn(random, paths) == 0:
                u, v = x, y
            p, q = x, y
        elif s >= t:
            p = x
        else:
            q = y
    return u, v


@inner
def _fits(  # pragma: no cover - compiled
    i: int, token: int, wire: int, before: int, instance: Instance
) -> tuple[int, bool]:
    """The first pin of a token after a step, and whether those before it hold on a wire."""
    while i < instance.pin_ptr[token + 1] and instance.pin_time[i] < before:
        if not holds_on(i, wire, instance):
            return i, False
        i += 1
    return i, True


@inner
def _fitted(  # pragma: no cover - compiled
    i: int, token: int, wire: int, since: int, instance: Instance
) -> tuple[int, bool]:
    """The last pin of a token before a step, and whether those since then hold on a wire."""
    while i >= instance.pin_ptr[token] and instance.pin_time[i] >= since:
        if not holds_on(i, wire, instance):
            return i, False
        i -= 1
    return i, True


@inner
def _links_left(
    wire: int, began: int, waiting: int, instance: Instance
) -> int:  # pragma: no cover - compiled
    """Links that have begun since a step and not ended, on and up to a wire; -1: one is not met."""
    for e in range(instance.link_ptr[wire], instance.link_ptr[wire + 1]):
        other = instance.link_wire[e]
        if waiting < 0 or (other < wire and instance.start[other] < began):
            return -1
        waiting += 1 if other > wire else -1
    return waiting
