"""What follows from an assumption: who can be where, if some tokens are not on some wire.

Whoever is struck off a wire is struck off where it could only come from, or go to, over it; who has
a wire to herself is nowhere else; and nobody else is where somebody must be. That strikes a few
thousand tokens off wires, of millions, so each is followed on its own, and put back afterwards. If
a wire is left without a token, or a token without a wire, no assignment agrees with the assumption.

Under an assumption the identity is no solution, with which matchings begin
(:mod:`mixsafe.solver.propagate.matching`); these are the ones that need no more than a look.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.state import tokens
from mixsafe.solver.state.domains import (
    ALONE,
    EXCLUDED,
    FAILED,
    FOLLOWED,
    HELD,
    ZONES,
    Domains,
    exclude,
    exclude_all,
    keep_only,
    next_zone,
    only_token,
    rest,
)


@compiled
def assume_off(  # pragma: no cover - compiled
    wire: int, off: npt.NDArray[np.uint64], may: Domains, net: Wires
) -> bool:
    """Strike the tokens of a set, (words,), off a wire, and whatever follows.

    Returns
    -------
    bool
        False: no assignment agrees with this and with what was assumed before. True says nothing.
    """
    for word in range(len(off)):
        exclude_all(wire, word, may.possible[wire, word] & off[word], may, net)
    return follow(may, net)


@inner
def follow(may: Domains, net: Wires) -> bool:  # pragma: no cover - compiled
    """Look at what follows until nothing more does; False: that cannot be."""
    counters = may.counters
    while not counters[FAILED]:
        if counters[EXCLUDED] == len(may.excluded):
            rest(may)  # more follows, perhaps, which is not looked for
            return True
        if counters[FOLLOWED] < counters[EXCLUDED]:
            i = counters[FOLLOWED]
            counters[FOLLOWED] += 1
            _keep_off_links(may.excluded[i, 0], may.excluded[i, 1], may, net)
        elif counters[HELD]:
            counters[HELD] -= 1
            _keep_off_others(may.held[counters[HELD]], may, net)
        elif counters[ALONE]:
            counters[ALONE] -= 1
            i = counters[ALONE]
            _keep_others_off(may.alone[i, 0], may.alone[i, 1], may, net)
        elif counters[ZONES]:
            _pass(next_zone(may), may, net)
        else:
            return True
    return False


@inner
def _keep_off_links(  # pragma: no cover - compiled
    wire: int, token: int, may: Domains, net: Wires
) -> None:
    """Strike a token off the wires that carry the same one as ``wire``."""
    for i in range(may.linked_ptr[wire], may.linked_ptr[wire + 1]):
        exclude(may.linked[i], token, may, net)


@inner
def _keep_off_others(  # pragma: no cover - compiled
    wire: int, may: Domains, net: Wires
) -> None:
    """Strike the one token that is left on a wire off all others that last at the same time."""
    if may.size[wire] != 1:
        return
    token = only_token(wire, may.possible)
    for row in range(len(net.first) - 1):
        if row == net.row[wire]:
            continue
        other = wire_at(row, net.start[wire], net)
        while other < net.first[row + 1] and net.start[other] <= may.end[wire]:
            exclude(other, token, may, net)
            other += 1


@inner
def _keep_others_off(  # pragma: no cover - compiled
    step: int, token: int, may: Domains, net: Wires
) -> None:
    """Strike everybody else off the one wire on which a token may be after a step."""
    if may.places[step, token] != 1:
        return
    for row in range(len(net.first) - 1):
        wire = wire_at(row, step, net)
        if tokens.holds(may.possible[wire], token):
            keep_only(wire, token, may, net)
            return


@inner
def _pass(zone: int, may: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Whoever leaves a zone has come there, and whoever comes there leaves it."""
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for word in range(may.possible.shape[1]):
        come = leave = np.uint64(0)
        for m in range(begin, end):
            come |= may.possible[net.before[m], word]
            leave |= may.possible[net.before[m] + 1, word]
        if come == leave:
            continue
        for m in range(begin, end):
            wire = net.before[m]
            exclude_all(wire, word, may.possible[wire, word] & ~leave, may, net)
            exclude_all(wire + 1, word, may.possible[wire + 1, word] & ~come, may, net)
