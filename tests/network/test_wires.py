"""Wires: where they begin and end, and why one variable each is enough."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.errors import InputError
from mixsafe.model.csr import pointers
from mixsafe.network.wires import (
    MOST,
    WireNetwork,
    came_from,
    first_from,
    is_complete,
    may_leave,
    row_of,
    swappable,
    wire_from,
    wires_of,
)
from tests.support.oracles import domains_of, zones_of
from tests.support.strategies import mix_zones, problems
from tests.support.zone_matrices import matrices, relation_of, sizes


@pytest.fixture
def network():
    """Four walkers, six steps; walker 2 meets others in the first and in the third step."""
    return WireNetwork.of(mix_zones(4, 6, [(1, [0, 2]), (3, [1, 2, 3])]))


def spans(network, row):
    wires = slice(network.first[row], network.first[row + 1])
    return list(zip(network.start[wires].tolist(), network.end[wires].tolist(), strict=True))


def test_a_wire_begins_at_a_meeting_and_ends_the_step_before_the_next(network):
    assert spans(network, 2) == [(0, 0), (1, 2), (3, 6)]


def test_a_user_who_meets_nobody_has_one_wire():
    assert spans(WireNetwork.of(mix_zones(3, 5, [(2, [0, 1])])), 2) == [(0, 5)]


def test_a_meeting_in_the_last_step_leaves_a_wire_of_one_step():
    assert spans(WireNetwork.of(mix_zones(2, 5, [(5, [0, 1])])), 0) == [(0, 4), (5, 5)]


def test_without_zones_every_user_has_one_wire():
    network = WireNetwork.of(mix_zones(3, 1, []))
    assert (network.n_wires, network.n_zones) == (3, 0)
    assert [spans(network, row) for row in range(3)] == [[(0, 1)]] * 3


@given(problem=problems())
@settings(max_examples=25)
def test_each_step_of_each_user_is_on_exactly_the_wire_that_is_found_for_it(problem):
    network = WireNetwork.of(problem.zones)
    row, step = np.divmod(np.arange(network.n_rows * (network.horizon + 1)), network.horizon + 1)
    wire = network.wire_at(row, step)
    assert np.array_equal(network.row[wire], row)
    assert np.all((network.start[wire] <= step) & (step <= network.end[wire]))
    assert np.sum(network.end - network.start + 1) == len(step)


@given(problem=problems())
@settings(max_examples=25)
def test_a_zone_lies_between_two_wires_of_each_member(problem):
    network = WireNetwork.of(problem.zones)
    time = np.repeat(network.zone_time, np.diff(network.zone_ptr))
    for wire, step in ((network.before, time - 1), (network.before + 1, time)):
        assert np.array_equal(network.wire_at(network.member, step), wire)
    assert np.array_equal(network.end[network.before], time - 1)
    assert np.array_equal(network.start[network.before + 1], time)


@given(problem=problems())
@settings(max_examples=25)
def test_a_wire_knows_the_zone_in_which_it_begins_and_the_one_to_which_it_leads(problem):
    network, horizon = WireNetwork.of(problem.zones), problem.zones.axis.steps
    zones = zones_of(problem)
    for wire in range(network.n_wires):
        row, start, after = (
            int(one) for one in (network.row[wire], network.start[wire], network.end[wire] + 1)
        )
        for found, step in ((network.comes_from[wire], start), (network.leads_to[wire], after)):
            there = [z for z, (t, members) in enumerate(zones) if t == step and row in members]
            assert found == there[0] if there else found < 0 and step in (0, horizon + 1)


@given(problem=problems())
@settings(max_examples=25)
def test_compiled_functions_find_the_same(problem):
    network = WireNetwork.of(problem.zones)
    net, every = network.wires, np.arange(network.n_wires)
    assert [came_from(wire, net) for wire in every.tolist()] == network.comes_from.tolist()
    assert row_of(every, net).tolist() == network.row.tolist()
    comes = dict(zip(network.before.tolist(), range(len(network.member)), strict=True))
    assert net.entry.tolist() == [comes.get(wire, -1) for wire in every.tolist()]
    for row in range(network.n_rows):
        mine = np.flatnonzero(network.row == row)
        for step in range(network.horizon + 2):
            later = mine[network.start[mine] >= step]
            assert wire_from(row, step, net) == (later[0] if len(later) else mine[-1] + 1)


@given(st.lists(st.integers(0, 9)).map(sorted), st.data())
def test_the_first_place_of_a_step_is_looked_for_in_a_stretch_only(steps, data):
    low = data.draw(st.integers(0, len(steps)))
    high = data.draw(st.integers(low, len(steps)))
    step = data.draw(st.integers(-1, 10))
    found = first_from(step, low, high, np.array(steps, np.int32))
    assert found == next((at for at in range(low, high) if steps[at] >= step), high)


@given(matrices(), st.integers(0, 99))
@settings(max_examples=25)
def test_zones_are_left_on_tracks_that_their_pairs_allow(zones, seed):
    size = sizes(zones)
    time = np.arange(1, len(zones) + 1, dtype=np.int32)
    member = np.concatenate([np.arange(one, dtype=np.int32) for one in size])
    ptr = pointers(size)
    relation = relation_of(zones) if any(one is not None for one in zones) else None
    net = WireNetwork.joining(int(size.max()), len(zones), time, ptr, member, relation).wires
    assert (net.relation is None) == (relation is None)
    random = np.random.default_rng(seed)
    for z, one in enumerate(zones):
        assert is_complete(z, net) == (one is None)
        allowed = np.ones((5, 5), bool) if one is None else one
        come, leave = random.integers(0, size[z], (2, 80))
        pairs = np.column_stack([come, leave])
        moves = [may_leave(ptr[z] + i, ptr[z] + j, z, net) for i, j in pairs]
        assert moves == allowed[come, leave].tolist()
        swaps = swappable(ptr[z] + come, ptr[z] + leave, np.full(80, z), net)
        assert swaps.tolist() == (allowed & allowed.T)[come, leave].tolist()
        if net.relation is not None:
            assert np.array_equal(net.relation.matrix(z, int(size[z])), allowed)


def test_wires_of_rows_come_one_row_after_the_other(network):
    assert wires_of(np.array([2, 0]), network.first).tolist() == [4, 5, 6, 0, 1]


def test_rows_whose_numbers_have_more_than_16_bits_are_told_apart():
    zones = [(1, [0, 1 << 16]), (2, [1, 1 << 16])]
    network = WireNetwork.of(mix_zones((1 << 16) + 1, 3, zones))
    assert (
        network.row[network.before].tolist() == network.member.tolist() == [0, 1 << 16, 1, 1 << 16]
    )
    assert spans(network, 1 << 16) == [(0, 0), (1, 1), (2, 3)]
    assert (spans(network, 0), spans(network, 1)) == ([(0, 0), (1, 3)], [(0, 1), (2, 3)])


def test_more_memberships_than_their_numbers_can_say_are_refused(network):
    member = np.broadcast_to(np.int32(0), MOST + 1)  # takes no memory
    with pytest.raises(InputError, match="2147483648 memberships are more than 2147483647"):
        _ = replace(network, member=member).wires


def test_the_zone_of_each_entry_is_the_one_that_lists_it(network):
    assert network.zone_of_entry.tolist() == [0, 0, 1, 1, 1]


@given(problem=problems(max_assignments=200))
@settings(max_examples=25)
def test_along_a_wire_the_candidates_never_change(problem):
    network = WireNetwork.of(problem.zones)
    found = domains_of(problem)
    for row, start, end in zip(network.row.tolist(), network.start, network.end, strict=True):
        assert all(found[row, t] == found[row, start] for t in range(start, end + 1))
