"""The ledger: witnesses in their order, and in a journal's entries what they were."""

from __future__ import annotations

import numpy as np
import pytest

from mixsafe.solver.state import tokens
from mixsafe.solver.state.ledger import (
    Ledger,
    ShownTokens,
    entry_of,
    new_on,
    recorded_in,
    shown_in,
    shown_of,
)
from mixsafe.solver.state.witness import WitnessExchanges, joined
from tests.support.cores import core_of
from tests.support.differences import ONE, THREE, TWO, differences, listed, moved
from tests.support.strategies import problem


@pytest.fixture
def core():
    """Users 0 and 1 meet, and 2 and 3."""
    return core_of(problem(4, 3, [(1, [0, 1]), (1, [2, 3]), (2, [0, 1]), (2, [2, 3])]))


def test_witnesses_are_told_in_the_order_in_which_they_were_found(core):
    ledger = Ledger(core)
    assert (ledger.recorded.n, ledger.through_others.exchanges.n) == (0, 0)
    ledger.add(differences(TWO, ONE))
    assert listed(ledger.recorded) == [TWO, ONE]
    ledger.add(differences(THREE))
    assert listed(ledger.recorded) == listed(ledger.recorded) == [TWO, ONE, THREE]


def test_of_a_witness_that_part_is_written_down_that_moves_the_wires(core):
    both = moved(core, (0, 1, 1), (1, 1, 0), (2, 1, 3), (3, 1, 2))
    ledger, wire = Ledger(core), core.network.wire_at
    ledger.add_parts(both, wire(np.array([1]), 1))
    assert listed(ledger.recorded) == [[(int(wire(0, 1)), 1), (int(wire(1, 1)), 0)]]


def test_what_was_told_is_told_again_by_an_entry():
    some = differences(TWO, [], THREE)
    again = recorded_in({"found": np.zeros(2), **entry_of(some)})
    assert listed(again) == listed(recorded_in(entry_of(some))) == listed(some)
    assert [column.dtype for column in again] == [np.int64, np.int64, np.int32]
    assert listed(recorded_in({"found": np.zeros(2)})) == listed(joined([])) == []


def test_exchanges_are_known_again_by_an_entry():
    rows = (np.array(column, np.int32) for column in ([1, 2, 2], [0, 1, 3], [2, 0, 1]))
    some = ShownTokens(
        np.array([5, 7]), np.array([2, 1], np.int32), WitnessExchanges(np.array([0, 1, 3]), *rows)
    )
    again = shown_in({"found": np.zeros(2), **shown_of(some)})
    for one, other in zip(
        (*some[:2], *some.exchanges), (*again[:2], *again.exchanges), strict=True
    ):
        assert (one.tolist(), one.dtype) == (other.tolist(), other.dtype)
    assert shown_in(shown_of(some)).wire.tolist() == [5, 7]
    nothing = shown_in({"found": np.zeros(2)})
    assert (len(nothing.wire), len(nothing.token), nothing.exchanges.n) == (0, 0, 0)


def test_a_witness_is_new_where_its_token_is_not_found_and_not_enough_are():
    wires = np.array([1, 2, 4, 5])
    found = np.stack([tokens.set_of(np.array(one), 1) for one in ([1], [2, 3], [4, 0], [5])])
    assignment = np.array([9, 0, 3, 9, 1, 5], np.int32)  # by wire: 0, 3, 1 and 5 on those four
    enough = np.array([2, 3, 2, 3])
    assert new_on(assignment, wires, found, enough).tolist() == [True, False, False, False]
    more = new_on(assignment, wires, found, enough + 1)
    assert more.tolist() == [True, False, True, False]
