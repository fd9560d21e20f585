"""Window context: who may be where around a window, and how free carriers take tokens home.

A window's model follows few tokens on few rows. What happens before, after and beside it is left
to carriers, whose ways are looked up here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled
from mixsafe.network.core import Core
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.construct.carriers import carrier_wires, free_wires
from mixsafe.solver.propagate.reachability import can_come, can_return
from mixsafe.solver.state.tokens import TokenSets, holds


class CarrierWays(NamedTuple):
    """Where free carriers take tokens; see :class:`WindowContext`."""

    net: Wires
    free: npt.NDArray[np.bool_]
    comes: TokenSets
    returns: TokenSets


@dataclass(frozen=True, eq=False)
class WindowContext:
    """What windows need to know of the whole problem.

    Parameters
    ----------
    core, possible
        The question, and an upper bound on the tokens of each wire.
    free
        (n_wires,) bool: wires of rows of whose tokens nothing more is known.
    comes, returns
        (n_wires, words): tokens that free carriers can bring from home to a wire, and from a wire
        to home before they are seen there again.
    """

    core: Core
    possible: TokenSets
    free: npt.NDArray[np.bool_]
    comes: TokenSets
    returns: TokenSets

    @cached_property
    def carriers(self) -> CarrierWays:
        """The ways of carriers, for compiled functions."""
        return CarrierWays(self.core.network.wires, self.free, self.comes, self.returns)

    @classmethod
    def of(cls, core: Core, possible: TokenSets) -> WindowContext:
        """The context of any window of ``core``."""
        own, _, free = free_wires(core)
        allowed = carrier_wires(core, free)
        return cls(
            core,
            possible,
            free,
            can_come(own, allowed),
            can_return(own, allowed),
        )


@compiled
def board_wires(  # pragma: no cover - compiled
    token: int,
    board: npt.NDArray[np.int64],
    begin: int,
    end: int,
    possible: TokenSets,
    net: Wires,
) -> npt.NDArray[np.int64]:
    """Wires of the board's rows between two steps (inclusive) on which ``token`` may be."""
    found = []
    for v in board:
        wire = wire_at(v, begin, net)
        while wire < net.first[v + 1] and net.start[wire] <= end:
            if holds(possible[wire], token):
                found.append(wire)
            wire += 1
    return np.array(found, dtype=np.int64)


@compiled
def carry(  # pragma: no cover - compiled
    token: int,
    begin: int,
    end: int,
    exit_zone: int,
    told: npt.NDArray[np.int32],
    ways: CarrierWays,
) -> bool:
    """Write to ``told`` how carriers bring ``token`` to its window, and home from it.

    ``exit_zone`` is where it leaves the board; -1: it is on the board to the end.
    """
    net = ways.net
    head = _wire_with(token, begin, told, net)
    tail = _wire_with(token, end, told, net)
    if exit_zone >= 0:
        for m in range(net.zone_ptr[exit_zone], net.zone_ptr[exit_zone + 1]):
            if told[net.before[m]] == token:
                tail = net.before[m]
    if head < 0 or tail < 0:
        return False
    while net.comes_from[head] >= 0:  # back in time, home as soon as possible
        head = _next_carrier(token, head, 0, told, ways)
        if head < 0:
            return False
        told[head] = token
    while net.leads_to[tail] >= 0:  # on in time, home as soon as possible
        tail = _next_carrier(token, tail, 1, told, ways)
        if tail < 0:
            return False
        told[tail] = token
    return head == net.first[token]


@compiled
def _wire_with(  # pragma: no cover - compiled
    token: int,
    step: int,
    told: npt.NDArray[np.int32],
    net: Wires,
) -> int:
    """Wire that holds ``token`` at ``step``; -1: none is told to."""
    for v in range(len(net.first) - 1):
        wire = wire_at(v, step, net)
        if told[wire] == token:
            return wire
    return -1


@compiled
def _next_carrier(  # pragma: no cover - compiled
    token: int, here: int, side: int, told: npt.NDArray[np.int32], ways: CarrierWays
) -> int:
    """Wire on the far side of the zone before (``side`` 0) or after (1) a wire to go on with.

    Home, or else the same row, or any. -1: there is none.
    """
    net = ways.net
    zone = net.leads_to[here] if side else net.comes_from[here]
    carried = ways.returns if side else ways.comes
    best, rank = -1, 0
    for m in range(net.zone_ptr[zone], net.zone_ptr[zone + 1]):
        wire = net.before[m] + side
        home = net.row[wire] == token
        if told[wire] < 0 and (home or (ways.free[wire] and holds(carried[wire], token))):
            worth = 3 if home else 2 if net.row[wire] == net.row[here] else 1
            if worth > rank:
                best, rank = wire, worth
    return best
