"""Answers: bounds only move towards each other, and the first proof that suffices is named.

What was packed for a journal is what is taken in again; what an argument costs is what passed
since the one before.
"""

from __future__ import annotations

import math
import os
from types import SimpleNamespace

import numpy as np
import pytest

from mixsafe.errors import MixsafeError
from mixsafe.model.answer.verdict import Argument
from mixsafe.model.course import Deadline
from mixsafe.solver.state import tokens
from mixsafe.solver.state.answers import Answers, Finding, Spent, assignments, packed, unpacked
from mixsafe.solver.state.ledger import Ledger, ShownTokens
from mixsafe.solver.state.witness import WitnessExchanges
from tests.support.cores import core_of
from tests.support.strategies import problem

FIRST, MIDDLE, LAST = 0, 1, 2  # wires of user 0


@pytest.fixture
def core():
    """Three users; all meet at 1, the first two again at 3."""
    return core_of(problem(3, 4, [(1, [0, 1, 2]), (3, [0, 1])]))


def asked(core, wires, k, **how):
    return Answers(core, np.array(wires, np.int64), np.array(k, np.int32), **how)


def exchanged(core):
    """Users 0 and 1 exchange at step 1, and never again."""
    assignment = core.network.row.copy()
    assignment[core.network.wire_at([0, 0, 1, 1], [1, 3, 1, 3])] = [1, 1, 0, 0]
    return assignment


def test_before_anything_is_done_a_user_can_be_herself_or_anybody(core):
    answers = asked(core, [MIDDLE], [2])
    assert (answers.lower == 1).all()
    assert (answers.upper == 3).all()
    assert answers.n_open == 1


def test_one_candidate_is_always_there(core):
    answers = asked(core, [MIDDLE], [1])
    assert answers.n_open == 0
    assert answers.decided_by.tolist() == [Argument.IDENTITY]


def test_more_candidates_than_users_are_never_there(core):
    assert asked(core, [MIDDLE], [4]).n_open == 0


def test_one_witness_serves_every_wire_that_it_moves(core):
    answers = asked(core, [FIRST, MIDDLE, LAST], [2, 2, 2])
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    assert answers.open_wires().tolist() == [FIRST]
    assert answers.decided_by.tolist() == [Argument.NONE, Argument.SUPPORT, Argument.SUPPORT]


def test_what_decided_first_is_kept(core):
    answers = asked(core, [MIDDLE], [2])
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    answers.add_witness(exchanged(core), Argument.CPSAT)
    assert answers.decided_by.tolist() == [Argument.SUPPORT]


def test_a_wrong_witness_is_refused_and_changes_nothing(core):
    answers = asked(core, [MIDDLE], [2])
    with pytest.raises(MixsafeError, match="a witness of cpsat is wrong: a token does not start"):
        answers.add_witness(np.roll(core.network.row, 1), Argument.CPSAT)
    assert (answers.lower == 1).all()


def test_proofs_that_contradict_each_other_are_an_error(core):
    answers = asked(core, [MIDDLE], [2])
    answers.possible[MIDDLE] = 0b110
    with pytest.raises(MixsafeError, match="contradiction after matching"):
        answers.settle(Argument.MATCHING)


def test_refuting_the_rest_leaves_what_is_proven(core):
    answers = asked(core, [MIDDLE, LAST], [2, 2])
    answers.refute_rest(MIDDLE, Argument.CPSAT)
    assert (answers.lower[MIDDLE], answers.upper[MIDDLE]) == (1, 1)
    assert answers.decided_by.tolist() == [Argument.CPSAT, Argument.NONE]


@pytest.mark.parametrize("token", [1, 2])
def test_ruling_one_token_out_takes_that_one_only(core, token):
    answers = asked(core, [MIDDLE, LAST], [3, 3])
    answers.rule_out(MIDDLE, token, Argument.CPSAT)
    assert tokens.members(answers.possible[MIDDLE]).tolist() == sorted({0, 1, 2} - {token})
    assert answers.upper[[MIDDLE, LAST]].tolist() == [2, 3]
    assert answers.decided_by.tolist() == [Argument.CPSAT, Argument.NONE]


def test_the_token_with_number_0_is_one_that_can_be_refuted(core):
    answers = asked(core, [MIDDLE], [3])
    wire = int(core.network.first[1])
    answers.rule_out(wire, 0, Argument.CPSAT)
    assert tokens.members(answers.possible[wire]).tolist() == [1, 2]


