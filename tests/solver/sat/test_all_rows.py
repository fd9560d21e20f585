"""Tokens tracked on all rows: what is refuted is impossible, and another solver agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from mixsafe.model.limits import Deadline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.all_rows import Absence, Span, refuted
from mixsafe.solver.sat.clauses import formula
from mixsafe.solver.sat.stretch import stretch
from mixsafe.solver.sat.tracking import Tracking
from mixsafe.solver.state.witness import complete, fault
from tests.oracles import domains
from tests.solver.cores import at_wires, core_of, truth_of
from tests.strategies import problem, problems
from tests.verify.test_engines_against_brute_force import pinned_cores

ENOUGH = 100_000


def claimed(core, wire, off, tracked, whole):
    """Whether it is refuted that tokens are off a wire, by two solvers on the same clauses."""
    possible = reachable(core)
    begin, end = (0, core.network.horizon) if whole else stretch(core, wire, tracked)
    claim, span = Absence(wire, off), Span(tracked, begin, end)
    (answer,) = refuted(core, possible, span, [claim], ENOUGH, Deadline(None))
    tracking = Tracking.of(core, possible, *span)
    there = [tracking.variable(wire, token) for token in off.tolist()]
    with Solver(name="glucose4", bootstrap_with=formula(tracking).clauses()) as solver:
        assert answer is not solver.solve([-one for one in there if one])
    return answer


def check(core, truth, data):
    """Absence that some tokens are off a wire, and compare with the truth."""
    network = core.network
    wire = data.draw(st.integers(0, network.n_wires - 1))
    anyone = st.sets(st.integers(0, network.n_rows - 1))
    off = {int(network.row[wire]), *data.draw(st.sets(st.sampled_from(sorted(truth[wire]))))}
    tracked = off | data.draw(anyone)
    off, tracked = (np.array(sorted(some)) for some in (off, tracked))
    answer = claimed(core, wire, off, tracked, data.draw(st.booleans()))
    assert not answer or truth[wire] <= set(off.tolist())


@given(asked=problems(), data=st.data())
@settings(max_examples=150)
def test_what_is_refuted_is_in_no_history(asked, data):
    check(core_of(asked), truth_of(asked), data)


@given(asked=pinned_cores(), data=st.data())
@settings(max_examples=100)
def test_what_is_refuted_is_in_no_history_where_tokens_are_pinned_to_sets_of_rows(asked, data):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    check(core, at_wires(core.network, truth), data)


@given(asked=problems(), data=st.data())
@settings(max_examples=100)
def test_with_everybody_tracked_it_is_exact(asked, data):
    core, truth = core_of(asked), truth_of(asked)
    wire = data.draw(st.integers(0, core.network.n_wires - 1))
    off = np.array(sorted(data.draw(st.sets(st.sampled_from(sorted(truth[wire]))))), np.int64)
    everybody = np.arange(core.network.n_rows)
    assert claimed(core, wire, off, everybody, True) is (truth[wire] == set(off.tolist()))


@given(asked=problems())
@settings(max_examples=100)
def test_a_solution_with_everybody_tracked_is_a_witness(asked):
    core = core_of(asked)
    everybody = np.arange(core.network.n_rows)
    tracking = Tracking.of(core, reachable(core), everybody)
    with Solver(name="glucose4", bootstrap_with=formula(tracking).clauses()) as solver:
        assert solver.solve()
        told = tracking.told(np.array(solver.get_model()) > 0)
    assert np.all(told >= 0)
    assert fault(core, complete(core, told, np.ones(core.network.n_rows, bool))) is None


@pytest.fixture
def two_and_a_third():
    """Rows 0 and 1 meet at 1 and again at 3; in between 1 meets 2. All are seen at both ends."""
    known = [(user, t) for user in range(3) for t in (0, 4)]
    return core_of(problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], known))


def test_a_token_that_cannot_be_away_is_not(two_and_a_third):
    wire = int(two_and_a_third.network.wire_at([2], [2])[0])
    assert claimed(two_and_a_third, wire, np.array([2]), np.array([2]), False)


def test_a_token_that_can_be_away_is_no_refutation(two_and_a_third):
    wire = int(two_and_a_third.network.wire_at([0], [2])[0])
    assert not claimed(two_and_a_third, wire, np.array([0]), np.array([0]), False)


def test_both_away_at_once_is_refuted_though_each_can_be(two_and_a_third):
    wire = int(two_and_a_third.network.wire_at([0], [2])[0])
    assert claimed(two_and_a_third, wire, np.array([0, 1]), np.array([0, 1]), False)


@pytest.mark.parametrize("given_up", [(0, None), (ENOUGH, 0.0)])
def test_a_question_that_is_given_up_is_no_answer(two_and_a_third, given_up):
    conflicts, seconds = given_up
    claim, span = Absence(0, np.array([0])), Span(np.array([0]), 0, 4)
    answers = refuted(
        two_and_a_third, reachable(two_and_a_third), span, [claim], conflicts, Deadline(seconds)
    )
    assert list(answers) == [None]
