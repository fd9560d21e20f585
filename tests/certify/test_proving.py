"""Proofs of unsafe claims: of all that is false, of nothing that is true, and each is replayed.

Hall sets are what matching removes, as steps that the checker follows.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mixsafe.certify.propagation import derive
from mixsafe.certify.proving import Doubt, closed, refutations
from mixsafe.check.claim_clauses import ClaimClauses, replay
from mixsafe.check.reached import Reached
from mixsafe.errors import InputError
from mixsafe.model.answer.certificate import ClauseProof
from mixsafe.model.course import Course, Deadline, SolveLimits
from mixsafe.network.core import Core
from mixsafe.network.wires import WireNetwork
from mixsafe.solver.propagate.matching import match
from mixsafe.solver.propagate.reachability import narrow, reachable
from mixsafe.solver.sat.encoding import Encoding
from tests.support.cores import core_of
from tests.support.oracles import domains_of
from tests.support.strategies import problem, problems

NOTHING = np.zeros(0, np.int32)


def proof_of(reached, row, step, left, seconds=None):
    doubt = Doubt(row, step, np.array(sorted(left)))
    (found,) = refutations(reached, [doubt], Course.begin(SolveLimits(seconds, 1)))
    return found


@given(problems(max_zones=8))
@settings(max_examples=40)  # each one asks a solver about every user and time
def test_what_no_assignment_has_is_refuted_and_what_some_history_has_is_not(asked):
    reached = Reached(asked)
    for (row, step), tokens in domains_of(asked).items():
        wire = reached.wires_at(step)[row]
        if step in (reached.start[wire], reached.end[wire]):
            proof = proof_of(reached, row, step, tokens)
            assert proof is not None
            replay(reached, proof)
            if len(tokens) > 1:
                assert proof_of(reached, row, step, tokens - {max(tokens)}) is None


@given(problems(max_users=4, max_zones=4))
def test_a_solver_is_given_the_clauses_that_the_checker_knows_by_their_names(asked):
    reached = Reached(asked)
    tokens = np.arange(reached.n_rows)
    claim = ClauseProof(0, 0, tokens[:1], tokens, 0, reached.horizon, NOTHING, NOTHING)
    written = Encoding.of(core_of(asked), reached.sets, tokens).named_formula(reached.sets, 10**6)
    told = ClaimClauses(reached, claim)
    ends = np.flatnonzero(written.literals == 0)
    for name, literals in zip(
        written.names.tolist(), np.split(written.literals, ends + 1)[:-1], strict=True
    ):
        assert sorted(told.clause(*name)) == sorted(literals[:-1].tolist())


def test_nothing_is_found_when_the_time_is_up():
    asked = problem(3, 4, [(1, [0, 1]), (2, [1, 2])], [(0, 0), (0, 4)])
    assert proof_of(Reached(asked), 0, 1, {0}, seconds=1e-9) is None
    assert proof_of(Reached(asked), 0, 1, {0}) is not None


def test_several_processes_find_what_one_finds():
    asked = problem(4, 6, [(1, [0, 1]), (2, [1, 2]), (3, [2, 3]), (4, [0, 1])], [(0, 0), (0, 6)])
    reached = Reached(asked)
    doubts = [Doubt(row, 3, np.arange(4)) for row in range(4)]
    courses = [Course.begin(SolveLimits(workers=n)) for n in (1, 2)]
    one, two = (list(refutations(reached, doubts, course)) for course in courses)
    for some, other in zip(one, two, strict=True):
        assert all(map(np.array_equal, some, other))


@pytest.mark.parametrize("learned", [[], [1, 0], [2, 0, 0]])
def test_what_a_solver_logged_is_not_believed_if_it_does_not_follow(learned):
    clauses = np.array([1, 2, 0, -1, 2, 0, 1, -2, 3, 0, -1, -2, 3, 0, -3, 4, 0], np.int32)
    assert derive(clauses, np.array(learned, np.int32), 4) is None


def test_what_a_contradiction_does_not_rest_on_is_left_out():
    clauses = np.array([5, 6, 0, 1, 2, 0, 1, -2, 0, -1, 3, 0, -1, -3, 0, 3, 4, 0], np.int32)
    found = derive(clauses, np.array([5, 6, 3, 0, 1, 0, 0], np.int32), 6)
    assert found.needed.tolist() == [1, 2, 3, 4]
    assert found.lemmas.tolist() == [1, 0, 2, 1, 0, 0, 5, 4, 3, 0]


def everything(asked):
    """What is reached, all its wires, and a number of tokens that none of them may have."""
    reached = Reached(asked)
    return reached, (reached.row, reached.start), np.ones(len(reached.row), np.int32)


@given(problems())
def test_hall_sets_leave_at_most_what_matching_leaves_and_all_candidates(asked):
    reached, about, none = everything(asked)
    found = closed(reached, *about, none, Deadline(None))
    again = Reached(asked)
    again.close(found)
    assert np.array_equal(again.sets, reached.sets)
    core = Core.of(WireNetwork.of(asked.zones), asked.knowledge)
    possible = reachable(core)
    while match(core, possible, np.arange(core.network.n_wires)):
        narrow(core, possible)
    assert not np.any(reached.sets & ~possible)
    for (row, step), tokens in domains_of(asked).items():
        wire = int(reached.wires_at(step)[row])
        assert set(tokens) <= set(reached.tokens(wire))


def test_a_hall_set_with_a_token_or_a_row_more_or_less_or_another_is_refused(forgeable):
    asked, hall_sets = forgeable
    for number, one in enumerate(hall_sets):
        for forged in (
            one._replace(rows=one.rows[1:]),
            one._replace(tokens=one.tokens[1:]),
            one._replace(rows=np.append(one.rows, np.setdiff1d(range(5), one.rows)[:1])),
        ):
            with pytest.raises(InputError, match="closure"):
                Reached(asked).close([*hall_sets[:number], forged])


@pytest.fixture(name="forgeable")
def _forgeable():
    """The first problem of a list whose Hall sets strike something."""
    random = np.random.default_rng(3)
    while True:
        zones = [(t, sorted(random.choice(5, 2, replace=False).tolist())) for t in range(1, 9)]
        asked = problem(5, 9, zones, [(user, step) for user in range(5) for step in (0, 9)])
        reached, about, none = everything(asked)
        before = reached.sets.copy()
        hall_sets = closed(reached, *about, none, Deadline(None))
        if not np.array_equal(before, reached.sets):
            return asked, hall_sets
