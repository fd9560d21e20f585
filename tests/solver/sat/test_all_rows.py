"""Tokens tracked on all rows: what is refuted is impossible, and another solver agrees."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from mixsafe.model.limits import Deadline
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat.all_rows import Span, led
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.stretch import stretch
from mixsafe.solver.state.witness import complete, fault
from tests.oracles import domains
from tests.solver.cores import at_wires, core_of, truth_of
from tests.strategies import problem, problems
from tests.verify.test_engines_against_brute_force import pinned_cores

ENOUGH = 100_000


def refuted(core, wire, token, tracked, whole):
    """Whether it is refuted that a token is on a wire, by two solvers on the same clauses."""
    possible = reachable(core)
    span = Span(tracked, *((0, core.network.horizon) if whole else stretch(core, wire, tracked)))
    answer = led(core, possible, span, wire, token, ENOUGH, Deadline(None)).refuted
    encoding = Encoding.of(core, possible, *span)
    there = encoding.on(wire, token)
    with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
        assert answer is not (there != 0 and solver.solve([there]))
    return answer


def check(core, truth, data):
    """Ask about a token that is tracked with others, and compare with the truth."""
    network = core.network
    wire = data.draw(st.integers(0, network.n_wires - 1))
    anyone = st.integers(0, network.n_rows - 1)
    token = data.draw(anyone)
    tracked = np.array(sorted({token, int(network.row[wire]), *data.draw(st.sets(anyone))}))
    assert not refuted(core, wire, token, tracked, True) or token not in truth[wire]


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
    token = data.draw(st.integers(0, core.network.n_rows - 1))
    everybody = np.arange(core.network.n_rows)
    assert refuted(core, wire, token, everybody, True) is (token not in truth[wire])


@given(asked=problems())
@settings(max_examples=100)
def test_a_solution_with_everybody_tracked_is_a_witness(asked):
    core = core_of(asked)
    everybody = np.arange(core.network.n_rows)
    encoding = Encoding.of(core, reachable(core), everybody)
    with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
        assert solver.solve()
        told = encoding.told(np.array([0, *solver.get_model()]) > 0)
    assert np.all(told >= 0)
    assert fault(core, complete(core, told, np.ones(core.network.n_rows, bool))) is None


@pytest.fixture
def two_and_a_third():
    """Rows 0 and 1 meet at 1 and again at 3; in between 1 meets 2. All are seen at both ends."""
    known = [(user, t) for user in range(3) for t in (0, 4)]
    return core_of(problem(3, 4, [(1, [0, 1]), (2, [1, 2]), (3, [0, 1])], known))


def test_a_token_that_cannot_come_is_refuted(two_and_a_third):
    wire = int(two_and_a_third.network.wire_at([2], [2])[0])
    assert refuted(two_and_a_third, wire, 1, np.array([1, 2]), False)


def test_a_token_that_can_come_is_not(two_and_a_third):
    wire = int(two_and_a_third.network.wire_at([0], [2])[0])
    assert not refuted(two_and_a_third, wire, 1, np.array([0, 1]), False)


@pytest.mark.parametrize("given_up", [(0, None), (ENOUGH, 0.0)])
def test_a_question_that_is_given_up_is_no_answer(two_and_a_third, given_up):
    conflicts, seconds = given_up
    span, possible = Span(np.array([0]), 0, 4), reachable(two_and_a_third)
    answer = led(two_and_a_third, possible, span, 0, 0, conflicts, Deadline(seconds))
    assert answer.refuted is answer.rows is None
