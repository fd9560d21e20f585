"""The network as compiled functions walk through it, against assignments written out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Pins
from mixsafe.network.timeline import (
    NEVER,
    last_seen,
    next_seen,
    onward,
    rewind,
    timeline,
    wire_at,
)
from tests.support.cores import core_of
from tests.support.oracles import agrees, agrees_with, assignments, pins_of, zones_of
from tests.support.strategies import problem, problems


@given(asked=problems())
def test_every_step_has_its_wire(asked):
    network = core_of(asked).network
    for row in range(network.n_rows):
        for step in range(network.horizon + 1):
            wire = wire_at(row, step, network.wires)
            assert network.row[wire] == row
            assert network.start[wire] <= step <= network.end[wire]


@given(asked=problems(max_assignments=60), data=st.data())
@settings(max_examples=60)
def test_tokens_are_followed_forward_and_back(asked, data):
    network = core_of(asked).network
    possible = list(assignments(network.n_rows, network.horizon, zones_of(asked)))
    assignment = data.draw(st.sampled_from(possible))
    pairs = zip(network.row.tolist(), network.start.tolist(), strict=True)
    on = np.array([assignment[t][row] for row, t in pairs], np.int32)
    for token in range(network.n_rows):
        way = [wire_at(step.index(token), t, network.wires) for t, step in enumerate(assignment)]
        for t, wire in enumerate(way):
            if t and wire != way[t - 1]:
                assert onward(way[t - 1], token, on, network.wires) == wire
            for begin in range(t + 1):
                back = rewind(wire, token, begin, on, network.wires)
                assert back == way[begin]


def test_a_token_that_is_not_in_a_zone_does_not_leave_it():
    network = core_of(problem(3, 2, [(1, [0, 1])])).network
    assert onward(0, 2, network.row, network.wires) == -1


@given(asked=problems())
def test_a_token_is_seen_when_its_row_is_and_links_count_as_sightings(asked):
    core = core_of(asked)
    line = timeline(core)
    own = core.own_pins()
    for token in range(core.network.n_rows):
        mine = line.seen.time[line.seen.ptr[token] : line.seen.ptr[token + 1]]
        assert mine.tolist() == sorted(own.time[own.token == token].tolist())
    assert line.seen.ptr[0] == 0
    assert line.seen.ptr[-1] == len(own)


@given(asked=problems())
@settings(max_examples=60)
def test_the_sightings_before_and_after_a_step_are_found(asked):
    core = core_of(asked)
    seen, own = timeline(core).seen, core.own_pins()
    for token in range(core.network.n_rows):
        mine = own.time[own.token == token].tolist()
        for step in range(core.network.horizon + 2):
            assert next_seen(token, step, seen) == min(
                (t for t in mine if t >= step), default=NEVER
            )
            assert last_seen(token, step, seen) == max((t for t in mine if t < step), default=-1)


@given(asked=problems(max_users=3, max_horizon=6))
@settings(max_examples=200)
def test_beyond_a_step_at_which_everybody_is_at_home_nothing_matters(asked):
    core = core_of(asked)
    line, horizon = timeline(core), core.network.horizon
    own = core.own_pins()
    home = [
        t in (0, horizon)
        or {int(c) for c, at in zip(own.token, own.time, strict=True) if at == t}
        == set(range(core.network.n_rows))
        for t in range(horizon + 1)
    ]
    cuts = [t for t in range(horizon + 1) if home[t]]
    assert line.cut_before.tolist() == [max(c for c in cuts if c <= t) for t in range(horizon + 1)]
    assert line.cut_after.tolist() == [min(c for c in cuts if c >= t) for t in range(horizon + 1)]
    for assignment in assignments(core.network.n_rows, horizon, zones_of(asked)):
        if agrees_with(asked, assignment) and agrees(assignment, (), pins_of(own)):
            assert all(assignment[t] == assignment[0] for t in cuts[:-1])


def test_everybody_seen_together_is_a_cut_and_all_but_one_is_none():
    everybody = [(user, t) for user in range(3) for t in (0, 2, 5)]
    line = timeline(core_of(problem(3, 6, [(1, [0, 1, 2]), (4, [0, 1])], everybody)))
    assert line.cut_before.tolist() == [0, 0, 2, 2, 2, 5, 6]
    assert line.cut_after.tolist() == [0, 2, 2, 5, 5, 5, 6]
    missing = [(user, t) for user, t in everybody if (user, t) != (1, 2)]
    line = timeline(core_of(problem(3, 6, [(1, [0, 1, 2]), (4, [0, 1])], missing)))
    assert line.cut_before.tolist() == [0, 0, 0, 0, 0, 5, 6]


def test_who_is_seen_again_and_again_does_not_count_for_two():
    """At 2 one sighting of user 0 ends and another begins: user 1 may be anywhere then."""
    zones, often = [(1, [0, 1]), (4, [0, 1])], [(0, t) for t in (1, 2, 3)]
    line = timeline(core_of(problem(2, 5, zones, often)))
    assert line.cut_before.tolist() == [0, 0, 0, 0, 0, 5]
    line = timeline(core_of(problem(2, 5, zones, [*often, *((1, t) for t in (1, 2, 3))])))
    assert line.cut_before.tolist() == [0, 1, 2, 3, 3, 5]


@pytest.mark.parametrize("unsure", [0, 1, 2])
def test_who_may_be_on_one_of_several_rows_is_not_at_home(unsure):
    everybody = [(user, t) for user in range(3) for t in (0, 2)]
    core = core_of(problem(3, 4, [(1, [0, 1, 2])], everybody))
    rows = [[0, 1, 2] if token == unsure else [token] for token in range(3)]
    own = [[0], [1], [2], *rows]
    pins = Pins(
        np.array([0, 1, 2] * 2, np.int32),
        np.array([0] * 3 + [2] * 3, np.int32),
        np.cumsum([0, *map(len, own)]),
        np.concatenate(own).astype(np.int32),
    )
    assert timeline(core).cut_before.tolist() == [0, 0, 2, 2, 4]
    assert timeline(replace(core, pins=pins)).cut_before.tolist() == [0, 0, 0, 0, 4]
