"""Assignments in which one token is carried away over free rows and back (see ``carriers``).

Wherever a token can be over free rows alone, it can also go on from there, so a way that is drawn
step by step never ends in a blind alley. Either a wanted token is brought to a wire, or the wire's
own token is carried away from it, and a wanted one takes its place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.wires import Wires
from mixsafe.verify.bounds.carriers import carrier_wires, free_wires
from mixsafe.verify.bounds.reachability import narrow
from mixsafe.verify.core.core import Core
from mixsafe.verify.core.tokens import TokenSets, holds
from mixsafe.verify.core.witness import Assignment, complete
from mixsafe.verify.search.generator import State, beginning, next_random

_LEAVES = 8  # wires before the asked one on which a token may set out


class _Drawn(NamedTuple):
    """What ways are drawn from: the wires, the tokens that can be on each, and chance."""

    net: Wires
    reached: TokenSets
    random: State


class CarriedWays:
    """Draws ways of single tokens over free rows; the same ones for the same calls."""

    def __init__(self, core: Core, seed: int = 0) -> None:
        own, _, free = free_wires(core)
        self._core = core
        reached = carrier_wires(core, free)
        narrow(own, reached)
        random = beginning(seed + 1)
        self._drawn_from = _Drawn(core.network.wires, reached, random)

    def seek(self, wire: int, wanted: npt.NDArray[np.int64], tries: int) -> Assignment | None:
        """An assignment with one of the ``wanted`` tokens on ``wire``."""
        row = int(self._core.network.row[wire])
        for _ in range(tries):
            for token in (*wanted.tolist(), row):
                found = self._drawn(wire, token, row)
                if found is not None and found[wire] in wanted:
                    return found
        return None

    def _drawn(self, wire: int, token: int, row: int) -> Assignment | None:
        """An assignment in which only ``token`` has a way of its own; None: it has none."""
        told = np.full(self._core.network.n_wires, -1, np.int32)
        draw = _away if token == row else _through
        if not draw(wire, token, told, self._drawn_from):
            return None
        tracked = np.zeros(self._core.network.n_rows, bool)
        tracked[token] = True
        assignment = complete(self._core, told, tracked)
        return assignment if assignment.min() >= 0 else None


@compiled
def _through(  # pragma: no cover - compiled
    wire: int, token: int, told: Assignment, drawn: _Drawn
) -> bool:
    """A way of ``token`` through ``wire``, at home as early and as late as may be."""
    if not holds(drawn.reached[wire], token):
        return False
    told[wire] = token
    here = wire
    while drawn.net.comes_from[here] >= 0:
        here = _next(token, drawn.net.comes_from[here], 0, True, drawn)
        if here < 0:
            return False
        told[here] = token
    return _go_home(token, wire, told, drawn)


@compiled
def _away(  # pragma: no cover - compiled
    wire: int, token: int, told: Assignment, drawn: _Drawn
) -> bool:
    """A way of ``token``, whose row ``wire`` is of, that is elsewhere when ``wire`` begins."""
    net = drawn.net
    first = net.first[token]
    if wire == first:
        return False
    here = wire - 1 - next_random(drawn.random, min(_LEAVES, wire - first))
    told[first : here + 1] = token
    while net.leads_to[here] >= 0:
        zone = net.leads_to[here]
        if net.zone_time[zone] > net.start[wire]:
            break
        here = _next(token, zone, 1, False, drawn)
        if here < 0 or net.row[here] == token:
            return False
        told[here] = token
    return _go_home(token, here, told, drawn)


@compiled
def _go_home(  # pragma: no cover - compiled
    token: int, here: int, told: Assignment, drawn: _Drawn
) -> bool:
    """The way of ``token`` from a wire on, home as soon as it meets its row."""
    while drawn.net.leads_to[here] >= 0:
        here = _next(token, drawn.net.leads_to[here], 1, True, drawn)
        if here < 0:
            return False
        told[here] = token
    return True


@compiled
def _next(  # pragma: no cover - compiled
    token: int, zone: int, side: int, homeward: bool, drawn: _Drawn
) -> int:
    """A wire before (``side`` 0) or after (1) a zone that ``token`` can be on.

    Homeward, that is its own row's if it can be; else that comes last. -1: there is none.
    """
    net = drawn.net
    chosen, home, n = -1, -1, 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m] + side
        if not holds(drawn.reached[wire], token):
            continue
        if net.row[wire] == token:
            home = wire
            continue
        n += 1
        if next_random(drawn.random, n) == 0:
            chosen = wire
    if home >= 0 and (homeward or chosen < 0):
        return int(home)
    return int(chosen)
