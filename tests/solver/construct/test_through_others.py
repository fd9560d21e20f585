"""Exchanges through others: each is one, and each kind of them is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.network.core import Core
from mixsafe.network.timeline import timeline
from mixsafe.solver.construct.open_wires import OpenLists
from mixsafe.solver.construct.through_others import meet_through_others
from mixsafe.solver.state.witness import Assignment, fault
from tests.support.cores import MEETINGS, at_wires, core_of, pinned_cores, truth_of
from tests.support.oracles import domains
from tests.support.strategies import problem, problems


def listed(core: Core, near: int, workers: int, records: bool) -> OpenLists:
    """What is found on each wire, when more is wanted than there is."""
    wires = np.arange(core.network.n_wires)
    enough = np.full(len(wires), core.network.n_rows + 1, np.int32)
    known = OpenLists.of(wires, enough, records)
    meet_through_others(timeline(core), known, near, workers)
    assert np.all(known.size == np.count_nonzero(known.tokens >= 0, axis=1))
    return known


def found_in(core: Core, near: int = 8, workers: int = 1) -> list[set[int]]:
    """The tokens that are found on each wire, whether exchanges are told or not."""
    known, exchanges = (listed(core, near, workers, records) for records in (False, True))
    assert np.array_equal(known.tokens, exchanges.tokens)
    _lead_there(core, exchanges)
    return [set(some[some >= 0].tolist()) for some in known.tokens]


def _lead_there(core: Core, known: OpenLists) -> None:
    """Whatever is found, the exchanges that are told make an assignment in which it is so."""
    for number, wire in enumerate(known.wires.tolist()):
        for slot in range(known.size[number]):
            assignment = after(core, known.exchanges[number, slot])
            assert assignment[wire] == known.tokens[number, slot]
            assert fault(core, assignment) is None


def after(core: Core, exchanges: np.ndarray) -> Assignment:
    """The tokens on all wires when two rows after the other exchange, as is told."""
    network, on = core.network, core.network.row.copy()
    left = [
        tuple(one)
        for one in sorted(exchanges[exchanges[:, 0] >= 0].tolist(), key=lambda one: one[0])
    ]
    for zone, time in enumerate(network.zone_time.tolist()):
        came = network.before[network.zone_ptr[zone] : network.zone_ptr[zone + 1]]
        held = {int(network.row[wire]): int(on[wire]) for wire in came}
        for step, one, other in list(left):
            if step == time and {one, other} <= held.keys():
                held[one], held[other] = held[other], held[one]
                left.remove((step, one, other))
        on[came + 1] = [held[int(network.row[wire])] for wire in came]
    assert not left
    return on


@given(asked=problems(max_users=6, max_zones=8), near=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_all_are_candidates_of_others(asked, near):
    core = core_of(asked)
    rows = core.network.row.tolist()
    for found, truth, row in zip(found_in(core, near), truth_of(asked), rows, strict=True):
        assert found <= truth - {row}


@given(asked=pinned_cores())
@settings(max_examples=40, deadline=None)
def test_all_are_candidates_where_tokens_are_on_one_of_several_rows(asked):
    core, zones, pins = asked
    truth = at_wires(
        core.network, domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    )
    assert all(found <= can for found, can in zip(found_in(core), truth, strict=True))


@pytest.mark.parametrize("kind", MEETINGS)
@pytest.mark.parametrize("backward", [False, True])
def test_each_kind_is_found_in_both_directions_of_time(kind, backward):
    step, pairs = MEETINGS[kind]
    horizon = len(pairs) + 1
    zones = [(horizon - t if backward else t, list(pair)) for t, pair in enumerate(pairs, 1)]
    step = horizon - 1 - step if backward else step
    known = [(user, t) for user in range(4) for t in (0, horizon)]
    core = core_of(problem(4, horizon, sorted(zones), known))
    assert 1 in found_in(core)[core.network.wire_at(0, step)]


@pytest.mark.parametrize("backward", [False, True])
def test_who_meets_a_partner_and_then_the_user_is_found(backward):
    pairs = [(1, 2), (0, 1), (0, 2), (0, 1)]
    zones = [(5 - t if backward else t, list(pair)) for t, pair in enumerate(pairs, 1)]
    known = [(user, t) for user in range(3) for t in (0, 5)]
    core = core_of(problem(3, 5, sorted(zones), known))
    assert found_in(core)[core.network.wire_at(0, 2)] == {1, 2}


def test_who_is_not_seen_any_more_need_not_come_back():
    zones = [(1, [0, 2]), (2, [1, 2]), (3, [0, 2])]
    everybody = [(user, 0) for user in range(3)]
    core = core_of(problem(3, 4, zones, everybody))
    last = core.network.wire_at(0, 3)
    assert 1 in found_in(core)[last]
    assert not found_in(core_of(problem(3, 4, zones, [*everybody, (1, 4)])))[last] & {1}


def test_threads_change_nothing():
    random = np.random.default_rng(4)
    zones = [
        (t, sorted(some.tolist()))
        for t in range(1, 30)
        for some in np.array_split(random.permutation(40), 13)
    ]
    core = core_of(problem(40, 30, zones, [(u, t) for u in range(40) for t in (0, 30)]))
    one, several = (listed(core, 8, workers, records=True) for workers in (1, 3))
    assert np.array_equal(one.tokens, several.tokens)
    assert np.array_equal(one.exchanges, several.exchanges)
