"""Sightings in a cell: pinned to one row between a zone and its double, and nothing changes."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.model.progress import no_progress
from mixsafe.model.question.adversary import Links, Pins
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.state.witness import fault
from mixsafe.verify.auditor.cells import doubled
from mixsafe.verify.auditor.initial_solution import NoSolutionError, initial_solution
from tests.oracles import domains
from tests.strategies import mix_zones

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
def test_zones_with_sightings_may_come_twice_and_each_sighting_be_on_one_row(asked):
    core = core_with(*asked)
    posed = doubled(core)
    before, after = candidates(core), candidates(posed.core)
    assert before == {(row, t): after[row, int(posed.step[t])] for row, t in before}
    assert posed.asked.sum() == STEPS + 1


@given(asked=seen_in_cells())
@settings(max_examples=60)
def test_a_solution_is_carried_over_to_zones_that_come_twice(asked):
    core = core_with(*asked)
    try:
        limits = SolveLimits(workers=1)
        solution, _ = initial_solution(core, ROWS, limits, Deadline(None), no_progress)
    except NoSolutionError:
        assert not any(candidates(core).values())
        return
    posed = doubled(core, solution)
    carried = posed.carried(solution)
    assert fault(posed.core, carried) is None
    assert np.array_equal(carried[posed.wire], solution)


def test_only_cells_of_a_zone_come_twice_with_a_row_for_each_who_was_seen():
    everybody = [0, 1, 2]
    core = core_with(
        [(1, everybody), (2, [0, 1]), (3, everybody)],
        [(0, 2, [0, 1]), (2, 2, [0, 1]), (1, 2, [1, 2]), (1, 3, [0])],
    )
    posed = doubled(core)
    zones, pins = told(posed.core)
    assert zones == [(1, everybody), (2, [0, 1]), (3, [0, 1]), (4, everybody)]
    assert pins == [(0, 2, {0}), (2, 2, {1}), (1, 3, {1, 2}), (1, 4, {0})]
    assert posed.step.tolist() == [0, 1, 3, 4]


def test_more_who_were_seen_in_a_cell_than_it_has_rows_stay_where_they_were():
    core = core_with([(1, [0, 1, 2]), (2, [0, 1])], [(c, 2, [0, 1]) for c in range(3)])
    assert told(doubled(core).core) == told(core)
