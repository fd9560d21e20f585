"""Boards: what they show is a candidate, what they refute is none, whoever works on it."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from pysat.solvers import Solver

from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.network.subproblem import Subproblem
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat import boards as searching
from mixsafe.solver.sat.encoding import Encoding
from mixsafe.solver.sat.growing import BoardEffort
from mixsafe.solver.sat.playing import play
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.witness import complete, fault
from tests.oracles import domains
from tests.solver.cores import at_wires, core_of, listed, truth_of, within
from tests.strategies import problem, problems
from tests.verify.test_engines_against_brute_force import pinned_cores

LITTLE = BoardEffort(candidates=2, rounds=2, rows=3, partners=1, stuck=1)


def asked_of(core, k):
    """Questions about all wires, after reachability."""
    n_wires = core.network.n_wires
    answers = Answers(core, np.arange(n_wires), np.full(n_wires, k, np.int32))
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    return answers


def leavers():
    """Row 0 leaves by rows 1 to 4, and nobody comes back from there but by row 0's zones."""
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 1]), (4, [2, 3]), (5, [0, 1]), (6, [1, 2])]
    return problem(4, 7, zones, [(user, t) for user in range(4) for t in (0, 7)])


def check(core, truth, effort):
    """Search, and compare what is known after it with the truth; prove refutations again."""
    answers = asked_of(core, core.network.n_rows)
    searching.search(answers, SolveLimits(workers=1), Deadline(None), effort=effort)
    assert within(listed(answers.proven), truth)
    assert within(truth, listed(answers.possible))
    for wire, tracked, begin, end, token in answers.refutations:
        encoding = Encoding.of(core, reachable(core), tracked, begin, end)
        with Solver(name="glucose4", bootstrap_with=encoding.formula().clauses()) as solver:
            there = encoding.on(wire, token)
            assert there == 0 or not solver.solve([there])


@given(asked=problems(), effort=st.sampled_from([LITTLE, BoardEffort()]))
@settings(max_examples=60)
def test_boards_show_candidates_only_and_refute_only_what_no_history_has(asked, effort):
    check(core_of(asked), truth_of(asked), effort)


@given(asked=pinned_cores(), effort=st.sampled_from([LITTLE, BoardEffort()]))
@settings(max_examples=60)
def test_boards_are_right_where_tokens_are_pinned_to_sets_of_rows(asked, effort):
    core, zones, pins = asked
    truth = domains(core.network.n_rows, core.network.horizon, zones, [], pins)
    check(core, at_wires(core.network, truth), effort)


@given(asked=problems(), data=st.data())
@settings(max_examples=60)
def test_a_history_of_a_board_is_one_of_the_whole(asked, data):
    core = core_of(asked)
    n_rows, horizon = core.network.n_rows, core.network.horizon
    rows = np.array(sorted(data.draw(st.sets(st.integers(0, n_rows - 1), min_size=1))))
    begin = data.draw(st.integers(0, horizon - 1))
    end = data.draw(st.integers(begin + 1, horizon))
    board = Subproblem.of(core, rows, begin, end, compress=data.draw(st.booleans()))
    encoding = Encoding.of(board.core, reachable(board.core), np.arange(len(rows)))
    with Solver(name="cadical153", bootstrap_with=encoding.formula().clauses()) as solver:
        for literal in range(1, encoding.n_variables + 1):
            if solver.solve([literal]):
                told = encoding.told(np.array([0, *solver.get_model()]) > 0)
                whole = board.of_whole(complete(board.core, told, np.ones(len(rows), bool)))
                assert fault(core, whole) is None


def test_a_board_of_everybody_says_all_and_names_who_is_stuck():
    core = core_of(leavers())
    truth = truth_of(leavers())
    board = Subproblem.of(core, np.arange(4), compress=True)
    for wire in range(core.network.n_wires):
        proven = np.array(sorted(truth[wire]))
        played = play(board, wire, proven, 100_000, Deadline(None))
        assert played.witness is None
        assert played.stuck is not None
        shown = play(board, wire, proven[:-1], 100_000, Deadline(None)).witness
        assert shown is not None
        assert shown[wire] == proven[-1]


def test_what_boards_find_does_not_depend_on_the_number_of_workers():
    def found(workers: int) -> Answers:
        answers = asked_of(core_of(leavers()), 3)
        searching.search(answers, SolveLimits(workers=workers), Deadline(None))
        return answers

    one, two = found(1), found(2)
    assert np.array_equal(one.possible, two.possible)
    assert np.array_equal(one.proven, two.proven)
    assert one.n_open == 0
    assert {Argument.BOARD, Argument.TRACKING} & set(one.decided_by.tolist())


def test_boards_find_nothing_when_the_time_is_up():
    answers = asked_of(core_of(leavers()), 2)
    before = answers.n_open
    searching.search(answers, SolveLimits(workers=1), Deadline(0.0))
    assert answers.n_open == before > 0
