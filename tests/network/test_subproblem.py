"""Smaller problems: all that they have is in the whole, and all of it if everything is taken."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Links
from mixsafe.network.compression import compressed
from mixsafe.network.core import Core
from mixsafe.network.subproblem import Subproblem, of_rows
from mixsafe.network.timeline import timeline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.witness import fault
from tests.support.cores import at_wires, core_of, listed, pinned_cores, truth_of, within
from tests.support.oracles import agrees, assignments, domains
from tests.support.relations import with_pairs
from tests.support.single_token_paths import world_of
from tests.support.strategies import mix_zones, problem, problems


def candidates(core):
    """Candidates of each wire of a core without links, by brute force."""
    world = world_of(core)
    assert not world.links
    found = domains(world.n_rows, world.horizon, world.zones, [], world.pins)
    return at_wires(core.network, found)


def drawn(data, core):
    """Rows and a stretch of time."""
    n_rows, horizon = core.network.n_rows, core.network.horizon
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n_rows - 1), min_size=1))))
    begin = data.draw(st.integers(0, horizon - 1))
    return rows, begin, data.draw(st.integers(begin + 1, horizon))


def in_whole(small, network):
    """For each wire of the whole that lasts in the stretch its place, and candidates there."""
    begin, end = small.steps[0], small.steps[-1]
    lasts = np.isin(network.row, small.rows) & (network.start <= end) & (network.end >= begin)
    wires, found = np.flatnonzero(lasts), candidates(small.core)
    places = small.wire_at(network.row[wires], np.maximum(network.start[wires], begin))
    return wires, places, [set(small.rows[list(found[place])].tolist()) for place in places]


@given(asked=pinned_cores(), data=st.data())
@settings(max_examples=60)
def test_candidates_of_some_rows_are_candidates_of_the_whole(asked, data):
    core, _, _ = asked
    rows = drawn(data, core)[0]
    small = of_rows(core, rows)
    found = [set(rows[list(one)].tolist()) for one in candidates(small)]
    wires = core.network.wire_at(rows[small.network.row], small.network.start)
    truth = candidates(core)
    assert within(found, [truth[wire] for wire in wires])


@given(asked=problems(), data=st.data())
@settings(max_examples=60)
def test_candidates_in_a_stretch_are_candidates_of_the_whole(asked, data):
    core = core_of(asked)
    small = Subproblem.of(timeline(core), *drawn(data, core))
    wires, _, found = in_whole(small, core.network)
    truth = truth_of(asked)
    assert within(found, [truth[wire] for wire in wires])


@given(asked=pinned_cores())
@settings(max_examples=60)
def test_all_rows_are_the_whole(asked):
    core, _, _ = asked
    small = of_rows(core, np.arange(core.network.n_rows))
    assert np.array_equal(small.network.start, core.network.start)
    assert np.array_equal(small.network.row, core.network.row)
    assert listed(reachable(small)) == listed(reachable(core))
    assert small.steps is core.steps
    assert candidates(small) == candidates(core)


@given(asked=problems())
@settings(max_examples=60)
def test_all_rows_at_all_times_have_the_candidates_of_the_whole(asked):
    core = core_of(asked)
    network = core.network
    small = Subproblem.of(timeline(core), np.arange(network.n_rows), 0, network.horizon)
    _, _, found = in_whole(small, network)
    assert found == candidates(Core(network, core.own_pins(), Links.none()))
    assert small.steps[[0, -1]].tolist() == [0, network.horizon]
    assert small.core.real_steps.tolist() == small.steps.tolist()


def test_a_wire_is_where_its_row_is_at_its_steps():
    """Rows 1 and 3 meet at 3 and 6; what row 1 does with row 0 at 2 and at 7 is not taken."""
    core = core_of(problem(4, 9, [(2, [0, 1]), (3, [1, 3]), (6, [1, 3]), (7, [0, 1])], [(1, 0)]))
    small = Subproblem.of(timeline(core), np.array([1, 3]), 1, 7)
    assert small.steps[small.core.network.zone_time].tolist() == [3, 6]
    assert small.wire_at(np.array([1, 1, 3, 3]), np.array([2, 4, 6, 5])).tolist() == [0, 1, 5, 4]
    assert small.core.pins.time.tolist() == [small.core.network.horizon] * 2  # both must be home


@given(asked=problems(), data=st.data())
@settings(max_examples=60)
def test_a_solution_here_is_one_of_the_whole_with_everybody_else_at_home(asked, data):
    core = core_of(asked)
    rows, begin, end = drawn(data, core)
    small = Subproblem.of(timeline(core), rows, begin, end)
    world = world_of(small.core)
    possible = assignments(world.n_rows, world.horizon, world.zones)
    assignment = data.draw(
        st.sampled_from([one for one in possible if agrees(one, [], world.pins)])
    )
    network = small.core.network
    pairs = zip(network.row.tolist(), network.start.tolist(), strict=True)
    here = np.array([assignment[t][row] for row, t in pairs], np.int32)
    whole = core.network.row.copy()
    for step in range(begin, end + 1):
        at = np.full(len(rows), step)
        whole[core.network.wire_at(rows, at)] = rows[here[small.wire_at(rows, at)]]
    assert fault(core, whole) is None


def test_zones_are_taken_after_the_stretch_begins_and_up_to_its_end():
    zones = [(1, [1, 2]), *((t, [0, 1]) for t in (2, 4, 6, 7))]
    core = core_of(problem(3, 8, zones, [(0, 5)]))
    small = Subproblem.of(timeline(core), np.arange(2), 2, 6)
    assert small.steps[small.core.network.zone_time].tolist() == [4, 6]
    assert small.steps[[0, -1]].tolist() == [2, 6]
    assert of_rows(core, np.arange(2)).network.zone_time.tolist() == [2, 4, 6, 7]


def test_links_are_those_of_the_rows():
    zones = [(t, [1, 2]) for t in range(1, 8)]
    core = core_of(problem(3, 8, zones, [(1, t) for t in (1, 3, 5, 6, 8)]))
    links = of_rows(core, np.array([1, 2])).links
    assert (links.start.tolist(), links.end.tolist()) == ([1, 3, 5, 6], [3, 5, 6, 8])
    assert links.row.tolist() == [0] * 4
    assert len(of_rows(core, np.array([0, 2])).links.row) == 0


def test_who_is_seen_is_on_the_own_row_then():
    zones = [(t, [1, 2]) for t in (2, 3, 4, 6)]
    core = core_of(problem(3, 8, zones, [(0, 0), (0, 8), (1, 0), (1, 5)]))
    small = Subproblem.of(timeline(core), np.array([1, 2]), 1, 7)
    left = small.core.network.zone_time  # at 3 nobody can do what is not done at 4
    assert small.steps[left].tolist() == [2, 4, 6]
    assert sorted(zip(small.core.pins.token, small.steps[small.core.pins.time], strict=True)) == [
        (0, 5),
        (0, 7),
        (1, 7),
    ]
    _, _, found = in_whole(small, core.network)
    assert found == [{1}, {1, 2}, {1, 2}, {1}, {1}, {2}, {1, 2}, {1, 2}, {2}, {2}]


def test_rows_that_never_meet_are_alone():
    core = core_of(problem(3, 4, [], [(1, 2)]))
    in_stretch = Subproblem.of(timeline(core), np.array([0, 2]), 1, 3).core
    for small in (of_rows(core, np.array([0, 2])), in_stretch):
        assert small.network.n_zones == 0
        assert small.network.n_wires == 2


def test_rows_may_exchange_as_they_may_in_the_whole():
    """A ring of three: two of them alone cannot exchange, as one way is missing."""
    ring = with_pairs(mix_zones(3, 2, [(1, [0, 1, 2])]), [{(0, 1), (1, 2), (2, 0)}])
    core = core_of(replace(problem(3, 2, []), zones=ring))
    assert listed(reachable(core))[1] == {0, 2}
    some = compressed(of_rows(core, np.array([0, 1])))
    assert listed(reachable(some)) == [{0}, {1}]
    assert listed(reachable(of_rows(core, np.arange(3)))) == listed(reachable(core))
    in_stretch = Subproblem.of(timeline(core), np.array([0, 1]), 0, 2).core
    assert listed(reachable(in_stretch)) == [{0}, {1}]
