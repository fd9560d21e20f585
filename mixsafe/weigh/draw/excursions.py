"""Excursions: from history to history through some that break what is known.

Two tokens exchange all that they do from a zone on; what that breaks is borne with a chance that
falls with every pin and link that is broken, until nothing is, or the walk is given up and undone.
Where such exchanges may be anywhere every history can be reached, so that none stay apart for ever,
as they can where only moves are made that break nothing. A walk and its inverse are equally likely,
hence what is visited between excursions is the posterior. Where they may exchange is drawn before,
whatever the history is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.solver.local.generator import drawn
from mixsafe.weigh.draw.ground import Ground, Walker
from mixsafe.weigh.draw.pair_moves import chance, cross, holds_on, log_odds, next_pin

TEMPERATURES = np.array([0.35, 0.5, 0.7, 1.0, 1.5, 3.0])
"""In broken pins and links; one is drawn for each neighbourhood."""

_EVERYWHERE = 8  # one neighbourhood in so many is the whole ground, where that is small
_SMALL = 400  # memberships of a ground that is small
_TRIES = 16  # excursions in a neighbourhood


@compiled
def make_excursions(  # pragma: no cover - compiled
    neighbourhoods: int,
    longest: int,
    temperatures: npt.NDArray[np.float64],
    ground: Ground,
    walker: Walker,
) -> int:
    """Make excursions in some neighbourhoods; how many came back to another history.

    ``longest``: exchanges of one, looked at, after which it is given up.
    """
    came_back, n = 0, len(ground.before)
    for _ in range(neighbourhoods):
        temperature = temperatures[drawn(walker.random, len(temperatures))]
        if n <= _SMALL and drawn(walker.random, _EVERYWHERE) == 0:
            size = n
            for m in range(n):
                walker.near[m] = m
        else:
            size = _neighbourhood(drawn(walker.random, n), ground, walker)
        for _ in range(_TRIES):
            came_back += _excursion(size, longest, temperature, ground, walker)
    return came_back


@inner
def _neighbourhood(
    centre: int, ground: Ground, walker: Walker
) -> int:  # pragma: no cover - compiled
    """Note the zones of those who meet in a zone, for a stretch of time around it; how many."""
    zone = ground.zone_of[centre]
    now, size = ground.zone_time[zone], 0
    reach = 1 << drawn(walker.random, 12)
    for m in range(ground.zone_ptr[zone], ground.zone_ptr[zone + 1]):
        row = ground.row[ground.before[m]]
        wire = ground.before[m]
        while wire >= ground.first[row] and ground.zone_time[ground.leads_to[wire]] >= now - reach:
            walker.near[size] = ground.entry[wire]
            size += 1
            wire -= 1
        wire = ground.before[m] + 1
        while ground.leads_to[wire] >= 0 and ground.zone_time[ground.leads_to[wire]] <= now + reach:
            walker.near[size] = ground.entry[wire]
            size += 1
            wire += 1
    return size


@inner
def _excursion(  # pragma: no cover - compiled
    size: int, longest: int, temperature: float, ground: Ground, walker: Walker
) -> bool:
    """Exchange until nothing is broken; undo it if that takes too long."""
    n = 0
    for _ in range(longest):
        m = walker.near[drawn(walker.random, size)]
        zone = ground.zone_of[m]
        first = ground.zone_ptr[zone]
        k = first + drawn(walker.random, ground.zone_ptr[zone + 1] - first - 1)
        k += k >= m
        one, other = ground.before[m], ground.before[k]
        odds, before = 0.0, walker.broken[0]
        if not ground.uniform:
            odds = log_odds(one, other, ground, walker)
        if odds > -np.inf:
            exchange_for_ever(one, other, ground, walker)
            odds -= (walker.broken[0] - before) / temperature
            if odds >= 0 or chance(odds, walker):
                walker.made[2 * n], walker.made[2 * n + 1] = one, other
                n += 1
            else:
                exchange_for_ever(one, other, ground, walker)
        if walker.broken[0] == 0:
            return n > 0
    while n:
        n -= 1
        exchange_for_ever(walker.made[2 * n], walker.made[2 * n + 1], ground, walker)
    return False


@inner
def exchange_for_ever(  # pragma: no cover - compiled
    one: int, other: int, ground: Ground, walker: Walker
) -> None:
    """Let two tokens exchange all that they do from a zone on, and note what that breaks."""
    p, q = walker.ahead[one], walker.ahead[other]
    cross(one, other, ground, walker)
    began = ground.zone_time[ground.leads_to[one]]
    _go_on(q, walker.token[one], began, ground, walker)
    _go_on(p, walker.token[other], began, ground, walker)
    if len(walker.link_broken):
        _look_at_links(p, ground, walker)
        _look_at_links(q, ground, walker)


@inner
def _go_on(  # pragma: no cover - compiled
    wire: int, token: int, began: int, ground: Ground, walker: Walker
) -> None:
    """Put a token on a path to its end, and look at its pins."""
    i, last = next_pin(token, began, ground), ground.pin_ptr[token + 1]
    while wire >= 0:
        walker.token[wire] = token
        onward = walker.ahead[wire]
        while i < last and (onward < 0 or ground.pin_time[i] < ground.start[onward]):
            broken = 0 if holds_on(i, wire, ground) else 1
            walker.broken[0] += broken - walker.pin_broken[i]
            walker.pin_broken[i] = broken
            i += 1
        wire = onward


@inner
def _look_at_links(
    wire: int, ground: Ground, walker: Walker
) -> None:  # pragma: no cover - compiled
    """Note which links of the wires of a path are broken."""
    while wire >= 0:
        for e in range(ground.link_ptr[wire], ground.link_ptr[wire + 1]):
            broken = 1 if walker.token[ground.link_wire[e]] != walker.token[wire] else 0
            walker.broken[0] += broken - walker.link_broken[ground.link[e]]
            walker.link_broken[ground.link[e]] = broken
        wire = walker.ahead[wire]