def test_the_smallest_open_k_of_a_wire_is_what_it_needs_next(core):
    answers = asked(core, [MIDDLE, LAST, MIDDLE, MIDDLE], [3, 3, 1, 2])
    wires = answers.open_wires()
    assert wires.tolist() == [MIDDLE, LAST]
    assert answers.enough(wires).tolist() == [2, 3]


def test_a_wire_with_several_k_is_open_until_the_last_is_settled(core):
    answers = asked(core, [MIDDLE, MIDDLE], [2, 3])
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    assert answers.is_open(MIDDLE)
    answers.refute_rest(MIDDLE, Argument.CPSAT)
    assert not answers.is_open(MIDDLE)


def test_asked_exhaustively_a_wire_is_open_until_its_bounds_meet(core):
    answers = asked(core, [MIDDLE], [1], exhaustive=True)
    assert answers.enough(answers.open_wires()).tolist() == [3]
    answers.refute_rest(MIDDLE, Argument.CPSAT)
    assert answers.n_open == 0


def test_without_a_limit_time_never_ends():
    assert math.isinf(Deadline(None).left)
    assert not Deadline(None).passed


def test_a_limit_of_nothing_has_passed():
    assert Deadline(0.0).passed
    assert Deadline(0.0).left == 0.0


@pytest.mark.parametrize(("one", "other"), [(0, 63), (3, 64), (64, 65), (1, 127), (64, 128)])
def test_among_many_users_a_witness_shows_the_token_that_it_has(one, other):
    core = core_of(problem(130, 3, [(2, [one, other])]))
    wires = core.network.wire_at([one, other], [2, 2])
    answers = Answers(core, wires, np.array([2, 2], np.int32))
    assignment = core.network.row.copy()
    assignment[wires] = other, one
    answers.add_witness(assignment, Argument.SUPPORT)
    shown = [tokens.members(answers.proven[wire]).tolist() for wire in wires]
    assert shown == [[one, other]] * 2
    assert answers.n_open == 0
    untouched = np.delete(np.arange(core.network.n_wires), wires)
    assert answers.lower[untouched].tolist() == [1] * len(untouched)


def test_what_was_known_is_known_again(core):
    answers = asked(core, [FIRST, MIDDLE, LAST], [2, 2, 3])
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    answers.refute_rest(LAST, Argument.CPSAT)
    again = asked(core, [FIRST, MIDDLE, LAST], [2, 2, 3])
    again.restore({name: array.astype(array.dtype) for name, array in answers.state().items()})
    for name in ("lower", "upper", "decided_by", "proven", "possible"):
        assert getattr(again, name).tolist() == getattr(answers, name).tolist()


def test_what_others_brought_is_known_again_where_witnesses_are_wanted(core):
    answers = asked(core, [MIDDLE], [2], ledger=Ledger(core))
    pair = np.array([0], np.int32), np.array([1], np.int32)
    made = WitnessExchanges(np.array([0, 1]), np.array([1], np.int32), *pair)
    answers.ledger.through_others = ShownTokens(np.array([MIDDLE]), pair[1], made)
    again = asked(core, [MIDDLE], [2], ledger=Ledger(core))
    again.restore(answers.state())
    shown = again.ledger.through_others
    assert (shown.wire.tolist(), shown.token.tolist()) == ([MIDDLE], [1])
    assert [column.tolist() for column in shown.exchanges] == [[0, 1], [1], [0], [1]]
    without = asked(core, [MIDDLE], [2])
    without.restore(answers.state())
    assert without.ledger is None


def test_a_witness_is_written_down_where_it_shows_what_is_asked_and_not_known(core):
    answers = asked(core, [LAST, int(core.network.first[2])], [2, 2], ledger=Ledger(core))
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    told = answers.ledger.recorded
    assert (told.n, LAST in told.wire) == (1, True)
    answers.add_witness(exchanged(core), Argument.CPSAT)
    assert answers.ledger.recorded.n == 1


def test_what_was_spent_is_put_down_to_what_settles(core, monkeypatch):
    answers, charged = asked(core, [MIDDLE], [2]), []
    monkeypatch.setattr(answers.spent, "charge", charged.append)
    answers.settle(Argument.SWAP)
    answers.add_witness(exchanged(core), Argument.SUPPORT)
    assert charged == [Argument.SWAP, Argument.SUPPORT]


def test_wires_without_open_questions_need_more_than_there_is(core):
    answers = asked(core, [MIDDLE, LAST], [2, 3])
    assert answers.enough(np.array([FIRST, LAST])).tolist() == [np.iinfo(np.int32).max, 3]


