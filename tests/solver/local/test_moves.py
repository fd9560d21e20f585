"""Variations of a witness: all that one exchange reaches, and only witnesses."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Apart
from mixsafe.solver.local.moves import new_worker_state, set_zero_temperature, vary
from mixsafe.solver.local.solutions import TOKEN, identity, instance_of
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import fault
from tests.support.cores import core_of
from tests.support.strategies import problems


def known_core(asked):
    """A question in which all sightings are of tokens on their own rows."""
    core = core_of(asked)
    return replace(core, pins=core.own_pins(), apart=Apart.none())


def varied(core, wire, sought):
    """Whole assignments of the variations that show one sought token after the other."""
    instance = instance_of(core, reachable(core))
    solution, worker = (
        identity(instance),
        new_worker_state(7, core.network.horizon + 2, np.zeros(1, np.bool_), instance),
    )
    set_zero_temperature(worker)
    unwanted, found = ~sought[None], []
    while vary(0, instance.number[[wire]], unwanted, solution, instance, worker) == 0:
        assignment = solution.wires[instance.number, TOKEN]
        assert solution.size[0] == 0
        found.append(assignment)
        tokens.put(unwanted, np.zeros(1, np.int64), assignment[[wire]])
    return found


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_each_variation_is_a_witness_of_a_token_that_was_sought(asked, data):
    core = known_core(asked)
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    sought = reachable(core)[wire]
    shown = [int(one[wire]) for one in varied(core, wire, sought)]
    assert len(set(shown)) == len(shown)
    assert set(shown) <= set(tokens.members(sought).tolist())
    assert all(fault(core, one) is None for one in varied(core, wire, sought))


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_what_one_exchange_shows_is_found(asked, data):
    core = known_core(asked)
    near = sorted({wire for wire, _ in one_exchange_away(core)})
    if near:
        wire = data.draw(st.sampled_from(near))
        assert varied(core, wire, reachable(core)[wire])


def one_exchange_away(core):
    """(wire, token) pairs of witnesses that are one exchange away from the identity."""
    network, found = core.network, set()
    for zone in range(network.n_zones):
        entries = network.before[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
        for one, other in permutations(entries.tolist(), 2):
            assignment = network.row.copy()
            for here, there in ((one, other), (other, one)):
                end = network.first[network.row[there] + 1]
                assignment[there + 1 : end] = network.row[here]
            if fault(core, assignment) is None:
                moved = np.flatnonzero(assignment != network.row)
                found |= set(zip(moved.tolist(), assignment[moved].tolist(), strict=True))
    return found
