"""What bounds prove by exchanges is written down, and no engine is asked again."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.certify import witness_pool
from mixsafe.certify.certify import certify
from mixsafe.certify.witness_pool import Pool
from mixsafe.check.checker import check
from mixsafe.model.course import Course, Deadline
from mixsafe.network.core import Core
from mixsafe.solver import auto, bounds
from mixsafe.solver.construct.free_user_witnesses import free_user_witnesses
from mixsafe.solver.construct.free_users import are_free, carried
from mixsafe.solver.construct.swaps import swapped
from mixsafe.solver.propagate.reachability import narrow
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.ledger import Ledger
from mixsafe.solver.state.witness import differences_of, fault
from mixsafe.verify.verification import verify
from tests.support.cores import MEETINGS, core_of, pinned_cores
from tests.support.differences import assignments_of
from tests.support.strategies import problem, problems


def _written(core: Core, k: int, seconds: float | None) -> None:
    """All that bounds prove is written down, in no time without being asked again."""
    n = core.network.n_wires
    answers = Answers(core, np.arange(n), np.full(n, k, np.int32), ledger=Ledger(core))
    bounds.decide(answers, Course.begin())
    shown = answers.ledger.through_others
    assignments = assignments_of(core, differences_of(core, shown.exchanges))
    assert all(fault(core, assignment) is None for assignment in assignments)
    assert np.array_equal(assignments[np.arange(len(assignments)), shown.wire], shown.token)
    safe = answers.lower >= k
    course = Course.begin().until(Deadline(seconds))
    pool = Pool(answers, np.where(safe, k - 1, 0).astype(np.int32), course)
    pool.fill()
    wires = np.flatnonzero(safe)
    assert np.all(pool.shown_by(wires, np.full(len(wires), k, np.int32)).sizes == k)
    assert all(fault(core, one) is None for one in assignments_of(core, pool.differences))


@given(asked=problems(max_users=6, max_zones=8), k=st.integers(2, 5))
@settings(max_examples=80, deadline=None)
def test_what_bounds_prove_is_written_down(asked, k):
    _written(core_of(asked), k, 0.0)


@given(asked=pinned_cores(), k=st.integers(2, 4))
@settings(max_examples=50, deadline=None)
def test_what_bounds_prove_where_tokens_are_on_one_of_several_rows(asked, k):
    _written(asked[0], k, None)  # swaps are covered where sightings are on one's own row


@given(asked=problems(max_users=6, max_zones=9))
@settings(max_examples=120, deadline=None)
def test_free_carriers_bring_all_that_they_prove(asked):
    core = core_of(asked)
    network, free_users = core.network, are_free(core)
    if free_users is None:
        return
    proven = carried(core, np.arange(network.n_wires))
    wires, token = tokens.pairs(proven & ~tokens.identity(network.row, core.words))
    made = free_user_witnesses(core, free_users, wires, token.astype(np.int32))
    assignments = assignments_of(core, differences_of(core, made))
    assert all(fault(core, assignment) is None for assignment in assignments)
    assert np.array_equal(assignments[np.arange(len(wires)), wires], token)


def test_little_is_made_of_what_free_users_could_carry(monkeypatch):
    """Users who are seen at both ends need two of 200 tokens each: the others are not made."""
    n_free, n_seen = 200, 20
    free, seen = range(n_free), range(n_free, n_free + n_seen)
    meetings = [[one, user] for one, user in zip(free[:n_seen], seen, strict=True)]
    later = [[one + n_seen, user] for one, user in meetings]
    zones = [(1, [*free]), *((2, pair) for pair in meetings), (3, [*free])]
    zones += [(4, pair) for pair in later]
    known = [(user, step) for user in seen for step in (0, 5)]
    asked = problem(n_free + n_seen, 5, zones, known, [(user, 2, 3) for user in seen])
    made = []

    def counted(core, free_users, wires, token):
        made.append(len(wires))
        return free_user_witnesses(core, free_users, wires, token)

    monkeypatch.setattr(witness_pool, "free_user_witnesses", counted)
    found = check(certify(verify(asked, engine="bounds", keep_proof_data=True)))
    assert (found.safe, found.undecided) == (n_seen, 0)
    assert 2 * n_seen <= sum(made) < n_seen * n_free / 16


@given(asked=pinned_cores())
@settings(max_examples=50, deadline=None)
def test_swaps_of_wanted_pairs_are_written_down_without_a_search(asked):
    core, _, _ = asked
    n = core.network.n_wires
    answers = Answers(core, np.arange(n), np.ones(n, np.int32), exhaustive=True)
    narrow(core, answers.possible)
    answers.proven |= swapped(core)
    course = Course.begin().until(Deadline(0.0))
    pool = Pool(answers, np.zeros(n, np.int32), course, answers.proven)
    pool.fill()
    found = tokens.identity(core.network.row, core.words)
    for one in assignments_of(core, pool.differences):
        assert fault(core, one) is None
        tokens.put(found, np.arange(n), one)
    assert not np.any(answers.proven & ~found)


@pytest.mark.parametrize("kind", MEETINGS)
@pytest.mark.parametrize("backward", [False, True])
def test_what_the_engine_proves_by_exchanges_is_certified_without_being_asked_again(
    kind, backward, monkeypatch
):
    step, pairs = MEETINGS[kind]
    horizon = len(pairs) + 1
    zones = [(horizon - t if backward else t, list(pair)) for t, pair in enumerate(pairs, 1)]
    step = horizon - 1 - step if backward else step
    known = [(user, t) for user in range(4) for t in (0, horizon)]
    monkeypatch.setattr(auto, "search", None)
    asked = problem(4, horizon, sorted(zones), known, [(0, step, 2)])
    found = check(certify(verify(asked, engine="bounds", keep_proof_data=True)))
    assert (found.safe, found.undecided) == (1, 0)