@pytest.fixture
def answers():
    """All of three users meet at step 1, and nobody is known."""
    core = core_of(problem(3, 2, [(1, [0, 1, 2])]))
    return Answers(core, np.arange(6), np.full(6, 3, np.int32))


def swapped(answers):
    assignment = answers.core.network.row.copy()
    assignment[[1, 3]] = 1, 0
    return assignment


def test_a_witness_is_kept_by_what_it_moves(answers):
    found = Finding.witness(swapped(answers), answers.core.network.row)
    assert (found.wires.tolist(), found.tokens.tolist()) == ([1, 3], [1, 0])


def test_a_witness_is_taken_in_whole_and_kept(answers):
    found = Finding.witness(swapped(answers), answers.core.network.row)
    answers.take_in(found, Argument.CPSAT)
    assert answers.lower.tolist() == [1, 2, 1, 2, 1, 1]
    answers.take_in(Finding.refutation(5), Argument.CPSAT)
    assert answers.witnesses == [found]


def test_a_wrong_witness_is_not_taken_in(answers):
    wrong = Finding(np.array([1]), np.array([1], np.int32))
    with pytest.raises(MixsafeError, match="a witness of cpsat is wrong"):
        answers.take_in(wrong, Argument.CPSAT)


def test_a_refutation_is_taken_in_for_its_wire_alone(answers):
    answers.take_in(Finding.refutation(3), Argument.CPSAT)
    assert answers.upper.tolist() == [3, 3, 3, 1, 3, 3]
    assert answers.decided_by[3] == Argument.CPSAT


def test_what_is_packed_is_what_is_unpacked(answers):
    row = answers.core.network.row
    findings = [
        Finding.refutation(0),
        Finding.witness(swapped(answers), row),
        Finding.refutation(5),
    ]
    again = unpacked(packed(findings))
    assert [one.wires.tolist() for one in again] == [[0], [1, 3], [5]]
    assert again[0].tokens is None
    assert again[1].tokens.tolist() == [1, 0]
    assert again[2].tokens is None


def test_no_findings_are_packed_as_none():
    entry = packed([])
    assert entry["ptr"].tolist() == [0]
    assert unpacked(entry) == []


def test_a_witness_that_moves_token_0_is_no_refutation(answers):
    found = Finding(np.array([3, 1]), np.array([0, 1], np.int32))
    (again,) = unpacked(packed([found]))
    assert again.tokens.tolist() == [0, 1]


def test_a_witness_that_moves_nobody_is_no_refutation(answers):
    row = answers.core.network.row
    home = Finding.witness(row, row)
    again = unpacked(packed([home, Finding.refutation(3), home]))
    assert [one.tokens is None for one in again] == [False, True, False]
    assert again[2].assignment(row).tolist() == row.tolist()


def test_a_refutation_is_no_witness(answers):
    with pytest.raises(ValueError, match="no assignment"):
        Finding.refutation(0).assignment(answers.core.network.row)


def test_a_variation_is_told_by_where_it_differs_from_the_witness_before_it(answers):
    row, first = answers.core.network.row, swapped(answers)
    second = first.copy()
    second[[1, 5]] = 2, 1
    varied = Finding.witness(second, row, first)
    assert varied.wires.tolist() == [1, 5]
    listed = [Finding.witness(first, row), varied, Finding.witness(row, row, second)]
    again = list(assignments(unpacked(packed(listed)), row))
    assert [one.tolist() for one in again] == [first.tolist(), second.tolist(), row.tolist()]


def test_a_variation_of_nothing_is_no_witness(answers):
    row = answers.core.network.row
    with pytest.raises(ValueError, match="witness that it varies is missing"):
        Finding.witness(row, row, swapped(answers)).assignment(row)


def test_an_argument_costs_what_this_process_and_its_workers_spent_since_the_last(monkeypatch):
    clock = iter([(1, 2, 3, 4, 100), (2, 4, 6, 8, 300), (2, 4, 6, 8, 500), (3, 4, 6, 8, 500)])
    times = SimpleNamespace(times=lambda: next(clock))
    monkeypatch.setattr("mixsafe.solver.state.answers.os", times)
    found = Spent()
    assert found.seconds.tolist() == [0] * len(Argument)
    found.charge(Argument.SWAP)
    found.charge(Argument.MATCHING)
    found.charge(Argument.SWAP)
    assert found.seconds[Argument.SWAP] == 10 + 1
    assert found.seconds.sum() == 11
    assert len(os.times()) == 5  # user, system, both of ended workers, and what a wall clock says
