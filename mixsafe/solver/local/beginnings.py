"""How a try begins: what is assumed besides, what is seen then, and who is led where.

What sticks in annealing is a token that can get home by a few ways only, which others take. To draw
one of them, and with it all that follows, is to leave annealing the easy part. Where only one token
is left on a wire then (:mod:`mixsafe.solver.propagate.assumptions`), it is as good as seen there,
for as long as the try lasts: annealing brings it there as it brings others to where they are seen,
and does not look for ways of those who have none. Last, one token is led where it is wanted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.compiled import compiled, inner
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.local.generator import State, drawn
from mixsafe.solver.local.moves import Hand, can_be
from mixsafe.solver.local.solutions import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    LAST,
    SEEN,
    TOKEN,
    Ints,
    SearchInstance,
    Solution,
    exchange,
    redirect,
    rename,
    review,
    touch,
)
from mixsafe.solver.propagate.assumptions import follow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.domains import (
    EXCLUDED,
    Domains,
    exclude,
    keep_only,
    only_token,
    take_back,
)

_FEW = 8  # places of a token, of which one is assumed
_LOOKS = 32  # at tokens that were struck off wires, for the one that has fewest places left


@compiled
def assume_places(  # pragma: no cover - compiled
    number: int, random: State, may: Domains, net: Wires
) -> bool:
    """Assume where some are who have few places left, one after the other.

    Parameters
    ----------
    number
        How often one is drawn.
    random
        What is drawn with.
    may, net
        Where something has been assumed.

    Returns
    -------
    bool
        False: what was assumed before cannot be, or what was drawn on the way.
    """
    for _ in range(number):
        mark = may.counters[EXCLUDED]
        token, step = _one_with_few_places(random, may, net)
        if token < 0:
            continue
        wire, left = -1, drawn(random, may.places[step, token])
        for row in range(len(net.first) - 1):
            other = wire_at(row, step, net)
            if tokens.holds(may.possible[other], token):
                if left == 0:
                    wire = other
                left -= 1
        keep_only(wire, token, may, net)
        if not follow(may, net):
            take_back(mark, may, net)
            exclude(wire, token, may, net)
            if not follow(may, net):
                return False
    return True


@inner
def _one_with_few_places(  # pragma: no cover - compiled
    random: State, may: Domains, net: Wires
) -> tuple[int, int]:
    """A token that was struck off a wire and has few places left, and when; -1: none was found."""
    token, step, fewest = -1, 0, _FEW + 1
    if may.counters[EXCLUDED]:
        for _ in range(_LOOKS):
            i = drawn(random, may.counters[EXCLUDED])
            other, then = may.excluded[i, 1], net.start[may.excluded[i, 0]]
            if 1 < may.places[then, other] < fewest:
                token, step, fewest = other, then, may.places[then, other]
    return token, step


@compiled
def lead(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, hand: Hand
) -> bool:
    """Lead ``token`` over ``wire``, from its last sighting to its next one.

    Its way is drawn from the wires on which it is possible. False: it ended where there is none.
    """
    return _back(token, wire, solution, instance, hand) and _on(
        token, wire, solution, instance, hand
    )


@inner
def _back(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, hand: Hand
) -> bool:
    """Wires on which ``token`` may have come, the last one first."""
    wires = solution.wires
    while wires[wire, SEEN] != token:
        behind, came, ways = wires[wire, BEHIND], -1, 0
        if behind < 0 or wires[wire, SEEN] >= 0:
            return False
        for other in range(wires[behind, FIRST], wires[behind, LAST]):
            if can_be(token, other, instance):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    came = other
        if came < 0:
            return False
        if came != behind:
            exchange(came, behind, solution)
        wire = came
    return True


@inner
def _on(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, hand: Hand
) -> bool:
    """Wires on which ``token`` may go on, up to its next sighting, or to the horizon."""
    wires = solution.wires
    while wires[wire, FIRST] >= 0:
        goes, ways = -1, 0
        for other in range(wires[wire, FIRST], wires[wire, LAST]):
            if can_be(token, wires[other, AHEAD], instance):
                ways += 1
                if drawn(hand.random, ways) == 0:
                    goes = other
        if goes < 0:
            return False
        after = wires[goes, AHEAD]
        if goes != wire:
            exchange(wire, goes, solution)
        wire = after
        if wires[wire, SEEN] >= 0:
            return wires[wire, SEEN] == token
    return True


class AssumedSightings(NamedTuple):
    """Those that were added, and what is needed to add more.

    Parameters
    ----------
    wire, token
        (n_wires,) each: the first ``size[0]`` of them were added; wires of the landscape.
    latest
        (n_rows,): last sighting of each token.
    start
        (n_wires,): step at which each wire of the landscape begins.
    size
        (1,).
    """

    wire: Ints
    token: Ints
    latest: Ints
    start: Ints
    size: npt.NDArray[np.int64]


def no_sightings(instance: SearchInstance, start: Ints) -> AssumedSightings:
    """None was added.

    Parameters
    ----------
    instance
        The landscape.
    start
        (n_wires,): step at which each wire of the network begins.
    """
    seen = np.flatnonzero(instance.wires[:, SEEN] >= 0)
    begins = start[instance.wire]
    seen = seen[np.argsort(begins[seen], kind="stable")]
    latest = np.full(int(instance.wires[:, SEEN].max()) + 1, -1, np.int32)
    latest[instance.wires[seen, SEEN]] = seen
    n = len(instance.wire)
    return AssumedSightings(
        np.zeros(n, np.int32), np.zeros(n, np.int32), latest, begins, np.zeros(1, np.int64)
    )


@compiled
def see_told(  # pragma: no cover - compiled
    may: Domains, but: int, solution: Solution, instance: SearchInstance, added: AssumedSightings
) -> bool:
    """See tokens that are the only ones left on wires off which others were struck.

    False: somebody was struck off a wire where she is seen, as she may be elsewhere in truth;
    nothing was added, and annealing cannot look for such a solution.

    Parameters
    ----------
    may
        What is possible, and what was struck off.
    but
        Wire of the network on which it does not matter who is seen.
    solution, around, added
        What the sightings are added to. ``since`` of the landscape changes.
    """
    for i in range(may.counters[EXCLUDED]):
        if solution.wires[instance.number[may.excluded[i, 0]], SEEN] == may.excluded[i, 1]:
            return False
    for i in range(may.counters[EXCLUDED]):
        here = may.excluded[i, 0]
        wire = instance.number[here]
        if may.size[here] == 1 and here != but and solution.wires[wire, SEEN] < 0:
            _see(wire, only_token(here, may.possible), solution, instance, added)
    return True


@inner
def _see(  # pragma: no cover - compiled
    wire: int, token: int, solution: Solution, instance: SearchInstance, added: AssumedSightings
) -> None:
    """Add one sighting."""
    added.wire[added.size[0]], added.token[added.size[0]] = wire, token
    added.size[0] += 1
    after, before = _around_it(wire, token, instance, added)
    instance.since[wire] = before
    if after >= 0:
        instance.since[after] = wire
    else:
        added.latest[token] = wire
    wires, ending = solution.wires, solution.wires[wire, ENDING]
    redirect(wires[wire, BEHIND], wire, solution)
    wires[wire, SEEN], wires[wire, TOKEN] = token, token
    touch(wire, solution)
    rename(wires[wire, AHEAD], token, solution)
    review(wire, solution)
    review(ending, solution)


@inner
def _around_it(  # pragma: no cover - compiled
    wire: int, token: int, instance: SearchInstance, added: AssumedSightings
) -> tuple[int, int]:
    """The sightings of a token after and before a wire; -1: there is none after it."""
    after, before = -1, added.latest[token]
    while added.start[before] > added.start[wire]:
        after, before = before, instance.since[before]
    return after, before


@compiled
def forget(  # pragma: no cover - compiled
    solution: Solution, instance: SearchInstance, added: AssumedSightings
) -> None:
    """Take off all that were added.

    Where one of them is broken, who comes there is still taken for who was to be seen there: such a
    solution is of no use any more, but for beginning anew.
    """
    wires = solution.wires
    while added.size[0]:
        added.size[0] -= 1
        wire, token = added.wire[added.size[0]], added.token[added.size[0]]
        after, before = -1, added.latest[token]
        while before != wire:
            after, before = before, instance.since[before]
        if after >= 0:
            instance.since[after] = instance.since[wire]
        else:
            added.latest[token] = instance.since[wire]
        instance.since[wire] = -1
        wires[wire, SEEN] = -1
        redirect(wires[wire, BEHIND], wires[wire, ENDING], solution)
