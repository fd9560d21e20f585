"""Windows (fact 9): a refutation is true, and a witness is one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.model.limits import Deadline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.state.witness import fault
from mixsafe.solver.windows.window_context import WindowContext
from mixsafe.solver.windows.windows import EFFORT, another_candidate
from tests.oracles import domains
from tests.solver.cores import at_wires, core_of, truth_of
from tests.strategies import problem, problems
from tests.verify.test_engines_against_brute_force import pinned_cores

LITTLE = replace(EFFORT, rounds=10, literals=3_000, work=0.1, partners=0)


def outcome(core, wire, effort, reach):
    """Tokens shown on a wire by witnesses, checked each, and whether the rest was refuted."""
    around = WindowContext.of(core, reachable(core))
    shown = [int(core.network.row[wire])]
    while True:
        found = another_candidate(
            around, wire, np.array(shown), Deadline(None), effort, reach=reach
        )
        if found.assignment is None:
            return set(shown), found.refuted
        assert fault(core, found.assignment) is None
        assert found.assignment[wire] not in shown
        shown.append(int(found.assignment[wire]))


def check(core, truth, data):
    """Ask windows about some wire, and compare with the truth."""
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    effort = data.draw(st.sampled_from([LITTLE, EFFORT]))
    shown, refuted = outcome(core, wire, effort, data.draw(st.sampled_from([1, 2, 6])))
    assert shown <= truth[wire]
    assert not refuted or shown == truth[wire]


@given(asked=problems(), data=st.data())
@settings(max_examples=50)
def test_windows_show_candidates_only_and_refute_only_what_no_history_has(asked, data):
    check(core_of(asked), truth_of(asked), data)


@given(asked=pinned_cores(), data=st.data())
@settings(max_examples=40)
def test_windows_are_right_where_tokens_are_pinned_to_sets_of_rows(asked, data):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    check(core, at_wires(core.network, truth), data)


@pytest.fixture
def commuters():
    """Two who meet every second step; both are seen at both ends."""
    zones = [(t, [0, 1]) for t in range(1, 40, 2)]
    return core_of(problem(3, 40, zones, [(user, t) for user in range(3) for t in (0, 40)]))


@pytest.mark.parametrize("effort", [LITTLE, EFFORT])
@pytest.mark.parametrize("reach", [1, 2, 6])
def test_a_small_window_settles_what_needs_no_more(commuters, effort, reach):
    wire = commuters.network.wire_at([0], [20])[0]
    assert outcome(commuters, int(wire), effort, reach) == ({0, 1}, True)


@pytest.mark.parametrize(
    ("effort", "seconds"),
    [(replace(LITTLE, literals=0), None), (replace(LITTLE, rounds=0), None), (LITTLE, 0.0)],
)
def test_a_question_that_is_given_up_is_no_answer(commuters, effort, seconds):
    around = WindowContext.of(commuters, reachable(commuters))
    wire = int(commuters.network.wire_at([0], [20])[0])
    found = another_candidate(around, wire, np.array([0]), Deadline(seconds), effort)
    assert (found.refuted, found.assignment) == (False, None)
