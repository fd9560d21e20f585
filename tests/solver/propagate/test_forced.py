"""Forced tokens: others are struck off where one token has no choice, and no solution is lost."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.model.limits import Deadline
from mixsafe.solver.propagate.forced import force
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.verify.auditor.negotiated_routes import route
from tests.verify.auditor.towns import town


@pytest.mark.parametrize("seed", range(3))
def test_solutions_stay_and_who_has_one_wire_has_it_alone(seed):
    core = town(30, 10, 3, seed)
    possible = reachable(core)
    before = int(tokens.count(possible).sum())
    force(core, possible)
    assert int(tokens.count(possible).sum()) < before
    solution = route(core, reachable(core), np.ones(30, bool), Deadline(None))
    assert solution is not None
    for wire, token in enumerate(solution.tolist()):
        assert token in tokens.members(possible[wire])
    network, rows = core.network, np.arange(core.network.n_rows)
    for step in range(network.horizon + 1):
        wires = network.wire_at(rows, np.full_like(rows, step))
        there = [set(tokens.members(possible[wire]).tolist()) for wire in wires.tolist()]
        for token in range(network.n_rows):
            on = [who for who in there if token in who]
            assert len(on) > 1 or on == [{token}]
