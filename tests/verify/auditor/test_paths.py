"""Along ways, and with sightings of a cell on one row, the candidates are those along tracks."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.course import Course
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import fault
from mixsafe.verify.auditor.initial_solution import NoSolutionError, initial_solution
from mixsafe.verify.auditor.paths import PathQuestion, at_home_in_cells
from tests.support.oracles import domains
from tests.support.strategies import mix_zones

ROWS, STEPS = 3, 3


@st.composite
def seen_in_cells(draw):
    """Zones after a first one of all rows, tokens pinned to cells of theirs or to other rows."""
    zones, pins = [(1, list(range(ROWS)))], []
    for t in range(2, STEPS + 1):
        members = draw(st.permutations(range(ROWS)))
        size = draw(st.integers(0, ROWS))
        groups = [sorted(members[:size]), sorted(members[size:])]
        zones += [(t, group) for group in groups if len(group) > 1]
        for group in groups:
            if len(group) > 1:
                seen = draw(st.lists(st.integers(0, ROWS - 1), max_size=3, unique=True))
                pins += [
                    (token, t + draw(st.integers(0, 1)) * (t < STEPS), group) for token in seen
                ]
    if draw(st.booleans()):
        pins.append((draw(st.integers(0, ROWS - 1)), STEPS, [draw(st.integers(0, ROWS - 1))]))
    once = {(token, t): rows for token, t, rows in pins}  # seen once at a time
    pins = [(token, t, rows) for (token, t), rows in once.items()]
    return zones, sorted(pins, key=lambda pin: pin[1])


def core_with(zones, pins) -> Core:
    ptr = np.cumsum([0, *(len(rows) for _, _, rows in pins)], dtype=np.int64)
    return Core(
        WireNetwork.of(mix_zones(ROWS, STEPS, zones)),
        Pins(
            np.array([token for token, _, _ in pins], np.int32),
            np.array([t for _, t, _ in pins], np.int32),
            ptr,
            np.array([row for _, _, rows in pins for row in rows], np.int32),
        ),
        Links.none(),
    )


def told(core):
    """Zones and pins of a core, as brute force takes them."""
    network, pins = core.network, core.pins
    members = np.split(network.member, network.zone_ptr[1:-1])
    zones = list(zip(network.zone_time.tolist(), [m.tolist() for m in members], strict=True))
    rows = np.split(pins.rows, pins.ptr[1:-1]) if len(pins) else []
    seen = zip(pins.token.tolist(), pins.time.tolist(), rows, strict=True)
    return zones, [(token, t, set(where.tolist())) for token, t, where in seen]


def candidates(core):
    """By brute force, on each row at each step."""
    zones, pins = told(core)
    return domains(ROWS, core.network.horizon, zones, [], pins)


@given(asked=seen_in_cells())
@settings(max_examples=60)
def test_along_ways_every_track_has_the_candidates_that_it_has(asked):
    core = core_with(*asked)
    truth = candidates(core)
    try:
        solution, _ = initial_solution(core, ROWS, Course.begin())
    except NoSolutionError:
        assert not any(truth.values())
        return
    assert solution is not None
    paths = PathQuestion.of(core, solution)
    for along in (paths.along, paths.core):
        assert fault(along, along.network.row) is None
    found, network = candidates(paths.core), paths.core.network
    told = {
        (int(paths.track[wire]), step): found[int(network.row[wire]), int(network.end[wire])]
        for wire in paths.wire.tolist()
        for step in range(int(paths.begin[wire]), int(paths.end[wire]) + 1)
    }
    assert told == truth
    track = core.network.row[paths.track_wire]
    assert np.array_equal(paths.track[paths.wire], track)
    assert np.array_equal(paths.track[paths.wire_of_track], core.network.row)


def test_only_cells_of_a_zone_come_twice_and_who_was_seen_there_is_at_home():
    everybody = [0, 1, 2]
    core = core_with(
        [(1, everybody), (2, [0, 1]), (3, everybody)],
        [(0, 2, [0, 1]), (1, 2, [0, 1]), (1, 2, [1, 2]), (0, 3, [0])],
    )
    zones, pins = told(at_home_in_cells(core))
    assert zones == [(1, everybody), (2, [0, 1]), (3, [0, 1]), (4, everybody)]
    assert pins == [(0, 2, {0}), (1, 2, {1}), (1, 3, {1, 2}), (0, 4, {0})]
    paths = PathQuestion.of(core, core.network.row)
    assert paths.core.real_steps.tolist() == [0, 1, 2, 2, 3]
    assert np.count_nonzero(paths.begin > paths.end) == 2
