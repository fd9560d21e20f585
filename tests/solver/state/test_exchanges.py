"""Witnesses told as exchanges: the same assignments as when rows exchange step by step."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mixsafe.solver.state.exchanges import WitnessExchanges, differences_of
from tests.support.cores import core_of
from tests.support.oracles import zones_of
from tests.support.strategies import problem, problems


def exchanges(*witnesses):
    """From lists of (step, row, other row)."""
    flat = [one for witness in witnesses for one in witness]
    columns = np.array(flat, np.int32).reshape(-1, 3).T
    return WitnessExchanges(
        np.cumsum([0, *map(len, witnesses)]), *map(np.ascontiguousarray, columns)
    )


def replayed(network, witness):
    """Token on each wire, from step to step."""
    held, assignment = list(range(network.n_rows)), []
    for step in range(network.horizon + 1):
        for t, one, other in witness:
            if t == step:
                held[one], held[other] = held[other], held[one]
        assignment.append(list(held))
    return [assignment[t][row] for row, t in zip(network.row.tolist(), network.start, strict=True)]


def whole(network, told, number):
    """Token on each wire, from where a witness differs."""
    on = network.row.copy()
    mine = slice(told.ptr[number], told.ptr[number + 1])
    assert np.all(told.token[mine] != on[told.wire[mine]])  # told are those that are away only
    assert len(set(told.wire[mine].tolist())) == len(told.wire[mine])
    on[told.wire[mine]] = told.token[mine]
    return on.tolist()


@st.composite
def exchanged(draw):
    """A core, and some witnesses: members of its zones exchange in turn, perhaps several times."""
    asked = draw(problems(max_assignments=5000))
    pairs = [
        (t, one, other)
        for t, members in zones_of(asked)
        for one in members
        for other in members
        if one != other
    ]
    some = st.lists(st.sampled_from(pairs), max_size=6) if pairs else st.just([])
    witnesses = draw(st.lists(some, max_size=3))
    return core_of(asked), [sorted(one, key=lambda it: it[0]) for one in witnesses]


@given(drawn=exchanged())
@settings(max_examples=200)
def test_differences_are_where_exchanges_move_somebody(drawn):
    core, witnesses = drawn
    told = differences_of(core, exchanges(*witnesses))
    assert told.n == len(witnesses)
    for number, witness in enumerate(witnesses):
        assert whole(core.network, told, number) == replayed(core.network, witness)


def test_who_is_back_is_back_and_the_next_witness_begins_at_home():
    core = core_of(problem(2, 4, [(1, [0, 1]), (2, [0, 1])]))  # three wires each
    there, stays = [(1, 0, 1), (2, 0, 1)], [(2, 0, 1)]
    told = differences_of(core, exchanges(there, [], stays, there))
    found = [whole(core.network, told, number) for number in range(4)]
    home, away, late = [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1], [0, 0, 1, 1, 1, 0]
    assert found == [away, home, late, away]


def test_some_witnesses_are_chosen_by_their_numbers():
    made = exchanges([(1, 0, 1)], [], [(2, 1, 2), (3, 0, 1)], [(4, 0, 2)])
    assert made.n == 4
    some = made.at(np.array([2, 0, 1]))
    assert some.ptr.tolist() == [0, 2, 3, 3]
    assert (some.step.tolist(), some.one.tolist(), some.other.tolist()) == (
        [2, 3, 1],
        [1, 0, 0],
        [2, 1, 1],
    )
