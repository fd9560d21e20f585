"""First solutions by annealing: true ones, found where everybody is seen, the same for a seed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.model.limits import Deadline
from mixsafe.model.question.adversary import Pins
from mixsafe.network.core import Core
from mixsafe.solver.local.generator import spread_beginning
from mixsafe.solver.local.histories import BEHIND, SEEN, TOKEN, landscape, standing
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state import tokens
from mixsafe.solver.state.witness import fault
from mixsafe.verify.auditor.annealed_start import anneal_start
from mixsafe.verify.auditor.cells import doubled
from mixsafe.verify.auditor.drawn_history import draw_history
from mixsafe.verify.auditor.outlooks import outlooks
from tests.verify.auditor.towns import assert_sound_and_repeatable, partly_known_towns, town


def seen_in(core):
    """Token that is seen on each wire of a question whose pins have one row each."""
    seen = np.full(core.network.n_wires, -1, np.int32)
    seen[core.network.wire_at(core.pins.rows, core.pins.time)] = core.pins.token
    return seen


@pytest.mark.parametrize("per_token", [1, 2, 4])
def test_a_solution_is_found_where_all_are_seen_several_times(per_token):
    core = town(60, 16, per_token, seed=per_token)
    found = anneal_start(core, Deadline(None))
    assert found is not None
    assert fault(core, found) is None


@given(core=partly_known_towns())
@settings(max_examples=30, deadline=None)
def test_what_is_found_is_a_solution_and_the_same_whenever_it_is_asked_for(core):
    found, again = (anneal_start(core, Deadline(None), seed=3) for _ in range(2))
    assert_sound_and_repeatable(core, found, again)


@pytest.mark.parametrize("seed", range(3))
def test_a_drawn_history_keeps_account_of_what_it_breaks_and_breaks_little(seed):
    core = doubled(town(60, 16, 3, seed)).core
    possible, seen = reachable(core), seen_in(core)
    around = landscape(core, possible, seen)
    history = standing(around)
    before = int(history.size[0])
    found = outlooks(core.network, possible, seen)
    zones = core.network.zone_ptr.astype(np.int32)
    draw_history(zones, found, history, around, spread_beginning(seed))
    wires = history.wires
    came = np.where(wires[:, BEHIND] >= 0, wires[wires[:, BEHIND], TOKEN], wires[:, SEEN])
    broken = np.flatnonzero((wires[:, SEEN] >= 0) & (came != wires[:, SEEN]))
    assert set(history.broken[: history.size[0]].tolist()) == set(broken.tolist())
    assert len(broken) < before / 3


def test_outlooks_are_chances_and_nobody_who_can_come_home_has_none():
    core = doubled(town(20, 8, 2, seed=5)).core
    possible, seen = reachable(core), seen_in(core)
    found = outlooks(core.network, possible, seen)
    assert found.min() >= 0
    assert found.max() <= 1 + 1e-5
    zone = core.network.leads_to
    there = np.flatnonzero((seen < 0) & (zone >= 0))
    for wire in there.tolist():
        assert np.all(found[zone[wire], tokens.members(possible[wire])] > 0)


def test_no_time_means_no_solution_and_no_claim():
    core = town(60, 16, 4, seed=2)
    assert anneal_start(core, Deadline(1e-9)) is None


def test_two_who_were_seen_on_one_row_alone_are_left_to_others():
    core = town(60, 16, 2, seed=1)
    pins, row = core.pins, core.pins.rows[0]
    both = Pins(
        np.array([1, 2], np.int32),
        np.full(2, pins.time[0], np.int32),
        np.array([0, 1, 2]),
        np.array([row, row], np.int32),
    )
    assert anneal_start(Core(core.network, both, core.links), Deadline(None)) is None
