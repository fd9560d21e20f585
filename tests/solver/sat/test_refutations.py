"""Refutations of all open wires: true, kept with what proves them, the same for any workers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from pysat.solvers import Solver

from mixsafe.journal.steps import NoJournal
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.limits import Deadline, SolveLimits
from mixsafe.solver.propagate.reachability import reachable
from mixsafe.solver.sat import refutations
from mixsafe.solver.sat.clauses import formula
from mixsafe.solver.sat.tracking import Tracking
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from tests.solver.cores import core_of, listed, truth_of, within
from tests.strategies import problem, problems


def asked_of(core, k):
    """Questions about all wires, after reachability."""
    n_wires = core.network.n_wires
    answers = Answers(core, np.arange(n_wires), np.full(n_wires, k, np.int32))
    answers.possible &= reachable(core)
    answers.settle(Argument.REACHABILITY)
    return answers


def searched(core, k, workers=1):
    """What is known after a search for refutations."""
    answers = asked_of(core, k)
    refutations.search(answers, SolveLimits(workers=workers), Deadline(None))
    return answers


def proven_again(core, refutation, proven):
    """Whether what was kept of a refutation proves it, by another solver."""
    tracking = Tracking.of(core, reachable(core), *refutation[1:4])
    off = [tracking.variable(refutation.wire, token) for token in proven]
    with Solver(name="glucose4", bootstrap_with=formula(tracking).clauses()) as solver:
        return not solver.solve([-one for one in off if one])


@given(asked=problems())
@settings(max_examples=100)
def test_what_is_left_holds_all_candidates_and_refutations_are_proven_again(asked):
    core = core_of(asked)
    answers = searched(core, 2)
    assert within(truth_of(asked), listed(answers.possible))
    decided = answers.wire[answers.decided_by == Argument.TRACKING].tolist()
    assert set(decided) == {refutation.wire for refutation in answers.refutations}
    for refutation in answers.refutations:
        proven = tokens.members(answers.proven[refutation.wire]).tolist()
        assert proven_again(core, refutation, proven)


def leavers():
    """Row 0 leaves by rows 1 to 4, and nobody comes back from there but by row 0's zones."""
    zones = [(1, [0, 1]), (2, [1, 2]), (3, [0, 1]), (4, [2, 3]), (5, [0, 1]), (6, [1, 2])]
    return problem(4, 7, zones, [(user, t) for user in range(4) for t in (0, 7)])


def test_findings_do_not_depend_on_the_number_of_workers():
    one, two = (searched(core_of(leavers()), 3, workers) for workers in (1, 2))
    assert np.array_equal(one.possible, two.possible)
    assert [r.wire for r in one.refutations] == [r.wire for r in two.refutations]


def test_nothing_is_refuted_when_the_time_is_up():
    answers = asked_of(core_of(leavers()), 2)
    before = answers.n_open
    refutations.search(answers, SolveLimits(workers=1), Deadline(0.0))
    assert answers.n_open == before > 0
    assert answers.refutations == []


def test_a_token_that_can_leave_but_not_come_back_is_refuted():
    """Only 0 and 3 meet twice; before that, token 2 could go to 0, and on to 3."""
    zones = [(1, [1, 2]), (2, [0, 2]), (3, [2, 3]), (4, [0, 3]), (5, [0, 3])]
    core = core_of(problem(4, 6, zones, [(user, t) for user in range(4) for t in (0, 6)]))
    assert asked_of(core, 2).n_open == 4
    refuted = [refutation.wire for refutation in searched(core, 2).refutations]
    assert core.network.row[refuted].tolist() == [2, 3]


class Counting(NoJournal):
    """Counts what is asked."""

    steps = 0

    def keep(self, step, entry):
        """Count it."""
        self.steps += 1


def test_a_wire_is_asked_about_again_only_when_more_is_proven_of_it():
    answers = asked_of(core_of(leavers()), 3)
    answers.journal = journal = Counting()
    refutations.search(answers, SolveLimits(workers=1), Deadline(None))
    asked = journal.steps
    assert asked > 0
    refutations.search(answers, SolveLimits(workers=1), Deadline(None))
    assert journal.steps == asked
    wire = int(answers.open_wires()[0])
    more = tokens.members(answers.possible[wire] & ~answers.proven[wire])[0]
    tokens.put(answers.proven, np.array([wire]), int(more))
    refutations.search(answers, SolveLimits(workers=1), Deadline(None))
    assert journal.steps == asked + 1
