"""Tempered transitions: walks between solutions through assignments with violations.

Two tokens exchange their paths from a zone on. Violations are accepted with a probability that
falls with each violated pin and link, with each pair that a zone does not allow, and with each user
beyond the first who is seen with a token, until nothing is violated, or the walk is abandoned and
undone. If exchanges may happen anywhere, every solution can be reached, unlike with moves between
feasible solutions only. A walk and its inverse are equally likely, so the states between
transitions follow the posterior. The zones of exchanges are drawn beforehand, independently of the
solution.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.solver.local.generator import State, drawn
from mixsafe.weigh.draw.solution import (
    DrawnSolution,
    Instance,
    Ints,
    accepts,
    exchange_for_ever,
    log_odds,
    weighs,
)

_EVERYWHERE = 8  # one neighbourhood in so many is the whole instance, if it is small
_SMALL = 400  # maximum memberships of a small instance
_TRANSITIONS = 16  # in a neighbourhood


@compiled
def temper(  # pragma: no cover - compiled
    neighbourhoods: int,
    longest: int,
    temperatures: npt.NDArray[np.float64],
    instance: Instance,
    solution: DrawnSolution,
    random: State,
) -> int:
    """Make tempered transitions in some neighbourhoods; returns how many changed the solution.

    ``longest``: exchanges of one, looked at, after which it is given up. ``temperatures``: in
    violated pins and links; one is drawn for each neighbourhood.
    """
    n = len(instance.before)
    near, made = np.arange(n), np.empty(2 * longest, np.int64)
    changed = 0
    for _ in range(neighbourhoods):
        temperature, size = temperatures[drawn(random, len(temperatures))], n
        if n <= _SMALL and drawn(random, _EVERYWHERE) == 0:
            for m in range(n):
                near[m] = m
        else:
            size = _neighbourhood(drawn(random, n), near, instance, random)
        for _ in range(_TRANSITIONS):
            changed += _transition(
                near[:size], longest, temperature, instance, solution, random, made
            )
    return changed


@inner
def _neighbourhood(
    centre: int, near: Ints, instance: Instance, random: State
) -> int:  # pragma: no cover - compiled
    """Collect zones of the members of a zone in an interval around it; returns their number."""
    zone = instance.zone_of[centre]
    now, size = instance.zone_time[zone], 0
    reach = 1 << drawn(random, 12)
    for m in range(instance.zone_ptr[zone], instance.zone_ptr[zone + 1]):
        row = instance.row[instance.before[m]]
        wire = instance.before[m]
        while (
            wire >= instance.first[row]
            and instance.zone_time[instance.leads_to[wire]] >= now - reach
        ):
            near[size] = instance.entry[wire]
            size += 1
            wire -= 1
        wire = instance.before[m] + 1
        while (
            instance.leads_to[wire] >= 0
            and instance.zone_time[instance.leads_to[wire]] <= now + reach
        ):
            near[size] = instance.entry[wire]
            size += 1
            wire += 1
    return size


@inner
def _transition(  # pragma: no cover - compiled
    near: Ints,
    longest: int,
    temperature: float,
    instance: Instance,
    solution: DrawnSolution,
    random: State,
    made: Ints,
) -> bool:
    """Exchange until nothing is violated; undo it if that takes too long."""
    n = 0
    for _ in range(longest):
        m = near[drawn(random, len(near))]
        zone = instance.zone_of[m]
        first = instance.zone_ptr[zone]
        k = first + drawn(random, instance.zone_ptr[zone + 1] - first - 1)
        k += k >= m
        one, other = instance.before[m], instance.before[k]
        odds, before = 0.0, solution.violated[0]
        if weighs(instance):
            odds = log_odds(one, other, instance, solution)
        if odds > -np.inf:
            exchange_for_ever(one, other, instance, solution)
            odds -= (solution.violated[0] - before) / temperature
            if accepts(odds, random):
                made[2 * n], made[2 * n + 1] = one, other
                n += 1
            else:
                exchange_for_ever(one, other, instance, solution)
        if solution.violated[0] == 0:
            return n > 0
    while n:
        n -= 1
        exchange_for_ever(made[2 * n], made[2 * n + 1], instance, solution)
    return False
