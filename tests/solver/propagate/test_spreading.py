"""Where a single token can go: the same wires, as near, as from the definition."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.spreading import AFTER, BEFORE, spread
from tests.support.oracles import zones_of
from tests.support.strategies import mix_zones, problems

STAYS_AWAY = math.inf
ALL_TIMES = (0, 1 << 40)


def steps_between(network, zones, side, span=ALL_TIMES):
    """From which wire to which other one a token gets through one zone."""
    found = set()
    for t, members in zones:
        if span[0] < t <= span[1]:
            come, leave = (network.wire_at(members, [at] * len(members)) for at in (t - 1, t))
            one, other = (come, leave) if side == AFTER else (leave, come)
            found |= {(a, b) for a in one.tolist() for b in other.tolist()}
    return found


def distances(network, passed, begin, taken, shut, most):
    """How far each wire is; those that begin count as far as their place says."""
    far = [STAYS_AWAY] * network.n_wires
    for place, wire in enumerate(begin):
        if place < most:
            far[wire] = place
    for _ in range(network.n_wires):
        for a, b in passed:
            if b != shut and far[a] < most and (not taken[a] or a in begin):
                far[b] = min(far[b], far[a] + 1)
    return far


@given(asked=problems(max_assignments=5000), data=st.data(), side=st.sampled_from([BEFORE, AFTER]))
@settings(max_examples=200)
def test_what_is_reached_and_how_far_it_is(asked, data, side):
    network, zones = WireNetwork.of(asked.zones), zones_of(asked)
    any_wire = st.integers(0, network.n_wires - 1)
    row = data.draw(st.integers(0, network.n_rows - 1))
    of_row = range(int(network.first[row]), int(network.first[row + 1]))
    of_row = of_row[::-1] if side == AFTER else of_row  # who begins there is not reached before
    begin = list(of_row)[: data.draw(st.integers(1, 3))]
    taken = np.zeros(network.n_wires, bool)
    taken[data.draw(st.lists(any_wire, max_size=4))] = True
    shut = data.draw(st.one_of(st.just(-1), any_wire.filter(lambda wire: wire not in begin)))
    most = data.draw(st.sampled_from([0, 1, 2, 3, 1 << 40]))
    horizon = asked.zones.axis.steps
    some_time = st.tuples(st.integers(0, horizon), st.integers(0, horizon))
    span = data.draw(st.one_of(st.just(ALL_TIMES), some_time))
    passed = steps_between(network, zones, side, span)

    found = spread(network, side, np.array(begin), taken, shut=shut, most=most, span=span)
    far = distances(network, passed, begin, taken, shut, most)

    reached = [wire for wire in range(network.n_wires) if far[wire] < STAYS_AWAY]
    assert sorted(found.wire.tolist()) == reached == np.flatnonzero(found.by >= 0).tolist()
    assert found.depth.tolist() == sorted(found.depth.tolist())
    assert found.depth.tolist() == [far[wire] for wire in found.wire.tolist()]
    for wire in reached:
        way = found.path(wire)
        assert way[0] == wire
        assert way[-1] in begin
        assert all(step in passed for step in zip(way[1:], way, strict=False))


@pytest.mark.parametrize("side", [BEFORE, AFTER])
def test_without_limits_everything_on_that_side_is_reached(side):
    network = WireNetwork.of(mix_zones(3, 4, [(1, [0, 1]), (3, [1, 2])]))  # 2, 3 and 2 wires
    found = spread(network, side, np.array([3]))
    assert sorted(found.wire.tolist()) == ([0, 2, 3] if side == BEFORE else [3, 4, 6])
    ahead = spread(network, AFTER, np.array([0]))
    assert sorted(ahead.wire.tolist()) == [0, 1, 3, 4, 6]


def test_a_taken_wire_ends_the_ways_that_come_to_it_but_none_that_begins_there():
    network = WireNetwork.of(mix_zones(3, 4, [(1, [0, 1]), (3, [1, 2])]))  # 2, 3 and 2 wires
    taken = np.arange(network.n_wires) == 3
    assert sorted(spread(network, AFTER, np.array([0]), taken).wire.tolist()) == [0, 1, 3]
    assert sorted(spread(network, AFTER, np.array([3]), taken).wire.tolist()) == [3, 4, 6]
    assert sorted(spread(network, BEFORE, np.array([6]), taken).wire.tolist()) == [3, 5, 6]


def test_a_shut_wire_is_not_entered_and_zones_count_after_the_first_step_up_to_the_second():
    network = WireNetwork.of(mix_zones(3, 4, [(1, [0, 1]), (3, [1, 2])]))
    one = np.array([0])
    assert sorted(spread(network, AFTER, one, shut=3).wire.tolist()) == [0, 1]
    assert spread(network, AFTER, one, span=(1, 4)).wire.tolist() == [0]
    assert sorted(spread(network, AFTER, one, span=(0, 2)).wire.tolist()) == [0, 1, 3]
    assert sorted(spread(network, AFTER, one, span=(0, 3)).wire.tolist()) == [0, 1, 3, 4, 6]
