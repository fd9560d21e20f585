"""Findings: what was packed for a journal is what is taken in again."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.errors import MixsafeError
from mixsafe.model.answer.verdict import Argument
from mixsafe.solver.state.answers import Answers
from mixsafe.solver.state.findings import Finding, assignments, packed, unpacked
from tests.support.cores import core_of
from tests.support.strategies import problem


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
