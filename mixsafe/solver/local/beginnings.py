"""How a restart of annealing begins: assumed places, implied sightings, and a routed token.

Annealing gets stuck on tokens with few paths home, if other tokens take these paths. Assuming one
of their places, with all its consequences, leaves annealing the easy part. A wire on which the
assumptions leave one token (:mod:`mixsafe.solver.propagate.assumptions`) gets an implied sighting
until the restart ends: annealing brings the token there as to any sighting, and does not search
among the excluded paths of others. Last, one token is routed over the wire where it is wanted.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mixsafe.machinery.compiled import compiled, inner
from mixsafe.network.timeline import wire_at
from mixsafe.network.wires import Wires
from mixsafe.solver.local.generator import State, drawn
from mixsafe.solver.local.moves import WorkerState, can_be
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
    exchange_cycle,
    find_cycle,
    may_replace,
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

_MAX_PLACES = 8  # only for tokens with at most so many places one is assumed
_SAMPLES = 32  # excluded tokens to look at, for the one with the fewest places left


@compiled
def assume_places(  # pragma: no cover - compiled
    number: int, random: State, domains: Domains, net: Wires
) -> bool:
    """Assume the places of some tokens that have few places left, one after the other.

    Parameters
    ----------
    number
        How many places are assumed.
    random
        State of the random generator.
    domains, net
        Domains under the assumptions so far, and the wires.

    Returns
    -------
    bool
        False: the assumptions contradict each other.
    """
    for _ in range(number):
        mark = domains.counters[EXCLUDED]
        token, step = _token_with_few_places(random, domains, net)
        if token < 0:
            continue
        wire, left = -1, drawn(random, domains.places[step, token])
        for row in range(len(net.first) - 1):
            other = wire_at(row, step, net)
            if tokens.holds(domains.possible[other], token):
                if left == 0:
                    wire = other
                left -= 1
        keep_only(wire, token, domains, net)
        if not follow(domains, net):
            take_back(mark, domains, net)
            exclude(wire, token, domains, net)
            if not follow(domains, net):
                return False
    return True


@inner
def _token_with_few_places(  # pragma: no cover - compiled
    random: State, domains: Domains, net: Wires
) -> tuple[int, int]:
    """Draw an excluded token with few places left, and the step of these places; -1: none found."""
    token, step, fewest = -1, 0, _MAX_PLACES + 1
    if domains.counters[EXCLUDED]:
        for _ in range(_SAMPLES):
            i = drawn(random, domains.counters[EXCLUDED])
            other, then = domains.excluded[i, 1], net.start[domains.excluded[i, 0]]
            if 1 < domains.places[then, other] < fewest:
                token, step, fewest = other, then, domains.places[then, other]
    return token, step


@compiled
def route_over(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, worker: WorkerState
) -> bool:
    """Route ``token`` over ``wire``, from its previous sighting to its next one.

    The path is drawn from the wires on which the token is possible. False: it reached a dead end.
    """
    return _route_back(token, wire, solution, instance, worker) and _route_on(
        token, wire, solution, instance, worker
    )


@inner
def _route_back(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, worker: WorkerState
) -> bool:
    """Route ``token`` to ``wire``, backward from there to its previous sighting."""
    wires = solution.wires
    while wires[wire, SEEN] != token:
        behind, came, n_options = wires[wire, BEHIND], -1, 0
        if behind < 0 or wires[wire, SEEN] >= 0:
            return False
        for other in range(wires[behind, FIRST], wires[behind, LAST]):
            if can_be(token, other, instance) and may_replace(other, behind, wires, instance):
                n_options += 1
                if drawn(worker.random, n_options) == 0:
                    came = other
        if came < 0:
            return False
        if came != behind and not _replace(came, behind, solution, instance, worker):
            return False
        wire = came
    return True


@inner
def _route_on(  # pragma: no cover - compiled
    token: int, wire: int, solution: Solution, instance: SearchInstance, worker: WorkerState
) -> bool:
    """Route ``token`` on from ``wire`` to its next sighting, or to the horizon."""
    wires = solution.wires
    while wires[wire, FIRST] >= 0:
        goes, n_options = -1, 0
        for other in range(wires[wire, FIRST], wires[wire, LAST]):
            can = can_be(token, wires[other, AHEAD], instance)
            if can and may_replace(wire, other, wires, instance):
                n_options += 1
                if drawn(worker.random, n_options) == 0:
                    goes = other
        if goes < 0:
            return False
        after = wires[goes, AHEAD]
        if goes != wire and not _replace(wire, goes, solution, instance, worker):
            return False
        wire = after
        if wires[wire, SEEN] >= 0:
            return wires[wire, SEEN] == token
    return True


@inner
def _replace(  # pragma: no cover - compiled
    one: int, other: int, solution: Solution, instance: SearchInstance, worker: WorkerState
) -> bool:
    """Let the token on ``one`` leave in place of that on ``other``; False: the zone allows none."""
    length = find_cycle(one, other, worker.cycle, solution.wires, instance, worker.random)
    exchange_cycle(length, worker.cycle, solution)
    return length > 0


class AssumedSightings(NamedTuple):
    """Sightings that were added for one restart.

    Parameters
    ----------
    wire, token
        (n_wires,) each: the first ``size[0]`` of them were added; wires of the instance.
    latest
        (n_rows,): last sighting of each token.
    start
        (n_wires,): step at which each wire of the instance begins.
    size
        (1,): number of added sightings.
    """

    wire: Ints
    token: Ints
    latest: Ints
    start: Ints
    size: npt.NDArray[np.int64]


def no_sightings(instance: SearchInstance, start: Ints) -> AssumedSightings:
    """No added sightings.

    Parameters
    ----------
    instance
        The instance.
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
def add_implied_sightings(  # pragma: no cover - compiled
    domains: Domains,
    ignored: int,
    solution: Solution,
    instance: SearchInstance,
    added: AssumedSightings,
) -> bool:
    """Add a sighting where the assumptions leave one token on a wire.

    False: a token is excluded from a wire of its own sighting, because it may be elsewhere in some
    solution. Annealing cannot search for such solutions; nothing was added.

    Parameters
    ----------
    domains
        Possible and excluded tokens.
    ignored
        Wire of the network that gets no sighting.
    solution, instance, added
        Changed in place: the sightings are added to all three. Of the instance, ``since`` changes.
    """
    for i in range(domains.counters[EXCLUDED]):
        if solution.wires[instance.number[domains.excluded[i, 0]], SEEN] == domains.excluded[i, 1]:
            return False
    for i in range(domains.counters[EXCLUDED]):
        here = domains.excluded[i, 0]
        wire = instance.number[here]
        if domains.size[here] == 1 and here != ignored and solution.wires[wire, SEEN] < 0:
            _add_sighting(wire, only_token(here, domains.possible), solution, instance, added)
    return True


@inner
def _add_sighting(  # pragma: no cover - compiled
    wire: int, token: int, solution: Solution, instance: SearchInstance, added: AssumedSightings
) -> None:
    """Add one sighting."""
    added.wire[added.size[0]], added.token[added.size[0]] = wire, token
    added.size[0] += 1
    after, before = _adjacent_sightings(wire, token, instance, added)
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
def _adjacent_sightings(  # pragma: no cover - compiled
    wire: int, token: int, instance: SearchInstance, added: AssumedSightings
) -> tuple[int, int]:
    """The next sighting of a token after a wire, or -1, and the previous one before it."""
    after, before = -1, added.latest[token]
    while added.start[before] > added.start[wire]:
        after, before = before, instance.since[before]
    return after, before


@compiled
def remove_sightings(  # pragma: no cover - compiled
    solution: Solution, instance: SearchInstance, added: AssumedSightings
) -> None:
    """Remove all added sightings.

    If one of them is violated, the path behind it keeps the token of the sighting. Such a solution
    must be reset before it is used again.
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
