"""Upper bounds by capped sets: whatever is known they hold, and links make them smaller."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.question.adversary import Apart
from mixsafe.network.core import Core
from mixsafe.solver.large.capped_sets import SetBounds, set_bounds
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from tests.support.cores import at_wires, core_of, pinned_cores, truth_of
from tests.support.oracles import domains
from tests.support.random_problems import crowd
from tests.support.strategies import problem, problems


def bounds_of(core: Core, cap: int, workers: int = 1, **options: int) -> SetBounds:
    """What capped sets say of a core."""
    return set_bounds(core, core.network.wires, cap, workers, **options)


@given(asked=problems(), cap=st.integers(1, 5))
@settings(max_examples=60, deadline=None)
def test_no_candidate_is_left_out(asked, cap):
    core = core_of(asked)
    found = bounds_of(core, cap)
    truth = truth_of(asked)
    assert np.all(list(map(len, truth)) <= found.upper)
    wires = core.network.wire_at(found.pins.token, found.pins.time)
    assert all(truth[wire] == {row} for wire, row in zip(wires, found.pins.token, strict=True))


@given(asked=pinned_cores(), cap=st.integers(1, 5))
@settings(max_examples=40, deadline=None)
def test_no_candidate_is_left_out_where_tokens_are_on_one_of_several_rows(asked, cap):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    sizes = list(map(len, at_wires(core.network, truth)))
    assert np.all(sizes <= bounds_of(core, cap).upper)


@given(asked=problems())
@settings(max_examples=60, deadline=None)
def test_sets_that_are_large_enough_leave_no_more_than_reachability(asked):
    core = replace(core_of(asked), apart=Apart.none())  # which capped sets do not look at
    upper = bounds_of(core, core.network.n_rows).upper
    assert np.all(upper <= tokens.count(reachable(core)))


def test_whoever_is_seen_before_she_meets_anybody_need_not_be_known_by_name():
    zones, seen = [(2, [0, 1]), (3, [0, 2]), (4, [1, 2]), (5, [0, 1, 2])], [(0, 1), (0, 6)]
    named, linked = (core_of(problem(3, 6, zones, [*more, *seen])) for more in ([(0, 0)], []))
    assert len(linked.links) == 1
    assert np.array_equal(bounds_of(named, 3).upper, bounds_of(linked, 3).upper)


def test_links_settle_what_is_open_without_them_whoever_sweeps():
    core = core_of(crowd(5, 90, 24, 30, "never at 0"))
    some = bounds_of(core, 8, at_once=7)
    none = bounds_of(Core(core.network, core.pins, core.links.none()), 8)
    assert np.all(some.upper <= none.upper)
    assert np.count_nonzero(some.upper < 3) > np.count_nonzero(none.upper < 3)
    assert np.all(some.upper >= bounds_of(core, 90).upper)
    assert np.array_equal(some.upper, bounds_of(core, 8, workers=3, at_once=7).upper)
