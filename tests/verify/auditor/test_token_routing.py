"""Tokens led to rows where nobody has seen them: what comes of it is true, and goes far."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.verify.auditor.token_routing import Requests
from tests.oracles import domains
from tests.solver.cores import Candidates, at_wires, core_of, listed, within
from tests.strategies import problem
from tests.verify.test_engines_against_brute_force import pinned_cores

CHAIN = 8
THERE_AND_BACK = [*range(1, CHAIN), *range(CHAIN - 1, 0, -1)]
IN_A_CHAIN = problem(
    CHAIN,
    len(THERE_AND_BACK),
    [(t, [u - 1, u]) for t, u in enumerate(THERE_AND_BACK, 1)],
    [(u, t) for u in range(CHAIN) for t in (0, len(THERE_AND_BACK))],
)
"""Each meets the next in turn, then all of it backwards; everybody is known at both ends."""


def requested(core: Core, n_known: int, deadline: Deadline) -> Candidates:
    """What comes of leading every known token over every wire that it can reach, twice."""
    possible = reachable(core)
    proven = tokens.identity(core.network.row, core.words)
    requests = Requests(core, possible, n_known, 0)
    pairs = [
        (wire, token)
        for wire in np.flatnonzero(core.network.start > 0).tolist()
        for token in tokens.members(possible[wire]).tolist()
        if token < n_known
    ]
    wire, token = np.array([*pairs, *pairs], np.int64).reshape(-1, 2).T
    requests.fulfil(wire.copy(), token.copy(), proven, deadline)
    return listed(proven)


def of_known(pins: Pins, n_known: int) -> Pins:
    """The pins of tokens that are told apart."""
    kept = pins.token < n_known
    sizes = np.diff(pins.ptr)
    ptr = np.concatenate([[0], np.cumsum(sizes[kept])]).astype(np.int64)
    return Pins(pins.token[kept], pins.time[kept], ptr, pins.rows[np.repeat(kept, sizes)])


@given(asked=pinned_cores(), n_known=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_what_a_request_brings_is_a_candidate(asked, n_known):
    core, zones, pins = asked
    n_known = min(n_known, core.network.n_rows)
    core = replace(core, pins=of_known(core.pins, n_known))
    pins = [pin for pin in pins if pin[0] < n_known]
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    found = requested(core, n_known, Deadline(None))
    assert within(found, at_wires(core.network, truth))


def test_one_request_moves_as_many_as_it_takes():
    core = core_of(IN_A_CHAIN)
    network = core.network
    core = replace(core, pins=core.own_pins())
    far = int(network.wire_at(CHAIN - 1, CHAIN - 1))
    proven = tokens.identity(network.row, core.words)
    requests = Requests(core, reachable(core), CHAIN, 0)
    requests.fulfil(np.array([far]), np.array([0]), proven, Deadline(None))
    assert listed(proven)[far] == {0, CHAIN - 1}


def test_no_request_is_taken_up_when_no_time_is_left():
    core = core_of(IN_A_CHAIN)
    deadline = Deadline(1e-9)
    assert requested(core, CHAIN, deadline) == [{row} for row in core.network.row.tolist()]
