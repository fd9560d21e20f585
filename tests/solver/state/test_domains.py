"""What is queued when tokens are excluded: exactly the wires on which one token is left."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.domains import EXCLUDED, FAILED, HELD, Domains, exclude, take_back
from tests.support.cores import core_of
from tests.support.strategies import problems


@given(asked=problems(), seed=st.integers(0, 2**32 - 1))
def test_wires_with_one_token_left_are_queued_once_each_and_no_others(asked, seed):
    core = core_of(asked)
    network, possible = core.network, reachable(core)
    rows = np.arange(network.n_rows)
    on_row = [network.wire_at(rows, step) for step in range(network.horizon + 1)]
    wire, token = tokens.pairs(possible)
    left = np.zeros((network.n_wires, network.n_rows), bool)
    left[wire, token] = True
    domains, expected = Domains.of(core, possible), list[int]()
    for one in np.random.default_rng(seed).permutation(len(wire)).tolist():
        exclude(int(wire[one]), int(token[one]), domains, network.wires)
        left[wire[one], token[one]] = False
        if left[wire[one]].sum() == 1:
            expected.append(int(wire[one]))
        assert domains.held[: domains.counters[HELD]].tolist() == expected
        nowhere = any((~left[wires].any(axis=0)).any() for wires in on_row)
        assert domains.counters[FAILED] == (nowhere or (~left.any(axis=1)).any())
    assert domains.counters[EXCLUDED] == len(wire)
    take_back(0, domains, network.wires)
    assert np.array_equal(domains.possible, possible)
    assert np.array_equal(domains.size, tokens.count(possible))
    assert domains.counters[HELD] == 0
