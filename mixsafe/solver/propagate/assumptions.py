"""Propagation of an assumption: "some tokens are not on some wire".

A token excluded from a wire is excluded where it could only come from, or go to, over that wire. A
token that is alone on a wire is nowhere else, and a wire where a token must be has no other token.
This excludes a few thousand pairs of millions, so each is propagated on its own, and put back
afterwards. If a wire is left without a token, or a token without a wire, no assignment agrees with
the assumption.

Matching (:mod:`mixsafe.solver.propagate.matching`) starts from the identity, which is no solution
under an assumption. These rules are the cheap part of what matching would find.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
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
    wire: int, off: npt.NDArray[np.uint64], domains: Domains, net: Wires
) -> bool:
    """Exclude the tokens of a set, (words,), from a wire, and propagate.

    Returns
    -------
    bool
        False: no assignment agrees with this and all earlier assumptions. True proves nothing.
    """
    for word in range(len(off)):
        exclude_all(wire, word, domains.possible[wire, word] & off[word], domains, net)
    return follow(domains, net)


@inner
def follow(domains: Domains, net: Wires) -> bool:  # pragma: no cover - compiled
    """Propagate to a fixed point; False: the assumptions are contradictory."""
    counters = domains.counters
    while not counters[FAILED]:
        if counters[EXCLUDED] == len(domains.excluded):
            rest(domains)  # the trail is full: nothing more is derived
            return True
        if counters[FOLLOWED] < counters[EXCLUDED]:
            i = counters[FOLLOWED]
            counters[FOLLOWED] += 1
            _exclude_linked(domains.excluded[i, 0], domains.excluded[i, 1], domains, net)
        elif counters[HELD]:
            counters[HELD] -= 1
            _exclude_elsewhere(domains.held[counters[HELD]], domains, net)
        elif counters[ALONE]:
            counters[ALONE] -= 1
            i = counters[ALONE]
            _exclude_others(domains.alone[i, 0], domains.alone[i, 1], domains, net)
        elif counters[ZONES]:
            _propagate_zone(next_zone(domains), domains, net)
        else:
            return True
    return False


@inner
def _exclude_linked(  # pragma: no cover - compiled
    wire: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude a token from the wires that are linked to ``wire``."""
    for i in range(domains.linked_ptr[wire], domains.linked_ptr[wire + 1]):
        exclude(domains.linked[i], token, domains, net)


@inner
def _exclude_elsewhere(  # pragma: no cover - compiled
    wire: int, domains: Domains, net: Wires
) -> None:
    """Exclude the only token of a wire from all other wires that overlap it in time."""
    if domains.size[wire] != 1:
        return
    token = only_token(wire, domains.possible)
    for row in range(len(net.first) - 1):
        if row == net.row[wire]:
            continue
        other = wire_at(row, net.start[wire], net)
        while other < net.first[row + 1] and net.start[other] <= domains.end[wire]:
            exclude(other, token, domains, net)
            other += 1


@inner
def _exclude_others(  # pragma: no cover - compiled
    step: int, token: int, domains: Domains, net: Wires
) -> None:
    """Exclude all other tokens from the only wire on which a token may be after a step."""
    if domains.places[step, token] != 1:
        return
    for row in range(len(net.first) - 1):
        wire = wire_at(row, step, net)
        if tokens.holds(domains.possible[wire], token):
            keep_only(wire, token, domains, net)
            return


@inner
def _propagate_zone(zone: int, domains: Domains, net: Wires) -> None:  # pragma: no cover - compiled
    """Exclude tokens that leave a zone but do not come to it, or come but do not leave."""
    begin, end = net.zone_ptr[zone], net.zone_ptr[zone + 1]
    for word in range(domains.possible.shape[1]):
        come = leave = np.uint64(0)
        for m in range(begin, end):
            come |= domains.possible[net.before[m], word]
            leave |= domains.possible[net.before[m] + 1, word]
        if come == leave:
            continue
        for m in range(begin, end):
            wire = net.before[m]
            exclude_all(wire, word, domains.possible[wire, word] & ~leave, domains, net)
            exclude_all(wire + 1, word, domains.possible[wire + 1, word] & ~come, domains, net)
