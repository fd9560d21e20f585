"""Solutions that may violate sightings: their stored state agrees with their paths."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.machinery.compiled import compiled
from mixsafe.solver.local.moves import repairable
from mixsafe.solver.local.solutions import (
    AHEAD,
    BEHIND,
    ENDING,
    FIRST,
    SEEN,
    TOKEN,
    cost_of,
    exchange,
    identity,
    instance_of,
    reset,
)
from mixsafe.solver.propagate.reachability import reachable
from tests.support.cores import core_of
from tests.support.strategies import problems


@compiled
def exchanged(one, other, solution):
    """Exchange; return the predicted cost."""
    cost = cost_of(one, other, solution.wires)
    exchange(one, other, solution)
    return cost


@compiled
def undone(solution, instance):
    """Reset to the identity."""
    reset(solution, instance)


@compiled
def could_repair(one, other, wires, instance):
    """Whether the sighting to which ``one`` comes could be repaired after an exchange."""
    return repairable(one, other, wires, instance)


def begun(asked):
    """An instance, and its identity."""
    core = core_of(asked)
    instance = instance_of(core, reachable(core))
    return core.network, instance, identity(instance)


def exchange_some(data, network, solution):
    """Some exchanges at random zones; whether each cost is as predicted."""
    if not network.n_zones:
        return True
    agree = True
    for _ in range(data.draw(st.integers(0, 12))):
        zone = data.draw(st.integers(0, network.n_zones - 1))
        wires = range(network.zone_ptr[zone], network.zone_ptr[zone + 1])
        if len(wires) > 1:
            one, other = data.draw(st.permutations(wires))[:2]
            before = solution.size[0]
            cost = exchanged(one, other, solution)
            agree &= solution.size[0] - before == cost
    return agree


def followed(instance, solution):
    """Token, and end of the path, of each wire, and violated sightings, from what is ahead."""
    ahead, seen = solution.wires[:, AHEAD], instance.wires[:, SEEN]
    token, ending, violated = [-1] * len(seen), [0] * len(seen), set()
    for first in np.flatnonzero(seen >= 0).tolist():
        path, wire = [first], int(ahead[first])
        while wire >= 0 and seen[wire] < 0:
            path.append(wire)
            wire = int(ahead[wire])
        for one in path:
            token[one] = int(seen[first])
            ending[one] = wire if wire >= 0 else ~path[-1]
        if wire >= 0 and seen[wire] != seen[first]:
            violated.add(wire)
    return token, ending, violated


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_after_any_exchanges_tokens_ends_and_violated_sightings_are_those_of_the_paths(asked, data):
    network, instance, solution = begun(asked)
    assert exchange_some(data, network, solution)
    token, ending, violated = followed(instance, solution)
    assert solution.wires[:, TOKEN].tolist() == token
    assert solution.wires[:, ENDING].tolist() == ending
    assert set(solution.violated[: solution.size[0]].tolist()) == violated
    assert all(solution.violated[solution.place[wire]] == wire for wire in violated)
    assert np.count_nonzero(solution.place >= 0) == len(violated)


@given(asked=problems(), data=st.data())
@settings(max_examples=50)
def test_a_solution_that_is_reset_is_the_identity(asked, data):
    network, instance, solution = begun(asked)
    exchange_some(data, network, solution)
    undone(solution, instance)
    again = identity(instance)
    for name in ("wires", "place", "size"):
        assert np.array_equal(getattr(solution, name), getattr(again, name)), name


def way_to(wire, solution):
    """Wires to zones, from ``wire`` back to the last sighting."""
    way = [wire]
    while solution.wires[way[-1], SEEN] < 0:
        way.append(int(solution.wires[way[-1], BEHIND]))
    return way


def meetings(violated, instance, solution):
    """Pairs of wires where the path to a sighting meets the path of the token seen there."""
    ending = int(solution.wires[instance.since[violated], ENDING])
    mine = way_to(int(solution.wires[violated, BEHIND]), solution)
    theirs = way_to(int(solution.wires[ending, BEHIND]) if ending >= 0 else ~ending, solution)
    zone = {int(solution.wires[wire, FIRST]): wire for wire in theirs}
    first = [int(solution.wires[wire, FIRST]) for wire in mine]
    return {frozenset((w, zone[z])) for w, z in zip(mine, first, strict=True) if z in zone}


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_what_could_be_repaired_is_predicted_before_the_exchange(asked, data):
    network, instance, solution = begun(asked)
    exchange_some(data, network, solution)
    if not network.n_zones:
        return
    zone = data.draw(st.integers(0, network.n_zones - 1))
    wires = range(network.zone_ptr[zone], network.zone_ptr[zone + 1])
    one, other = data.draw(st.permutations(wires))[:2]
    predicted = could_repair(one, other, solution.wires, instance)
    sighting = int(solution.wires[one, ENDING])
    exchanged(one, other, solution)
    violated = sighting >= 0 and solution.place[sighting] >= 0
    assert predicted == (
        violated and bool(meetings(sighting, instance, solution) - {frozenset((one, other))})
    )
