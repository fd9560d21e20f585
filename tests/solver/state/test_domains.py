"""What is queued when tokens are excluded: where exactly one is left, and the zones beside."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.domains import (
    ALONE,
    EXCLUDED,
    FAILED,
    HELD,
    ZONES,
    Domains,
    exclude,
    take_back,
)
from tests.support.cores import core_of
from tests.support.strategies import problem, problems


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


@given(asked=problems(), seed=st.integers(0, 2**32 - 1))
def test_tokens_with_one_place_left_are_queued_and_the_zones_at_both_ends(asked, seed):
    """A token once for each stretch in which it has one place left, while there is room."""
    core = core_of(asked)
    network, possible = core.network, reachable(core)
    rows = np.arange(network.n_rows)
    on_row = np.array([network.wire_at(rows, step) for step in range(network.horizon + 1)])
    wire, token = tokens.pairs(possible)
    left = np.zeros((network.n_wires, network.n_rows), bool)
    left[wire, token] = True
    domains, alone, zones = Domains.of(core, possible), list[list[int]](), list[int]()
    for one in np.random.default_rng(seed).permutation(len(wire)).tolist():
        at, gone = int(wire[one]), int(token[one])
        exclude(at, gone, domains, network.wires)
        left[at, gone] = False
        steps = range(network.start[at], network.end[at] + 1)
        single = [left[on_row[step], gone].sum() == 1 for step in steps]
        begins = [one and not before for before, one in pairwise([False, *single])]
        alone += [[step, gone] for step, new in zip(steps, begins, strict=True) if new]
        before = network.leads_to[at - 1] if network.start[at] > 0 else -1
        zones += [z for z in (before, network.leads_to[at]) if z >= 0 and z not in zones]
    n = domains.counters[ALONE]
    assert domains.alone[:n].tolist() == alone[: network.n_wires]
    assert domains.zones[: domains.counters[ZONES]].tolist() == zones


def test_more_tokens_with_one_place_left_than_there_is_room_for_are_left_out():
    """Rows 0 and 1 meet six times, row 2 never: three tokens with one place in seven stretches."""
    core = core_of(problem(3, 8, [(t, [0, 1]) for t in range(1, 7)], [(0, 0)]))
    network = core.network
    everything = np.full((network.n_wires, 1), 0b111, np.uint64)
    domains = Domains.of(core, everything)
    for row in (2, 0):
        for wire in np.flatnonzero(network.row == row).tolist():
            for token in range(3):
                exclude(wire, token, domains, network.wires)
    assert domains.counters[ALONE] == network.n_wires < 3 * 7
    assert domains.alone[:3].tolist() == [[0, 0], [0, 1], [0, 2]]
