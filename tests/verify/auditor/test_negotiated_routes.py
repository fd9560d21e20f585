"""First solutions by negotiation: true ones, and found where many must share narrow ways."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.course import Course, SolveLimits
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.witness import fault
from mixsafe.verify.auditor import initial_solution as first
from mixsafe.verify.auditor.negotiated_routes import route
from tests.support.towns import assert_sound_and_repeatable, partly_known_towns, town


@pytest.mark.parametrize("per_token", [2, 4])
def test_ways_of_all_are_found_where_all_are_seen_several_times(per_token):
    core = town(60, 16, per_token, seed=per_token)
    found = route(core, reachable(core), np.ones(60, bool), Course.begin())
    assert found is not None
    assert fault(core, found) is None


@given(core=partly_known_towns())
@settings(max_examples=30, deadline=None)
def test_what_is_found_is_a_solution_and_the_same_whenever_it_is_asked_for(core):
    known = np.zeros(core.network.n_rows, bool)
    known[core.pins.token] = True
    course = Course.begin(SolveLimits(seed=3))
    found, again = (route(core, reachable(core), known, course) for _ in range(2))
    assert_sound_and_repeatable(core, found, again)


def test_too_many_in_one_place_are_refused_at_once():
    core = town(60, 16, 2, seed=1)
    pins, alone = core.pins, int(core.pins.rows[0])
    crowded = Pins(
        np.array([1, 2, 3], np.int32),
        np.full(3, int(pins.time[0]), np.int32),
        np.array([0, 2, 4, 6]),
        np.tile(np.array(sorted([alone, (alone + 1) % 60]), np.int32), 3),
    )
    with pytest.raises(first.NoSolutionError, match="cannot all be"):
        first.initial_solution(Core(core.network, crowded, core.links), 60, Course.begin())


def test_no_time_means_no_solution_and_no_claim():
    core = town(60, 16, 2, seed=2)
    assert route(core, reachable(core), np.ones(60, bool), Course.begin(SolveLimits(1e-9))) is None
